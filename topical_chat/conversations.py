"""Views of what was said: whole conversations, and single utterances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dialogue_builders.dialogue.compare import every_turn
from dialogue_builders.spec import (
    Batch,
    Columns,
    DialogueView,
    Label,
    Options,
    Turn,
    TurnColumns,
    View,
    list_column,
    string_lists,
    struct_column,
)
from topical_chat.constants import (
    CONFIGURATIONS,
    RATING_CODES,
    RATINGS,
    SENTIMENT_CODES,
    SENTIMENTS,
    UNRATED,
)
from topical_chat.knowledge import section_id
from topical_chat.turns import flat_turns

if TYPE_CHECKING:
    from datasets import Features


def conversation_features() -> Features:
    """One row per conversation, in the source's own names and nesting; all leaves are strings."""
    from datasets import Features, List, Value

    text = Value("string")
    turn = {
        "agent": text,
        "message": text,
        "sentiment": text,
        "knowledge_source": List(text),
        "turn_rating": text,
    }
    return Features(
        {
            "conversation_id": text,
            "article_url": text,
            "config": text,
            "content": List(turn),
            "conversation_rating": {"agent_1": text, "agent_2": text},
        }
    )


def conversation_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per record; an empty rating becomes null, all other text stays as it is."""
    records = batch.records
    turns = list(chain.from_iterable(record.content for record in records))
    content = struct_column(
        {
            "agent": [turn.agent for turn in turns],
            "message": [turn.message for turn in turns],
            "sentiment": [turn.sentiment for turn in turns],
            "knowledge_source": string_lists([turn.knowledge_source for turn in turns]),
            "turn_rating": [turn.turn_rating or None for turn in turns],
        }
    )
    ratings = [record.conversation_rating for record in records]
    return {
        "conversation_id": batch.ids,
        "article_url": [record.article_url for record in records],
        "config": [record.config for record in records],
        "content": list_column(content, (len(record.content) for record in records)),
        "conversation_rating": struct_column(
            {
                "agent_1": [rating.agent_1 or None for rating in ratings],
                "agent_2": [rating.agent_2 or None for rating in ratings],
            }
        ),
    }


def utterance_features() -> Features:
    """One row per turn; sentiment and rating are ClassLabels, null where a turn is not rated."""
    from datasets import ClassLabel, Features, List, Value

    text = Value("string")
    return Features(
        {
            "conversation_id": text,
            "turn_index": Value("int32"),
            "agent": text,
            "message": text,
            "sentiment": ClassLabel(names=list(SENTIMENTS)),
            "knowledge_source": List(text),
            "turn_rating": ClassLabel(names=list(RATINGS)),
            "config": text,
            "article_url": text,
        }
    )


def utterance_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per turn, in order; `turn_index` counts from 0."""
    turns = flat_turns(batch)
    # The columns of the whole conversation are repeated by Arrow, not by Python.
    owner = pa.array(turns.dialogue)
    return {
        **turns.keys(),
        "agent": turns.speakers,
        "message": turns.texts,
        "sentiment": [SENTIMENT_CODES[turn.sentiment] for turn in turns.records],
        "knowledge_source": string_lists([turn.knowledge_source for turn in turns.records]),
        "turn_rating": [RATING_CODES[turn.turn_rating] for turn in turns.records],
        "config": pa.array([r.config for r in batch.records], pa.string()).take(owner),
        "article_url": pa.array([r.article_url for r in batch.records], pa.string()).take(owner),
    }


def show_conversation(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show a row of `conversations`."""
    (row,) = rows
    ratings = row["conversation_rating"].items()
    return DialogueView(
        row["conversation_id"],
        [_show_turn(turn, turn["sentiment"], turn["turn_rating"]) for turn in row["content"]],
        [
            Label("config", row["config"], is_facet=True),
            *(
                Label(f"{agent}'s rating", rating or UNRATED, is_facet=True)
                for agent, rating in ratings
            ),
        ],
        about_config(row["config"]),
    )


def show_utterances(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `utterances` that make one conversation."""
    return DialogueView(
        rows[0]["conversation_id"],
        [
            _show_turn(
                row,
                SENTIMENTS[row["sentiment"]],
                None if row["turn_rating"] is None else RATINGS[row["turn_rating"]],
            )
            for row in rows
        ],
        [Label("config", rows[0]["config"], is_facet=True)],
        about_config(rows[0]["config"]),
    )


def about_config(config: str) -> Sequence[str]:
    """Return a sentence on what a configuration gave the partners to read."""
    return [CONFIGURATIONS[config]] if config in CONFIGURATIONS else []


def _show_turn(turn: Mapping[str, Any], sentiment: str, rating: str | None) -> Turn:
    sources = turn["knowledge_source"]
    return Turn(
        turn["agent"],
        turn["message"],
        [
            Label("sentiment", sentiment, is_facet=True),
            Label("knowledge_source", ", ".join(sources)),
            Label("turn_rating", rating or UNRATED, is_facet=True),
        ],
        [section_id(turn["agent"], source) for source in sources],
    )


LABELS = ("sentiment", "turn_rating")
OF_CONVERSATION = ("config", "article_url")

CONVERSATIONS = View(
    name="conversations",
    summary="a row per conversation, in the source's own names and nesting",
    source="conversations",
    features=conversation_features,
    columns=conversation_columns,
    key=("conversation_id",),
    show=show_conversation,
    turns=TurnColumns(
        nested="content",
        text="message",
        agent="agent",
        labels=LABELS,
        sources="knowledge_source",
        whole=OF_CONVERSATION,
    ),
)

UTTERANCES = View(
    name="utterances",
    summary="a row per turn, with sentiment and rating as labels",
    source="conversations",
    features=utterance_features,
    columns=utterance_columns,
    key=("conversation_id", "turn_index"),
    show=show_utterances,
    turns=TurnColumns(
        text="message",
        agent="agent",
        labels=LABELS,
        sources="knowledge_source",
        whole=OF_CONVERSATION,
        expected=every_turn,
    ),
)
