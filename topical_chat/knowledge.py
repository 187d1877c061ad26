"""Reading sets, resolved: numbers and ids of the raw files → the texts that an agent read.

A text that is not at hand is None in its place, is counted, and is never looked for on the network.
Each conversation counts once, whichever config asks, so that a build tells it once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from dialogue_builders.spec import Batch, Notes, RawFileError
from topical_chat.records import AgentSections, Article, ReadingSet, Section

AGENTS = ("agent_1", "agent_2")
FACTUAL_SECTIONS = ("FS1", "FS2", "FS3")
ARTICLE_SECTIONS = ("AS1", "AS2", "AS3", "AS4")
PERSONAL_KNOWLEDGE = "Personal Knowledge"
WIKI_TEXTS = ("shortened_wiki_lead_section", "summarized_wiki_lead_section")


def section_id(agent: str, source: str) -> str:
    """Return what names a section within a conversation: partners share nothing but the article."""
    return f"{agent} {source}" if source in FACTUAL_SECTIONS else source


NO_ARTICLE_CONFIG = "C"

THREAD_ID = re.compile(r"t3_[0-9a-z]+")

NO_READING_SET = "a conversation has no reading set; its knowledge is null"
NO_FACT_TEXT = "a fun fact has no text (only post-build reading sets hold it); null in its place"
NO_ARTICLE_TEXT = (
    "an article section has no text (only post-build reading sets hold it); null in its place"
)
NO_WIKI_TEXT = "a section's Wikipedia text is not in wiki.json; null in its place"
NO_TOPIC = "an entity is not in entity_to_topic.json; its topic is null"
NO_SECTION = "an agent lacks a factual section; null in its place"
NO_WIKI_IDS = "there is no src/wiki/wiki.json; the ids of Wikipedia texts are null"
OTHER_CONFIG = "a reading set has another config than its conversation; each keeps its own"
OTHER_URL = "a reading set has another article URL than its conversation; each keeps its own"
OTHER_FACTS = "a section has not the same number of facts before and after the build; ids are null"


class Wiki(NamedTuple):
    """`wiki.json`, one pair of maps for each kind of text; ids of the two kinds may not be mixed.

    Attributes:
        texts: kind → id → text.
        ids: kind → text → id, as the file has it.
    """

    texts: Mapping[str, Mapping[int, str]]
    ids: Mapping[str, Mapping[str, int]]


def load_wiki(content: bytes) -> Wiki:
    """Read `src/wiki/wiki.json`, in which the text is the key and the id the value.

    Raises:
        RawFileError: a kind of text is missing, or two texts of a kind have one id.
    """
    ids = msgspec.json.decode(content, type=dict[str, dict[str, int]])
    for kind in WIKI_TEXTS:
        if kind not in ids:
            raise RawFileError(
                f"has no texts named {kind}", next_step="fetch src/wiki/wiki.json again"
            )
    texts = {kind: {number: text for text, number in ids[kind].items()} for kind in WIKI_TEXTS}
    for kind, by_id in texts.items():
        if len(by_id) != len(ids[kind]):
            raise RawFileError(
                f"two texts of {kind} have the same id, so that a section could mean either",
                next_step="fetch src/wiki/wiki.json again",
            )
    return Wiki(texts, ids)


def load_topics(content: bytes) -> dict[str, str]:
    """Read `src/entity_to_topic.json`: entity → topic."""
    return msgspec.json.decode(content, type=dict[str, str])


@dataclass(frozen=True, slots=True)
class WikiText:
    """One Wikipedia text: its kind (a name of `WIKI_TEXTS`), id and text, None where unknown."""

    kind: str
    id: int | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """A factual section, resolved.

    Attributes:
        entity, topic: what it is about.
        wiki: its Wikipedia text; one, or none in a broken file.
        fact_ids, facts: thread ids and texts by position, with the source's order and repeats.
    """

    entity: str
    topic: str | None
    wiki: tuple[WikiText, ...]
    fact_ids: Sequence[str | None]
    facts: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class ResolvedReadingSet:
    """A conversation's reading set, resolved.

    Attributes:
        config: A to D.
        article: url, headline and sections; None where unknown or not shown.
        agents: agent → section → what the agent read; None where the file lacks it.
    """

    config: str
    article: Article
    agents: Mapping[str, Mapping[str, Facts | None]]


def resolved_reading_sets(batch: Batch) -> Iterator[ResolvedReadingSet | None]:
    """Yield the resolved reading set of each record of a batch, None where there is none.

    The view needs `reading_sets` and `pre_build_reading_sets` as look-ups, and `wiki` and
    `topics` as resources. What can't be resolved is counted in the batch's notes.

    Raises:
        RawFileError: a section has only a Wikipedia text's number, and there is no `wiki.json`.
    """
    originals = batch.lookups["pre_build_reading_sets"]
    for record, found, original in zip(batch.records, reading_sets(batch), originals, strict=True):
        if found is None:
            batch.notes[NO_READING_SET] += 1
            yield None
        else:
            _count_contradictions(found, record, batch.notes)
            url = (original and original.article_url) or record.article_url
            yield resolve(found, original, url, batch.resources, batch.notes)


def reading_sets(batch: Batch) -> Iterator[ReadingSet | None]:
    """Yield each record's reading set: the post-build one, else the pre-build one, else None."""
    for found, original in zip(
        batch.lookups["reading_sets"], batch.lookups["pre_build_reading_sets"], strict=True
    ):
        reading_set = found or original
        # A row of our own `reading_sets` says by nulls that there is none.
        empty = reading_set and reading_set.agent_1 is None and reading_set.agent_2 is None
        yield None if empty else reading_set


def holds_wiki_texts(record: ReadingSet) -> bool:
    """Whether a reading set has no number that stands for a Wikipedia text."""
    sections = (
        getattr(getattr(record, agent), name, None) for agent in AGENTS for name in FACTUAL_SECTIONS
    )
    return not any(
        isinstance(getattr(section, kind, None), int) for section in sections for kind in WIKI_TEXTS
    )


def _count_contradictions(found: ReadingSet, record: Any, notes: Notes) -> None:
    """Count where a reading set says something else than the conversation of its id."""
    article = article_of(found)
    url = (article and article.url) or found.article_url
    if found.config != record.config:
        notes[OTHER_CONFIG] += 1
    if url and record.article_url and url != record.article_url:
        notes[OTHER_URL] += 1


def resolve(
    found: ReadingSet,
    original: ReadingSet | None,
    url: str | None,
    resources: Mapping[str, Any],
    notes: Notes,
) -> ResolvedReadingSet:
    """Resolve one reading set.

    Args:
        found: pre-build or post-build, or a mixture of both.
        original: the pre-build one where it is at hand, for the thread ids behind texts.
        url: the article's, where `found` does not tell.
        resources: the loaded `wiki` and `topics`.
        notes: where the unresolved is counted.

    Raises:
        RawFileError: see `resolved_reading_sets`.
    """
    agents: dict[str, dict[str, Facts | None]] = {}
    for agent in AGENTS:
        sections: AgentSections = getattr(found, agent) or AgentSections()
        originals = (original and getattr(original, agent)) or AgentSections()
        agents[agent] = {
            name: _facts(getattr(sections, name), getattr(originals, name), resources, notes)
            for name in FACTUAL_SECTIONS
        }
    return ResolvedReadingSet(found.config, _article(found, url, notes), agents)


def article_of(found: ReadingSet) -> Article | None:
    """Return the article of a reading set, None before the build or where the build got a text."""
    # Not `isinstance(…, Article)`: a record with unknown fields is decoded into lenient types.
    return None if isinstance(found.article, str) else found.article


def _article(found: ReadingSet, url: str | None, notes: Notes) -> Article:
    article = article_of(found) or Article()
    if article.url is None:
        article = msgspec.structs.replace(article, url=found.article_url or url)
    if found.config != NO_ARTICLE_CONFIG:
        missing = sum(getattr(article, name) is None for name in ARTICLE_SECTIONS)
        if missing:
            notes[NO_ARTICLE_TEXT] += missing
    return article


def _facts(
    section: Section | None, original: Section | None, resources: Mapping[str, Any], notes: Notes
) -> Facts | None:
    if section is None:
        notes[NO_SECTION] += 1
        return None
    topic = (resources["topics"] or {}).get(section.entity, section.topic)
    if topic is None:
        notes[NO_TOPIC] += 1
    wiki = tuple(
        _wiki_text(kind, value, resources["wiki"], notes)
        for kind in WIKI_TEXTS
        if (value := getattr(section, kind)) is not None
    )
    if not any(text.text is not None for text in wiki):
        notes[NO_WIKI_TEXT] += 1
    ids, texts = fact_ids_and_texts(section.fun_facts)
    if section.fun_fact_ids is not None and len(section.fun_fact_ids) == len(ids):
        ids = list(section.fun_fact_ids)
    if original is not None and original is not section:
        original_ids, _ = fact_ids_and_texts(original.fun_facts)
        if len(original_ids) != len(ids):
            notes[OTHER_FACTS] += 1
        else:
            ids = [here or there for here, there in zip(ids, original_ids, strict=True)]
    missing = sum(text is None for text in texts)
    if missing:
        notes[NO_FACT_TEXT] += missing
    return Facts(section.entity, topic, wiki, ids, texts)


def _wiki_text(kind: str, value: int | str, wiki: Wiki | None, notes: Notes) -> WikiText:
    if wiki is None:
        if isinstance(value, int):
            raise RawFileError(
                "the raw folder lacks src/wiki/wiki.json, and a reading set has the number "
                f"{value} in place of a Wikipedia text",
                next_step="fetch src/wiki/wiki.json; `dialogue-builders download topical_chat "
                "--to DIR` does it",
            )
        notes[NO_WIKI_IDS] += 1
        return WikiText(kind, None, value)
    if isinstance(value, int):
        return WikiText(kind, value, wiki.texts[kind].get(value))
    return WikiText(kind, wiki.ids[kind].get(value), value)


def fact_ids_and_texts(
    facts: Sequence[str | None],
) -> tuple[list[str | None], list[str | None]]:
    """Tell thread ids from texts, position by position: (ids, texts), None where not known."""
    are_ids = [fact is not None and THREAD_ID.fullmatch(fact) is not None for fact in facts]
    return (
        [fact if is_id else None for fact, is_id in zip(facts, are_ids, strict=True)],
        [None if is_id else fact for fact, is_id in zip(facts, are_ids, strict=True)],
    )
