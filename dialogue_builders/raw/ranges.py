"""Ranges of records: a raw file cut into parts that travel to any process."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from dialogue_builders.raw.blocks import Block
from dialogue_builders.raw.files import RawFile
from dialogue_builders.raw.formats.base import Format
from dialogue_builders.raw.scan import ScannedFile


@dataclass(frozen=True, slots=True)
class RecordRange:
    """A run of records of one raw file; small and picklable.

    Attributes:
        split: the split that the file belongs to.
        file, format: where and how the records lie.
        blocks: those that hold the range's records.
        start, stop: the records' numbers within the file.
        before: how many records of the split stand in the files before it.
    """

    split: str
    file: RawFile
    format: Format
    blocks: tuple[Block, ...]
    start: int
    stop: int
    before: int = 0


def equal_cuts(total: int, parts: int) -> list[int]:
    """Return the borders (one more than there are parts) of parts that are equal to within one.

    The longer ones come first. Nodes take every n-th shard of a split, so that the longer shards
    are dealt out in turn: nodes have equally many rows too, to within one, wherever their number
    divides `parts`.
    """
    size, longer = divmod(total, parts)
    return [size * part + min(part, longer) for part in range(parts + 1)]


def cut_ranges(
    scanned: ScannedFile, split: str, parts: int, *, before: int = 0
) -> list[RecordRange]:
    """Cut a scanned file of a split into ranges of records, equal to within one record.

    Args:
        parts: how many ranges to make at most; none is empty.
        before: how many records of the split stand in other files before this one.
    """
    return [
        RecordRange(
            split,
            scanned.file,
            scanned.format,
            tuple(b for b in scanned.blocks if b.first < stop and b.first + b.count > start),
            start,
            stop,
            before,
        )
        for start, stop in pairwise(equal_cuts(scanned.count, parts))
        if stop > start
    ]
