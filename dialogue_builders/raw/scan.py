"""One pass over a raw file: its format, its records' places, its identity."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.hashing import git_blob_id
from dialogue_builders.raw.blocks import Block, Start, require_utf8
from dialogue_builders.raw.files import RawBytes, RawFile, open_bytes
from dialogue_builders.raw.formats import recognise_format
from dialogue_builders.raw.formats.base import Format
from dialogue_builders.raw.unrecognised import explain_empty
from dialogue_builders.spec.record_type import RecordType
from dialogue_builders.spec.source import RawSource


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A raw file with the places of its records.

    Attributes:
        file: its identity.
        format: how its records lie.
        blocks: the whole file, in order.
        ids: one per record, in the file's order. Where the format has no ids, these and `digests`
            are what the record type's `identity` tells of each record; empty where it has none.
        digests: what makes each record the same one wherever it stands.
    """

    file: RawFile
    format: Format
    blocks: tuple[Block, ...]
    ids: tuple[str, ...]
    digests: tuple[Any, ...] = ()

    @property
    def count(self) -> int:
        """The number of records."""
        return sum(block.count for block in self.blocks)


def scan(path: Path, name: str, source: RawSource) -> ScannedFile:
    """Find a raw file's format, its records' places and ids, and its identity, in one pass.

    Args:
        path: the file; gzip is unpacked.
        name: how errors call it.
        source: which formats it may have, and the type of its records.

    Raises:
        RawFileError: of no accepted format, truncated, empty, changed while being read.
        RecordError: a record that can't be read, or an id that stands twice.
    """
    before = os.stat(path)
    # SHA-1 releases the interpreter lock, so hashing costs no time beside the scan.
    with ThreadPoolExecutor(1) as pool:
        blob = pool.submit(git_blob_id, path)
        scanned = scan_bytes(open_bytes(path, name), name, source)
        git_blob = blob.result()
    after = os.stat(path)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise RawFileError(
            "was changed while it was being read",
            file=name,
            next_step="wait until it is written, then run again",
        )
    file = RawFile(str(path), name, after.st_size, after.st_mtime_ns, git_blob)
    return ScannedFile(file, *scanned)


def scan_bytes(
    raw: RawBytes, name: str, source: RawSource
) -> tuple[Format, tuple[Block, ...], tuple[str, ...], tuple[Any, ...]]:
    """Scan bytes that are already unpacked; see `scan`, and `ScannedFile` for what is returned."""
    record_type = source.record_type
    file_format, start = recognise_format(raw, name, source.accepted_formats, record_type)
    try:
        blocks, ids, digests = _scan_with_any_cuts(raw, file_format, start, record_type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, EOFError) as error:
        raise file_format.explain(raw, name, start, error) from None
    if not blocks:
        raise explain_empty(name, "holds no record")
    if has_repeated(ids):
        raise repeated_id(ids, name)
    return file_format, tuple(blocks), tuple(ids), tuple(digests)


def _scan_with_any_cuts(
    raw: RawBytes, file_format: Format, start: Start, record_type: RecordType
) -> tuple[list[Block], list[str], list[Any]]:
    """Scan a file; where its cuts are wrong, cut it with more care, and at last not at all.

    Records that go over several lines can't be cut at each line: the next one begins with the same
    bracket as the first. The last attempt raises what `scan_blocks` does.
    """
    attempts = [start]
    if start.separator == b"\n":
        attempts.append(Start(start.offset, b"\n" + raw.read(start.offset, 1)))
    for attempt in attempts:
        try:
            return scan_blocks(raw, file_format, attempt, record_type)
        except msgspec.DecodeError:
            if attempt.separator is None:
                raise
    return scan_blocks(raw, file_format, Start(start.offset, None), record_type)


def has_repeated(ids: Sequence[str]) -> bool:
    """Whether an id stands twice; a missing one, the empty string, is no id."""
    return len(set(ids)) + max(0, ids.count("") - 1) != len(ids)


def repeated_id(ids: Sequence[str], name: str) -> RecordError:
    """Make the error for an id that stands twice in one file."""
    first: dict[str, int] = {}
    for number, identity in enumerate(ids):
        if identity and identity in first:
            return RecordError(
                f"this id stands twice, as records number {first[identity] + 1} and {number + 1}",
                file=name,
                record=identity,
                next_step="remove or rename one of the two; neither is dropped silently",
            )
        first[identity] = number
    raise AssertionError("called without a repeated id")


def scan_blocks(
    raw: RawBytes, file_format: Format, start: Start, record_type: RecordType
) -> tuple[list[Block], list[str], list[Any]]:
    """Cut the file into blocks of whole records; list their ids and digests.

    Raises:
        msgspec.DecodeError: a block does not decode.
        UnicodeDecodeError: a byte outside of UTF-8.
    """
    blocks: list[Block] = []
    ids: list[str] = []
    digests: list[Any] = []
    number = 0
    for offset, buffer in file_format.cut(raw, start):
        require_utf8(buffer)
        pairs = decode_outlines(file_format, buffer, record_type)
        if not pairs:
            continue
        blocks.append(Block(offset, file_format.stored_length(buffer), number, len(pairs)))
        number += len(pairs)
        if file_format.has_ids:
            ids.extend(identity for identity, _ in pairs)
        elif record_type.identity is not None:
            identities = [record_type.identity(outline) for _, outline in pairs]
            ids.extend(identity for identity, _ in identities)
            digests.extend(digest for _, digest in identities)
    return blocks, ids, digests


def decode_outlines(
    file_format: Format, buffer: bytearray, record_type: RecordType
) -> list[tuple[str, Any]]:
    """Decode a block as far as a scan needs it: each record raw, or its `scan_type`."""
    if record_type.scan_type is None:
        return file_format.decode(buffer, msgspec.Raw)
    try:
        return file_format.decode(buffer, record_type.scan_type)
    except msgspec.ValidationError:
        # Whoever reads the records reports a field of a wrong type, with its place. Until then
        # such a record is like no other.
        raw = file_format.decode(buffer, msgspec.Raw)
        return [(identity, _outline(record, record_type.scan_type)) for identity, record in raw]


def _outline(record: msgspec.Raw, scan_type: type[msgspec.Struct]) -> msgspec.Struct:
    try:
        return msgspec.json.decode(record, type=scan_type)
    except msgspec.ValidationError:
        return scan_type()
