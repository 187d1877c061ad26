"""Ways to damage a raw file: of its JSON, and of its bytes. Drawn by hypothesis, so that it shrinks."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Json = Any

# What may stand in a value's place: every type, every edge that we know.
VALUES = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**40,
    0.5,
    "",
    " ",
    "other",
    "好",
    "\u0000",
    "\u202e<script>",
    "\ud800",
    "agent_1",
    "Good",
    [],
    [[]],
    [None],
    ["text"],
    {},
    {"a": 1},
)
NAMES = ("", "id", "conversation_id", "content", "note", "笔记", "message", "agent_1", "FS1")
PIECES = (
    b"",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b'"',
    b"\\",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\r\n",
    b" ",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"//",
    b"<<<<<<< HEAD\n",
    "\u2028".encode(),
    "好".encode("gb18030"),
)


def places(value: Json, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything inside a JSON value."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    found = [path] if path else []
    for name, item in inner:
        found += places(item, (*path, name))
    return found


def change(value: Json, path: tuple[Any, ...], how: str, new: Json, name: str) -> None:
    """Change a JSON value in place."""
    for step in path[:-1]:
        value = value[step]
    last = path[-1]
    if how == "replace":
        value[last] = new
    elif how == "remove":
        del value[last]
    elif how == "double":
        if isinstance(value, list):
            value.insert(last, value[last])
        else:
            value[f"{DOUBLE}{last}"] = value[last]
    elif how == "rename" and isinstance(value, dict):
        value[name] = value.pop(last)
    elif how == "add" and isinstance(value, dict):
        value[name] = new


# Stands before a key that is to be written a second time; taken away from the text again.
DOUBLE = "\u0001again\u0001"


def dump(records: Json, *, lines: bool, layout: str) -> bytes:
    """Write records as one of the layouts that a raw file may have."""
    indent = 1 if layout == "pretty" else None
    ascii_only = layout == "ascii"

    def text(value: Json) -> str:
        written = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        return written.replace(DOUBLE, "").replace(json.dumps(DOUBLE)[1:-1], "")

    if not lines:
        whole = text(records)
    else:
        end = "\r\n" if layout == "windows" else "\n"
        whole = end.join(text(record) for record in records) + end
    return whole.encode("utf-8", "surrogatepass")


@st.composite
def damaged_json(draw: st.DrawFn, records: Json, lines: bool) -> bytes:
    """Change a few values of a file, and write it in any layout."""
    records = json.loads(json.dumps(records))
    for _ in range(draw(st.integers(0, 3))):
        paths = places(records)
        if not paths:
            break
        how = draw(st.sampled_from(("replace", "remove", "double", "rename", "add")))
        path = draw(st.sampled_from(paths))
        change(records, path, how, draw(st.sampled_from(VALUES)), draw(st.sampled_from(NAMES)))
    layout = draw(st.sampled_from(("plain", "pretty", "ascii", "windows")))
    return dump(records, lines=lines, layout=layout)


@st.composite
def damaged_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Cut, insert, overwrite or repeat bytes anywhere."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 40))
        how = draw(st.sampled_from(("insert", "overwrite", "cut", "truncate", "repeat")))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)))
        if how == "insert":
            content = content[:start] + piece + content[start:]
        elif how == "overwrite":
            content = content[:start] + piece + content[start + len(piece) :]
        elif how == "cut":
            content = content[:start] + content[start + length :]
        elif how == "truncate":
            content = content[:start]
        else:
            content = content[: start + length] + content[start:]
    return content
