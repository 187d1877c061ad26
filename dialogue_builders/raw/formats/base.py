"""What every raw format can do, and what is known of a file before its format is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import msgspec

from dialogue_builders.errors import DialogueBuildersError
from dialogue_builders.raw.blocks import (
    BLOCK_BYTES,
    BYTE_ORDER_MARK,
    WHITE_SPACE,
    Start,
)
from dialogue_builders.raw.files import RawBytes, RawFile
from dialogue_builders.spec.record_type import RecordType


@dataclass(frozen=True)
class FileHead:
    """The beginning of a raw file.

    Attributes:
        source: the whole unpacked file.
        name: its name in errors.
        start: the offset of the first byte behind byte order mark and white space.
        text: some bytes from there on.
    """

    source: RawBytes
    name: str
    start: int
    text: bytes

    @classmethod
    def of(cls, source: RawBytes, name: str) -> FileHead:
        """Read the beginning of a file."""
        head = source.read(0, BLOCK_BYTES)
        text = head.removeprefix(BYTE_ORDER_MARK)
        text = text.lstrip(WHITE_SPACE)
        return cls(source, name, len(head) - len(text), text)

    @property
    def opening(self) -> bytes:
        """The first byte; empty for an empty file."""
        return self.text[:1]


class Format(Protocol):
    """One raw format. Its objects hold no state, so that they travel to any process."""

    title: str
    """How messages call it."""
    has_ids: bool
    """Whether each record's id stands outside of it."""

    @property
    def outer_keys(self) -> int | None:
        """How many keys of JSON objects stand outside of each record; None where it is no JSON."""
        ...

    def __hash__(self) -> int:
        """A format is a part of cache keys."""
        ...

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """Return where the records begin; None where the file has another format.

        Raises:
            RawFileError: the file would have this format, but for a fault that is known.
        """
        ...

    def cut(self, source: RawBytes, start: Start) -> Iterator[tuple[int, bytearray]]:
        """Yield (offset, decodable bytes) of one block after the other.

        Raises:
            EOFError: the file ends too early.
        """
        ...

    def read(self, source: RawBytes, offset: int, length: int) -> bytearray:
        """Read a block again, so that it decodes on its own; `length` as `stored_length` gives."""
        ...

    def stored_length(self, buffer: bytearray) -> int:
        """Return how many bytes of the file a decodable block stands for."""
        ...

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """Decode a block into (id, record) pairs; the id is empty where the format has none.

        Args:
            record_type: a type that `msgspec` decodes JSON into, or `msgspec.Raw`.
        """
        ...

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """Find the record that a scan stumbled over and make the error that names it.

        Args:
            error: what the scan raised; shown where nothing is found.
        """
        ...

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """Say which record it is, the `number`-th from 0: by its id, or by its place."""
        ...


@lru_cache(maxsize=64)
def json_decoder(record_type: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of one JSON value of a type."""
    return msgspec.json.Decoder(record_type, dec_hook=_make_key)


class Key:
    """An object key that is equal to itself only, so that a dict keeps both of two equal ids.

    `msgspec` decodes into dicts; with plain strings a repeated id would silently replace the first.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _make_key(_: type, text: Any) -> Any:
    """`msgspec` hook: wrap a decoded object key."""
    return Key(text)
