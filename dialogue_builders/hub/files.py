"""Files of a folder and of a repository, compared by hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dialogue_builders.errors import FolderError
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.folder.inventory import belongs, list_files
from dialogue_builders.hashing import file_sha256, git_blob_id, git_blob_id_of
from dialogue_builders.progress import Progress


@dataclass(frozen=True)
class LocalFile:
    """A file to be pushed.

    Attributes:
        path: relative to the folder and to the repository alike.
        content: where it lies, or the bytes themselves for a merged card.
        size: in bytes.
        sha256: of the content, in hexadecimal.
    """

    path: str
    content: Path | bytes
    size: int
    sha256: str

    @classmethod
    def of_bytes(cls, path: str, data: bytes) -> LocalFile:
        """Make a file of its content."""
        return cls(path, data, len(data), hashlib.sha256(data).hexdigest())

    @cached_property
    def git_blob(self) -> str:
        """The hash by which git knows the content as a regular file (SHA-1, hexadecimal)."""
        if isinstance(self.content, bytes):
            return git_blob_id_of(self.content)
        return git_blob_id(self.content)

    def is_same(self, remote: RemoteFile) -> bool:
        """Whether the repository's file has this content."""
        if remote.sha256 is not None:
            return remote.sha256 == self.sha256
        return remote.size == self.size and remote.git_blob == self.git_blob


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository, as its tree describes it.

    Attributes:
        path: relative to the repository.
        size: in bytes.
        git_blob: git's hash of the content, or of the pointer to a large file.
        sha256: of a large file's content; None for a regular file.
    """

    path: str
    size: int
    git_blob: str
    sha256: str | None


def read_folder(built: BuiltFolder, progress: Progress) -> dict[str, LocalFile]:
    """List and hash every file of a folder that a push takes along.

    Raises:
        FolderError: a file can't be read, is no longer the one that was checked, or is gone.
    """
    listed = list_files(built.path, built.corpus)
    paths = [built.path / name for name in listed if belongs(name, built.corpus)]
    checked = {f.path: f.sha256 for s in built.files.values() for fs in s.values() for f in fs}
    # A plan without a file that was checked would delete it in the repository.
    for name in checked:
        if name not in listed:
            raise FolderError(
                "was checked, and is not among the files to be pushed; nothing was pushed",
                file=name,
                next_step="build the folder again",
            )
    total, done = sum(path.stat().st_size for path in paths), 0
    files: dict[str, LocalFile] = {}

    def read(size: int) -> None:
        nonlocal done
        done += size
        progress("hashing", min(done, total), total)

    for path in paths:
        name = path.relative_to(built.path).as_posix()
        before = done
        digest = file_sha256(path, read)
        files[name] = LocalFile(name, path, done - before, digest)
        if checked.get(name, files[name].sha256) != files[name].sha256:
            raise FolderError(
                "was changed while the push was reading it",
                file=name,
                next_step="let the build finish; then push again",
            )
    return files
