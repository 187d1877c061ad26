"""Blocks of a raw file: stretches of whole records that are read and decoded on their own.

A raw file is never held in memory as a whole where its layout lets it be cut: an indented object is
cut between two records, JSON lines between two lines. A wrong cut can't pass unnoticed, since a raw
newline can't stand inside a JSON string and an unbalanced block can't decode.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from dialogue_builders.raw.files import RawBytes

BLOCK_BYTES = 1 << 19
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
WHITE_SPACE = b" \t\r\n"


class Block(NamedTuple):
    """A stretch of the unpacked file that holds whole records only.

    Attributes:
        offset, length: its place in bytes.
        first, count: the number of its first record in the file, and how many there are.
    """

    offset: int
    length: int
    first: int
    count: int  # type: ignore[assignment]  # it hides tuple.count, which nobody calls here


class Start(NamedTuple):
    """Where the records of a file begin, and what stands between two of them.

    Attributes:
        offset: in bytes.
        separator: None where the file can only be read as a whole. The first byte of it ends a
            block, the rest belongs to the next one.
    """

    offset: int
    separator: bytes | None


def cut_at_separators(source: RawBytes, start: Start, end: int) -> Iterator[tuple[int, bytearray]]:
    """Yield (offset, bytes) of one block after the other; a block is at least one record.

    Args:
        source: the unpacked file.
        start: where to begin, and where cuts may be made.
        end: where the last record ends.
    """
    offset, separator = start
    size = BLOCK_BYTES if separator else end - offset
    while offset < end:
        length = min(size, end - offset)
        buffer = bytearray(length)
        source.fill(memoryview(buffer), offset)
        if offset + length < end:
            assert separator is not None
            length = buffer.rfind(separator)
            if length < 0:
                size *= 2  # one record is larger than the block
                continue
            del buffer[length:]
        yield offset, buffer
        offset += length + 1
        size = BLOCK_BYTES


def end_of(source: RawBytes, closing: bytes) -> int:
    """Return the offset of the file's closing bracket: its last byte that is not white space.

    Raises:
        EOFError: the last byte is another one, so the file is truncated or has a tail.
    """
    offset = source.size
    while offset > 0:
        begin = max(0, offset - 4096)
        tail = source.read(begin, offset - begin).rstrip(WHITE_SPACE)
        if tail:
            if not tail.endswith(closing):
                raise EOFError(begin + len(tail))
            return begin + len(tail) - 1
        offset = begin
    raise EOFError(0)


def require_utf8(buffer: bytearray) -> None:
    """Raise UnicodeDecodeError for bytes outside of UTF-8; `msgspec` checks only what it reads."""
    if buffer.isascii():
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    with memoryview(buffer) as view:
        for begin in range(0, len(view), BLOCK_BYTES):
            decoder.decode(view[begin : begin + BLOCK_BYTES])
    decoder.decode(b"", final=True)
