"""The view `responses`: human replies, the candidates they competed with, and the feedback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from dialogue_builders.dialogue.compare import every_reply, same_history
from dialogue_builders.spec import (
    Alternative,
    Alternatives,
    Annotation,
    Batch,
    Columns,
    DialogueView,
    Label,
    Option,
    Options,
    Rows,
    Turn,
    TurnColumns,
    View,
    string_lists,
)
from diamante.alignment import (
    CANDIDATES_OPTION,
    CandidateAlignment,
    choose_alignment,
    require_agreement,
)
from diamante.candidates import candidate_offset, compare
from diamante.check_candidates import SAME_CANDIDATES
from diamante.check_rows import FEEDBACK_RULE, SIMILARITY
from diamante.constants import CARRIED, FEEDBACK, REVISE, REWRITE, SELECT
from diamante.turns import Turns, flat_turns

if TYPE_CHECKING:
    from datasets import Features

# Nothing is published about where a revision ends and a rewriting begins. Half of the characters in
# common is our choice, not a finding; the option moves it, and `stats` shows the shares it gives
# beside the published ones.
REVISE_FROM = Option(
    "revise_from",
    0.5,
    "least similarity to the nearest candidate that makes a reply a revision (ours, not published)",
    minimum=0.0,
)


def response_features() -> Features:
    """One row per turn after the first; feedback and similarity are null without candidates."""
    from datasets import ClassLabel, Features, List, Value

    text = Value("string")
    return Features(
        {
            "conversation_id": text,
            "turn_index": Value("int32"),
            "role": text,
            "history": List(text),
            "response": text,
            "candidates": List(text),
            "feedback": ClassLabel(names=list(FEEDBACK)),
            "similarity": Value("float64"),
        }
    )


def response_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per reply, in order.

    `candidates` is the whole list as it stands in the file. `similarity` is that of the nearest
    candidate: the character F1 (see `similarity`) of both texts without white space at their ends.
    `feedback` is `select` where a candidate equals the reply after that trimming, else `revise`
    from the option's similarity on, else `rewrite`.
    """
    turns = flat_turns(batch)
    reading = batch.split_facts.reading
    replies = turns.replies
    carriers = (replies - candidate_offset(reading)).tolist()
    note_unused(batch, turns, reading)
    return {
        **turns.keys(replies),
        "role": pa.array(turns.speakers, pa.string()).take(pa.array(replies)),
        "history": turns.histories(replies),
        "response": turns.text_array.take(pa.array(replies)),
        "candidates": string_lists([turns.candidates[place] for place in carriers]),
        **_feedback(batch, turns, options[REVISE_FROM.name]),
    }


def _feedback(batch: Batch, turns: Turns, revise_from: float) -> dict[str, pa.Array]:
    """Return the columns `feedback` and `similarity`."""
    known: CandidateAlignment = batch.split_facts
    if known.measured is not None:
        nearest = known.measured.of(batch)
    else:
        nearest = compare(turns, [known.reading])[0].nearest()
    similarity, is_equal = (column[turns.replies] for column in nearest)
    feedback = np.where(is_equal, SELECT, np.where(similarity >= revise_from, REVISE, REWRITE))
    unknown = np.isnan(similarity)
    if unknown.any():
        note = f"{batch.file_name}: replies without candidates; their feedback is null"
        batch.notes[note] += int(unknown.sum())
    return {
        "feedback": pa.array(feedback, mask=unknown),
        "similarity": pa.array(similarity, mask=unknown),
    }


def note_unused(batch: Batch, turns: Turns, reading: str) -> None:
    """Count turns whose candidates compete with no reply, and so stand in `conversations` only."""
    alone = turns.is_last if reading == "next" else turns.index == 0
    unused = sum(any(map(str.strip, turns.candidates[p])) for p in np.flatnonzero(alone).tolist())
    if unused:
        which = "last" if reading == "next" else "first"
        note = f"candidates on a dialogue's {which} turn compete with no reply; left out of replies"
        batch.notes[f"{batch.file_name}: {note}"] += unused


def show_responses(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `responses` that make one conversation."""
    other = {"speaker1": "speaker2", "speaker2": "speaker1"}
    opener = Turn(other[rows[0]["role"]], rows[0]["history"][0])
    return DialogueView(rows[0]["conversation_id"], [opener, *map(_show_response, rows)])


def _show_response(row: Mapping[str, Any]) -> Turn:
    return Turn(row["role"], row["response"], feedback_labels(row))


def feedback_labels(row: Mapping[str, Any]) -> list[Label]:
    """Return what is known of how a reply came about."""
    if row["feedback"] is None:
        return [Label("", "no candidates")]
    return [
        Label("feedback", FEEDBACK[row["feedback"]], is_facet=True),
        Label("similarity", f"similarity {row['similarity']:.2f} of {len(row['candidates'])}"),
    ]


def add_candidates(dialogue: DialogueView, rows: Rows) -> DialogueView:
    """Put the candidates below the replies that they competed with, and say what became of them."""
    turns = list(dialogue.turns)
    for number, turn in enumerate(turns):
        kept = [group for group in turn.alternatives if group.title != CARRIED]
        # The count that the file's own turn bears is told where the candidates belong.
        labels = turn.labels if len(kept) == len(turn.alternatives) else ()
        turns[number] = replace(turn, labels=labels, alternatives=kept)
    for row in rows:
        turn = turns[row["turn_index"]]
        turns[row["turn_index"]] = replace(turn, labels=[*turn.labels, *feedback_labels(row)])
    compared = {row["turn_index"]: [compared_candidates(row)] for row in rows if row["candidates"]}
    return replace(dialogue, turns=turns).with_alternatives(compared)


def compared_candidates(row: Mapping[str, Any]) -> Alternatives:
    """Return a reply's candidates; the one that was chosen or is nearest is marked."""
    reply = row["response"].strip()
    nearness = [
        (text.strip() == reply, shared_characters(text.strip(), reply))
        for text in row["candidates"]
    ]
    # Empty candidates are none; see `similarity`.
    best = max(nearness) if any(map(str.strip, row["candidates"])) else None
    items = []
    for number, (text, near) in enumerate(zip(row["candidates"], nearness, strict=True), 1):
        mark = ("chosen" if near[0] else "nearest") if near == best else ""
        note = f"similarity {near[1]:.2f}"
        items.append(Alternative(str(number), text, (note,) if text.strip() else (), mark))
    return Alternatives("candidates", items, is_open=True)


def shared_characters(first: str, second: str) -> float:
    """Return the character F1 of two texts; `similarity` does it for whole columns."""
    shared = (Counter(first) & Counter(second)).total()
    return 2 * shared / (len(first) + len(second)) if shared else 0.0


RESPONSES = View(
    name="responses",
    summary="a row per human reply, with its candidates and the feedback they got",
    source="dialogues",
    features=response_features,
    columns=response_columns,
    key=("conversation_id", "turn_index"),
    turns=TurnColumns(text="response", agent="role", expected=every_reply),
    derived=(same_history(), SAME_CANDIDATES),
    row_rules=(SIMILARITY, FEEDBACK_RULE),
    options=(CANDIDATES_OPTION, REVISE_FROM),
    survey=choose_alignment,
    check_agreement=require_agreement,
    show=show_responses,
    annotation=Annotation(add_candidates, ("conversations", "utterances")),
)
