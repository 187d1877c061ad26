"""JSON lines: a record with or without its id on each line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import msgspec

from dialogue_builders.errors import DialogueBuildersError
from dialogue_builders.raw.blocks import (
    BLOCK_BYTES,
    BYTE_ORDER_MARK,
    WHITE_SPACE,
    Start,
    cut_at_separators,
)
from dialogue_builders.raw.diagnosis import explain_with, walk_lines
from dialogue_builders.raw.files import RawBytes, RawFile, unpacked_bytes
from dialogue_builders.raw.formats.base import FileHead, Key, json_decoder
from dialogue_builders.raw.unrecognised import (
    ID_FIELD_LINES,
    PAIR_LINES,
    RECORD_LINES,
    SINGLE_KEY_LINES,
    explain_records,
)
from dialogue_builders.spec.record_type import RecordType

NEWLINE = b"\n"
# How far into a file its first record's id is looked for.
ID_WITHIN = 1 << 20


@dataclass(frozen=True)
class JsonLines:
    """What all formats of JSON lines share."""

    title = ""
    has_ids = True
    outer_keys = 0

    def cut(self, source: RawBytes, start: Start) -> Iterator[tuple[int, bytearray]]:
        """See `Format`."""
        return cut_at_separators(source, start, source.size)

    def read(self, source: RawBytes, offset: int, length: int) -> bytearray:
        """See `Format`."""
        buffer = bytearray(length)
        source.fill(memoryview(buffer), offset)
        return buffer

    def stored_length(self, buffer: bytearray) -> int:
        """See `Format`."""
        return len(buffer)

    def is_line(self, value: Any) -> bool:
        """Whether a line's JSON value is one of this format."""
        return isinstance(value, dict)

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """See `Format`."""
        return explain_with(
            lambda text: walk_lines(text, name, self.is_line, self.title), source, name, error
        )

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """See `Format`. Blank lines hold no record, and a line may hold several.

        A record that goes over several lines decodes too, but has no line of its own.
        """
        if identity:
            return identity
        source = unpacked_bytes(file)
        lines = source.read(0, source.size).removeprefix(BYTE_ORDER_MARK).split(NEWLINE)
        decoder = msgspec.json.Decoder(msgspec.Raw)
        counts = accumulate(len(decoder.decode_lines(text)) for text in lines)
        try:
            line = next(line for line, count in enumerate(counts, start=1) if count > number)
        except msgspec.DecodeError:
            return f"number {number + 1} of the file"
        return f"on line {line}"


@dataclass(frozen=True)
class PairLines(JsonLines):
    """JSON lines ["id", {record}]."""

    title = PAIR_LINES

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`."""
        is_pair = head.opening == b"[" and head.text[1:].lstrip(WHITE_SPACE).startswith(b'"')
        return Start(head.start, NEWLINE) if is_pair else None

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        return json_decoder(tuple[str, record_type]).decode_lines(buffer)

    def is_line(self, value: Any) -> bool:
        """See `JsonLines`."""
        return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


class _Identified(msgspec.Struct, gc=False):
    """What is read of a line for its id alone."""

    conversation_id: str


@dataclass(frozen=True)
class IdFieldLines(JsonLines):
    """JSON lines {"conversation_id": …, …}: records that hold their ids.

    `Dataset.to_json` writes such lines. Only record types that declare the field can lie in them.
    """

    title = ID_FIELD_LINES

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`: the first line is a record with an id."""
        # The name is looked for first: the one long line of a compact object is never decoded.
        if head.opening != b"{" or "conversation_id" not in record_type.type.__struct_fields__:
            return None
        if b'"conversation_id"' not in head.source.read(head.start, ID_WITHIN):
            return None
        line, _ = _first_line(head.source, head.start)
        try:
            msgspec.json.decode(line, type=_Identified)
            names = msgspec.json.decode(line, type=dict[str, msgspec.Raw]).keys()
        except msgspec.DecodeError:
            return None
        fields = msgspec.structs.fields(record_type.type)
        if not names & {field.encode_name for field in fields if field.required}:
            return None  # rows of something else, such as one utterance each
        return Start(head.start, NEWLINE)

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        identified = json_decoder(_Identified).decode_lines(buffer)
        records = json_decoder(record_type).decode_lines(buffer)
        return [(one.conversation_id, r) for one, r in zip(identified, records, strict=True)]


@dataclass(frozen=True)
class SingleKeyLines(JsonLines):
    """JSON lines {"id": {record}}."""

    title = SINGLE_KEY_LINES
    outer_keys = 1

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`: the first line is a whole JSON document, and another one follows.

        Raises:
            RawFileError: the lines are records, and their ids are nowhere.
        """
        if head.opening != b"{":
            return None
        line, rest = _first_line(head.source, head.start)
        # The rest is looked at first: the one long line of a compact object is never decoded.
        if not head.source.read(rest, BLOCK_BYTES).strip(WHITE_SPACE):
            return None
        if bytes(line[:2]) in (b"{", b"{\r"):
            return None
        try:
            first = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        except msgspec.DecodeError:
            return None
        if len(first) > 1 and not all(bytes(value).startswith(b"{") for value in first.values()):
            record = msgspec.json.decode(line, type=dict[str, Any])
            raise explain_records(head.name, record, record_type, [self.title], "JSON lines of")
        return Start(head.start, NEWLINE)

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        lines = json_decoder(dict[Key, record_type]).decode_lines(buffer)
        return [(key.text, record) for line in lines for key, record in line.items()]


def _first_line(source: RawBytes, start: int) -> tuple[bytearray, int]:
    """Return a file's first line, and the offset behind it."""
    line = bytearray()
    offset = start
    while offset < source.size:
        chunk = source.read(offset, BLOCK_BYTES)
        newline = chunk.find(NEWLINE)
        offset += len(chunk) if newline < 0 else newline + 1
        line += chunk if newline < 0 else chunk[:newline]
        if newline >= 0:
            break
    return line, offset


@dataclass(frozen=True)
class RecordLines(JsonLines):
    """JSON lines {record}."""

    title = RECORD_LINES
    has_ids = False

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`."""
        return Start(head.start, NEWLINE) if head.opening == b"{" else None

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        return [("", record) for record in json_decoder(record_type).decode_lines(buffer)]
