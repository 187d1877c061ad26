"""The view of what the partners were given to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dialogue_builders.dialogue.compare import every_conversation
from dialogue_builders.spec import (
    Annotation,
    Batch,
    Columns,
    DialogueView,
    Label,
    Options,
    Piece,
    Reading,
    Rows,
    Section,
    Turn,
    TurnColumns,
    View,
)
from topical_chat.knowledge import (
    AGENTS,
    ARTICLE_SECTIONS,
    FACTUAL_SECTIONS,
    WIKI_TEXTS,
    Facts,
    ResolvedReadingSet,
    resolved_reading_sets,
    section_id,
)
from topical_chat.restrictions import READING_SET_TEXTS

if TYPE_CHECKING:
    from datasets import Features

ABOUT = ("entity", "topic")
WIKI_KINDS = dict(zip(WIKI_TEXTS, ("introduction", "summary of the introduction"), strict=True))
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
    turns = [Turn("article", article["headline"] or article["url"] or "")]
    turns += [Turn(name, article[name]) for name in ARTICLE_SECTIONS if article[name]]
    for agent in AGENTS:
        for name, section in (row[agent] or {}).items():
            if section is not None:
                turns.append(_show_section(f"{agent} {name}", section))
    config = Label("config", row["config"], is_facet=True)
    return DialogueView(row["conversation_id"], turns, [config])


def _show_section(title: str, section: Mapping[str, Any]) -> Turn:
    wiki = next((section[kind] for kind in WIKI_TEXTS if section[kind]), "")
    facts = [
        text or identity or ""
        for text, identity in zip(section["fun_facts"], section["fun_fact_ids"], strict=True)
    ]
    about = [Label(name, section[name], is_facet=True) for name in ABOUT if section[name]]
    return Turn(title, wiki, [*about, Label("fun_facts", " | ".join(facts))])


def add_reading_sets(dialogue: DialogueView, rows: Rows) -> DialogueView:
    """Lay what both partners had read beside their conversation."""
    (row,) = rows
    sections = [s for agent in AGENTS for s in (row[agent] or {}).values() if s is not None]
    about = {(name, section[name]): None for name in ABOUT for section in sections if section[name]}
    return replace(
        dialogue,
        labels=[*dialogue.labels, *(Label(*label, is_facet=True) for label in about)],
        readings=[
            *(_read_by(agent, row[agent]) for agent in AGENTS),
            *_read_article(row["article"], dialogue),
        ],
    )


def _read_by(agent: str, sections: Mapping[str, Any] | None) -> Reading:
    # Without a reading set, it is said of each section that it is not at hand.
    found = sections or dict.fromkeys(FACTUAL_SECTIONS)
    return Reading(agent, [_read_section(agent, name, s) for name, s in found.items()])


def _read_section(agent: str, name: str, section: Mapping[str, Any] | None) -> Section:
    identity = section_id(agent, name)
    if section is None:
        return Section(identity, name, [Piece("section", None)])
    wiki = [Piece(WIKI_KINDS[kind], section[kind]) for kind in WIKI_TEXTS if section[kind]]
    facts = zip(section["fun_facts"], section["fun_fact_ids"], strict=True)
    return Section(
        identity,
        " · ".join(filter(None, (name, section["entity"], section["topic"]))),
        [*(wiki or [Piece("introduction", None)]), *(Piece("fun fact", *fact) for fact in facts)],
    )


def _read_article(article: Mapping[str, Any], dialogue: DialogueView) -> Iterator[Reading]:
    """Yield the article; where nothing of it is at hand, its address and the sections cited."""
    cited = {source for turn in dialogue.turns for source in turn.cites}
    names = [name for name in ARTICLE_SECTIONS if article[name] or name in cited]
    url = article["url"]
    head = Section("article", "article", [Piece("headline", article["headline"], url)])
    sections = [Section(n, n, [Piece("article section", article[n], url)]) for n in names]
    if article["headline"] or names:
        yield Reading("article", [head, *sections])


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
    annotation=Annotation(add_reading_sets, ("conversations", "utterances", "asr_actual")),
    restrictions=(READING_SET_TEXTS,),
)
