"""The typed shape of Topical-Chat's raw JSON.

Labels are `Literal` types: an unknown label is then an error that names its record, and equal
labels share one string object in memory.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dialogue_builders.spec import RecordType

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
# The empty string is the source's way to say "not rated"; our `conversations` say it by a null.
Rating = Literal["", "Poor", "Not Good", "Passable", "Good", "Excellent", None]


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
    """One record of `conversations/<split>.json`.

    `conversation_id` stands inside only in lines as `Dataset.to_json` writes them.
    """

    article_url: str
    config: Configuration
    content: list[Turn]
    conversation_rating: ConversationRating
    conversation_id: str | None = None


class Section(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """What one agent was given to read about one entity.

    Before upstream's build the facts are Reddit thread ids and the Wikipedia text is a number;
    after it, both are texts. Only one of the two Wikipedia fields is there: config B's agent_2 has
    the summarized text, everybody else the shortened one. `topic` and `fun_fact_ids` stand only in
    rows of our own `reading_sets`, which have the ids beside the texts.
    """

    entity: str
    fun_facts: list[str | None]
    shortened_wiki_lead_section: int | str | None = None
    summarized_wiki_lead_section: int | str | None = None
    topic: str | None = None
    fun_fact_ids: list[str | None] | None = None


class AgentSections(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The three sections of one agent."""

    FS1: Section | None = None
    FS2: Section | None = None
    FS3: Section | None = None


class Article(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A news article as upstream's build leaves it: the link alone for config C, or after an error.

    Other fields than these belong to an error object; they are left out and counted.
    """

    url: str | None = None
    headline: str | None = None
    AS1: str | None = None
    AS2: str | None = None
    AS3: str | None = None
    AS4: str | None = None


class ReadingSet(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One record of `reading_sets/{pre-build,post-build}/<split>.json`.

    `article_url` stands there before upstream's build, `article` after it (as a plain text where
    the build got no object). `conversation_id`, and agents that are null, stand only in rows of our
    own `reading_sets`.
    """

    config: Configuration
    agent_1: AgentSections | None
    agent_2: AgentSections | None
    article_url: str | None = None
    article: Article | str | None = None
    conversation_id: str | None = None


class ActualSpeechTurn(Turn, gc=False, forbid_unknown_fields=True):
    """A turn that was read aloud, and what two speech recognizers heard."""

    message_asr_A: str  # noqa: N815 - the source's own name
    message_asr_B: str  # noqa: N815


class ActualSpeech(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One record of `TopicalChatASR/actual/<split>_audio.json`."""

    article_url: str
    config: Configuration
    content: list[ActualSpeechTurn]
    conversation_rating: ConversationRating


class SyntheticSpeechTurn(Turn, gc=False, forbid_unknown_fields=True):
    """A turn, and its text with simulated errors of speech recognition."""

    message_sim_asr: str


class SyntheticSpeech(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One record of `TopicalChatASR/synthetic/…/<split>_wer_<rate>_seed_<seed>.json`."""

    article_url: str
    config: Configuration
    content: list[SyntheticSpeechTurn]
    conversation_rating: ConversationRating


# Enriched Topical-Chat was not at hand when this was written: its shape follows its documentation,
# so nothing is required but the speaker, and what is missing becomes null.


class KnowledgePointer(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """Which knowledge a text is most similar to: part of a section, or one of its facts."""

    score: float | None = None
    ds: str | None = None
    section: str | None = None
    start_index: int | None = None
    end_index: int | None = None
    index: int | None = None


class SegmentAnnotation(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The dialogue act and the knowledge of one segment."""

    da: str | None = None
    gt_ks: KnowledgePointer | None = None


class EnrichedTurn(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A turn that is cut into segments; its other fields are those of a conversation's turn."""

    agent: Agent
    message: list[str] | str
    segmented_annotations: list[SegmentAnnotation] = []
    gt_turn_ks: KnowledgePointer | None = None
    sentiment: str | None = None
    knowledge_source: list[str] | None = None
    turn_rating: str | None = None


class EnrichedConversation(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One record of Enriched Topical-Chat."""

    content: list[EnrichedTurn]
    article_url: str | None = None
    config: str | None = None
    conversation_rating: dict[str, str | None] | None = None


_INSTEAD_A_READING_SET = (
    (frozenset({"agent_1", "agent_2", "config"}), "a reading set (a file of reading_sets/)"),
    (frozenset({"FS1", "FS2"}), "a part of a reading set (a file of reading_sets/)"),
)
_INSTEAD_ENRICHED = (
    (
        frozenset({"content[].segmented_annotations"}),
        "a conversation of Enriched Topical-Chat (a file of enriched/)",
    ),
)

CONVERSATION = RecordType(
    name="conversation", type=Conversation, lookalikes=_INSTEAD_A_READING_SET + _INSTEAD_ENRICHED
)

_INSTEAD_A_CONVERSATION = (
    (frozenset({"content", "conversation_rating"}), "a conversation (a file of conversations/)"),
)

READING_SET = RecordType("reading set", ReadingSet, lookalikes=_INSTEAD_A_CONVERSATION)
ACTUAL_SPEECH = RecordType(
    "conversation read aloud", ActualSpeech, lookalikes=CONVERSATION.lookalikes
)
SYNTHETIC_SPEECH = RecordType(
    "conversation with simulated transcripts", SyntheticSpeech, lookalikes=CONVERSATION.lookalikes
)
ENRICHED_CONVERSATION = RecordType(
    "enriched conversation", EnrichedConversation, lookalikes=_INSTEAD_A_READING_SET
)
