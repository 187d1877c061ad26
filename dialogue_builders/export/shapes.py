"""What a row is for a trainer: a chat, a preference or a reply, told by its features alone.

A view of any package has a shape by having the shape's columns, whatever else it has beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from dialogue_builders.errors import FolderError

Row = Mapping[str, Any]
Message = Mapping[str, str]

USER, ASSISTANT, SYSTEM = "user", "assistant", "system"


@dataclass(frozen=True)
class Shape:
    """A kind of row.

    Attributes:
        name: for people.
        columns: the columns that make a row one of this kind, with the test of their Arrow types.
    """

    name: str
    columns: Mapping[str, Callable[[pa.DataType], bool]]

    def fits(self, schema: pa.Schema) -> bool:
        """Whether rows of this schema are of this kind."""
        names = schema.names
        return all(n in names and fits(schema.field(n).type) for n, fits in self.columns.items())


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_texts(kind: pa.DataType) -> bool:
    return _is_list(kind) and _is_text(kind.value_type)


def _is_messages(kind: pa.DataType) -> bool:
    if not _is_list(kind) or not pa.types.is_struct(kind.value_type):
        return False
    fields = {field.name: field.type for field in kind.value_type}
    return all(name in fields and _is_text(fields[name]) for name in ("role", "content"))


PREFERENCE = Shape("preference", dict.fromkeys(("prompt", "chosen", "rejected"), _is_messages))
CHAT = Shape("chat", {"messages": _is_messages})
REPLY = Shape("reply", {"history": _is_texts, "response": _is_text})
SHAPES = (PREFERENCE, CHAT, REPLY)


def shape_of(schema: pa.Schema) -> Shape | None:
    """Return the first shape that rows of this schema have."""
    return next((shape for shape in SHAPES if shape.fits(schema)), None)


def require_texts(row: Row, shape: Shape, place: Callable[[], str]) -> None:
    """Require that nothing of a row's shape is null, and no list of it empty.

    Args:
        place: names the row, for errors.

    Raises:
        FolderError: something is; it names the row and the field.
    """
    for column in shape.columns:
        fault = _find_fault(row[column], column)
        if fault is not None:
            field, problem = fault
            raise FolderError(
                f"{problem}, which no trainer can take",
                record=place(),
                field=field,
                next_step="leave the row out of the raw files, or correct it, and build again",
            )


def _find_fault(value: Any, field: str) -> tuple[str, str] | None:
    if value is None:
        return field, "is null"
    if isinstance(value, list):
        if not value:
            return field, "is empty"
        found = (_find_fault(each, f"{field}[{number}]") for number, each in enumerate(value))
        return next(filter(None, found), None)
    if isinstance(value, Mapping):
        names = ("role", "content")
        return next(filter(None, (_find_fault(value[n], f"{field}.{n}") for n in names)), None)
    return None


def chats_of(row: Row, shape: Shape) -> list[Sequence[Message]]:
    """Return the chats that a row of this shape holds: two of a preference, none of a reply."""
    if shape is PREFERENCE:
        return [[*row["prompt"], *row["chosen"]], [*row["prompt"], *row["rejected"]]]
    return [row["messages"]] if shape is CHAT else []


def turns_fault(chat: Sequence[Message], *, strict: bool) -> str | None:
    """Say why a chat can't be trained on; None where it can.

    Args:
        strict: whether roles must alternate, from the user to the assistant; else it is enough that
            the assistant has the last word.
    """
    roles = [message["role"] for message in chat]
    if roles[0] == SYSTEM:
        roles = roles[1:]
    if not roles or roles[-1] != ASSISTANT:
        return "a chat does not end with the assistant"
    if not strict:
        return None
    if roles[0] != USER:
        return "a chat does not begin with the user"
    alternate = [(USER, ASSISTANT)[number % 2] for number in range(len(roles))]
    return None if roles == alternate else "the roles of a chat do not alternate"
