"""Keys that stand twice in one JSON object, of which a decoder would silently keep the last.

Nearly all records are good, so there are two steps: `count_keys` and `least_keys` count a block's
keys before and after decoding, which takes little time, and where the counts differ, `repeated_key`
reads a record once more and names the key. Both counts may only err towards a second look.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import attrgetter, ne
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

QUOTE, COLON = ord('"'), ord(":")
# White space in JSON is this character and some of those before it; no others stand unescaped.
SPACE = ord(" ")

KeyCount = int | Callable[[Any], int]
"""How many keys a value of some type has at least: always so many, or what a function says."""


def may_repeat_keys(content: bytes | bytearray, least: int) -> bool:
    """Whether there are more keys in valid JSON than were decoded, or seem to be.

    Args:
        content: the JSON that was decoded.
        least: how many keys there are at least.
    """
    array = np.frombuffer(b"    " + content, np.uint8)
    colons = np.flatnonzero(array == COLON)
    one, two, three, four = (array[colons - distance] for distance in (1, 2, 3, 4))
    behind_quote = one == QUOTE
    is_run = (two == QUOTE) | ((two <= SPACE) & ((three == QUOTE) | (three <= SPACE)))
    behind_space = (one <= SPACE) & is_run
    # A text that begins with a colon follows a key's colon. (Behind a key ":" it is the other way
    # round: the key's own colon is left out, and the one inside it is counted.)
    begins_text = behind_quote & (
        ((two == COLON) & (three == QUOTE)) | ((two == SPACE) & (three == COLON) & (four == QUOTE))
    )
    seen = np.count_nonzero(behind_quote | behind_space) - np.count_nonzero(begins_text)
    return int(seen) != least


@lru_cache(maxsize=64)
def least_keys(kind: Any) -> KeyCount:
    """Return how many keys the JSON of a value of a type has at least, at all levels.

    An optional field counts where it has another value than its default.
    """
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _least_keys_of_struct(kind)
    parts = [(part, least_keys(part)) for part in get_args(kind)] if get_origin(kind) else []
    if get_origin(kind) is list:
        return _least_keys_of_list(parts[0][1])
    if get_origin(kind) is dict:
        inside = parts[1][1]
        return lambda value: len(value) + sum(_keys(inside, part) for part in value.values())
    # What is left are unions and labels: of a union, the part that the value is of.
    with_keys = [(get_origin(part) or part, count) for part, count in parts if count != 0]
    if not with_keys:
        return 0
    if len(with_keys) == 1:
        only, inner = with_keys[0]
        return lambda value: _keys(inner, value) if isinstance(value, only) else 0
    return lambda value: sum(_keys(n, value) for kind, n in with_keys if isinstance(value, kind))


def _least_keys_of_list(inner: KeyCount) -> KeyCount:
    if callable(inner):
        return lambda values: sum(map(inner, values))
    return (lambda values: inner * len(values)) if inner else 0


def _least_keys_of_struct(kind: type[msgspec.Struct]) -> KeyCount:
    fields = msgspec.structs.fields(kind)
    hints = get_type_hints(kind)
    required = sum(item.required for item in fields)
    optional = [item for item in fields if not item.required]
    defaults = [
        item.default if item.default_factory is msgspec.NODEFAULT else item.default_factory()
        for item in optional
    ]
    # One name alone would give its value, without a tuple around it.
    names = [item.name for item in optional]
    optional_values = attrgetter(*names, fields[0].name) if names else None
    counts = [(item.name, least_keys(hints[item.name])) for item in fields]
    inner = [(name, count) for name, count in counts if count != 0]
    if not defaults and not inner:
        return required

    def count_struct(value: Any) -> int:
        total = required
        if optional_values is not None:
            total += sum(map(ne, optional_values(value), defaults))
        for name, count in inner:
            part = getattr(value, name)
            total += count if isinstance(count, int) else count(part)
        return total

    return count_struct


def _keys(count: KeyCount, value: Any) -> int:
    return count if isinstance(count, int) else count(value)


def count_least_keys(records: Iterable[Any], kind: Any) -> int:
    """Return how many keys the JSON of decoded records of a type has at least."""
    count = least_keys(kind)
    return sum(_keys(count, record) for record in records)


class _Repeating(dict[str, Any]):
    """A JSON object in which a key stands twice."""

    key = ""


def repeated_key(text: str) -> str | None:
    """Return the path of a key that stands twice in an object of a JSON value; None without one.

    Raises:
        json.JSONDecodeError: the text is not JSON.
        RecursionError: the value is nested too deeply to be read.
    """
    found = False

    def keep_mark(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        found = True
        marked = _Repeating(value)
        counts = Counter(name for name, _ in pairs)
        marked.key = next(name for name, count in counts.items() if count > 1)
        return marked

    # Numbers are no matter here, and Python refuses integers of thousands of digits.
    value = json.loads(text, object_pairs_hook=keep_mark, parse_int=float)
    return _path_of_mark(value, "") if found else None


def _path_of_mark(value: Any, path: str) -> str | None:
    """Return the path of the outermost marked object's key; the others may be lost in it."""
    if isinstance(value, _Repeating):
        return f"{path}.{value.key}".lstrip(".")
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inner = ((f"{path}.{name}".lstrip("."), part) for name, part in value.items())
    elif isinstance(value, list):
        inner = ((f"{path}[{number}]", part) for number, part in enumerate(value))
    paths = (_path_of_mark(part, place) for place, part in inner)
    return next((found for found in paths if found is not None), None)
