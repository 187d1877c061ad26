"""Identities of contents: Git blob ids and SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

READ_BYTES = 1 << 20


def file_sha256(path: Path, read: Callable[[int], None] | None = None) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal.

    Args:
        read: called with the number of bytes of each piece that was read.
    """
    return _hash_file(hashlib.sha256(), path, read)


def git_blob_id(path: Path) -> str:
    """Return the Git blob id of a file's content: 40 hexadecimal digits.

    Source: Git's object format, `sha1(b"blob %d\\0" % size + content)`.
    """
    return _hash_file(_blob_digest(path.stat().st_size), path)


def git_blob_id_of(data: bytes) -> str:
    """Return the Git blob id of some bytes; see `git_blob_id`."""
    digest = _blob_digest(len(data))
    digest.update(data)
    return str(digest.hexdigest())


def _blob_digest(size: int) -> Any:
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def _hash_file(digest: Any, path: Path, read: Callable[[int], None] | None = None) -> str:
    with path.open("rb", buffering=0) as stream:
        while chunk := stream.read(READ_BYTES):
            digest.update(chunk)
            if read is not None:
                read(len(chunk))
    return str(digest.hexdigest())
