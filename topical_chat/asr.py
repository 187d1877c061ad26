"""Views of Topical-Chat ASR: what speech recognizers made of the messages, heard or simulated."""

from __future__ import annotations

import re
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
    RawFileError,
    Rows,
    Turn,
    TurnColumns,
    View,
)
from topical_chat.turns import Turns, flat_turns

if TYPE_CHECKING:
    from datasets import Features

SYNTHETIC_NAME = re.compile(r".*_wer_(?P<rate>\d+(?:\.\d+)?)_seed_(?P<seed>\d+)\.jsonl?(?:\.gz)?")


def _turn_features(**others: str) -> Features:
    from datasets import Features, Value

    text = Value("string")
    head = {"conversation_id": text, "turn_index": Value("int32"), "agent": text, "message": text}
    return Features(head | {name: Value(kind) for name, kind in others.items()})


def _turn_columns(turns: Turns) -> dict[str, Any]:
    """Return the columns that both views share."""
    return {**turns.keys(), "agent": turns.speakers, "message": turns.texts}


def actual_features() -> Features:
    """One row per turn that was read aloud, with the transcripts of systems A and B.

    A transcript is the empty string where the system heard nothing.
    """
    return _turn_features(hypothesis_a="string", hypothesis_b="string")


def actual_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per turn, in order."""
    turns = flat_turns(batch)
    return _turn_columns(turns) | {
        "hypothesis_a": [turn.message_asr_A for turn in turns.records],
        "hypothesis_b": [turn.message_asr_B for turn in turns.records],
    }


def synthetic_features() -> Features:
    """One row per turn, target word error rate (0.1 to 0.3) and seed of the simulation."""
    return _turn_features(hypothesis="string", target_wer="float64", seed="int32")


def synthetic_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per turn, in order; rate and seed are those of the file's name.

    Raises:
        RawFileError: the file's name does not tell them.
    """
    match = SYNTHETIC_NAME.fullmatch(batch.file_name)
    if match is None:
        raise RawFileError(
            "its name does not tell the word error rate and the seed",
            file=batch.file_name,
            next_step="name it as upstream does: <split>_wer_<rate>_seed_<number>.json",
        )
    turns = flat_turns(batch)
    return _turn_columns(turns) | {
        "hypothesis": [turn.message_sim_asr for turn in turns.records],
        "target_wer": [float(match["rate"])] * len(turns.records),
        "seed": [int(match["seed"])] * len(turns.records),
    }


def show_actual(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `asr_actual` that make one conversation."""
    turns = [Turn(row["agent"], row["message"], alternatives=[transcripts(row)]) for row in rows]
    return DialogueView(rows[0]["conversation_id"], turns)


def transcripts(row: Mapping[str, Any]) -> Alternatives:
    """Return what the two recognizers heard of a turn."""
    heard = [Alternative("A", row["hypothesis_a"]), Alternative("B", row["hypothesis_b"])]
    return Alternatives("transcripts", heard, compare="words", is_open=True)


def add_transcripts(dialogue: DialogueView, rows: Rows) -> DialogueView:
    """Put the transcripts of two recognizers below what was said."""
    return dialogue.with_alternatives({row["turn_index"]: [transcripts(row)] for row in rows})


def show_synthetic(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `asr_synthetic` that make one conversation with one rate and seed."""
    first = rows[0]
    turns = []
    for row in rows:
        heard = [Alternative("simulated", row["hypothesis"])]
        below = Alternatives("transcripts", heard, compare="words", is_open=True)
        turns.append(Turn(row["agent"], row["message"], alternatives=[below]))
    labels = [Label(name, str(first[name]), is_facet=True) for name in ("target_wer", "seed")]
    return DialogueView(first["conversation_id"], turns, labels)


# Only some conversations were read aloud.
SPOKEN_TURNS = TurnColumns(text="message", agent="agent", unbroken=True)

ASR_ACTUAL = View(
    name="asr_actual",
    summary="a row per turn that was read aloud, with the transcripts of two recognizers",
    source="actual_speech",
    features=actual_features,
    columns=actual_columns,
    key=("conversation_id", "turn_index"),
    splits=("test_freq", "test_rare"),
    show=show_actual,
    turns=SPOKEN_TURNS,
    annotation=Annotation(add_transcripts, ("conversations", "utterances")),
)

ASR_SYNTHETIC = View(
    name="asr_synthetic",
    summary="a row per turn, word error rate and seed, with a simulated transcript",
    source="synthetic_speech",
    features=synthetic_features,
    columns=synthetic_columns,
    key=("conversation_id", "turn_index", "target_wer", "seed"),
    show=show_synthetic,
    turns=SPOKEN_TURNS,
)
