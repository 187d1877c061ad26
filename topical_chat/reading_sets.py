"""The view of what the partners were given to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dialogue_builders.dialogue.compare import every_conversation
from dialogue_builders.spec import Batch, Columns, DialogueView, Options, TurnColumns, View
from topical_chat.knowledge import (
    AGENTS,
    ARTICLE_SECTIONS,
    FACTUAL_SECTIONS,
    WIKI_TEXTS,
    Facts,
    ResolvedReadingSet,
    resolved_reading_sets,
)
from topical_chat.restrictions import READING_SET_TEXTS

if TYPE_CHECKING:
    from datasets import Features

ARTICLE_FIELDS = ("url", "headline", *ARTICLE_SECTIONS)


def reading_set_features() -> Features:
    """One row per conversation, with upstream's path to a text after its build.

    Such as `row["agent_1"]["FS1"]["fun_facts"][0]` and `row["article"]["AS1"]`.
    """
    from datasets import Features, List, Value

    text = Value("string")
    section = {
        "entity": text,
        "topic": text,
        **dict.fromkeys(WIKI_TEXTS, text),
        "fun_facts": List(text),
        "fun_fact_ids": List(text),
    }
    return Features(
        {
            "conversation_id": text,
            "config": text,
            "article": dict.fromkeys(ARTICLE_FIELDS, text),
            **{agent: dict.fromkeys(FACTUAL_SECTIONS, section) for agent in AGENTS},
        }
    )


def reading_set_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per conversation; without a reading set, all of its knowledge is null."""
    rows = [
        _row(reading) if reading else _row_without(record)
        for record, reading in zip(batch.records, resolved_reading_sets(batch), strict=True)
    ]
    names = ("config", "article", *AGENTS)
    return {"conversation_id": batch.ids} | {name: [row[name] for row in rows] for name in names}


def _row(reading: ResolvedReadingSet) -> dict[str, Any]:
    return {
        "config": reading.config,
        "article": {name: getattr(reading.article, name) for name in ARTICLE_FIELDS},
        **{
            agent: {name: _section(facts) for name, facts in sections.items()}
            for agent, sections in reading.agents.items()
        },
    }


def _section(facts: Facts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    return {
        "entity": facts.entity,
        "topic": facts.topic,
        **{text.kind: text.text for text in facts.wiki},
        "fun_facts": facts.facts,
        "fun_fact_ids": facts.fact_ids,
    }


def _row_without(record: Any) -> dict[str, Any]:
    """Return the row of a conversation that has no reading set."""
    return {
        "config": record.config,
        "article": {"url": record.article_url},
        **dict.fromkeys(AGENTS),
    }


def show_reading_set(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show a row of `reading_sets`: the article, then what each agent read of each entity."""
    (row,) = rows
    article = row["article"]
    turns = [("article", article["headline"] or article["url"] or "", "")]
    turns += [(name, article[name], "") for name in ARTICLE_SECTIONS if article[name]]
    for agent in AGENTS:
        for name, section in (row[agent] or {}).items():
            if section is not None:
                turns += _show_section(f"{agent} {name}", section)
    return DialogueView(f"{row['conversation_id']} · config {row['config']}", turns)


def _show_section(title: str, section: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    wiki = next((section[kind] for kind in WIKI_TEXTS if section[kind]), "")
    facts = [
        text or identity or ""
        for text, identity in zip(section["fun_facts"], section["fun_fact_ids"], strict=True)
    ]
    return [(title, wiki, f"{section['entity']} · {section['topic']} · {' | '.join(facts)}")]


READING_SETS = View(
    name="reading_sets",
    summary="a row per conversation: the article, and the facts that each partner read",
    source="conversations",
    fallback_source="reading_sets",
    features=reading_set_features,
    columns=reading_set_columns,
    key=("conversation_id",),
    # A reading set may have another config or article than its conversation, and keeps its own.
    turns=TurnColumns(turn_index=None, expected=every_conversation),
    lookups=("reading_sets", "pre_build_reading_sets"),
    resources=("wiki", "topics"),
    optional_inputs=("pre_build_reading_sets",),
    show=show_reading_set,
    restrictions=(READING_SET_TEXTS,),
)
