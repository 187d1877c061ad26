"""The card's histograms: what is counted beyond the published table, and `--figures` draws."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.spec import (
    Counts,
    HistogramSpec,
    RowCounter,
    count_lengths,
    count_pairs,
    count_values,
)
from topical_chat.constants import RATINGS, SENTIMENTS
from topical_chat.knowledge import ARTICLE_SECTIONS, FACTUAL_SECTIONS, PERSONAL_KNOWLEDGE

NOT_RATED = "not rated"
TURNS = "turns"


def turns_of_conversations(rows: pa.RecordBatch) -> Counts:
    """Count conversations by their number of turns, in rows of `conversations`."""
    return count_values(pc.list_value_length(rows["content"]))


def turns_of_utterances(rows: pa.RecordBatch) -> Counts:
    """Count conversations by their number of turns, in rows of `utterances`."""
    return count_lengths(rows["turn_index"])


def _content(rows: pa.RecordBatch, field: str) -> pa.Array:
    return pc.struct_field(pc.list_flatten(rows["content"]), field)


def _ratings(ratings: pa.Array, names: tuple[str, ...] | None = None) -> Counts:
    return count_values(ratings, names) + Counter({NOT_RATED: ratings.null_count})


def _knowledge(configs: pa.Array, sources: pa.Array) -> Counts:
    """Count citations by the knowledge configuration and the section, turn by turn."""
    owners = configs.dictionary_encode().take(pc.list_parent_indices(sources))
    return count_pairs(owners, pc.list_flatten(sources))


def sentiments_of_conversations(rows: pa.RecordBatch) -> Counts:
    """Count turns by their sentiment, in rows of `conversations`."""
    return count_values(_content(rows, "sentiment"))


def sentiments_of_utterances(rows: pa.RecordBatch) -> Counts:
    """Count turns by their sentiment, in rows of `utterances`."""
    return count_values(rows["sentiment"], SENTIMENTS)


def ratings_of_conversations(rows: pa.RecordBatch) -> Counts:
    """Count turns by their rating, in rows of `conversations`."""
    return _ratings(_content(rows, "turn_rating"))


def ratings_of_utterances(rows: pa.RecordBatch) -> Counts:
    """Count turns by their rating, in rows of `utterances`."""
    return _ratings(rows["turn_rating"], RATINGS)


def knowledge_of_conversations(rows: pa.RecordBatch) -> Counts:
    """Count citations by knowledge configuration and section, in rows of `conversations`."""
    configs = rows["config"].dictionary_encode().take(pc.list_parent_indices(rows["content"]))
    return _knowledge(configs, _content(rows, "knowledge_source"))


def knowledge_of_utterances(rows: pa.RecordBatch) -> Counts:
    """Count citations by knowledge configuration and section, in rows of `utterances`."""
    return _knowledge(rows["config"], rows["knowledge_source"])


_CONTENT = "content.list.element"
_SOURCES = "knowledge_source.list.element"

LENGTHS = HistogramSpec(
    name="turns_per_conversation",
    title="Length of the conversations",
    axis="turns per conversation",
    counted="conversations",
    counters={
        "conversations": RowCounter((f"{_CONTENT}.agent",), turns_of_conversations),
        "utterances": RowCounter(("turn_index",), turns_of_utterances),
    },
)
SENTIMENT = HistogramSpec(
    name="sentiments",
    title="Sentiments",
    axis="sentiment",
    counted=TURNS,
    counters={
        "utterances": RowCounter(("sentiment",), sentiments_of_utterances),
        "conversations": RowCounter((f"{_CONTENT}.sentiment",), sentiments_of_conversations),
    },
    categories=SENTIMENTS,
)
RATING = HistogramSpec(
    name="turn_ratings",
    title="Turn ratings",
    axis="turn_rating",
    counted=TURNS,
    counters={
        "utterances": RowCounter(("turn_rating",), ratings_of_utterances),
        "conversations": RowCounter((f"{_CONTENT}.turn_rating",), ratings_of_conversations),
    },
    categories=(*RATINGS, NOT_RATED),
)
KNOWLEDGE = HistogramSpec(
    name="cited_knowledge",
    title="Cited knowledge",
    axis="knowledge_source",
    counted="citations",
    counters={
        "utterances": RowCounter(("config", _SOURCES), knowledge_of_utterances),
        "conversations": RowCounter(
            ("config", f"{_CONTENT}.{_SOURCES}"), knowledge_of_conversations
        ),
    },
    categories=(*FACTUAL_SECTIONS, *ARTICLE_SECTIONS, PERSONAL_KNOWLEDGE),
    series="knowledge configuration",
)

HISTOGRAMS = (LENGTHS, SENTIMENT, RATING, KNOWLEDGE)
