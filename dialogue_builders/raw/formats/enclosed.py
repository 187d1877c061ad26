"""What the formats of one JSON value share: records in brackets, with commas between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dialogue_builders.raw.blocks import Start, cut_at_separators, end_of
from dialogue_builders.raw.files import RawBytes
from dialogue_builders.raw.formats.base import FileHead

# The opening bracket and the white space behind it are looked for in so many bytes.
LONGEST_GAP = 1024


@dataclass(frozen=True)
class Enclosed:
    """Records in brackets; cut between two of them where the value is indented."""

    brackets = b""
    """The opening and the closing one."""
    first = b""
    """The byte with which what stands between two commas begins."""

    def start(self, head: FileHead) -> Start:
        """Return where the records begin; a value that is not indented can only be read whole."""
        opening, first = re.escape(self.brackets[:1]), re.escape(self.first)
        gap = re.match(opening + rb"(\s*)" + first, head.text[:LONGEST_GAP])
        is_indented = gap is not None and b"\n" in gap[1]
        return Start(head.start + 1, b"," + gap[1] + self.first if gap and is_indented else None)

    def cut(self, source: RawBytes, start: Start) -> Iterator[tuple[int, bytearray]]:
        """See `Format`; a block gets its brackets back."""
        end = end_of(source, self.brackets[1:])
        for offset, buffer in cut_at_separators(source, start, end):
            buffer[:0] = self.brackets[:1]
            buffer += self.brackets[1:]
            yield offset, buffer

    def read(self, source: RawBytes, offset: int, length: int) -> bytearray:
        """See `Format`."""
        buffer = bytearray(length + 2)
        buffer[0], buffer[-1] = self.brackets
        source.fill(memoryview(buffer)[1:-1], offset)
        return buffer

    def stored_length(self, buffer: bytearray) -> int:
        """See `Format`: without the brackets."""
        return len(buffer) - 2
