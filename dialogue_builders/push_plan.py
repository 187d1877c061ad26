"""What a push would change: a folder's files beside a repository's, compared by hash."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dialogue_builders.built_folder import READ_BYTES, SHARD_NAME, BuiltFolder
from dialogue_builders.card_blocks import FIGURES
from dialogue_builders.card_merge import merge_cards
from dialogue_builders.card_prose import computed_blocks
from dialogue_builders.corpus import Corpus
from dialogue_builders.errors import FolderError
from dialogue_builders.figures import FORMATS

Progress = Callable[[str, int, int], None]
"""Called with what is being done, and its bytes: done, and in all (0 where that is not known)."""

CARDS = "README*.md"
# The Hub keeps this one itself: it says which files are stored as large ones.
LEFT_TO_THE_HUB = ".gitattributes"


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
        data = self.content if isinstance(self.content, bytes) else self.content.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

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


@dataclass(frozen=True)
class PushPlan:
    """What one commit will do.

    Attributes:
        head: the commit that it was planned against; None where there is no repository yet.
        files: everything that the repository shall hold of ours, by path.
        adds, replaces, deletes, unchanged: paths, each in one of the four.
        deleted_bytes: the size of what is deleted.
        notes: what is worth telling, one line each.
    """

    head: str | None
    files: Mapping[str, LocalFile]
    adds: tuple[str, ...]
    replaces: tuple[str, ...]
    deletes: tuple[str, ...]
    unchanged: tuple[str, ...]
    deleted_bytes: int
    notes: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.adds or self.replaces or self.deletes)

    @property
    def uploads(self) -> list[LocalFile]:
        """The files that the commit writes."""
        return [self.files[path] for path in (*self.adds, *self.replaces)]

    def size(self, paths: Sequence[str]) -> int:
        """Return the bytes of some files of the folder."""
        return sum(self.files[path].size for path in paths)

    @property
    def identity(self) -> str:
        """A name for what the commit changes, the same for every attempt to make it.

        It stands in the commit's description, so that an attempt whose answer was lost can be
        found again: 32 hexadecimal digits.
        """
        lines = [f"{file.path} {file.sha256}" for file in self.uploads]
        text = "\n".join(sorted([*lines, *(f"{path} deleted" for path in self.deletes)]))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def summary(self) -> str:
        """The plan in a few words, such as `3 added, 1 replaced`."""
        parts = ((self.adds, "added"), (self.replaces, "replaced"), (self.deletes, "deleted"))
        return ", ".join(f"{len(paths)} {word}" for paths, word in parts if paths)


def read_folder(built: BuiltFolder, progress: Progress) -> dict[str, LocalFile]:
    """List and hash every file of a folder that a push takes along.

    Raises:
        FolderError: a file can't be read, or is no longer the one that was checked.
    """
    paths = [path for path in sorted(built.path.rglob("*")) if path.is_file()]
    paths = [path for path in paths if path.name != LEFT_TO_THE_HUB]
    checked = {f.path: f.sha256 for s in built.files.values() for fs in s.values() for f in fs}
    total, done = sum(path.stat().st_size for path in paths), 0
    files: dict[str, LocalFile] = {}
    for path in paths:
        name, digest, size = path.relative_to(built.path).as_posix(), hashlib.sha256(), 0
        with path.open("rb", buffering=0) as stream:
            while chunk := stream.read(READ_BYTES):
                digest.update(chunk)
                size += len(chunk)
                progress("hashing", min(done + size, total), total)
        done += size
        files[name] = LocalFile(name, path, size, digest.hexdigest())
        if checked.get(name, files[name].sha256) != files[name].sha256:
            raise FolderError(
                "was changed while the push was reading it",
                file=name,
                next_step="let the build finish; then push again",
            )
    return files


def make_plan(
    local: Mapping[str, LocalFile],
    remote: Mapping[str, RemoteFile],
    *,
    head: str | None,
    corpus: Corpus,
    read_remote: Callable[[RemoteFile], str],
) -> PushPlan:
    """Compare a folder with a repository.

    Args:
        local: the folder's files by path.
        remote: the files at the repository's head by path.
        head: that head; None where there is no repository yet.
        corpus: it says which of the repository's files are ours.
        read_remote: a card in the repository → its text.

    Raises:
        PushError: the repository's card can't be merged.
    """
    files, notes = dict(local), list[str]()
    for path, file in local.items():
        if fnmatch.fnmatch(path, CARDS) and path in remote and not file.is_same(remote[path]):
            files[path], told = _merge_card(file, read_remote(remote[path]), corpus)
            notes.extend(told)
    adds: list[str] = []
    replaces: list[str] = []
    unchanged: list[str] = []
    for path, file in files.items():
        if path not in remote:
            adds.append(path)
        else:
            (unchanged if file.is_same(remote[path]) else replaces).append(path)
    deletes = [
        path
        for path in sorted(remote.keys() - files.keys())
        if is_our_shard(path, corpus)
        or _is_our_figure(path, corpus)
        or _is_our_card(remote[path], read_remote)
    ]
    return PushPlan(
        head=head,
        files=files,
        adds=tuple(adds),
        replaces=tuple(replaces),
        deletes=tuple(deletes),
        unchanged=tuple(unchanged),
        deleted_bytes=sum(remote[path].size for path in deletes),
        notes=tuple(notes),
    )


def _merge_card(file: LocalFile, theirs: str, corpus: Corpus) -> tuple[LocalFile, tuple[str, ...]]:
    assert isinstance(file.content, Path)
    ours = file.content.read_text("utf-8")
    text, notes = merge_cards(ours, theirs, name=file.path, own_configs=corpus.config_names)
    return LocalFile.of_bytes(file.path, text.encode()), notes


def is_our_shard(path: str, corpus: Corpus) -> bool:
    """Whether a repository's file is a shard as a build writes them; others are foreign."""
    folder, _, name = path.rpartition("/")
    match = SHARD_NAME.fullmatch(name)
    return (
        match is not None
        and match["split"] in corpus.splits
        and folder in (view.name for view in corpus.views)
    )


def _is_our_figure(path: str, corpus: Corpus) -> bool:
    """Whether a repository's file is a drawing of ours; without it in the folder it is stale."""
    return any(
        path == f"{FIGURES}/{distribution.name}.{kind}"
        for distribution in corpus.distributions
        for kind in FORMATS
    )


def _is_our_card(file: RemoteFile, read_remote: Callable[[RemoteFile], str]) -> bool:
    """Whether a repository's file is a card in another language that a build has computed."""
    is_card = fnmatch.fnmatch(file.path, CARDS) and "/" not in file.path
    return is_card and bool(computed_blocks(read_remote(file)))
