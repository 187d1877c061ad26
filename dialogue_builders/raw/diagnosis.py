"""The slow path: when a raw file can't be read, find the place and say what is wrong.

Nothing here runs on a good file, so clarity wins over speed and memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from dialogue_builders.errors import DialogueBuildersError, RawFileError, RecordError
from dialogue_builders.raw.blocks import BYTE_ORDER_MARK
from dialogue_builders.raw.files import RawBytes

FETCH_AGAIN = "fetch the raw file again"
# Bytes outside of UTF-8 become U+DC80..U+DCFF under Python's "surrogateescape".
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
# A string, which may hold anything, or one of the constants that Python's json writes.
CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', re.DOTALL)
# What Git writes around two versions of the same lines.
CONFLICT = re.compile(r"^<{7} .*$", re.MULTILINE)
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
WHITE_SPACE = re.compile(r"[ \t\r\n]*")


def explain_with(
    walk: Callable[[str], DialogueBuildersError | None],
    source: RawBytes,
    name: str,
    error: Exception,
) -> DialogueBuildersError:
    """Walk through a whole file and return its first fault.

    Args:
        walk: a file's text → its first fault; bytes outside of UTF-8 come as lone surrogates.
        source: the unpacked file.
        name: its name in errors.
        error: what the scan raised; shown where the walk finds nothing.
    """
    content = source.read(0, source.size)
    text = content.decode("utf-8", "surrogateescape")
    if text.startswith(BYTE_ORDER_MARK.decode()):
        text = text[1:]
    try:
        fault = walk(text) or _fallback(name, error)
    except RecursionError:
        fault = _fallback(name, error)
    conflict = CONFLICT.search(text)
    if conflict and "not valid JSON" in fault.problem:
        line = text.count("\n", 0, conflict.start()) + 1
        fault.problem = f"holds a conflict that Git could not merge, on line {line}"
        fault.next_step = "take one of the two versions: git checkout --theirs, or --ours"
    if ESCAPED_BYTE.search(text) and _reads_as_gb18030(content):
        fault.problem = "holds bytes that are not UTF-8: the whole file reads as GB18030 (or GBK)"
        fault.next_step = "convert it: iconv -f GB18030 -t UTF-8"
    return fault


def _reads_as_gb18030(content: bytes) -> bool:
    """Whether bytes that are not UTF-8 are Chinese text in the encoding of the mainland."""
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        return False
    foreign = [character for character in text if character > "\x7f"]
    chinese = sum("\u3000" <= character <= "\u9fff" for character in foreign)
    return chinese * 2 > len(foreign)


def _fallback(name: str, error: Exception) -> RawFileError:
    return RawFileError(f"can't be read: {error}", file=name, next_step=FETCH_AGAIN)


def walk_object(text: str, name: str) -> DialogueBuildersError | None:
    """Read `{id: record, …}` one record at a time and return the first fault."""
    position = _skip(text, 0) + 1
    identity = ""
    while True:
        position = _skip(text, position)
        if text[position : position + 1] == "}":
            return _tail(text, position + 1, name)
        if position >= len(text):
            return _truncated(name, identity, text)
        try:
            identity, position = json.decoder.scanstring(text, position + 1)  # type: ignore[attr-defined]
            position = _skip(text, position)
            if text[position : position + 1] != ":":
                raise json.JSONDecodeError("a colon is missing", text, position)
            position, fault = _walk_record(text, _skip(text, position + 1), name, identity)
            if fault:
                return fault
            position = _skip(text, position)
            if text[position : position + 1] == ",":
                position += 1
            elif text[position : position + 1] not in ("}", ""):
                raise json.JSONDecodeError("a comma is missing", text, position)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                return _truncated(name, identity, text)
            return _malformed(error, name, identity)


def walk_list(text: str, name: str) -> DialogueBuildersError | None:
    """Read `[record, …]` one record at a time and return the first fault."""
    position = _skip(text, 0) + 1
    number = 0
    while True:
        position = _skip(text, position)
        if text[position : position + 1] == "]":
            return _tail(text, position + 1, name)
        if position >= len(text):
            return _truncated(name, f"number {number} of the list" if number else "", text)
        number += 1
        place = f"number {number} of the list"
        try:
            position, fault = _walk_record(text, position, name, place)
            if fault:
                return fault
            position = _skip(text, position)
            if text[position : position + 1] == ",":
                position += 1
            elif text[position : position + 1] not in ("]", ""):
                raise json.JSONDecodeError("a comma is missing", text, position)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                return _truncated(name, place, text)
            return _malformed(error, name, place)


def _walk_record(
    text: str, position: int, name: str, identity: str
) -> tuple[int, RecordError | None]:
    """Read one record and return where it ends, or its fault."""
    constants: list[str] = []
    try:
        value, end = json.JSONDecoder(parse_constant=constants.append).raw_decode(text, position)
    except RecursionError:
        return position, RecordError(
            "is nested too deeply to be a dialogue",
            file=name,
            record=_shown(identity),
            next_step=FETCH_AGAIN,
        )
    if constants:
        return end, _constant_fault(text, position, name, identity)
    return end, _text_fault(text[position:end], value, name, identity)


def _constant_fault(text: str, position: int, name: str, identity: str) -> RecordError:
    """Make the error for a record that holds NaN or an infinity, which only look like JSON."""
    found = next(match for match in CONSTANT.finditer(text, position) if match[1])
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    # A file of lines is walked one line at a time, and the record's place says which.
    where = "" if identity.startswith("on line") and "\n" not in text else f"line {line}, "
    return RecordError(
        f"is not valid JSON: {found[1]} is no JSON number ({where}column {column})",
        file=name,
        record=_shown(identity) or None,
        next_step="write null where there is no value (in Python: json.dumps(…, allow_nan=False))",
    )


def _text_fault(text: str, value: Any, name: str, identity: str) -> RecordError | None:
    """Return the fault of a record (or its id) whose characters are broken."""
    if ESCAPED_BYTE.search(text) or ESCAPED_BYTE.search(identity):
        problem = "holds bytes that are not UTF-8"
        step = f"{FETCH_AGAIN}, or repair its encoding"
    else:
        problem = "holds half of a surrogate pair (such as \\ud83d alone), which is no character"
        step = "repair that escape; a character beyond U+FFFF takes both halves"
    record = _shown(identity)
    for field, part in _strings(value, ""):
        if LONE_SURROGATE.search(part):
            return RecordError(
                problem, file=name, record=record, field=_shown(field) or None, next_step=step
            )
    if LONE_SURROGATE.search(identity):
        return RecordError(f"this id {problem}", file=name, record=record, next_step=step)
    return None


def _strings(value: Any, field: str) -> list[tuple[str, str]]:
    """List every string inside a value with its path, keys included."""
    if isinstance(value, str):
        return [(field, value)]
    if isinstance(value, dict):
        pairs = [(f"{field}.{key}".lstrip("."), part) for key, part in value.items()]
        return [(field, key) for key in value] + [s for f, p in pairs for s in _strings(p, f)]
    if isinstance(value, list):
        return [s for i, part in enumerate(value) for s in _strings(part, f"{field}[{i}]")]
    return []


def walk_lines(
    text: str, name: str, is_line: Callable[[Any], bool], title: str
) -> DialogueBuildersError | None:
    """Read JSON lines one at a time and return the first fault.

    Args:
        is_line: whether a line's value is one of the file's format.
        title: what messages call that format.
    """
    # Only "\n" ends a line of JSON lines; str.splitlines would cut at U+2028 and others.
    lines = text.split("\n")
    if not _is_whole(next((line for line in lines if line.strip()), "")):
        fault = _walk_long_records(text, name)
        if fault:
            return fault
        lines = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"on line {number}"
        try:
            position, fault = _walk_record(line, _skip(line, 0), name, place)
            if fault:
                return _without_line_parts(fault, line, place)
            if line[position:].strip():
                raise json.JSONDecodeError("something follows the record", line, position)
            value = json.loads(line)
        except json.JSONDecodeError as error:
            return RecordError(
                f"is not valid JSON: {error.msg} (column {error.colno})",
                file=name,
                record=place,
                next_step=FETCH_AGAIN,
            )
        if not is_line(value):
            return RecordError(
                f"is not of the same shape as the first line, {title}",
                file=name,
                record=place,
                next_step="bring all lines into one shape",
            )
    return None


def _is_whole(line: str) -> bool:
    """Whether a JSON value ends on the line where it begins."""
    try:
        json.JSONDecoder().raw_decode(line, _skip(line, 0))
    except json.JSONDecodeError:
        return False
    return True


def _walk_long_records(text: str, name: str) -> RecordError | None:
    """Read records that may go over several lines and return the first fault."""
    position = _skip(text, 0)
    while position < len(text):
        line = text.count("\n", 0, position) + 1
        try:
            position, fault = _walk_record(text, position, name, f"on line {line}")
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, " if error.lineno != line else ""
            return RecordError(
                f"is not valid JSON: {error.msg} ({where}column {error.colno})",
                file=name,
                record=f"on line {line}",
                next_step=FETCH_AGAIN,
            )
        if fault:
            return fault
        position = _skip(text, position)
    return None


def _without_line_parts(fault: RecordError, line: str, place: str) -> RecordError:
    """Name a line's record by its id, and its field by the path inside of the record."""
    try:
        value = json.loads(line)
    except RecursionError:
        return fault
    pair = value if isinstance(value, list) else next(iter(value.items()), ("", None))
    if len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], dict):
        fault.record = f"{_shown(pair[0])}, {place}"
        prefix = "[1]" if isinstance(value, list) else pair[0]
        fault.field = (fault.field or "").removeprefix(prefix).lstrip(".") or None
    return fault


def _skip(text: str, position: int) -> int:
    match = WHITE_SPACE.match(text, position)
    return match.end() if match else position


def _shown(identity: str) -> str:
    """Make an id printable where it holds broken characters."""
    return identity.encode("utf-8", "replace").decode()


def _tail(text: str, position: int, name: str) -> RawFileError | None:
    tail = text[position:].strip(" \t\r\n")
    if not tail:
        return None
    if (
        tail[0] == text[0] == "{"
        and "\n" in text[position:].split("{")[0]
        and "\n" not in text[:position]
    ):
        # To remove what follows would lose all records but the first.
        return RawFileError(
            "holds JSON lines, not one JSON object",
            file=name,
            next_step="put all records into one object {id: record}",
        )
    closing = "brace" if text[position - 1] == "}" else "bracket"
    return RawFileError(
        f"goes on behind its closing {closing}, with {tail[:20]!r}",
        file=name,
        next_step="remove what follows the JSON, or fetch the raw file again",
    )


def _truncated(name: str, identity: str, text: str) -> RawFileError:
    inside = f" in or after record {_shown(identity)}" if identity else ""
    return RawFileError(
        f"is truncated: it ends{inside}, after {len(text):,} characters",
        file=name,
        next_step=FETCH_AGAIN,
    )


def _malformed(error: json.JSONDecodeError, name: str, identity: str) -> RecordError:
    return RecordError(
        f"is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})",
        file=name,
        record=_shown(identity) if identity else None,
        next_step=FETCH_AGAIN,
    )
