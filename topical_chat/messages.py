"""The view for supervised fine-tuning: chat rows that any chat template takes as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialogue_builders.dialogue.chat import (
    assistant_option,
    chat_columns,
    chat_features,
    show_chats,
)
from dialogue_builders.dialogue.compare import every_chat, same_chat
from dialogue_builders.spec import Batch, Columns, Options, TurnColumns, View
from topical_chat.knowledge import AGENTS
from topical_chat.turns import flat_turns

if TYPE_CHECKING:
    from datasets import Features

ASSISTANT = assistant_option(AGENTS)


def message_features() -> Features:
    """One row per conversation, two with `assistant=both`; see `dialogue.chat.chat_columns`."""
    from datasets import Features

    return Features(chat_features())


def message_columns(batch: Batch, options: Options) -> Columns:
    """Return chats: the chosen agent is the assistant, the other one the user."""
    return chat_columns(flat_turns(batch), options[ASSISTANT.name], batch.notes)


MESSAGES = View(
    name="messages",
    summary="a chat per conversation, for supervised fine-tuning: user first, assistant last",
    source="conversations",
    features=message_features,
    columns=message_columns,
    key=("conversation_id", "assistant"),
    turns=TurnColumns(turn_index=None, expected=every_chat()),
    derived=(same_chat(),),
    options=(ASSISTANT,),
    show=show_chats,
)
