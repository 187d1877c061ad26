"""Raw files inside of an untouched archive (zip, tar, tar.gz, …), unpacked into a temporary folder.

An archive is not trusted: nothing is written outside of that folder, and one member that would
escape from it is enough to refuse the whole archive. The standard library's filters are not strict
enough for that: `tarfile.data_filter` strips a leading slash and lets links inside the folder pass,
and zip has no filter at all.
"""

from __future__ import annotations

import atexit
import lzma
import os
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Self

from dialogue_builders.errors import RawFileError
from dialogue_builders.raw.unpacking import require_bounded, require_space

COPY_BYTES = 1 << 20
# The repository has some 120 files.
MOST_MEMBERS = 100_000
# A path, and what GitHub writes about a commit, take some hundred bytes.
LONGEST_TEXT = 1 << 20
TEXT_TYPES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
# What the standard library raises for an archive that is damaged or of an unknown making.
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    UnicodeError,
    ValueError,
)


def is_archive(path: Path) -> bool:
    """Whether a file is a zip or tar archive (packed or not), by its content."""
    try:
        if not path.is_file():
            return False
        if zipfile.is_zipfile(path):
            return True
        with tarfile.open(path, tarinfo=_Header):
            return True
    except (OSError, tarfile.TarError):
        return False


def unpacked(path: Path) -> Path:
    """Return a temporary folder with an archive's files; it lives as long as the process.

    The same archive is unpacked once per process; a changed one is unpacked anew.

    Raises:
        RawFileError: the archive is damaged or encrypted, holds a file twice, or holds a member
            that would escape from the folder (an absolute path, `..`, a link, a device); it grows
            to more than raw files do, or than there is space for.
    """
    status = path.stat()
    return _unpacked(path.resolve(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=16)
def _unpacked(path: Path, size: int, modified_ns: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="dialogue-builders-"))
    # A forked process inherits this call, but the folder belongs to the one that made it.
    atexit.register(_remove, folder, os.getpid())
    try:
        for name, stream in _files_of(path):
            with stream:
                _write(folder, name, stream, path)
    except (*BROKEN, OSError, RuntimeError) as error:
        _remove(folder, os.getpid())
        raise _explain(path, error) from error
    except RawFileError as error:
        _remove(folder, os.getpid())
        error.file = error.file or path.name
        raise
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


class _Header(tarfile.TarInfo):
    """A tar header that refuses names and comments of absurd length, which would fill the memory.

    Members of these types are not files: the library reads each of them as a whole.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """See `tarfile.TarInfo`.

        Raises:
            RawFileError: a text of absurd length.
        """
        header = super().frombuf(buf, encoding, errors)
        is_text = header.type in TEXT_TYPES or header.type not in tarfile.SUPPORTED_TYPES
        if is_text and header.size > LONGEST_TEXT:
            raise RawFileError(
                f"holds a name or comment of {header.size:,} bytes; nothing of it was read",
                next_step="fetch the archive again from its source",
            )
        return header


class _Bounds:
    """What an archive's members take together, looked at before any of them is unpacked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.packed = path.stat().st_size
        self.members = 0
        self.unpacked = 0

    def add(self, size: int) -> None:
        """Count a member of `size` bytes; raise a RawFileError where it is too much."""
        self.members += 1
        self.unpacked += size
        require_bounded(self.unpacked, self.packed, self.path.name)
        if self.members > MOST_MEMBERS:
            raise RawFileError(
                f"holds more than {MOST_MEMBERS:,} files; none of them was read",
                file=self.path.name,
                next_step="fetch the archive again from its source",
            )

    def require_space(self) -> None:
        """Raise a RawFileError where the temporary folder lacks the space for all members."""
        require_space(self.unpacked, self.path.name)


def _files_of(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield every regular file of an archive, once none has been found to escape or to be a bomb.

    A packed tar archive is bounded while its headers are read: what a header announces is refused
    before it is unpacked.
    """
    bounds = _Bounds(path)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            for entry in entries:
                kind = stat.S_IFMT(entry.external_attr >> 16)
                _require_inside(path, entry.filename, kind in (0, stat.S_IFREG, stat.S_IFDIR))
                bounds.add(entry.file_size)
            bounds.require_space()
            for entry in entries:
                if not entry.is_dir():
                    yield entry.filename, archive.open(entry)
        return
    with tarfile.open(path, tarinfo=_Header) as archive:
        members = []
        for member in archive:
            _require_inside(path, member.name, member.isfile() or member.isdir())
            bounds.add(member.size)
            members.append(member)
        bounds.require_space()
        for member in members:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield member.name, stream


def _parts(name: str) -> tuple[str, ...]:
    """Split a member's name; some programs write a backslash between folders."""
    return PurePosixPath(name.replace("\\", "/")).parts


def _require_inside(path: Path, name: str, is_plain: bool) -> None:
    """Raise a RawFileError for a member that is no plain file or folder below the archive."""
    parts = _parts(name)
    absolute = name.startswith(("/", "\\")) or (parts and parts[0].endswith(":"))
    if is_plain and not absolute and ".." not in parts and "\0" not in name:
        return
    problem = "is a link or device" if not is_plain else "would be written outside of the folder"
    raise RawFileError(
        f"its member {name!r} {problem}; nothing of it was read",
        file=path.name,
        next_step="fetch the archive again from its source, or unpack it yourself and look at it",
    )


def _write(folder: Path, name: str, stream: IO[bytes], path: Path) -> None:
    target = folder.joinpath(*_parts(name))
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise RawFileError(
            f"holds {name!r} twice, so that either could be meant",
            file=path.name,
            next_step="unpack it yourself and keep the right one",
        )
    with target.open("xb") as file:
        shutil.copyfileobj(stream, file, COPY_BYTES)


def _explain(path: Path, error: Exception) -> RawFileError:
    """Say why an archive could not be unpacked."""
    if isinstance(error, RuntimeError) and "password" in str(error):
        return RawFileError(
            "is encrypted", file=path.name, next_step="unpack it yourself and give the folder"
        )
    if isinstance(error, OSError) and error.errno is not None:
        return RawFileError(
            f"can't be unpacked into {tempfile.gettempdir()!r}: {error.strerror}",
            file=path.name,
            next_step="free some space, set TMPDIR, or unpack it yourself and give the folder",
        )
    return RawFileError(
        f"is a damaged archive: {error or type(error).__name__}",
        file=path.name,
        next_step="fetch it again",
    )
