"""Raw files: what they are (their content's identity) and random access to their bytes.

A file's identity is its Git blob id, because that is how the upstream repository itself names the
content: one figure tells both whether a file is the pinned one and whether it has changed.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, BinaryIO

from dialogue_builders.errors import RawFileError
from dialogue_builders.hashing import READ_BYTES
from dialogue_builders.raw.unpacking import require_bounded, require_space

GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class RawFile:
    """One raw file as it was when it was scanned.

    Attributes:
        path: where it lies.
        name: its name relative to the raw folder, with forward slashes; errors show this one.
        size: bytes on disk.
        modified_ns: time of the last change, in nanoseconds.
        git_blob: SHA-1 of `b"blob <size>\\0"` + content, in hexadecimal.
    """

    path: str
    name: str
    size: int
    modified_ns: int
    git_blob: str


class RawBytes:
    """Random access to a file's bytes, unpacked; safe to share between threads."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self.size = os.fstat(handle.fileno()).st_size

    def fill(self, target: memoryview, offset: int) -> None:
        """Fill `target` with the bytes that begin at `offset`; EOFError where there are too few."""
        while target:
            count = os.preadv(self._handle.fileno(), [target], offset)
            if count == 0:
                raise EOFError(offset)
            target, offset = target[count:], offset + count

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes from `offset` on, at most `length` and at most up to the file's end."""
        buffer = bytearray(max(0, min(length, self.size - offset)))
        self.fill(memoryview(buffer), offset)
        return bytes(buffer)


def open_bytes(path: Path, name: str) -> RawBytes:
    """Open a raw file for random access; a gzip file is unpacked into an unnamed temporary file.

    Raises:
        RawFileError: the file can't be read, its gzip stream is broken, it grows to more than raw
            files do, or there is no space for it.
    """
    try:
        handle = path.open("rb", buffering=0)
    except OSError as error:
        raise RawFileError(
            f"cannot be read: {error.strerror}",
            file=name,
            next_step="check the path and its rights",
        ) from error
    if handle.read(2) != GZIP_MAGIC:
        return RawBytes(handle)
    handle.close()
    # Before the first byte is unpacked; the figure in the file is the size modulo 2**32.
    require_space(_announced_size(path), name)
    try:
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the result
        with gzip.open(path, "rb") as packed:
            shutil.copyfileobj(packed, _BoundedFile(unpacked, path, name), READ_BYTES)
        unpacked.flush()  # here, so that a full disk is noticed here
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RawFileError(
            f"is a broken gzip file: {error}", file=name, next_step="fetch or compress it again"
        ) from error
    except OSError as error:
        raise RawFileError(
            f"can't be unpacked into {tempfile.gettempdir()!r}: {error.strerror or error}",
            file=name,
            next_step="free some space, set TMPDIR, or unpack it yourself",
        ) from error
    return RawBytes(unpacked)


def _announced_size(path: Path) -> int:
    """Return what a gzip file says about its unpacked size, in its last four bytes (RFC 1952)."""
    with path.open("rb") as packed:
        packed.seek(max(0, path.stat().st_size - 4))
        return int.from_bytes(packed.read(4), "little")


class _BoundedFile:
    """Takes what comes out of a packed file, as far as it grows no more than raw files do."""

    def __init__(self, file: IO[bytes], path: Path, name: str) -> None:
        self._file, self._name = file, name
        self._packed = path.stat().st_size
        self._unpacked = 0

    def write(self, chunk: bytes) -> None:
        """Write a chunk, or raise a RawFileError where it is too much."""
        self._unpacked += len(chunk)
        require_bounded(self._unpacked, self._packed, self._name)
        self._file.write(chunk)


@lru_cache(maxsize=16)
def unpacked_bytes(file: RawFile) -> RawBytes:
    """Open a scanned raw file once per process; the key holds its content's identity."""
    return open_bytes(Path(file.path), file.name)


def require_unchanged(file: RawFile) -> None:
    """Raise a RawFileError where the file on disk is no longer the one that was scanned."""
    try:
        now = os.stat(file.path)
    except OSError as error:
        raise RawFileError(
            f"cannot be read any more: {error.strerror}", file=file.name, next_step="load again"
        ) from error
    if (now.st_size, now.st_mtime_ns) != (file.size, file.modified_ns):
        raise RawFileError(
            "was changed after this dataset was opened, so its rows would be a mixture",
            file=file.name,
            next_step="load or build again; the new content is then noticed",
        )
