"""Compare raw files with their pins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from dialogue_builders.hashing import git_blob_id
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.release import releases_of
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
        releases: those in which the file has this content, where the corpus has several.
    """

    path: str
    state: FileState
    expected: str
    got: str | None
    expected_size: int | None
    got_size: int | None
    releases: tuple[str, ...] = ()


def is_pinned(git_blob: str, path: str, pins: Mapping[str, Pin]) -> bool:
    """Whether content with this id is the pinned one of a path."""
    return path in pins and pins[path].git_blob == git_blob


def verify_folder(folder: RawFolder) -> list[FileReport]:
    """Compare a corpus's pinned files with those that a build would read, in the order of the pins.

    Where the corpus has several releases, the one is meant that most of the files are of.

    Raises:
        RawFileError: a file lies in the folder twice.
    """
    declared = folder.declared
    reports = _compare_pinned(folder, declared.pins)
    if any(report.state == "differs" for report in reports):
        others = [_compare_pinned(folder, release.pins) for release in declared.releases]
        # Of equals the first, which is the default release.
        reports = max((reports, *others), key=_count_ok)
    return [replace(r, releases=releases_of(declared, r.path, r.got)) for r in reports]


def _compare_pinned(folder: RawFolder, pins: Mapping[str, Pin]) -> list[FileReport]:
    return [_compare(pin, folder.locate(pin.path)) for pin in pins.values()]


def _count_ok(reports: Sequence[FileReport]) -> int:
    return sum(report.state == "ok" for report in reports)


def verify_files(folder: Path, pins: Sequence[Pin]) -> list[FileReport]:
    """Compare files under their upstream paths with their pins, in the order of the pins."""
    return [_compare(pin, folder / pin.path) for pin in pins]


def _compare(pin: Pin, path: Path | None) -> FileReport:
    if path is None or not path.is_file():
        return FileReport(pin.path, "missing", pin.git_blob, None, pin.size, None)
    got = git_blob_id(path)
    state: FileState = "ok" if got == pin.git_blob else "differs"
    return FileReport(pin.path, state, pin.git_blob, got, pin.size, path.stat().st_size)
