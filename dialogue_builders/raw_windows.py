"""Windows of a raw file: stretches of whole records that are read and decoded on their own.

A raw file is never held in memory as a whole where its layout lets it be cut: an indented object is
cut between two records, JSON lines between two lines. A wrong cut can't pass unnoticed, since a raw
newline can't stand inside a JSON string and an unbalanced window can't decode.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from dialogue_builders.raw_files import RawBytes

WINDOW_BYTES = 1 << 19
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"


class Shape(Enum):
    """How the records lie in a raw file; told by its content, never by its name."""

    OBJECT = "one object {id: record}"
    PAIR_LINES = 'JSON lines ["id", {record}]'
    SINGLE_LINES = 'JSON lines {"id": {record}}'
    RECORD_LINES = "JSON lines {record}"


class Window(NamedTuple):
    """A stretch of the unpacked file that holds whole records only.

    Attributes:
        offset, length: its place in bytes.
        first, count: the number of its first record in the file, and how many there are.
    """

    offset: int
    length: int
    first: int
    count: int  # type: ignore[assignment]  # it hides tuple.count, which nobody calls here


class Key:
    """An object key that is equal to itself only, so that a dict keeps both of two equal ids.

    `msgspec` decodes into dicts; with plain strings a repeated id would silently replace the first.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def make_key(_: type, text: Any) -> Any:
    """`msgspec` hook: wrap a decoded object key."""
    return Key(text)


@lru_cache(maxsize=64)
def line_or_object_decoder(shape: Shape, record_type: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of one window (OBJECT) or one line (the others) of a shape."""
    types: dict[Shape, Any] = {
        Shape.OBJECT: dict[Key, record_type],
        Shape.SINGLE_LINES: dict[Key, record_type],
        Shape.PAIR_LINES: tuple[str, record_type],
        Shape.RECORD_LINES: record_type,
    }
    return msgspec.json.Decoder(types[shape], dec_hook=make_key)


def decode_window(shape: Shape, window: bytearray, record_type: Any) -> list[tuple[str, Any]]:
    """Decode a whole window into (id, record) pairs; the id is empty for `RECORD_LINES`."""
    decoder = line_or_object_decoder(shape, record_type)
    if shape is Shape.OBJECT:
        return [(key.text, record) for key, record in decoder.decode(window).items()]
    lines = decoder.decode_lines(window)
    if shape is Shape.PAIR_LINES:
        return lines
    if shape is Shape.RECORD_LINES:
        return [("", record) for record in lines]
    return [(key.text, record) for line in lines for key, record in line.items()]


def read_window(source: RawBytes, shape: Shape, offset: int, length: int) -> bytearray:
    """Read a window so that it decodes on its own: an object's inner part gets its braces back."""
    if shape is not Shape.OBJECT:
        window = bytearray(length)
        source.fill(memoryview(window), offset)
        return window
    window = bytearray(length + 2)
    window[0], window[-1] = ord("{"), ord("}")
    source.fill(memoryview(window)[1:-1], offset)
    return window


def cut_windows(
    source: RawBytes, shape: Shape, start: int, separator: bytes | None
) -> Iterator[tuple[int, bytearray]]:
    """Yield (offset, decodable bytes) of one window after the other."""
    end = object_end(source) if shape is Shape.OBJECT else source.size
    size = WINDOW_BYTES if separator else end - start
    while start < end:
        length = min(size, end - start)
        buffer = read_window(source, shape, start, length)
        if start + length < end:
            assert separator is not None
            braces = 1 if shape is Shape.OBJECT else 0
            cut = buffer.rfind(separator, braces) - braces
            if cut < 0:
                size *= 2  # one record is larger than the window
                continue
            length = cut
            del buffer[cut + braces :]
            if shape is Shape.OBJECT:
                buffer += b"}"
        yield start, buffer
        start += length + 1  # one byte of the separator ends the window: the comma or the newline
        size = WINDOW_BYTES


def object_end(source: RawBytes) -> int:
    """Return the offset of the object's closing brace: the last byte that is not white space.

    Raises:
        EOFError: the last byte is another one, so the file is truncated or has a tail.
    """
    offset = source.size
    while offset > 0:
        begin = max(0, offset - 4096)
        tail = source.read(begin, offset - begin).rstrip(SPACE)
        if tail:
            if not tail.endswith(b"}"):
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
        for begin in range(0, len(view), WINDOW_BYTES):
            decoder.decode(view[begin : begin + WINDOW_BYTES])
    decoder.decode(b"", final=True)
