"""Topical-Chat's published table, as counts that add up over batches and splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.spec import (
    Counts,
    RowCounter,
    Statistic,
    count_of,
    published_values,
    ratio,
)
from topical_chat.constants import SPLITS
from topical_chat.words import count_words

ALL = (*SPLITS, "all")

Printed = Sequence[float]
"""Printed values in the order of the splits, and mostly one for all of them."""


def published_table(
    conversations: Printed, utterances: Printed, turns: Printed, words: Printed
) -> tuple[Statistic, ...]:
    """Return the rows of a release's printed table, and how each is recomputed."""
    return (
        Statistic("conversations", count_of("conversations"), _printed(conversations)),
        Statistic("utterances", count_of("utterances"), _printed(utterances)),
        Statistic(
            "turns per conversation",
            ratio("utterances", "conversations"),
            _printed(turns),
            decimals=1,
        ),
        Statistic("words per utterance", ratio("words", "utterances"), _printed(words), decimals=1),
    )


def _printed(values: Printed) -> dict[str, float]:
    return published_values(ALL[: len(values)], *values)


def published_rows(table: Sequence[Statistic]) -> dict[str, dict[str, int]]:
    """Return view → split → rows of a folder from a release's pinned files, by its table."""
    conversations, utterances = (
        {split: int(row.published[split]) for split in SPLITS} for row in table[:2]
    )
    return {
        "conversations": conversations,
        "utterances": utterances,
        "reading_sets": conversations,
        "responses": {split: utterances[split] - conversations[split] for split in SPLITS},
        "messages": conversations,
    }


# Source: the table in the README of the pinned commit, as it is printed there.
STATISTICS = published_table(
    conversations=(8628, 539, 539, 539, 539, 10784),
    utterances=(188378, 11681, 11692, 11760, 11770, 235281),
    turns=(21.8, 21.6, 21.7, 21.8, 21.8, 21.8),
    words=(19.5, 19.8, 19.8, 19.5, 19.5, 19.6),
)

# With freq and rare together, `responses` has the 179,750 / 22,295 / 22,452 rows that a third party
# published. The rows of `asr_actual` were counted from the pinned file; the other was not at hand.
PUBLISHED_ROWS = {**published_rows(STATISTICS), "asr_actual": {"test_freq": 880}}


def count_conversations(rows: pa.RecordBatch) -> Counts:
    """Count conversations, utterances and words in rows of `conversations`."""
    messages = pc.struct_field(rows["content"].flatten(), "message")
    return Counter(
        conversations=rows.num_rows, utterances=len(messages), words=count_words(messages)
    )


def count_utterances(rows: pa.RecordBatch) -> Counts:
    """Count conversations (by their first turns), utterances and words in rows of `utterances`."""
    return Counter(
        conversations=pc.sum(pc.equal(rows["turn_index"], 0)).as_py() or 0,
        utterances=rows.num_rows,
        words=count_words(rows["message"]),
    )


COUNTERS = {
    "conversations": RowCounter(("content.list.element.message",), count_conversations),
    "utterances": RowCounter(("turn_index", "message"), count_utterances),
}
