"""Raw records, typed: decoded in batches, with errors that name the record and the field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from dialogue_builders.errors import RecordError
from dialogue_builders.memory import paused_collector
from dialogue_builders.raw.blocks import BLOCK_BYTES, Block
from dialogue_builders.raw.files import RawFile, require_unchanged, unpacked_bytes
from dialogue_builders.raw.formats.base import Format, json_decoder
from dialogue_builders.raw.ranges import RecordRange
from dialogue_builders.raw.record_errors import (
    explain_record,
    plain_value,
    tolerant,
    unknown_fields,
)
from dialogue_builders.raw.repeated_keys import count_least_keys, may_repeat_keys, repeated_key
from dialogue_builders.spec.batch import Batch, Notes
from dialogue_builders.spec.record_type import RecordType

BATCH_RECORDS = 256


def read_range(records: RecordRange, record_type: RecordType, notes: Notes) -> Iterator[Batch]:
    """Decode a range's records batch by batch, in the file's order.

    Raises:
        RecordError: a record that is not of its type.
        RawFileError: the file was changed since it was scanned.
    """
    require_unchanged(records.file)
    for block in records.blocks:
        start = max(records.start, block.first)
        stop = min(records.stop, block.first + block.count)
        whole = (start, stop) == (block.first, block.first + block.count)
        if whole and block.length <= 2 * BLOCK_BYTES:
            with paused_collector():
                pairs = _decode_whole(records, block, record_type, notes)
            yield _batch(records, start, pairs, notes)
            continue
        raw = _raw_records(records.file, records.format, block)
        for first in range(start, stop, BATCH_RECORDS):
            part = raw[first - block.first : min(first + BATCH_RECORDS, stop) - block.first]
            with paused_collector():
                typed = _decode_each(part, records, record_type, first, notes)
            yield _batch(records, first, typed, notes)


def _batch(records: RecordRange, first: int, pairs: list[tuple[str, Any]], notes: Notes) -> Batch:
    ids, typed = zip(*pairs, strict=True)
    for identity, record in pairs:
        inner = getattr(record, "conversation_id", None)
        if inner is not None and inner != identity:
            raise RecordError(
                f"has the id {inner!r} inside",
                file=records.file.name,
                record=identity,
                field="conversation_id",
                next_step="correct one of the two ids",
            )
    position = records.before + first
    return Batch(records.split, ids, typed, first, records.file.name, position, notes)


def _decode_whole(
    records: RecordRange, block: Block, record_type: RecordType, notes: Notes
) -> list[tuple[str, Any]]:
    """Decode all of a block in one call; where that fails, record by record."""
    buffer = records.format.read(unpacked_bytes(records.file), block.offset, block.length)
    try:
        pairs = records.format.decode(buffer, record_type.type)
    except (msgspec.DecodeError, RecursionError):
        raw = records.format.decode(buffer, msgspec.Raw)
        return _decode_each(raw, records, record_type, block.first, notes)
    outer_keys = records.format.outer_keys
    if outer_keys is not None:
        least = count_least_keys((record for _, record in pairs), record_type.type)
        if may_repeat_keys(buffer, least + outer_keys * len(pairs)):
            raw = records.format.decode(buffer, msgspec.Raw)
            for number, (identity, record) in enumerate(raw, start=block.first):
                _require_single_keys(record, records, number, identity)
    return pairs


def _require_single_keys(
    record: msgspec.Raw, records: RecordRange, number: int, identity: str
) -> None:
    """Raise a RecordError where a field stands twice in a record, at whatever level."""
    field = repeated_key(bytes(record).decode())
    if field is not None:
        raise RecordError(
            "this field stands twice, so that either of the two could be meant",
            file=records.file.name,
            record=records.format.place(records.file, number, identity),
            field=field,
            next_step="remove one of the two; neither is dropped silently",
        )


def forget_raw_records() -> None:
    """Let go of the last large block; for an object on one line that is the whole file."""
    _raw_records.cache_clear()


@lru_cache(maxsize=1)
def _raw_records(file: RawFile, file_format: Format, block: Block) -> list[tuple[str, msgspec.Raw]]:
    """Split a block into raw records; the last one is kept, as neighbouring ranges share it."""
    buffer = file_format.read(unpacked_bytes(file), block.offset, block.length)
    return file_format.decode(buffer, msgspec.Raw)


def _decode_each(
    raw: Sequence[tuple[str, msgspec.Raw]],
    records: RecordRange,
    record_type: RecordType,
    first: int,
    notes: Notes,
) -> list[tuple[str, Any]]:
    """Decode raw records one by one, tolerating and counting unknown fields."""
    strict = json_decoder(record_type.type)
    file_name = records.file.name
    typed = []
    for number, (identity, record) in enumerate(raw, start=first):
        try:
            decoded = strict.decode(record)
            if may_repeat_keys(bytes(record), count_least_keys([decoded], record_type.type)):
                _require_single_keys(record, records, number, identity)
            typed.append((identity, decoded))
            continue
        except RecursionError:
            raise RecordError(
                "is nested too deeply to be a dialogue",
                file=file_name,
                record=records.format.place(records.file, number, identity),
                next_step="fetch the raw file again",
            ) from None
        except msgspec.DecodeError as error:
            problem = error
        if "unknown field" in str(problem):
            try:
                typed.append((identity, json_decoder(tolerant(record_type.type)).decode(record)))
                _require_single_keys(record, records, number, identity)
                for path in unknown_fields(plain_value(record), record_type.type):
                    notes[f"{file_name}: the field {path} is not part of the format; left out"] += 1
                continue
            except msgspec.DecodeError as error:
                problem = error
        place = records.format.place(records.file, number, identity)
        raise explain_record(problem, record, file_name, record_type, place)
    return typed
