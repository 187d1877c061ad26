"""A table of tab-separated values: a line of field names, then a record on each line.

Nothing is quoted or escaped: a field ends at a tab, a record at a newline. Every value is a string.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from dialogue_builders.errors import DialogueBuildersError, RawFileError, RecordError
from dialogue_builders.raw.blocks import BLOCK_BYTES, BYTE_ORDER_MARK, Start, cut_at_separators
from dialogue_builders.raw.diagnosis import FETCH_AGAIN, explain_with
from dialogue_builders.raw.files import RawBytes, RawFile, unpacked_bytes
from dialogue_builders.raw.formats.base import FileHead, json_decoder
from dialogue_builders.raw.unrecognised import TABLE
from dialogue_builders.spec.record_type import RecordType

LONGEST_HEADER = 1 << 16


@dataclass(frozen=True)
class TabSeparated:
    """Lines of tab-separated values below a line of field names."""

    title = TABLE
    has_ids = False
    outer_keys = None

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`: the first line names every field that a record can't do without.

        Raises:
            RawFileError: the first line names some fields of a record, but not all of them, or one
            of them twice.
        """
        line = head.text[:LONGEST_HEADER].split(b"\n")[0].rstrip(b"\r")
        names = line.decode("utf-8", "replace").split("\t")
        fields = msgspec.structs.fields(record_type.type)
        if len(names) < 2 or not {field.encode_name for field in fields} & set(names):
            return None
        required = [field.encode_name for field in fields if field.required]
        missing = [name for name in required if name not in names]
        if missing:
            raise RawFileError(
                f"its first line lacks the fields {', '.join(missing)}",
                file=head.name,
                next_step=f"a {record_type.name} has {', '.join(required)}",
            )
        # One of the two columns would silently hide the other.
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise RawFileError(
                f"its first line names the field {twice!r} twice",
                file=head.name,
                next_step="rename or remove one of the two columns",
            )
        end = head.text.find(b"\n")
        return Start(head.start + (len(head.text) if end < 0 else end + 1), b"\n")

    def cut(self, source: RawBytes, start: Start) -> Iterator[tuple[int, bytearray]]:
        """See `Format`; a block gets the line of field names before it."""
        header = _header(source)
        for offset, buffer in cut_at_separators(source, start, source.size):
            buffer[:0] = header
            yield offset, buffer

    def read(self, source: RawBytes, offset: int, length: int) -> bytearray:
        """See `Format`."""
        return bytearray(_header(source) + source.read(offset, length))

    def stored_length(self, buffer: bytearray) -> int:
        """See `Format`: without the line of field names."""
        return len(buffer) - buffer.index(b"\n") - 1

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`; a line with another number of fields is a `msgspec.ValidationError`."""
        header, *lines = buffer.decode().split("\n")
        names = header.split("\t")
        decoder = json_decoder(record_type)
        records = []
        for line in lines:
            values = line.removesuffix("\r").split("\t")
            if values == [""]:
                continue
            if len(values) != len(names):
                raise msgspec.ValidationError(f"{len(values)} fields instead of {len(names)}")
            row = dict(zip(names, values, strict=True))
            records.append(("", decoder.decode(msgspec.json.encode(row))))
        return records

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """See `Format`."""
        return explain_with(lambda text: _walk_table(text, name), source, name, error)

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """See `Format`. Blank lines hold no record."""
        if identity:
            return identity
        source = unpacked_bytes(file)
        lines = source.read(0, source.size).split(b"\n")
        filled = [n for n, line in enumerate(lines, start=1) if line.strip(b"\r")]
        return f"on line {filled[number + 1]}"


def _header(source: RawBytes) -> bytes:
    """Return the line of field names, with a plain newline at its end."""
    head = source.read(0, max(LONGEST_HEADER, BLOCK_BYTES)).removeprefix(BYTE_ORDER_MARK)
    return head.lstrip(b"\r\n ").split(b"\n")[0].rstrip(b"\r") + b"\n"


def _walk_table(text: str, name: str) -> RecordError | None:
    """Return the first line that has another number of fields, or broken characters."""
    wanted = None
    for number, line in enumerate(text.split("\n"), start=1):
        count = len(line.split("\t"))
        if not line.strip("\r"):
            continue
        wanted = wanted or count
        problem = ""
        if any("\udc80" <= character <= "\udcff" for character in line):
            problem = "holds bytes that are not UTF-8"
        elif count != wanted:
            problem = f"has {count} fields, but the first line names {wanted}"
        if problem:
            return RecordError(
                problem, file=name, record=f"on line {number}", next_step=FETCH_AGAIN
            )
    return None
