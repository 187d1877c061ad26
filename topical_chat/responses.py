"""The view for response generation: history, response, and the knowledge behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.compare import any_in_list, same_history
from dialogue_builders.dialogue.turns import Flags, Indices
from dialogue_builders.spec import (
    Batch,
    Columns,
    DialogueView,
    Label,
    Notes,
    Option,
    Options,
    RowRule,
    SplitTurns,
    Turn,
    TurnColumns,
    View,
    list_lengths,
    offsets,
    string_lists,
    struct_column,
)
from topical_chat.knowledge import (
    ARTICLE_SECTIONS,
    PERSONAL_KNOWLEDGE,
    Facts,
    ResolvedReadingSet,
    resolved_reading_sets,
)
from topical_chat.restrictions import RESPONSE_TEXTS
from topical_chat.turns import Turns, flat_turns

if TYPE_CHECKING:
    from datasets import Features

KINDS = ("wiki", "fun_fact", "article")
"""What a piece of knowledge is: a Wikipedia text, a fact, or a section of the article."""

WIKI, FUN_FACT, ARTICLE = KINDS

UNKNOWN_SOURCE = "a knowledge source is none of FS1 to FS3, AS1 to AS4, Personal Knowledge"
EARLY = "responses: a turn with fewer turns before it than minimum_earlier_turns; left out"
PERSONAL = "responses: a turn that cites Personal Knowledge; left out"

Knowledge = tuple[str, str | None, str | None, str | None, str | None]
"""One piece: source, kind, entity, id, text."""

PIECE_FIELDS = ("source", "kind", "entity", "id", "text")


def response_features() -> Features:
    """One row per turn after the first, but for those that options leave out.

    `knowledge` holds, in the order of `knowledge_source`, what the speaker's own reading set has
    for each source: for a factual section the Wikipedia text and then its facts, for an article
    section its text, for "Personal Knowledge" nothing. `id` is the Wikipedia text's id, the fact's
    thread id, or the article's URL. Without a reading set `knowledge` is null.
    """
    from datasets import Features, List, Value

    text = Value("string")
    return Features(
        {
            "conversation_id": text,
            "turn_index": Value("int32"),
            "agent": text,
            "history": List(text),
            "response": text,
            "knowledge_source": List(text),
            "knowledge": List(dict.fromkeys(PIECE_FIELDS, text)),
        }
    )


def response_columns(batch: Batch, options: Options) -> Columns:
    """Return one row per turn after the first, in order; `turn_index` is the response's."""
    turns = flat_turns(batch)
    kept = _kept_replies(turns, options, batch.notes)
    replies = turns.replies[kept]
    responses = [turns.records[place] for place in replies.tolist()]
    knowledge = _knowledge_column(batch)
    return {
        **turns.keys(replies),
        "agent": [turn.agent for turn in responses],
        "history": turns.histories(replies, options["history_turns"]),
        "response": [turn.message for turn in responses],
        "knowledge_source": string_lists([turn.knowledge_source for turn in responses]),
        "knowledge": knowledge if kept.all() else knowledge.filter(pa.array(kept)),
    }


def _kept_replies(turns: Turns, options: Options, notes: Notes) -> Flags:
    """Return for each reply whether the options keep it; what they leave out is counted."""
    replies = turns.replies
    early = turns.index[replies] < options["minimum_earlier_turns"]
    personal = np.zeros(len(replies), np.bool_)
    if not options["personal_knowledge"]:
        cited = (turns.records[place].knowledge_source for place in replies.tolist())
        personal = np.fromiter((PERSONAL_KNOWLEDGE in names for names in cited), np.bool_)
    # A turn that both options leave out is counted once.
    notes.update(+Counter({EARLY: int(early.sum()), PERSONAL: int((personal & ~early).sum())}))
    kept: Flags = ~(early | personal)
    return kept


def _knowledge_column(batch: Batch) -> pa.Array:
    """Return what each response's sources say; a section is laid down once and then repeated."""
    pieces: list[Knowledge] = []
    cited: list[list[int]] = []
    absent: list[bool] = []
    for record, reading in zip(batch.records, resolved_reading_sets(batch), strict=True):
        places: dict[tuple[str, str], range] = {}
        for turn in record.content[1:]:
            absent.append(reading is None)
            numbers: list[int] = []
            for source in turn.knowledge_source:
                place = places.get((turn.agent, source))
                if place is None:
                    start = len(pieces)
                    pieces.extend(pieces_of(reading, turn.agent, source, batch.notes))
                    place = places[turn.agent, source] = range(start, len(pieces))
                numbers.extend(place)
            cited.append(numbers)
    columns = zip(*pieces, strict=True) if pieces else [()] * len(PIECE_FIELDS)
    flat = struct_column({n: list(c) for n, c in zip(PIECE_FIELDS, columns, strict=True)})
    values = flat.take(pa.array(list(chain.from_iterable(cited)), pa.int32()))
    lengths = offsets(map(len, cited))
    return pa.ListArray.from_arrays(lengths, values, mask=pa.array(absent, pa.bool_()))


def pieces_of(
    reading: ResolvedReadingSet | None, agent: str, source: str, notes: Notes
) -> Iterator[Knowledge]:
    """Yield the pieces of knowledge that one source means for one agent; none without a reading."""
    if reading is None:
        return
    sections = reading.agents[agent]
    if source in sections:
        yield from _pieces_of_section(source, sections[source])
    elif source in ARTICLE_SECTIONS:
        yield source, ARTICLE, None, reading.article.url, getattr(reading.article, source)
    elif source != PERSONAL_KNOWLEDGE:
        notes[UNKNOWN_SOURCE] += 1
        yield source, None, None, None, None


def _pieces_of_section(source: str, facts: Facts | None) -> Iterator[Knowledge]:
    if facts is None:
        yield source, None, None, None, None
        return
    for wiki in facts.wiki:
        identity = None if wiki.id is None else str(wiki.id)
        yield source, WIKI, facts.entity, identity, wiki.text
    for identity, text in zip(facts.fact_ids, facts.facts, strict=True):
        yield source, FUN_FACT, facts.entity, identity, text


def expected_responses(turns: SplitTurns, options: Options) -> Indices:
    """Return for each turn whether it has a row, for `check`; see `_kept_replies`."""
    wanted: Flags = turns.index >= max(1, options.get("minimum_earlier_turns", 1))
    if not options.get("personal_knowledge", True):
        sources = turns.lists(turns.sources)
        personal = np.asarray(pc.equal(sources.texts.values, PERSONAL_KNOWLEDGE))
        wanted &= ~any_in_list(personal, sources.lengths)
    counts: Indices = wanted.astype(np.int64)
    return counts


CITES_ANOTHER = "have knowledge of a source that their turn does not cite"


def cites_another(rows: pa.RecordBatch, options: Options) -> pa.Array:
    """Return which rows have a piece of knowledge of a source that is not in `knowledge_source`."""
    knowledge, cited = rows["knowledge"], rows["knowledge_source"]
    sources = pc.struct_field(knowledge.flatten(), "source").cast(pa.string())
    names = pc.unique(sources)
    width = max(1, len(names))
    owners = [
        np.repeat(np.arange(len(rows)), list_lengths(column)) * width
        for column in (knowledge, cited)
    ]
    codes, others = (
        np.asarray(pc.index_in(values, value_set=names).fill_null(-1), np.int64)
        for values in (sources, cited.flatten().cast(pa.string()))
    )
    pairs = (owners[1] + others)[others >= 0]
    wrong = any_in_list(~np.isin(owners[0] + codes, pairs), list_lengths(knowledge))
    return pa.array(wrong, mask=np.asarray(knowledge.is_null()))


def show_responses(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `responses` that make one conversation: what came before, then each one."""
    turns = [Turn("history", text) for text in rows[0]["history"]]
    for row in rows:
        pieces = row["knowledge"] or []
        read = sum(piece["text"] is not None for piece in pieces)
        sources = ", ".join(row["knowledge_source"])
        notes = (sources, f"{read} of {len(pieces)} pieces of knowledge with text")
        turns.append(Turn(row["agent"], row["response"], [Label("", note) for note in notes]))
    return DialogueView(rows[0]["conversation_id"], turns)


RESPONSES = View(
    name="responses",
    summary="a row per turn after the first: history, response and its knowledge",
    source="conversations",
    features=response_features,
    columns=response_columns,
    key=("conversation_id", "turn_index"),
    options=(
        Option("history_turns", 0, "how many turns before the response; 0 for all", minimum=0),
        Option(
            "minimum_earlier_turns",
            1,
            "keep responses with at least so many turns before them",
            minimum=1,
        ),
        Option("personal_knowledge", True, "keep responses that cite Personal Knowledge"),
    ),
    lookups=("reading_sets", "pre_build_reading_sets"),
    resources=("wiki", "topics"),
    optional_inputs=("pre_build_reading_sets",),
    show=show_responses,
    restrictions=(RESPONSE_TEXTS,),
    turns=TurnColumns(
        text="response", agent="agent", sources="knowledge_source", expected=expected_responses
    ),
    derived=(same_history(most="history_turns"),),
    row_rules=(
        RowRule("knowledge", CITES_ANOTHER, ("knowledge", "knowledge_source"), cites_another),
    ),
)
