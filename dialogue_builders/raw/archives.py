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
from typing import IO

from dialogue_builders.errors import RawFileError

COPY_BYTES = 1 << 20
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
        return path.is_file() and (zipfile.is_zipfile(path) or tarfile.is_tarfile(path))
    except OSError:
        return False


def unpacked(path: Path) -> Path:
    """Return a temporary folder with an archive's files; it lives as long as the process.

    The same archive is unpacked once per process; a changed one is unpacked anew.

    Raises:
        RawFileError: the archive is damaged or encrypted, holds a file twice, or holds a member
            that would escape from the folder (an absolute path, `..`, a link, a device).
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
    except RawFileError:
        _remove(folder, os.getpid())
        raise
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _files_of(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield every regular file of an archive, once no member has been found to escape."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            for entry in entries:
                kind = stat.S_IFMT(entry.external_attr >> 16)
                _require_inside(path, entry.filename, kind in (0, stat.S_IFREG, stat.S_IFDIR))
            for entry in entries:
                if not entry.is_dir():
                    yield entry.filename, archive.open(entry)
        return
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        for member in members:
            _require_inside(path, member.name, member.isfile() or member.isdir())
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
