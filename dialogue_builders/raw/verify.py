"""Compare raw files with their pins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dialogue_builders.hashing import git_blob_id
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.spec.source import Pin

FileState = Literal["ok", "missing", "differs"]


@dataclass(frozen=True)
class FileReport:
    """What `verify` says of one file.

    Attributes:
        path: at upstream; in the raw folder it may lie elsewhere.
        state: `ok`, `missing` or `differs`.
        expected, got: Git blob ids; `got` is None for a missing file.
        expected_size, got_size: bytes, where known.
    """

    path: str
    state: FileState
    expected: str
    got: str | None
    expected_size: int | None
    got_size: int | None


def is_pinned(git_blob: str, path: str, pins: Mapping[str, Pin]) -> bool:
    """Whether content with this id is the pinned one of a path."""
    return path in pins and pins[path].git_blob == git_blob


def verify_folder(folder: RawFolder) -> list[FileReport]:
    """Compare a corpus's pinned files with those that a build would read, in the order of the pins.

    Raises:
        RawFileError: a file lies in the folder twice.
    """
    return [_compare(pin, folder.locate(pin.path)) for pin in folder.corpus.pins.values()]


def verify_files(folder: Path, pins: Sequence[Pin]) -> list[FileReport]:
    """Compare files under their upstream paths with their pins, in the order of the pins."""
    return [_compare(pin, folder / pin.path) for pin in pins]


def _compare(pin: Pin, path: Path | None) -> FileReport:
    if path is None or not path.is_file():
        return FileReport(pin.path, "missing", pin.git_blob, None, pin.size, None)
    got = git_blob_id(path)
    state: FileState = "ok" if got == pin.git_blob else "differs"
    return FileReport(pin.path, state, pin.git_blob, got, pin.size, path.stat().st_size)
