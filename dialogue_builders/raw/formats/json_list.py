"""One JSON list: `[record, …]`, on one line or indented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dialogue_builders.errors import DialogueBuildersError
from dialogue_builders.raw.blocks import WHITE_SPACE, Start, cut_at_separators, end_of
from dialogue_builders.raw.diagnosis import explain_with, walk_list
from dialogue_builders.raw.files import RawBytes, RawFile
from dialogue_builders.raw.formats.base import FileHead, json_decoder
from dialogue_builders.spec.record_type import RecordType


@dataclass(frozen=True)
class JsonList:
    """One list [{record}, …]."""

    title = "one JSON list [{record}]"
    has_ids = False

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`; a list that is not indented can only be read as a whole."""
        if head.opening != b"[" or head.text[1:].lstrip(WHITE_SPACE)[:1] not in (b"{", b"]", b""):
            return None
        gap = re.match(rb"\[(\s*)\{", head.text[:1024])
        separator = b"," + gap[1] + b"{" if gap and b"\n" in gap[1] else None
        return Start(head.start + 1, separator)

    def cut(self, source: RawBytes, start: Start) -> Iterator[tuple[int, bytearray]]:
        """See `Format`; a block gets its brackets back."""
        for offset, buffer in cut_at_separators(source, start, end_of(source, b"]")):
            buffer[:0] = b"["
            buffer += b"]"
            yield offset, buffer

    def read(self, source: RawBytes, offset: int, length: int) -> bytearray:
        """See `Format`."""
        buffer = bytearray(length + 2)
        buffer[0], buffer[-1] = b"[]"
        source.fill(memoryview(buffer)[1:-1], offset)
        return buffer

    def stored_length(self, buffer: bytearray) -> int:
        """See `Format`: without the brackets."""
        return len(buffer) - 2

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        return [("", record) for record in json_decoder(list[record_type]).decode(buffer)]

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """See `Format`."""
        return explain_with(lambda text: walk_list(text, name), source, name, error)

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """See `Format`."""
        return identity or f"number {number + 1} of the list"
