"""One pass over a raw file: its shape, its records' places, its identity."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.raw_files import RawBytes, RawFile, git_blob_id, open_bytes
from dialogue_builders.raw_windows import (
    BYTE_ORDER_MARK,
    SPACE,
    WINDOW_BYTES,
    Shape,
    Window,
    cut_windows,
    decode_window,
    require_utf8,
)
from dialogue_builders.record_faults import RecordKind


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A raw file with the places of its records.

    `ids` has one entry per record, in the file's order. For `RECORD_LINES` it and `contents` are
    what the kind's `identify` tells of each record, and empty where it tells nothing.
    """

    file: RawFile
    shape: Shape
    windows: tuple[Window, ...]
    ids: tuple[str, ...]
    contents: tuple[Any, ...] = ()

    @property
    def count(self) -> int:
        """The number of records."""
        return sum(window.count for window in self.windows)


def scan(path: Path, name: str, kind: RecordKind) -> ScannedFile:
    """Find a raw file's shape, its records' places and ids, and its identity, in one pass.

    Args:
        path: the file; gzip is unpacked.
        name: how errors call it.
        kind: of its records: whether they are keyed, or else what tells them apart.

    Raises:
        RawFileError: not JSON, truncated, empty, of another shape, changed while being read.
        RecordError: a record that can't be read, or an id that stands twice.
    """
    before = os.stat(path)
    # SHA-1 releases the interpreter lock, so hashing costs no time beside the scan.
    with ThreadPoolExecutor(1) as pool:
        blob = pool.submit(git_blob_id, path)
        source = open_bytes(path, name)
        scanned = scan_bytes(source, name, kind)
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
    source: RawBytes, name: str, kind: RecordKind
) -> tuple[Shape, tuple[Window, ...], tuple[str, ...], tuple[Any, ...]]:
    """Scan bytes that are already unpacked; see `scan`, and `ScannedFile` for what is returned."""
    from dialogue_builders.raw_diagnosis import explain_unreadable, explain_wrong_shape

    shape, start, separator = detect_shape(source, name, keyed=kind.keyed)
    try:
        try:
            windows, ids, contents = scan_windows(source, shape, start, separator, kind)
        except msgspec.DecodeError:
            if shape is not Shape.OBJECT:
                raise
            # The cuts were wrong, or the file is: an object is then split as a whole.
            windows, ids, contents = scan_windows(source, shape, start, None, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, EOFError) as error:
        raise explain_unreadable(source, name, shape, start, separator, error) from None
    if not windows or (shape is not Shape.RECORD_LINES and not ids):
        raise explain_wrong_shape(name, "holds no record")
    if has_repeated(ids):
        raise repeated_id(ids, name)
    return shape, tuple(windows), tuple(ids), tuple(contents)


def has_repeated(ids: list[str]) -> bool:
    """Whether an id stands twice; a missing one, the empty string, is no id."""
    return len(set(ids)) + max(0, ids.count("") - 1) != len(ids)


def repeated_id(ids: list[str], name: str) -> RecordError:
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


def detect_shape(source: RawBytes, name: str, *, keyed: bool) -> tuple[Shape, int, bytes | None]:
    """Tell the shape from the first bytes.

    Returns:
        the shape; where its records begin (for an object: behind the opening brace); and the bytes
        between two records (None where the file can only be read as a whole).
    """
    from dialogue_builders.raw_diagnosis import explain_wrong_shape

    head = source.read(0, WINDOW_BYTES)
    start = len(BYTE_ORDER_MARK) if head.startswith(BYTE_ORDER_MARK) else 0
    start += len(head[start:]) - len(head[start:].lstrip(SPACE))
    opening = head[start : start + 1]
    if not keyed:
        if opening != b"{":
            raise explain_wrong_shape(
                name, "does not begin with a record", head[start:], keyed=False
            )
        return Shape.RECORD_LINES, start, b"\n"
    if opening == b"[" and head[start + 1 :].lstrip(SPACE).startswith(b'"'):
        return Shape.PAIR_LINES, start, b"\n"
    if opening != b"{":
        raise explain_wrong_shape(name, "does not begin with an id", head[start:])
    if has_single_lines(source, start, name):
        return Shape.SINGLE_LINES, start, b"\n"
    gap = re.match(rb'\{(\s*)"', head[start : start + 1024])
    separator = b"," + gap[1] + b'"' if gap and b"\n" in gap[1] else None
    return Shape.OBJECT, start + 1, separator


def has_single_lines(source: RawBytes, start: int, name: str) -> bool:
    """Whether the first line is a whole JSON document and another one follows.

    Raises:
        RawFileError: the lines are records, and their ids are nowhere.
    """
    from dialogue_builders.raw_diagnosis import explain_missing_ids

    line = bytearray()
    offset = start
    while offset < source.size:
        chunk = source.read(offset, WINDOW_BYTES)
        newline = chunk.find(b"\n")
        offset += len(chunk) if newline < 0 else newline + 1
        line += chunk if newline < 0 else chunk[:newline]
        if newline >= 0:
            break
    # The rest is looked at first: the one long line of a compact object is never copied or decoded.
    if not source.read(offset, WINDOW_BYTES).strip(SPACE) or bytes(line[:2]) in (b"{", b"{\r"):
        return False
    try:
        first = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return False
    if len(first) > 1 and not all(bytes(value).startswith(b"{") for value in first.values()):
        raise explain_missing_ids(name)
    return True


def scan_windows(
    source: RawBytes,
    shape: Shape,
    start: int,
    separator: bytes | None,
    kind: RecordKind,
) -> tuple[list[Window], list[str], list[Any]]:
    """Cut the file into windows of whole records; list their ids and contents.

    Raises:
        msgspec.DecodeError: a window does not decode.
        UnicodeDecodeError: a byte outside of UTF-8.
    """
    windows: list[Window] = []
    ids: list[str] = []
    contents: list[Any] = []
    number = 0
    for offset, buffer in cut_windows(source, shape, start, separator):
        require_utf8(buffer)
        pairs = decode_outlines(shape, buffer, kind)
        if not pairs:
            continue
        length = len(buffer) - (2 if shape is Shape.OBJECT else 0)
        windows.append(Window(offset, length, number, len(pairs)))
        number += len(pairs)
        if shape is not Shape.RECORD_LINES:
            ids.extend(identity for identity, _ in pairs)
        elif kind.identify is not None:
            told = [kind.identify(outline) for _, outline in pairs]
            ids.extend(identity for identity, _ in told)
            contents.extend(content for _, content in told)
    return windows, ids, contents


def decode_outlines(shape: Shape, buffer: bytearray, kind: RecordKind) -> list[tuple[str, Any]]:
    """Decode a window as far as a scan needs it: each record raw, or its outline."""
    if kind.outline is None:
        return decode_window(shape, buffer, msgspec.Raw)
    try:
        return decode_window(shape, buffer, kind.outline)
    except msgspec.ValidationError:
        # A field of a wrong type is told by whoever reads the records, with its place. Until then
        # such a record is like no other.
        raw = decode_window(shape, buffer, msgspec.Raw)
        return [(identity, _outline(record, kind.outline)) for identity, record in raw]


def _outline(record: msgspec.Raw, kind: type[msgspec.Struct]) -> msgspec.Struct:
    try:
        return msgspec.json.decode(record, type=kind)
    except msgspec.ValidationError:
        return kind()
