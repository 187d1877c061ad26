"""The view for supervised fine-tuning: chat rows that any chat template takes as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, dropwhile, groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dialogue_builders.arrow import list_column, struct_column
from dialogue_builders.records import Batch
from dialogue_builders.views import Columns, Dialogue, Option, Options, View
from topical_chat.knowledge import AGENTS

if TYPE_CHECKING:
    from datasets import Features

BOTH = "both"
# Chat templates refuse two messages of one role in a row, so neighbouring turns become one.
JOINT = "\n"

OPENING = "messages: a turn of the assistant before the first user turn; left out"
NO_USER = "messages: a conversation in which only the assistant speaks; it has no row"


def message_features() -> Features:
    """One row per conversation (two with `assistant=both`): roles alternate, and `user` begins."""
    from datasets import Features, List, Value

    text = Value("string")
    return Features(
        {
            "conversation_id": text,
            "assistant": text,
            "messages": List({"role": text, "content": text}),
        }
    )


def message_columns(batch: Batch, options: Options) -> Columns:
    """Return chat rows: the chosen agent is the assistant, the other one the user."""
    wanted = AGENTS if options["assistant"] == BOTH else (options["assistant"],)
    ids, assistants, chats = [], [], []
    for identity, record in zip(batch.ids, batch.records, strict=True):
        for assistant in wanted:
            turns = from_first_user_turn(record.content, assistant)
            if not turns:
                batch.notes[NO_USER] += 1
                continue
            if len(turns) < len(record.content):
                batch.notes[OPENING] += len(record.content) - len(turns)
            ids.append(identity)
            assistants.append(assistant)
            chats.append(chat(turns, assistant))
    flat = list(chain.from_iterable(chats))
    messages = struct_column({"role": [r for r, _ in flat], "content": [c for _, c in flat]})
    return {
        "conversation_id": pa.array(ids, pa.string()),
        "assistant": assistants,
        "messages": list_column(messages, map(len, chats)),
    }


def from_first_user_turn(turns: Sequence[Any], assistant: str) -> list[Any]:
    """Return the turns without those of the assistant that open the conversation."""
    return list(dropwhile(lambda turn: turn.agent == assistant, turns))


def chat(turns: Sequence[Any], assistant: str) -> list[tuple[str, str]]:
    """Return (role, content) pairs; neighbouring turns of one agent are joined by a newline."""
    return [
        ("assistant" if agent == assistant else "user", JOINT.join(turn.message for turn in run))
        for agent, run in groupby(turns, key=lambda turn: turn.agent)
    ]


def show_messages(rows: Sequence[Mapping[str, Any]]) -> Dialogue:
    """Show the chat rows of one conversation."""
    turns = [
        (message["role"], message["content"], "" if number else f"assistant: {row['assistant']}")
        for row in rows
        for number, message in enumerate(row["messages"])
    ]
    return Dialogue(rows[0]["conversation_id"], turns)


MESSAGES = View(
    name="messages",
    summary="a chat per conversation, for supervised fine-tuning: user first, roles alternate",
    source="conversations",
    features=message_features,
    columns=message_columns,
    key=("conversation_id", "assistant"),
    options=(Option("assistant", "agent_2", "whose turns are the assistant's", (*AGENTS, BOTH)),),
    show=show_messages,
)
