"""The view of USR: responses to sixty contexts, each judged by three people under six criteria."""

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
    CONVERSATION_VIEWS,
    CRITERIA,
    SYSTEM_CODES,
    SYSTEMS,
    TCS_1_0,
    USR_SPLITS,
)
from topical_chat.judgements.join_table import USR_PLACES
from topical_chat.judgements.joins import Place, place_in_words, text_digest
from topical_chat.judgements.records import JudgedContext
from topical_chat.judgements.sources import USR_RESTRICTION
from topical_chat.judgements.unieval import predicted_scores

if TYPE_CHECKING:
    from datasets import Features

CONTEXT_END = "\n\n"
NO_FACT = "_nofact"
GROUND_TRUTH = SYSTEMS[0]

NO_CONTEXT_END = "usr: a context does not end with an empty line; its text is kept as it is"


def usr_features() -> Features:
    """One row per judged response; each criterion has a score of each annotator, in their order."""
    from datasets import ClassLabel, Features, List, Value

    text, whole = Value("string"), Value("int32")
    return Features(
        {
            "context_index": whole,
            "system": ClassLabel(names=list(SYSTEMS)),
            "context": List(text),
            "fact": text,
            "response": text,
            **{criterion: List(whole) for criterion in CRITERIA},
            "annotators": List(text),
            "unieval": dict.fromkeys(CRITERIA, Value("float64")),
            "conversation_id": text,
            "turn_index": whole,
            "release": text,
            "split_in_tcs_1_0": text,
            "split_in_tcs_1_1": text,
        }
    )


def usr_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per response, in the file's order; text stays as it is in the file."""
    rows = []
    predictions = batch.resources["unieval"]
    for context_index, record in enumerate(batch.records, start=batch.position):
        shared = {
            "context_index": context_index,
            "context": context_turns(record, batch),
            "fact": None if record.fact.strip() == NO_FACT else record.fact,
            "annotators": record.annotators,
            **_place_columns(find_place(record)),
        }
        for number, response in enumerate(record.responses):
            place = context_index * len(SYSTEMS) + number
            rows.append(
                {
                    **shared,
                    "system": SYSTEM_CODES[response.model],
                    "response": response.response,
                    **{criterion: getattr(response, criterion) for criterion in CRITERIA},
                    "unieval": predicted_scores(predictions, place, response, batch.file_name),
                }
            )
    return {name: [row[name] for row in rows] for name in usr_features()}


def context_turns(record: JudgedContext, batch: Batch) -> list[str]:
    """Return a context's turns; joined by newlines, with an empty line behind, they are it."""
    if not record.context.endswith(CONTEXT_END):
        batch.notes[NO_CONTEXT_END] += 1
    return record.context.removesuffix(CONTEXT_END).split("\n")


def find_place(record: JudgedContext) -> Place | None:
    """Return the turn that the responses to a context were judged in place of.

    A context and the ground truth after it are found together. None where they are at no place of
    TCS-1.0's `test_freq`, or at more than one.
    """
    for response in record.responses:
        if response.model == GROUND_TRUTH:
            return USR_PLACES.get(text_digest(record.context, response.response))
    return None


def _place_columns(place: Place | None) -> dict[str, Any]:
    known = place is not None
    return {
        "conversation_id": place and place.conversation_id,
        "turn_index": place.turn_index if place else None,
        "release": TCS_1_0 if known else None,
        "split_in_tcs_1_0": USR_SPLITS[0] if known else None,
        "split_in_tcs_1_1": place.split_in_tcs_1_1 if place else None,
    }


def show_usr(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show a context, its fact, and each response with its scores."""
    first = rows[0]
    turns = [Turn("context", text) for text in first["context"]]
    no_fact = [] if first["fact"] else [Label("", "no fact")]
    turns.append(Turn("fact", first["fact"] or "", no_fact))
    for row in rows:
        labels = [Label("", score) for score in scores(row)]
        turns.append(Turn(SYSTEMS[row["system"]], row["response"], labels))
    return DialogueView(
        f"context {first['context_index']}", turns, [Label("", place_in_words(first))]
    )


def scores(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return each criterion with the annotators' scores."""
    return tuple(f"{c.replace('_', ' ')} {' '.join(map(str, row[c]))}" for c in CRITERIA)


def add_judged_responses(dialogue: DialogueView, rows: Rows) -> DialogueView:
    """Put what was judged in place of a turn below that turn, with its scores."""
    judged: dict[int, list[Alternative]] = {}
    for row in rows:
        found = judged.setdefault(row["turn_index"], [])
        found.append(Alternative(SYSTEMS[row["system"]], row["response"], scores(row)))
    return dialogue.with_alternatives(
        {turn: [Alternatives("responses judged for USR", found)] for turn, found in judged.items()}
    )


USR = View(
    name="usr",
    summary="a row per response judged for USR: six criteria, three annotators",
    source="usr",
    features=usr_features,
    columns=usr_columns,
    key=("context_index", "system"),
    id_column="context_index",
    splits=USR_SPLITS,
    resources=("unieval",),
    optional_inputs=("unieval",),
    show=show_usr,
    annotation=Annotation(add_judged_responses, CONVERSATION_VIEWS),
    restrictions=(Restriction(USR_RESTRICTION, ("context_index",), any_row),),
    # Its texts are lower-cased and tokenised.
    turns=None,
)
