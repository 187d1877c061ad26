"""Raw formats: how records lie in a file. Each is one small object behind one protocol, `Format`.

A raw source names the formats that it takes (`RawSource.formats`); which of them a file has is
recognised by its content, never by its name.
"""

from __future__ import annotations

from dialogue_builders.raw.blocks import Start
from dialogue_builders.raw.files import RawBytes
from dialogue_builders.raw.formats.base import FileHead, Format
from dialogue_builders.raw.formats.json_lines import (
    IdFieldLines,
    PairLines,
    RecordLines,
    SingleKeyLines,
)
from dialogue_builders.raw.formats.json_list import JsonList
from dialogue_builders.raw.formats.object_by_id import ObjectById
from dialogue_builders.raw.formats.tab_separated import TabSeparated
from dialogue_builders.raw.unrecognised import explain_unrecognised
from dialogue_builders.spec.record_type import RecordType
from dialogue_builders.spec.source import FormatName

FORMATS: dict[FormatName, Format] = {
    "pair_lines": PairLines(),
    "id_field_lines": IdFieldLines(),
    "single_key_lines": SingleKeyLines(),
    "object_by_id": ObjectById(),
    "record_lines": RecordLines(),
    "json_list": JsonList(),
    "tab_separated": TabSeparated(),
}


def recognise_format(
    source: RawBytes, name: str, accepted: tuple[FormatName, ...], record_type: RecordType
) -> tuple[Format, Start]:
    """Return the format of a file, and where its records begin.

    Args:
        source: the unpacked file.
        name: its name in errors.
        accepted: the formats that may be, in the order in which they are tried.
        record_type: of the records.

    Raises:
        RawFileError: the file has none of these formats.
    """
    head = FileHead.of(source, name)
    # No text in UTF-8 holds a zero byte; UTF-16 would be taken for JSON by its first byte.
    is_text = b"\0" not in head.text[:4]
    for format_name in accepted if is_text else ():
        start = FORMATS[format_name].recognise(head, record_type)
        if start is not None:
            return FORMATS[format_name], start
    raise explain_unrecognised(
        name,
        head.text,
        record_type=record_type,
        accepted=[FORMATS[each].title for each in accepted],
    )
