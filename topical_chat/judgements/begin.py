"""The view of BEGIN: responses judged by whether their knowledge says what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dialogue_builders.spec import (
    Alternative,
    Alternatives,
    Annotation,
    Batch,
    Columns,
    DialogueView,
    Label,
    Options,
    Restriction,
    Rows,
    Turn,
    View,
    any_row,
)
from topical_chat.judgements.constants import (
    BEGIN_LABEL_CODES,
    BEGIN_LABELS,
    BEGIN_SPLITS,
    CONVERSATION_VIEWS,
    TCS_1_1,
)
from topical_chat.judgements.join_table import BEGIN_PLACES, KNOWLEDGE_KINDS
from topical_chat.judgements.joins import place_in_words, text_digest
from topical_chat.judgements.sources import BEGIN_RESTRICTION

if TYPE_CHECKING:
    from datasets import Features

NO_PLACE = "begin: a message is at no single place of TCS-1.1's test_freq; its join is null"


def begin_features() -> Features:
    """One row per judged response: the table's own columns, then where it belongs."""
    from datasets import ClassLabel, Features, Value

    text, whole = Value("string"), Value("int32")
    return Features(
        {
            "row_index": whole,
            "model_name": text,
            "data_source": text,
            "knowledge": text,
            "message": text,
            "response": text,
            "begin_label": ClassLabel(names=list(BEGIN_LABELS)),
            "knowledge_kind": text,
            "conversation_id": text,
            "turn_index": whole,
            "release": text,
            "split_in_tcs_1_1": text,
        }
    )


def begin_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per line, in the file's order; text stays as it is in the file."""
    records = batch.records
    places = [BEGIN_PLACES.get(text_digest(record.message)) for record in records]
    if None in places:
        batch.notes[NO_PLACE] += places.count(None)
    return {
        "row_index": list(range(batch.position, batch.position + len(records))),
        "model_name": [record.model_name for record in records],
        "data_source": [record.data_source for record in records],
        "knowledge": [record.knowledge for record in records],
        "message": [record.message for record in records],
        "response": [record.response for record in records],
        "begin_label": [BEGIN_LABEL_CODES[record.begin_label] for record in records],
        "knowledge_kind": [KNOWLEDGE_KINDS.get(text_digest(r.knowledge)) for r in records],
        "conversation_id": [place and place.conversation_id for place in places],
        "turn_index": [place.turn_index if place else None for place in places],
        "release": [TCS_1_1 if place else None for place in places],
        "split_in_tcs_1_1": [place.split_in_tcs_1_1 if place else None for place in places],
    }


def show_begin(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show a row: the knowledge, the message, and the response with its label."""
    (row,) = rows
    kind = [Label("knowledge_kind", row["knowledge_kind"])] if row["knowledge_kind"] else []
    label = Label("begin_label", BEGIN_LABELS[row["begin_label"]], is_facet=True)
    return DialogueView(
        f"row {row['row_index']}",
        [
            Turn("knowledge", row["knowledge"], kind),
            Turn("message", row["message"]),
            Turn(row["model_name"], row["response"], [label]),
        ],
        [Label("", place_in_words(row))],
    )


def add_judged_responses(dialogue: DialogueView, rows: Rows) -> DialogueView:
    """Put what was judged in place of a turn below that turn, with its label."""
    judged: dict[int, list[Alternative]] = {}
    for row in rows:
        label = BEGIN_LABELS[row["begin_label"]]
        found = judged.setdefault(row["turn_index"], [])
        found.append(Alternative(row["model_name"], row["response"], (label,)))
    return dialogue.with_alternatives(
        {
            turn: [Alternatives("responses judged for BEGIN", found)]
            for turn, found in judged.items()
        }
    )


BEGIN = View(
    name="begin",
    summary="a row per response judged for BEGIN: is it attributable to its knowledge?",
    source="begin",
    features=begin_features,
    columns=begin_columns,
    key=("row_index",),
    id_column="row_index",
    splits=BEGIN_SPLITS,
    show=show_begin,
    annotation=Annotation(add_judged_responses, CONVERSATION_VIEWS),
    restrictions=(Restriction(BEGIN_RESTRICTION, ("row_index",), any_row),),
    # Its texts are tokenised, and a message stands before the judged turn.
    turns=None,
)
