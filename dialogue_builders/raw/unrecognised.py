"""Say what a file is that has none of the accepted formats, from its first bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dialogue_builders.errors import RawFileError
from dialogue_builders.raw.blocks import WHITE_SPACE
from dialogue_builders.raw.diagnosis import FETCH_AGAIN
from dialogue_builders.spec.record_type import RecordType

# What messages call the formats of JSON.
PAIR_LINES = 'JSON lines ["id", {record}]'
ID_FIELD_LINES = 'JSON lines {"conversation_id": …, …}'
SINGLE_KEY_LINES = 'JSON lines {"id": {record}}'
RECORD_LINES = "JSON lines {record}"
ONE_OBJECT = "one JSON object"
ONE_LIST = "one JSON list"
TABLE = "tab-separated lines below a line of field names"


# How other files begin: what they are, and what to do.
_UNPACK = "unpack it, and give the file that is in it"
_BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (b"\xff\xfe\x00\x00", "is UTF-32, not UTF-8", "save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "is UTF-32, not UTF-8", "save it as UTF-8"),
    (b"\xff\xfe", "is UTF-16, not UTF-8", "save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16, not UTF-8", "save it as UTF-8"),
    (
        b"<<<<<<< ",
        "holds a conflict that Git could not merge",
        "take one of the two versions: git checkout --theirs, or --ours",
    ),
    (
        b"<?xml",
        "is XML, not JSON: it may be a server's error in place of the file",
        "look into it for what the server says, and fetch the raw file again",
    ),
    (b"version https://git-lfs", "is a Git LFS pointer, not the data", "run `git lfs pull`"),
    (b"PK\x03\x04", "is a zip archive, not JSON", "give the archive itself as the raw folder"),
    (b"\x1f\x8b", "is packed by gzip twice", _UNPACK),
    (b"BZh", "is packed by bzip2", _UNPACK),
    (b"\xfd7zXZ\x00", "is packed by xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "is packed by zstd", _UNPACK),
    (b"PAR1", "is a Parquet file, not JSON", "give the raw file that it was made from"),
    (b"ARROW1", "is an Arrow file, not JSON", "give the raw file that it was made from"),
    (b"SQLite format 3", "is an SQLite database, not JSON", "give the raw file"),
    (b"%PDF", "is a PDF document, not JSON", FETCH_AGAIN),
)


def explain_unrecognised(
    name: str, head: bytes, *, record_type: RecordType, accepted: Sequence[str]
) -> RawFileError:
    """Make the error for a file whose first bytes are those of no accepted format.

    Args:
        name: the file.
        head: its first bytes behind byte order mark and white space.
        record_type: the records that are expected.
        accepted: the titles of the accepted formats.
    """
    keyed = record_type.keyed
    problem = f"does not begin with {'an id' if keyed else 'a record'}"
    for beginning, is_this, next_step in _BEGINNINGS:
        if head.startswith(beginning):
            return RawFileError(is_this, file=name, next_step=next_step)
    if head[1:2] == b"\0" or head[:1] == b"\0":
        return RawFileError(
            "is UTF-16 or holds other data than text", file=name, next_step="save it as UTF-8"
        )
    if head.startswith(b"<"):
        is_page = head[:200].lower().startswith((b"<!doctype html", b"<html", b"<head", b"<body"))
        return RawFileError(
            "is an HTML page, not JSON: the download was answered with a web page"
            if is_page
            else f"is not JSON: it begins with {_beginning(head)!r}",
            file=name,
            next_step=f"{FETCH_AGAIN} from the raw address, not from the page that shows it",
        )
    found = _found(head)
    is_list = head.startswith(b"[") and found != PAIR_LINES
    if is_list and keyed:
        return _explain_list(name, head, record_type, accepted)
    if is_list and list(accepted) == [RECORD_LINES]:
        return RawFileError(
            "is one list, not one record per line",
            file=name,
            next_step="write every record of the list on a line of its own (JSON lines)",
        )
    if not head:
        return explain_empty(name, problem)
    if head.startswith((b"{", b"[")):
        return RawFileError(
            f"holds {found}, a form that is not read here"
            if found
            else "is JSON of another form than the one that is read here",
            file=name,
            next_step=f"give {' or '.join(accepted)}",
        )
    shown = _beginning(head)
    if list(accepted) == [TABLE]:
        return RawFileError(
            f"does not begin with a line of the field names, but with {shown!r}",
            file=name,
            next_step=f"give {' or '.join(accepted)}, without quotes",
        )
    return RawFileError(
        f"is not JSON: it {problem}, but with {shown!r}", file=name, next_step=FETCH_AGAIN
    )


def _found(head: bytes) -> str | None:
    """Say in which form JSON is, from its first bytes; None where that can't be told."""
    if re.match(rb'\[\s*"(?:[^"\\]|\\.)*"\s*,\s*\{', head):
        return PAIR_LINES
    if re.match(rb"\[\s*\{", head):
        return ONE_LIST
    line, _, rest = head.partition(b"\n")
    if not head.startswith(b"{") or not rest.strip(WHITE_SPACE):
        return ONE_OBJECT if head.startswith(b"{") else None
    try:
        values = list(msgspec.json.decode(line, type=dict[str, msgspec.Raw]).values())
    except msgspec.DecodeError:
        return ONE_OBJECT
    with_id = len(values) == 1 and bytes(values[0]).startswith(b"{")
    return SINGLE_KEY_LINES if with_id else RECORD_LINES


def explain_empty(name: str, problem: str) -> RawFileError:
    """Make the error for a file without any record."""
    return RawFileError(f"is empty: it {problem}", file=name, next_step=FETCH_AGAIN)


def _beginning(head: bytes) -> str:
    return head[:40].decode("utf-8", "replace").split("\n")[0].rstrip("\r")


def _explain_list(
    name: str, head: bytes, record_type: RecordType, accepted: Sequence[str]
) -> RawFileError:
    """Say what a list holds, where records with ids are expected."""
    text = head.decode("utf-8", "replace")
    start = len(text) - len(text[1:].lstrip())
    if text[start : start + 1] == "]":
        return RawFileError(
            "is an empty list: it holds no record, and no ids", file=name, next_step=FETCH_AGAIN
        )
    try:
        first = json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        first = None
    form = ""
    if isinstance(first, list) and len(first) == 2 and isinstance(first[0], str):
        form = 'pairs ["id", {record}]'
    elif (
        isinstance(first, dict) and len(first) == 1 and isinstance(next(iter(first.values())), dict)
    ):
        form = 'objects {"id": {record}}'
    elif isinstance(first, dict) and isinstance(first.get("conversation_id"), str):
        form = "records that hold their ids"
    if form:
        return RawFileError(
            f"is one list of {form}, not one on each line",
            file=name,
            next_step="write each of them on a line of its own (JSON lines)",
        )
    if isinstance(first, dict):
        return explain_records(name, first, record_type, accepted, "a list of")
    return RawFileError(
        "is a list of other values than objects"
        if first is not None
        else f"is a list whose first value can't be read: {_beginning(head)!r}",
        file=name,
        next_step=f"give {' or '.join(accepted)}",
    )


def explain_records(
    name: str,
    record: Mapping[str, Any],
    record_type: RecordType,
    accepted: Sequence[str],
    form: str,
) -> RawFileError:
    """Make the error for records whose ids do not stand outside of them.

    Args:
        record: the first one; only its keys count.
        form: how they lie in the file, such as `a list of`.
    """
    for fields, what in record_type.lookalikes:
        if fields <= record_paths(record):
            return RawFileError(
                f"is {form} other records than a {record_type.name}: each is {what}",
                file=name,
                next_step="give the folder that holds the right files",
            )
    fields_of = msgspec.structs.fields(record_type.type)
    required = {field.encode_name for field in fields_of if field.required}
    if len(required & record.keys()) * 2 > len(required):
        return explain_missing_ids(name)
    shown = ", ".join(list(record)[:8])
    return RawFileError(
        f"is {form} objects with the fields {shown}; none of them is a {record_type.name}",
        file=name,
        next_step=f"a {record_type.name} has {', '.join(sorted(required))}; give the folder that "
        f"holds {' or '.join(accepted)}",
    )


def record_paths(record: Mapping[str, Any]) -> set[str]:
    """Return a record's keys, and as `content[].message` those of the first object of its lists."""
    inner = {
        f"{key}[].{name}"
        for key, part in record.items()
        if isinstance(part, list) and part and isinstance(part[0], dict)
        for name in part[0]
    }
    return {*record, *inner}


def explain_missing_ids(name: str) -> RawFileError:
    """Make the error for a file of records that were saved without their ids."""
    return RawFileError(
        "holds records without their ids; the ids are lost, and can't be made up",
        file=name,
        next_step='give one of {id: record}, lines ["id", {record}] or lines {"id": {record}}',
    )
