"""The typed shape of Topical-Chat's raw JSON.

Labels are `Literal` types: an unknown label is then an error that names its record, and equal
labels share one string object in memory.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dialogue_builders.record_faults import RecordKind

Agent = Literal["agent_1", "agent_2"]
Configuration = Literal["A", "B", "C", "D"]
Sentiment = Literal[
    "Curious to dive deeper",
    "Neutral",
    "Surprised",
    "Happy",
    "Sad",
    "Disgusted",
    "Angry",
    "Fearful",
]
# The empty string is the source's way to say "not rated".
Rating = Literal["", "Poor", "Not Good", "Passable", "Good", "Excellent"]


class Turn(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One message of a conversation, with its writer's and its reader's annotations."""

    message: str
    agent: Agent
    sentiment: Sentiment
    knowledge_source: list[str]
    turn_rating: Rating


class ConversationRating(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """How each partner rated the whole conversation."""

    agent_1: Rating
    agent_2: Rating


class Conversation(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One record of `conversations/<split>.json`."""

    article_url: str
    config: Configuration
    content: list[Turn]
    conversation_rating: ConversationRating


CONVERSATION = RecordKind(
    name="conversation",
    type=Conversation,
    mistaken=(
        (frozenset({"agent_1", "agent_2", "config"}), "a reading set (a file of reading_sets/)"),
        (frozenset({"FS1", "FS2"}), "a part of a reading set (a file of reading_sets/)"),
    ),
)
