"""Raw records, typed: decoded in batches, with errors that name the record and the field."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from dialogue_builders.errors import RecordError
from dialogue_builders.raw_diagnosis import place_of_record
from dialogue_builders.raw_files import RawFile, require_unchanged, unpacked_bytes
from dialogue_builders.raw_scan import ScannedFile
from dialogue_builders.raw_windows import (
    WINDOW_BYTES,
    Shape,
    Window,
    decode_window,
    line_or_object_decoder,
    read_window,
)
from dialogue_builders.record_faults import RecordKind, explain_record, tolerant, unknown_fields

BATCH_RECORDS = 256

Notes = Counter[str]
"""What was met and tolerated, with how often; a build reports each line once."""


@dataclass(frozen=True, slots=True)
class RawPiece:
    """A run of records of one raw file; small and picklable, so it travels to any process.

    `start` and `stop` count records within the file; `before` says how many of the split stand in
    the files before it.
    """

    split: str
    file: RawFile
    shape: Shape
    windows: tuple[Window, ...]
    start: int
    stop: int
    before: int = 0


@dataclass(slots=True)
class Batch:
    """Some neighbouring records of one raw file, decoded.

    Attributes:
        split: the split that the file belongs to.
        ids: one per record; empty strings for records that carry their id inside.
        records: the typed records.
        first: the number of the first record in its file, from 0.
        position: the number of the first record in its split, from 0: the same unless the split
            lies in several files.
        file_name: for errors.
        notes: where a view counts what it met and tolerated.
        related: source → the related record of each record, None where there is none.
        resources: name → the loaded file, None where it is optional and absent.
        prepared: what the view's `prepare` made of the whole split.
    """

    split: str
    ids: Sequence[str]
    records: Sequence[Any]
    first: int
    file_name: str
    position: int = 0
    notes: Notes = field(default_factory=Counter)
    related: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    resources: Mapping[str, Any] = field(default_factory=dict)
    prepared: Any = None


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the cyclic garbage collector.

    Decoded records are trees: counting references frees them. The collector, woken by so many new
    lists, would only walk through all of the imported libraries again and again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def equal_cuts(total: int, parts: int) -> list[int]:
    """Return the borders (one more than there are parts) of parts that are equal to within one.

    The longer ones come first. Nodes take every n-th shard of a split, so that the longer shards go
    round: nodes have equally many rows too, to within one, wherever their number divides `parts`.
    """
    size, longer = divmod(total, parts)
    return [size * part + min(part, longer) for part in range(parts + 1)]


def cut_pieces(scanned: ScannedFile, split: str, pieces: int, *, before: int = 0) -> list[RawPiece]:
    """Cut a scanned file of a split into runs of records, equal to within one record.

    `before` says how many records of the split stand in other files before this one. Returns at
    most `pieces` of them, and never an empty one.
    """
    count = scanned.count
    bounds = equal_cuts(count, pieces)
    return [
        RawPiece(
            split,
            scanned.file,
            scanned.shape,
            tuple(w for w in scanned.windows if w.first < stop and w.first + w.count > start),
            start,
            stop,
            before,
        )
        for start, stop in pairwise(bounds)
        if stop > start
    ]


def read_piece(piece: RawPiece, kind: RecordKind, notes: Notes) -> Iterator[Batch]:
    """Decode a piece's records batch by batch, in the file's order.

    Raises:
        RecordError: a record that is not of its kind.
        RawFileError: the file was changed since it was scanned.
    """
    require_unchanged(piece.file)
    for window in piece.windows:
        start = max(piece.start, window.first)
        stop = min(piece.stop, window.first + window.count)
        whole = (start, stop) == (window.first, window.first + window.count)
        if whole and window.length <= 2 * WINDOW_BYTES:
            with paused_collector():
                pairs = _decode_whole(piece, window, kind, notes)
            yield _batch(piece, start, pairs, notes)
            continue
        raw = _raw_records(piece.file, piece.shape, window)
        for first in range(start, stop, BATCH_RECORDS):
            part = raw[first - window.first : min(first + BATCH_RECORDS, stop) - window.first]
            with paused_collector():
                typed = _decode_each(part, piece, kind, first, notes)
            yield _batch(piece, first, typed, notes)


def _batch(piece: RawPiece, first: int, pairs: list[tuple[str, Any]], notes: Notes) -> Batch:
    ids, records = zip(*pairs, strict=True)
    position = piece.before + first
    return Batch(piece.split, ids, records, first, piece.file.name, position, notes)


def _decode_whole(
    piece: RawPiece, window: Window, kind: RecordKind, notes: Notes
) -> list[tuple[str, Any]]:
    """Decode all of a window in one call; where that fails, record by record."""
    buffer = read_window(unpacked_bytes(piece.file), piece.shape, window.offset, window.length)
    try:
        return decode_window(piece.shape, buffer, kind.type)
    except (msgspec.DecodeError, RecursionError):
        raw = decode_window(piece.shape, buffer, msgspec.Raw)
        return _decode_each(raw, piece, kind, window.first, notes)


def forget_raw_records() -> None:
    """Let go of the last large window; for an object on one line that is the whole file."""
    _raw_records.cache_clear()


@lru_cache(maxsize=1)
def _raw_records(file: RawFile, shape: Shape, window: Window) -> list[tuple[str, msgspec.Raw]]:
    """Split a window into raw records; the last one is kept, as neighbouring pieces share it."""
    buffer = read_window(unpacked_bytes(file), shape, window.offset, window.length)
    pairs: list[tuple[str, msgspec.Raw]] = decode_window(shape, buffer, msgspec.Raw)
    return pairs


def _decode_each(
    raw: Sequence[tuple[str, msgspec.Raw]],
    piece: RawPiece,
    kind: RecordKind,
    first: int,
    notes: Notes,
) -> list[tuple[str, Any]]:
    """Decode raw records one by one, tolerating and counting unknown fields."""
    strict = line_or_object_decoder(Shape.RECORD_LINES, kind.type)
    file_name = piece.file.name
    typed = []
    for number, (identity, record) in enumerate(raw, start=first):
        try:
            typed.append((identity, strict.decode(record)))
            continue
        except RecursionError:
            raise RecordError(
                "is nested too deeply to be a dialogue",
                file=file_name,
                record=place_of_record(piece.file, number, identity),
                next_step="fetch the raw file again",
            ) from None
        except msgspec.DecodeError as error:
            problem = error
        if "unknown field" in str(problem):
            try:
                decoder = line_or_object_decoder(Shape.RECORD_LINES, tolerant(kind.type))
                typed.append((identity, decoder.decode(record)))
                for path in unknown_fields(msgspec.json.decode(record), kind.type):
                    notes[f"{file_name}: the field {path} is not part of the format; left out"] += 1
                continue
            except msgspec.DecodeError as error:
                problem = error
        place = place_of_record(piece.file, number, identity)
        raise explain_record(problem, record, file_name, kind, place)
    return typed
