"""The table of formats: what programs want of a row, as fields made by pure functions.

A new format is an entry of `FORMATS`; nothing else of the engine knows one from another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dialogue_builders.errors import unknown_name
from dialogue_builders.export.shapes import CHAT, PREFERENCE, REPLY, Message, Row, Shape

Fields = Mapping[str, Callable[[Row], Any]]


@dataclass(frozen=True)
class Layout:
    """How a format writes one shape.

    Attributes:
        fields: a line's fields, in order, each made from the row alone.
        entry: what LLaMA-Factory's `dataset_info.json` says of such a file, but for its name.
    """

    fields: Fields
    entry: Mapping[str, Any] = field(default_factory=dict)

    def line(self, row: Row) -> dict[str, Any]:
        """Return the fields of one line."""
        return {name: make(row) for name, make in self.fields.items()}


@dataclass(frozen=True)
class Format:
    """What one program reads.

    Attributes:
        name: as it is given.
        title: the program's name.
        layouts: the shapes that it takes.
        strict: whether the program drops or refuses chats whose roles do not alternate, from the
            user to the assistant.
    """

    name: str
    title: str
    layouts: Mapping[str, Layout]
    strict: bool = False

    def layout(self, shape: Shape | None) -> Layout | None:
        """Return how rows of a shape are written, None where the format can't take them."""
        return None if shape is None else self.layouts.get(shape.name)


def _messages(row: Row) -> list[Message]:
    return _plain(row["messages"])


def _plain(messages: list[Message]) -> list[Message]:
    """Leave out what a view's messages may hold beside their role and text."""
    return [{"role": each["role"], "content": each["content"]} for each in messages]


def _joined(reply: str) -> Callable[[Row], list[Message]]:
    return lambda row: _plain([*row["prompt"], *row[reply]])


def _only(reply: str) -> Callable[[Row], Message]:
    return lambda row: _plain(row[reply])[-1]


def _replies(reply: str) -> Callable[[Row], list[Message]]:
    return lambda row: _plain(row[reply])


def _pairs(row: Row) -> list[list[str]]:
    """Pair the turns before the last one: (user, assistant), backwards from the reply.

    Where the assistant opened the dialogue, its first turn answers nothing and has no pair; it is
    left out, as it is from chats.
    """
    before = row["history"][:-1]
    before = before[len(before) % 2 :]
    return [list(pair) for pair in zip(before[::2], before[1::2], strict=True)]


def leaves_out_opening(row: Row) -> bool:
    """Whether the first turn of a reply's history has no place among pairs."""
    return len(row["history"]) % 2 == 0


SHAREGPT = {
    "formatting": "sharegpt",
    "tags": {
        "role_tag": "role",
        "content_tag": "content",
        "user_tag": "user",
        "assistant_tag": "assistant",
        "system_tag": "system",
    },
}
ALPACA_COLUMNS = {
    "prompt": "instruction",
    "query": "input",
    "response": "output",
    "history": "history",
}

FORMATS = (
    Format(
        "openai",
        "OpenAI fine-tuning",
        {
            CHAT.name: Layout({"messages": _messages}),
            PREFERENCE.name: Layout(
                {
                    "input": lambda row: {"messages": _plain(row["prompt"])},
                    "preferred_output": _replies("chosen"),
                    "non_preferred_output": _replies("rejected"),
                }
            ),
        },
    ),
    Format(
        "llama-factory",
        "LLaMA-Factory",
        {
            CHAT.name: Layout(
                {"messages": _messages}, {**SHAREGPT, "columns": {"messages": "messages"}}
            ),
            PREFERENCE.name: Layout(
                {
                    "messages": lambda row: _plain(row["prompt"]),
                    "chosen": _only("chosen"),
                    "rejected": _only("rejected"),
                },
                {
                    **SHAREGPT,
                    "ranking": True,
                    "columns": {n: n for n in ("messages", "chosen", "rejected")},
                },
            ),
            REPLY.name: Layout(
                {
                    "instruction": lambda row: row["history"][-1],
                    "input": lambda row: "",
                    "output": lambda row: row["response"],
                    "history": _pairs,
                },
                {"formatting": "alpaca", "columns": ALPACA_COLUMNS},
            ),
        },
        strict=True,
    ),
    Format(
        "ms-swift",
        "ms-swift",
        {
            CHAT.name: Layout({"messages": _messages}),
            PREFERENCE.name: Layout(
                {"messages": _joined("chosen"), "rejected_messages": _joined("rejected")}
            ),
        },
    ),
)


def find_format(name: str) -> Format:
    """Return a format by its name.

    Raises:
        UnknownNameError: there is none of that name.
    """
    for each in FORMATS:
        if each.name == name:
            return each
    raise unknown_name("format", name, [each.name for each in FORMATS])
