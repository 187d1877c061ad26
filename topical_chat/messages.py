"""The view for supervised fine-tuning: chat rows that any chat template takes as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from dialogue_builders.dialogue.chat import chats, message_feature
from dialogue_builders.spec import Batch, Columns, DialogueView, Option, Options, View
from topical_chat.knowledge import AGENTS
from topical_chat.turns import flat_turns

if TYPE_CHECKING:
    from datasets import Features

BOTH = "both"

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
            "messages": List(message_feature()),
        }
    )


def message_columns(batch: Batch, options: Options) -> Columns:
    """Return chat rows: the chosen agent is the assistant, the other one the user."""
    wanted = AGENTS if options["assistant"] == BOTH else (options["assistant"],)
    turns = flat_turns(batch)
    made = [chats(turns, second_is_assistant=agent == AGENTS[1]) for agent in wanted]
    # Conversation by conversation, and in each of them agent by agent.
    lengths = np.stack([each.lengths for each in made], axis=1).ravel()
    opening = np.stack([each.opening for each in made], axis=1).ravel()
    order = np.arange(len(lengths)).reshape(len(made), -1).T.ravel()
    kept = np.flatnonzero(lengths)
    if empty := len(lengths) - len(kept):
        batch.notes[NO_USER] += empty
    if left_out := int(opening[kept].sum()):
        batch.notes[OPENING] += left_out
    messages = pa.concat_arrays([each.messages for each in made])
    return {
        "conversation_id": pa.array(batch.ids, pa.string()).take(pa.array(kept // len(made))),
        "assistant": [wanted[number % len(made)] for number in kept.tolist()],
        "messages": messages.take(pa.array(order[kept])),
    }


def show_messages(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the chat rows of one conversation."""
    turns = [
        (message["role"], message["content"], "" if number else f"assistant: {row['assistant']}")
        for row in rows
        for number, message in enumerate(row["messages"])
    ]
    return DialogueView(rows[0]["conversation_id"], turns)


MESSAGES = View(
    name="messages",
    summary="a chat per conversation, for supervised fine-tuning: user first, roles alternate",
    source="conversations",
    features=message_features,
    columns=message_columns,
    key=("conversation_id", "assistant"),
    turn_texts=None,
    options=(Option("assistant", "agent_2", "whose turns are the assistant's", (*AGENTS, BOTH)),),
    show=show_messages,
)
