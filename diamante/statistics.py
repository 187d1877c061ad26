"""What is counted over Diamante's rows: the published table, and the card's histograms."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.spec import (
    Counts,
    HistogramSpec,
    RowCounter,
    Statistic,
    Threshold,
    count_lengths,
    count_of,
    count_values,
    published_values,
    ratio,
)
from diamante.constants import FEEDBACK, SPLITS
from diamante.responses import RESPONSES, REVISE_FROM

ALL = (*SPLITS, "all")


# Source: the table in the README of Knover's projects/Diamante, and the paper's. Replies are the
# turns after the first: the difference of the two rows before.
STATISTICS = (
    Statistic("dialogues", count_of("dialogues"), published_values(ALL, 5838, 500, 500, 6838)),
    Statistic(
        "utterances", count_of("utterances"), published_values(ALL, 83765, 7166, 7184, 98115)
    ),
    Statistic(
        "characters per utterance",
        ratio("characters", "utterances"),
        published_values(ALL, 14.26, 14.20, 14.29, 14.25),
        decimals=2,
    ),
    Statistic("replies", count_of("replies"), published_values(ALL, 77927, 6666, 6684, 91277)),
    Statistic(
        "select, %", ratio("select", *FEEDBACK, scale=100), published_values(ALL, 18, 19, 19, 18)
    ),
    Statistic(
        "revise, %", ratio("revise", *FEEDBACK, scale=100), published_values(ALL, 41, 40, 40, 41)
    ),
    Statistic(
        "rewrite, %", ratio("rewrite", *FEEDBACK, scale=100), published_values(ALL, 41, 41, 41, 41)
    ),
)

# Source as above. Nothing is pinned, so these can only stand beside what was measured.
PUBLISHED_ROWS = {
    "conversations": {split: int(STATISTICS[0].published[split]) for split in SPLITS},
    "utterances": {split: int(STATISTICS[1].published[split]) for split in SPLITS},
    "responses": {split: int(STATISTICS[3].published[split]) for split in SPLITS},
}


def _characters(utterances: pa.Array) -> int:
    """Count characters as the published figure does: code points, white space included."""
    return pc.sum(pc.utf8_length(utterances)).as_py() or 0


def count_conversations(rows: pa.RecordBatch) -> Counts:
    """Count dialogues, utterances and characters in rows of `conversations`."""
    utterances = pc.struct_field(rows["conversation"].flatten(), "utterance")
    return Counter(
        dialogues=rows.num_rows, utterances=len(utterances), characters=_characters(utterances)
    )


def count_utterances(rows: pa.RecordBatch) -> Counts:
    """Count dialogues (by their first turns), utterances and characters in rows of `utterances`."""
    return Counter(
        dialogues=pc.sum(pc.equal(rows["turn_index"], 0)).as_py() or 0,
        utterances=rows.num_rows,
        characters=_characters(rows["utterance"]),
    )


def count_feedback(rows: pa.RecordBatch) -> Counts:
    """Count replies, and how their humans arrived at them, in rows of `responses`."""
    counts = Counter(replies=rows.num_rows)
    counts.update(FEEDBACK[code] for code in rows["feedback"].drop_null().to_pylist())
    return counts


COUNTERS = (
    {
        "conversations": RowCounter(("conversation.list.element.utterance",), count_conversations),
        "utterances": RowCounter(("turn_index", "utterance"), count_utterances),
    },
    {"responses": RowCounter(("feedback",), count_feedback)},
)

# Steps of the similarity's histogram.
STEP = 0.05


def turns_of_conversations(rows: pa.RecordBatch) -> Counts:
    """Count dialogues by their number of turns, in rows of `conversations`."""
    return count_values(pc.list_value_length(rows["conversation"]))


def turns_of_utterances(rows: pa.RecordBatch) -> Counts:
    """Count dialogues by their number of turns, in rows of `utterances`."""
    return count_lengths(rows["turn_index"])


def similarities(rows: pa.RecordBatch) -> Counts:
    """Count replies by their similarity to the nearest candidate, in whole steps downwards.

    So 0.5 stands for 0.5 up to, but not including, 0.55; and 1 for the same characters.
    """
    values = rows["similarity"].drop_null().to_numpy()
    # What is no similarity at all, such as NaN in a damaged file, is left out; `check` tells it.
    values = values[np.abs(values) < 1000]
    # A fraction such as 0.15 may lie a hair below three steps; it still belongs to the third.
    steps = np.floor(values / STEP + 1e-9).astype(np.int64)
    return Counter(steps.tolist())


LENGTHS = HistogramSpec(
    name="turns_per_conversation",
    title="Length of the dialogues",
    axis="turns per dialogue",
    counted="dialogues",
    counters={
        "conversations": RowCounter(("conversation.list.element.role",), turns_of_conversations),
        "utterances": RowCounter(("turn_index",), turns_of_utterances),
    },
)
SIMILARITY = HistogramSpec(
    name="similarity",
    title="Similarity of replies to their nearest candidate",
    axis=f"character F1, in steps of {STEP:g} downwards",
    counted="replies",
    counters={"responses": RowCounter(("similarity",), similarities)},
    step=STEP,
    threshold=Threshold(RESPONSES.name, REVISE_FROM.name, "revise from"),
)

HISTOGRAMS = (LENGTHS, SIMILARITY)
