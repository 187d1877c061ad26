"""Say what a file is that has none of the accepted formats, from its first bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from dialogue_builders.errors import RawFileError
from dialogue_builders.raw.blocks import WHITE_SPACE
from dialogue_builders.raw.diagnosis import FETCH_AGAIN

# What messages call the formats of JSON.
PAIR_LINES = 'JSON lines ["id", {record}]'
ID_FIELD_LINES = 'JSON lines {"conversation_id": …, …}'
SINGLE_KEY_LINES = 'JSON lines {"id": {record}}'
RECORD_LINES = "JSON lines {record}"
ONE_OBJECT = "one JSON object"
ONE_LIST = "one JSON list"
TABLE = "tab-separated lines below a line of field names"


def explain_unrecognised(
    name: str, head: bytes, *, keyed: bool, accepted: Sequence[str]
) -> RawFileError:
    """Make the error for a file whose first bytes are those of no accepted format.

    Args:
        name: the file.
        head: its first bytes behind byte order mark and white space.
        keyed: whether an id is expected outside of each record.
        accepted: the titles of the accepted formats.
    """
    problem = f"does not begin with {'an id' if keyed else 'a record'}"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return RawFileError("is UTF-16, not UTF-8", file=name, next_step="save it as UTF-8")
    if head.startswith(b"<"):
        return RawFileError(
            "is an HTML page, not JSON: the download was answered with a web page",
            file=name,
            next_step=f"{FETCH_AGAIN} from the raw address, not from the page that shows it",
        )
    if head.startswith(b"version https://git-lfs"):
        return RawFileError(
            "is a Git LFS pointer, not the data", file=name, next_step="run `git lfs pull`"
        )
    found = _found(head)
    is_list = head.startswith(b"[") and found != PAIR_LINES
    if is_list and keyed:
        return explain_missing_ids(name)
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
    shown = head[:40].decode("utf-8", "replace").splitlines()[0]
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


def explain_missing_ids(name: str) -> RawFileError:
    """Make the error for a file of records that were saved without their ids."""
    return RawFileError(
        "holds records without their ids; the ids are lost, and can't be made up",
        file=name,
        next_step='give one of {id: record}, lines ["id", {record}] or lines {"id": {record}}',
    )
