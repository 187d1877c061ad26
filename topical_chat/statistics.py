"""Topical-Chat's published table, as counts that add up over batches and splits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.corpus import Counts, RowCounter, Statistic
from topical_chat.labels import SPLITS

ALL = (*SPLITS, "all")

# By byte: whether an ASCII character belongs to a word, as `str.isspace` tells it.
IS_WORD_BYTE = np.array([not chr(code).isspace() for code in range(128)] + [True] * 128)


def _published(*values: float) -> dict[str, float]:
    return dict(zip(ALL, values, strict=True))


# Source: the table in the README of the pinned commit, as it is printed there.
STATISTICS = (
    Statistic(
        "conversations",
        lambda counts: counts["conversations"],
        _published(8628, 539, 539, 539, 539, 10784),
    ),
    Statistic(
        "utterances",
        lambda counts: counts["utterances"],
        _published(188378, 11681, 11692, 11760, 11770, 235281),
    ),
    Statistic(
        "turns per conversation",
        lambda counts: counts["utterances"] / counts["conversations"],
        _published(21.8, 21.6, 21.7, 21.8, 21.8, 21.8),
        decimals=1,
    ),
    Statistic(
        "words per utterance",
        lambda counts: counts["words"] / counts["utterances"],
        _published(19.5, 19.8, 19.8, 19.5, 19.5, 19.6),
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


def count_words(messages: pa.Array) -> int:
    """Count words as the published figure does: runs between white space, as `str.split` sees it.

    Args:
        messages: a column of strings without nulls.
    """
    is_ascii = pc.string_is_ascii(messages)
    plain, other = messages.filter(is_ascii), messages.filter(pc.invert(is_ascii))
    # Splitting makes a string of every word; where a character is a byte, looking is enough.
    words = pc.list_value_length(pc.utf8_split_whitespace(pc.utf8_trim_whitespace(other)))
    # A message of nothing but white space splits into one empty part, which is no word.
    blank = pc.equal(pc.utf8_trim_whitespace(other), "")
    return _count_ascii_words(plain) + (pc.sum(pc.if_else(blank, 0, words)).as_py() or 0)


def _count_ascii_words(messages: pa.Array) -> int:
    """Count the bytes that begin a word: behind white space, or at a text's start."""
    if not len(messages):
        return 0
    _, offset_buffer, text_buffer = messages.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32)[messages.offset :][: len(messages) + 1]
    if offsets[0] == offsets[-1]:
        return 0
    text = np.frombuffer(text_buffer, np.uint8)[offsets[0] : offsets[-1]]
    filled = IS_WORD_BYTE[text]
    starts = filled.copy()
    starts[1:] &= ~filled[:-1]
    firsts = (offsets[:-1] - offsets[0])[np.diff(offsets) > 0]
    starts[firsts] = filled[firsts]
    return int(np.count_nonzero(starts))


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
    "conversations": RowCounter(count_conversations, ("content.list.element.message",)),
    "utterances": RowCounter(count_utterances, ("turn_index", "message")),
}
