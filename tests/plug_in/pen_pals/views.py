"""The two configs: whole conversations, and single letters.

A view is a pair of functions: one names its features, one makes its columns from a batch of records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialogue_builders.dialogue.compare import every_turn
from dialogue_builders.dialogue.turns import FlatTurns
from dialogue_builders.spec import (
    Batch,
    Columns,
    DialogueView,
    Label,
    Options,
    Rows,
    Turn,
    TurnColumns,
    View,
    list_column,
    struct_column,
)

if TYPE_CHECKING:
    from datasets import Features

# `datasets` is imported inside of the functions, so that listing this corpus stays instant.


def flat_turns(batch: Batch) -> FlatTurns:
    """Lay the letters of a batch out flat, one after the other."""
    letters = [letter for record in batch.records for letter in record.letters]
    return FlatTurns(
        ids=batch.ids,
        lengths=[len(record.letters) for record in batch.records],
        speakers=[letter.writer for letter in letters],
        texts=[letter.text for letter in letters],
        speakers_in_order=("host", "guest"),
    )


def conversation_features() -> Features:
    """One row per friendship, in the source's own names and nesting."""
    from datasets import Features, List, Value

    text = Value("string")
    letters = List({"writer": text, "text": text})
    return Features({"conversation_id": text, "town": text, "letters": letters})


def conversation_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per record."""
    turns = flat_turns(batch)
    letters = struct_column({"writer": turns.speakers, "text": turns.texts})
    return {
        "conversation_id": batch.ids,
        "town": [record.town for record in batch.records],
        "letters": list_column(letters, turns.lengths),
    }


def show_conversation(rows: Rows) -> DialogueView:
    """Show a friendship's letters, as `head` and `view` draw them."""
    letters = [Turn(letter["writer"], letter["text"]) for letter in rows[0]["letters"]]
    town = Label("town", rows[0]["town"], is_facet=True)
    return DialogueView(rows[0]["conversation_id"], letters, [town])


def utterance_features() -> Features:
    """One row per letter."""
    from datasets import Features, Value

    text = Value("string")
    letter = {"writer": text, "text": text, "town": text}
    return Features({"conversation_id": text, "turn_index": Value("int32"), **letter})


def utterance_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per letter, in order; the town is that of its friendship."""
    turns = flat_turns(batch)
    towns = [record.town for record in batch.records for _ in record.letters]
    return {
        **turns.keys(),
        "writer": turns.speakers,
        "text": turns.texts,
        "town": towns,
    }


# With `turns`, `check` proves that both configs say the same of the same turn.
CONVERSATIONS = View(
    name="conversations",
    summary="a row per friendship, with all of its letters",
    source="letters",
    features=conversation_features,
    columns=conversation_columns,
    key=("conversation_id",),
    turns=TurnColumns(nested="letters", text="text", agent="writer", whole=("town",)),
    show=show_conversation,
)

UTTERANCES = View(
    name="utterances",
    summary="a row per letter",
    source="letters",
    features=utterance_features,
    columns=utterance_columns,
    key=("conversation_id", "turn_index"),
    turns=TurnColumns(text="text", agent="writer", whole=("town",), expected=every_turn),
)
