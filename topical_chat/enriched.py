"""The view of Enriched Topical-Chat: dialogue acts and knowledge pointers per segment.

The files were not at hand when this was written: their shape follows their documentation. Acts and
pointers are automatic (an act tagger; the cosine of TF-IDF vectors), whatever their names say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from dialogue_builders.spec import (
    Batch,
    Columns,
    DialogueView,
    Label,
    Notes,
    Options,
    Turn,
    TurnColumns,
    View,
)
from topical_chat.knowledge import (
    FACTUAL_SECTIONS,
    WIKI_TEXTS,
    Wiki,
    article_of,
    fact_ids_and_texts,
    reading_sets,
)
from topical_chat.records import EnrichedTurn, KnowledgePointer, ReadingSet, Section
from topical_chat.restrictions import ENRICHED_TEXTS

if TYPE_CHECKING:
    from datasets import Features

NO_KNOWLEDGE_TEXT = "enriched: the text that a pointer means is not at hand; knowledge_text is null"
UNEVEN = "enriched: a turn has not as many annotations as segments; the rest is null"

# The view's names → the source's.
POINTER_FIELDS = {
    "score": "score",
    "data_source": "ds",
    "section": "section",
    "start_index": "start_index",
    "end_index": "end_index",
    "fact_index": "index",
}


def enriched_features() -> Features:
    """One row per turn: its segments, each with act and pointer, and the pointer of the whole turn.

    `score` is a cosine (0 to 1); `start_index` and `end_index` count characters of a section, the
    end exclusive; `fact_index` counts its facts from 0.
    """
    from datasets import Features, List, Value

    text, number = Value("string"), Value("int32")
    pointer = {
        "score": Value("float64"),
        "data_source": text,
        "section": text,
        "start_index": number,
        "end_index": number,
        "fact_index": number,
    }
    segment = {
        "text": text,
        "dialogue_act": text,
        "knowledge_pointer": pointer,
        "knowledge_text": text,
    }
    return Features(
        {
            "conversation_id": text,
            "turn_index": number,
            "agent": text,
            "segments": List(segment),
            "knowledge_pointer": pointer,
            "knowledge_text": text,
        }
    )


def enriched_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per turn; texts are resolved from the speaker's reading set where it is."""
    rows = [
        {
            "conversation_id": identity,
            "turn_index": index,
            "agent": turn.agent,
            **_turn(turn, reading_set, batch.resources["wiki"], batch.notes),
        }
        for identity, record, reading_set in zip(
            batch.ids, batch.records, reading_sets(batch), strict=True
        )
        for index, turn in enumerate(record.content)
    ]
    names = ("conversation_id", "turn_index", "agent", "segments", *_POINTER_COLUMNS)
    return {name: [row[name] for row in rows] for name in names}


_POINTER_COLUMNS = ("knowledge_pointer", "knowledge_text")


def _turn(
    turn: EnrichedTurn, reading_set: ReadingSet | None, wiki: Wiki | None, notes: Notes
) -> dict[str, Any]:
    def pointed(pointer: KnowledgePointer | None) -> dict[str, Any]:
        text = knowledge_text(pointer, turn.agent, reading_set, wiki)
        if pointer is not None and text is None:
            notes[NO_KNOWLEDGE_TEXT] += 1
        values = pointer and {n: getattr(pointer, source) for n, source in POINTER_FIELDS.items()}
        return dict(zip(_POINTER_COLUMNS, (values, text), strict=True))

    texts = [turn.message] if isinstance(turn.message, str) else turn.message
    if len(texts) != len(turn.segmented_annotations):
        notes[UNEVEN] += 1
    segments = [
        {
            "text": text,
            "dialogue_act": annotation.da if annotation else None,
            **pointed(annotation.gt_ks if annotation else None),
        }
        for text, annotation in zip_longest(texts, turn.segmented_annotations)
    ]
    return {"segments": segments, **pointed(turn.gt_turn_ks)}


def knowledge_text(
    pointer: KnowledgePointer | None,
    agent: str,
    reading_set: ReadingSet | None,
    wiki: Wiki | None,
) -> str | None:
    """Return the text that a pointer means in the speaker's own reading set, None without one."""
    if pointer is None or reading_set is None or not pointer.section:
        return None
    if pointer.ds == "article":
        return _part(getattr(article_of(reading_set), pointer.section, None), pointer)
    if pointer.section not in FACTUAL_SECTIONS:
        return None
    section = getattr(getattr(reading_set, agent), pointer.section, None)
    if section is None:
        return None
    if pointer.ds == "wiki":
        return _part(_wiki_text(section, wiki), pointer)
    _, facts = fact_ids_and_texts(section.fun_facts)
    if pointer.ds == "fun_facts" and pointer.index is not None and 0 <= pointer.index < len(facts):
        return facts[pointer.index]
    return None


def _wiki_text(section: Section, wiki: Wiki | None) -> str | None:
    for kind in WIKI_TEXTS:
        value = getattr(section, kind)
        if isinstance(value, int):
            return wiki.texts[kind].get(value) if wiki else None
        if value is not None:
            return str(value)
    return None


def _part(text: str | None, pointer: KnowledgePointer) -> str | None:
    """Cut the pointed-to part out of a text; a part that is not inside of the text is no part."""
    start, end = pointer.start_index, pointer.end_index
    if text is None or start is None or end is None or not 0 <= start < end <= len(text):
        return None
    return text[start:end]


def show_enriched(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `enriched` that make one conversation, a line per segment."""
    turns = []
    for row in rows:
        for segment in row["segments"]:
            pointer = segment["knowledge_pointer"] or {}
            labels = {
                "dialogue_act": segment["dialogue_act"],
                "data_source": pointer.get("data_source"),
                "section": pointer.get("section"),
                "knowledge_text": segment["knowledge_text"],
            }
            told = [
                Label(name, value, is_facet=name == "dialogue_act")
                for name, value in labels.items()
                if value is not None
            ]
            turns.append(Turn(row["agent"], segment["text"] or "", told))
    return DialogueView(rows[0]["conversation_id"], turns)


ENRICHED = View(
    name="enriched",
    summary="a row per turn: its segments with dialogue acts, and the knowledge nearest to them",
    source="enriched",
    features=enriched_features,
    columns=enriched_columns,
    key=("conversation_id", "turn_index"),
    # Its segments are not the turn's text to the letter.
    turns=TurnColumns(agent="agent", unbroken=True),
    lookups=("reading_sets", "pre_build_reading_sets"),
    resources=("wiki",),
    optional_inputs=("reading_sets", "pre_build_reading_sets", "wiki"),
    show=show_enriched,
    restrictions=(ENRICHED_TEXTS,),
)
