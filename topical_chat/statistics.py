"""Topical-Chat's published table, as counts that add up over batches and splits."""

from __future__ import annotations

from collections import Counter

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

# Source: the table in the README of the pinned commit, as it is printed there.
STATISTICS = (
    Statistic(
        "conversations",
        count_of("conversations"),
        published_values(ALL, 8628, 539, 539, 539, 539, 10784),
    ),
    Statistic(
        "utterances",
        count_of("utterances"),
        published_values(ALL, 188378, 11681, 11692, 11760, 11770, 235281),
    ),
    Statistic(
        "turns per conversation",
        ratio("utterances", "conversations"),
        published_values(ALL, 21.8, 21.6, 21.7, 21.8, 21.8, 21.8),
        decimals=1,
    ),
    Statistic(
        "words per utterance",
        ratio("words", "utterances"),
        published_values(ALL, 19.5, 19.8, 19.8, 19.5, 19.5, 19.6),
        decimals=1,
    ),
)

_CONVERSATIONS = {split: int(STATISTICS[0].published[split]) for split in SPLITS}
_UTTERANCES = {split: int(STATISTICS[1].published[split]) for split in SPLITS}

# Rows of a folder that was built from the pinned files; source as above. With freq and rare
# together, `responses` has the 179,750 / 22,295 / 22,452 rows that a third party published.
PUBLISHED_ROWS = {
    "conversations": _CONVERSATIONS,
    "utterances": _UTTERANCES,
    "reading_sets": _CONVERSATIONS,
    "responses": {split: _UTTERANCES[split] - _CONVERSATIONS[split] for split in SPLITS},
    "messages": _CONVERSATIONS,
    # Counted from the pinned file; the other one was not at hand.
    "asr_actual": {"test_freq": 880},
}


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
