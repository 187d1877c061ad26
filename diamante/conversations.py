"""Views of what was said: whole conversations, single utterances, and chat messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.chat import (
    assistant_option,
    chat_columns,
    chat_features,
    show_chats,
)
from dialogue_builders.dialogue.compare import every_chat, every_turn, same_chat
from dialogue_builders.spec import (
    Alternative,
    Alternatives,
    Batch,
    Columns,
    DialogueView,
    Label,
    Options,
    Turn,
    TurnColumns,
    View,
    list_column,
    string_lists,
    struct_column,
)
from diamante.constants import CARRIED, ROLES
from diamante.records import content_digest
from diamante.turns import flat_turns

if TYPE_CHECKING:
    from datasets import Features


ASSISTANT = assistant_option(ROLES)


def conversation_features() -> Features:
    """One row per conversation, in the source's own names and nesting."""
    from datasets import Features, List, Value

    text = Value("string")
    turn = {"role": text, "utterance": text, "response_candidates": List(text)}
    return Features({"id": text, "conversation": List(turn)})


def conversation_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per dialogue; text and candidates as they stand in the file."""
    turns = flat_turns(batch)
    conversation = struct_column(
        {
            "role": turns.speakers,
            "utterance": turns.texts,
            "response_candidates": string_lists(turns.candidates),
        }
    )
    return {"id": turns.ids, "conversation": list_column(conversation, turns.lengths)}


def conversation_digests(rows: pa.RecordBatch) -> list[bytes | None]:
    """Return the digest of what was said in each row of `conversations`; see `content_digest`."""
    conversations = rows["conversation"]
    utterances = pa.ListArray.from_arrays(
        conversations.offsets, pc.struct_field(conversations.values, "utterance")
    )
    return [content_digest(texts) for texts in utterances.to_pylist()]


def utterance_features() -> Features:
    """One row per turn."""
    from datasets import Features, Value

    text = Value("string")
    return Features(
        {
            "conversation_id": text,
            "turn_index": Value("int32"),
            "role": text,
            "utterance": text,
        }
    )


def utterance_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per turn, in order; `turn_index` counts from 0."""
    turns = flat_turns(batch)
    return {**turns.keys(), "role": turns.speakers, "utterance": turns.texts}


def message_features() -> Features:
    """One row per dialogue, two with `assistant=both`; see `dialogue.chat.chat_columns`."""
    from datasets import Features

    return Features(chat_features())


def message_columns(batch: Batch, options: Options) -> Columns:
    """Return chats: the chosen speaker is the assistant, the other one the user."""
    return chat_columns(flat_turns(batch), options[ASSISTANT.name], batch.notes)


def show_conversation(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show a row of `conversations`."""
    (row,) = rows
    return DialogueView(
        str(row["id"]),
        [
            Turn(
                turn["role"],
                turn["utterance"],
                _count(turn["response_candidates"]),
                alternatives=_candidates(turn["response_candidates"]),
            )
            for turn in row["conversation"]
        ],
    )


def _count(candidates: Sequence[str]) -> list[Label]:
    count = f"{len(candidates)} candidate{'s' * (len(candidates) != 1)}"
    return [Label("", count)] if candidates else []


def _candidates(texts: Sequence[str]) -> list[Alternatives]:
    """Return a turn's candidates where the file has them; `responses` knows what they answer."""
    items = [Alternative(str(number), text) for number, text in enumerate(texts, 1)]
    return [Alternatives(CARRIED, items)] if items else []


def show_utterances(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `utterances` that make one conversation."""
    return DialogueView(
        rows[0]["conversation_id"], [Turn(row["role"], row["utterance"]) for row in rows]
    )


CONVERSATIONS = View(
    name="conversations",
    summary="a row per conversation, in the source's own names and nesting",
    source="dialogues",
    features=conversation_features,
    columns=conversation_columns,
    key=("id",),
    id_column="id",
    turns=TurnColumns(
        nested="conversation", text="utterance", agent="role", others=("response_candidates",)
    ),
    show=show_conversation,
)

UTTERANCES = View(
    name="utterances",
    summary="a row per turn",
    source="dialogues",
    features=utterance_features,
    columns=utterance_columns,
    key=("conversation_id", "turn_index"),
    turns=TurnColumns(text="utterance", agent="role", expected=every_turn),
    show=show_utterances,
)

MESSAGES = View(
    name="messages",
    summary="a chat per conversation, for supervised fine-tuning: user first, assistant last",
    source="dialogues",
    features=message_features,
    columns=message_columns,
    key=("conversation_id", "assistant"),
    turns=TurnColumns(turn_index=None, expected=every_chat()),
    derived=(same_chat(),),
    options=(ASSISTANT,),
    show=show_chats,
)
