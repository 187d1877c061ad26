"""What `check` proves of replies, candidates and pairs in a built folder; see `View.derived`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.chat import CHAT_ROLES
from dialogue_builders.dialogue.compare import (
    any_in_list,
    lists_differ,
    messages_differ,
    spoken,
    texts_differ,
)
from dialogue_builders.dialogue.turns import number_ranges
from dialogue_builders.spec import (
    Derived,
    DerivedRows,
    Flags,
    Indices,
    Lists,
    Options,
    SplitTurns,
    list_lengths,
)
from diamante.constants import (
    HUMAN_MODEL,
    HUMAN_RANDOM,
    MODEL_RANDOM,
    READINGS,
)
from diamante.negatives import WITH_HUMAN_RANDOM, WITH_MODEL_RANDOM

CANDIDATES = "candidates"
PAIRS_RULE = "pairs"
COMPLETIONS = "completions"
GIVEN = "response_candidates"
NEGATIVES = "negatives"


def user_first(options: Options) -> bool:
    """Whether prompts begin and end with the user."""
    return bool(options.get("prompt_start", "user") == "user")


def trimmed(texts: pa.Array) -> pa.Array:
    """Return texts without white space at their ends."""
    return pc.utf8_trim_whitespace(texts)


class _Candidates:
    """A split's turns and the candidates on them, as numbers: equal texts share one.

    Attributes:
        said, proposed: per turn, and per candidate, its text without white space at the ends.
        empty: the number of the empty text, -1 where there is none.
        lists: the candidates of each turn.
    """

    def __init__(self, turns: SplitTurns) -> None:
        self.lists: Lists = turns.lists(GIVEN)
        texts = trimmed(turns.texts(turns.text).values)
        both = pa.concat_arrays([texts, trimmed(self.lists.texts.values)]).dictionary_encode()
        numbers = np.asarray(both.indices.fill_null(-1), np.int64)
        self.said, self.proposed = numbers[: len(texts)], numbers[len(texts) :]
        self.empty: int = pc.index(both.dictionary, "").as_py()
        self.distinct = len(np.unique(self.said[self.said != self.empty]))
        self.turns = turns

    def of_replies(self, reading: str) -> tuple[Indices, Indices]:
        """Return for each candidate that competes its own place and that of the reply."""
        offset = 1 if reading == "next" else 0
        owner = np.repeat(np.arange(len(self.said)), self.lists.lengths)
        reply = np.minimum(owner + offset, len(self.said) - 1)
        competes = self.turns.index[reply] > 0
        competes &= (reply == owner + offset) & (self.proposed != self.empty)
        places = np.flatnonzero(competes)
        return places, reply[places]

    def selected(self, reading: str) -> int:
        """Return how many candidates are the reply that they compete with."""
        places, replies = self.of_replies(reading)
        return int(np.sum(self.proposed[places] == self.said[replies]))

    def usable(self, reading: str) -> Indices:
        """Return for each turn how many candidates may lose; see `usable_candidates`."""
        return self.turns.once(("usable", reading), lambda _: self._usable(reading))

    def _usable(self, reading: str) -> Indices:
        places, replies = self.of_replies(reading)
        loses = self.proposed[places] != self.said[replies]
        width = int(self.proposed.max(initial=0)) + 1
        pairs = np.sort(replies[loses] * width + self.proposed[places][loses])
        is_new = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
        usable: Indices = np.bincount(pairs[is_new] // width, minlength=len(self.said))
        return usable


def _candidates(turns: SplitTurns) -> _Candidates:
    return turns.once("candidates", _Candidates)


def reading_of(turns: SplitTurns, options: Options) -> str:
    """Return which turn the candidates compete with: the option's, or the clearly likelier one."""
    reading = options.get("candidates", "auto")
    if reading in READINGS:
        return str(reading)
    known = _candidates(turns)
    return turns.once("reading", lambda _: max(READINGS, key=known.selected))


def _carriers(rows: DerivedRows) -> Indices:
    """Return for each row of a reply the turn that carries its candidates."""
    if reading_of(rows.turns, rows.options) == "next":
        return np.where(rows.turns.index[rows.place] > 0, rows.place - 1, rows.place)
    return rows.place


def same_candidates(rows: DerivedRows) -> Mapping[str, Flags]:
    """Compare the lists of candidates with those of the turns that carry them."""
    lists, carriers = rows.turns.lists(GIVEN), _carriers(rows)
    lengths = lists.lengths[carriers]
    places = number_ranges(lists.starts[carriers], lengths)
    return {CANDIDATES: lists_differ(rows.columns["candidates"], lists.texts, lengths, places)}


def same_pair(rows: DerivedRows) -> Mapping[str, Flags]:
    """Compare both sides of pairs with the reply, its candidate, and the split's utterances."""
    turns, lists = rows.turns, rows.turns.lists(GIVEN)
    kinds = np.asarray(rows.columns["pair"].fill_null(-1), np.int64)
    numbers = np.asarray(rows.columns["candidate_index"].fill_null(-1), np.int64)
    carriers = _carriers(rows)
    has_candidate = (kinds == HUMAN_MODEL) | (kinds == MODEL_RANDOM)
    known = (numbers >= 0) & (numbers < lists.lengths[carriers])
    wrong = has_candidate != known
    proposed = np.where(known, lists.starts[carriers] + numbers, 0)
    text = turns.texts(turns.text)
    sides = [rows.columns["chosen"], rows.columns["rejected"]]
    for side, kind, expected, places in (
        (0, HUMAN_MODEL, text, rows.place),
        (0, HUMAN_RANDOM, text, rows.place),
        (0, MODEL_RANDOM, lists.texts, proposed),
        (1, HUMAN_MODEL, lists.texts, proposed),
    ):
        chosen = np.flatnonzero((kinds == kind) & (known | (expected is text)))
        if len(chosen):
            ones = np.ones(len(chosen), np.int64)
            column = sides[side].take(pa.array(chosen))
            differ = messages_differ(column, expected, ones, places[chosen], ones > 0)
            for flags in differ.values():
                wrong[chosen] |= flags
    random = np.flatnonzero((kinds == HUMAN_RANDOM) | (kinds == MODEL_RANDOM))
    if len(random):
        wrong[random] |= _are_no_utterances(turns, sides[1].take(pa.array(random)))
    return {PAIRS_RULE: wrong}


def _are_no_utterances(turns: SplitTurns, messages: pa.Array) -> Flags:
    """Return which messages are not one of the assistant's with an utterance of the split."""
    lengths = list_lengths(messages)
    fields = messages.flatten()
    contents, roles = (pc.struct_field(fields, n).cast(pa.string()) for n in ("content", "role"))
    said = pc.is_in(contents, value_set=turns.texts(turns.text).values)
    right = np.asarray(pc.and_(said, pc.equal(roles, CHAT_ROLES[1])).fill_null(False))
    wrong: Flags = (lengths != 1) | any_in_list(~right, lengths)
    return wrong


def same_completions(rows: DerivedRows) -> Mapping[str, Flags]:
    """Compare completions: the reply, one of its candidates, an utterance of the split."""
    turns, known = rows.turns, _candidates(rows.turns)
    column = rows.columns["completions"]
    wrong = list_lengths(column) != 3
    whole = np.flatnonzero(~wrong)
    texts = column.take(pa.array(whole)).flatten()
    human, model, other = (texts.take(pa.array(np.arange(k, len(texts), 3))) for k in range(3))
    places, carriers = rows.place[whole], _carriers(rows)[whole]
    differ = texts_differ(human, turns.texts(turns.text), places)
    differ |= ~np.asarray(
        pc.is_in(other.cast(pa.string()), value_set=turns.texts(turns.text).values)
    )
    lengths = known.lists.lengths[carriers]
    offered = number_ranges(known.lists.starts[carriers], lengths)
    proposed = known.lists.texts.values.take(pa.array(offered))
    repeated = model.take(pa.array(np.repeat(np.arange(len(whole)), lengths)))
    equal = pc.equal(repeated.cast(pa.string()), proposed).fill_null(False)
    differ |= ~any_in_list(np.asarray(equal, np.bool_), lengths)
    wrong[whole] |= differ
    return {COMPLETIONS: wrong}


def expected_pairs(turns: SplitTurns, options: Options) -> Indices:
    """Return for each turn the least number of its pairs."""
    if GIVEN not in turns.columns:
        return np.zeros(len(turns.index), np.int64)
    reading = reading_of(turns, options)
    usable = _candidates(turns).usable(reading)
    if options.get(NEGATIVES, "all") == "one":
        usable = np.minimum(usable, 1)
    can_draw = _can_draw(turns, reading)
    pairs = usable + can_draw * bool(options.get(WITH_HUMAN_RANDOM.name))
    pairs += usable * can_draw * bool(options.get(WITH_MODEL_RANDOM.name))
    return np.where(_has_prompt(turns, options), pairs, 0)


def expected_rankings(turns: SplitTurns, options: Options) -> Indices:
    """Return for each turn whether it has a row of `ranking`."""
    if GIVEN not in turns.columns:
        return np.zeros(len(turns.index), np.int64)
    reading = reading_of(turns, options)
    wanted = (_candidates(turns).usable(reading) > 0) & _can_draw(turns, reading)
    return (wanted & _has_prompt(turns, options)).astype(np.int64)


def _can_draw(turns: SplitTurns, reading: str) -> Flags:
    """Return for which replies the split surely has another utterance to be drawn at random."""
    known = _candidates(turns)
    _, replies = known.of_replies(reading)
    competitors = np.bincount(replies, minlength=len(turns.index))
    # More utterances than the reply and its competitors; some of those may say the same.
    return np.asarray(known.distinct > competitors + 1, np.bool_)


def _has_prompt(turns: SplitTurns, options: Options) -> Flags:
    agent = spoken(turns).agent
    changes = np.append(True, agent[1:] != agent[:-1])[: len(agent)]
    has_prompt: Flags = (turns.index > 0) & (changes | (not user_first(options)))
    return has_prompt


SAME_CANDIDATES = Derived(("candidates",), same_candidates, needs=(GIVEN,))
SAME_PAIR = Derived(("chosen", "rejected", "pair", "candidate_index"), same_pair, needs=(GIVEN,))
SAME_COMPLETIONS = Derived(("completions",), same_completions, needs=(GIVEN,))
