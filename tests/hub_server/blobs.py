"""File contents, and the rule by which the Hub stores them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

LARGE_FROM = 10 * 1024 * 1024
LARGE_SUFFIXES = (".arrow", ".bin", ".gz", ".npy", ".parquet", ".png", ".tar", ".zip", ".zst")


def is_large(path: str, size: int, sample: bytes) -> bool:
    """Tell whether a file goes through LFS: by name, by size, or because it isn't text."""
    return path.endswith(LARGE_SUFFIXES) or size > LARGE_FROM or b"\0" in sample


def git_oid(data: bytes) -> str:
    """Hash `data` as git hashes a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Blob:
    """One file's content. In git, a large file is only a pointer to the content."""

    data: bytes
    large: bool

    @property
    def size(self) -> int:
        """The content's length in bytes."""
        return len(self.data)

    @cached_property
    def sha256(self) -> str:
        """The content's SHA-256, by which LFS knows it."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def pointer(self) -> bytes:
        """The text that stands in git for a large file."""
        lines = ("version https://git-lfs.github.com/spec/v1", f"oid sha256:{self.sha256}")
        return "\n".join((*lines, f"size {self.size}\n")).encode()

    @cached_property
    def oid(self) -> str:
        """The hash of what lies in git: the content, or the pointer to it."""
        return git_oid(self.pointer if self.large else self.data)

    @property
    def etag(self) -> str:
        """The hash by which downloads and the upload check know the file."""
        return self.sha256 if self.large else self.oid
