"""One JSON object: `{id: record, …}`, on one line or indented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dialogue_builders.errors import DialogueBuildersError
from dialogue_builders.raw.blocks import Start, cut_at_separators, end_of
from dialogue_builders.raw.diagnosis import explain_with, walk_object
from dialogue_builders.raw.files import RawBytes, RawFile
from dialogue_builders.raw.formats.base import FileHead, Key, json_decoder
from dialogue_builders.spec.record_type import RecordType


@dataclass(frozen=True)
class ObjectById:
    """One object {id: record}."""

    title = "one object {id: record}"
    has_ids = True

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`; an object that is not indented can only be read as a whole."""
        if head.opening != b"{":
            return None
        gap = re.match(rb'\{(\s*)"', head.text[:1024])
        separator = b"," + gap[1] + b'"' if gap and b"\n" in gap[1] else None
        return Start(head.start + 1, separator)

    def cut(self, source: RawBytes, start: Start) -> Iterator[tuple[int, bytearray]]:
        """See `Format`; a block gets its braces back."""
        for offset, buffer in cut_at_separators(source, start, end_of(source, b"}")):
            yield offset, _in_braces(buffer)

    def read(self, source: RawBytes, offset: int, length: int) -> bytearray:
        """See `Format`."""
        buffer = bytearray(length + 2)
        buffer[0], buffer[-1] = b"{}"
        source.fill(memoryview(buffer)[1:-1], offset)
        return buffer

    def stored_length(self, buffer: bytearray) -> int:
        """See `Format`: without the braces."""
        return len(buffer) - 2

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        decoded = json_decoder(dict[Key, record_type]).decode(buffer)
        return [(key.text, record) for key, record in decoded.items()]

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """See `Format`."""
        return explain_with(lambda text: walk_object(text, name), source, name, error)

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """See `Format`."""
        return identity


def _in_braces(buffer: bytearray) -> bytearray:
    buffer[:0] = b"{"
    buffer += b"}"
    return buffer
