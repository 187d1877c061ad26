"""Human replies and the candidates that they compete with, under either reading of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dialogue_builders.dialogue.turns import Indices
from diamante.similarity import Texts, character_f1
from diamante.turns import Turns


class Nearest(NamedTuple):
    """How near turns are to the nearest of their competitors.

    Attributes:
        similarity: per turn the greatest similarity; not a number where it has no competitor.
        is_equal: per turn whether a competitor is the turn itself, but for white space at the ends.
    """

    similarity: npt.NDArray[np.float64]
    is_equal: npt.NDArray[np.bool_]


@dataclass
class CandidateComparison:
    """Replies against the candidates they compete with; empty candidates do not compete.

    Attributes:
        turns: of the batch.
        reply: per candidate the place of the human reply among the turns, ascending.
        turn, number: per candidate the turn that carries it, and its place in that turn's list.
        proposed, place: a table of texts without white space at their ends, and per candidate
            which of them is its own.
        similarity: per candidate the character F1 with the reply, both without white space at
            their ends.
        is_reply: per candidate whether it is the reply itself, but for white space at the ends.
    """

    turns: Turns
    reply: Indices
    turn: Indices
    number: Indices
    proposed: Texts
    place: Indices
    similarity: npt.NDArray[np.float64]
    is_reply: npt.NDArray[np.bool_]

    @cached_property
    def stripped(self) -> list[str]:
        """Per candidate its text without white space at the ends."""
        return [self.proposed.texts[place] for place in self.place.tolist()]

    def texts(self, which: Indices) -> list[str]:
        """Return the texts of some candidates as they stand in the file."""
        places = zip(self.turn[which].tolist(), self.number[which].tolist(), strict=True)
        return [self.turns.candidates[turn][number] for turn, number in places]

    def nearest(self) -> Nearest:
        """Return how near each turn is to the nearest of its competitors."""
        count = len(self.turns.texts)
        nearest = Nearest(np.full(count, np.nan), np.zeros(count, np.bool_))
        starts = np.flatnonzero(np.diff(self.reply, prepend=-1))
        if len(starts):
            replies = self.reply[starts]
            nearest.similarity[replies] = np.maximum.reduceat(self.similarity, starts)
            nearest.is_equal[replies] = np.logical_or.reduceat(self.is_reply, starts)
        return nearest


def candidate_offset(reading: str) -> int:
    """Return how many turns before a reply its candidates stand."""
    return 1 if reading == "next" else 0


def compare(turns: Turns, readings: Sequence[str]) -> list[CandidateComparison]:
    """Set every reply of a batch against its candidates.

    Args:
        readings: `next`: a turn's candidates were proposed as answers to it, so they compete with
            the turn after it; `same`: they compete with the turn that carries them.

    Returns:
        a comparison for each reading.
    """
    counts = np.fromiter(map(len, turns.candidates), np.int64, len(turns.candidates))
    turn = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(turn)) - np.repeat(np.cumsum(counts) - counts, counts)
    proposed = Texts([text.strip() for texts in turns.candidates for text in texts])
    said = Texts([text.strip() for text in turns.texts])
    # Turns that reply to nothing, or that nothing replies to, are compared too and left out below.
    replies = [
        np.minimum(turn + candidate_offset(reading), len(counts) - 1) for reading in readings
    ]
    filled = np.flatnonzero(proposed.lengths)
    similarities = character_f1(said, [reply[filled] for reply in replies], proposed, filled)
    comparisons = []
    for reading, reply, similarity in zip(readings, replies, similarities, strict=True):
        has_reply = ~turns.is_last if reading == "next" else turns.index > 0
        kept = has_reply[turn[filled]]
        chosen = filled[kept]
        comparisons.append(
            CandidateComparison(
                turns,
                reply[chosen],
                turn[chosen],
                number[chosen],
                proposed,
                chosen,
                similarity[kept],
                _equal(said, reply[chosen], proposed, chosen, similarity[kept]),
            )
        )
    return comparisons


def _equal(
    said: Texts,
    reply: Indices,
    proposed: Texts,
    candidate: Indices,
    similarity: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Return which candidates are their reply itself."""
    # The same characters in another order have the F1 of the same text.
    equal: npt.NDArray[np.bool_] = similarity == 1
    for place in np.flatnonzero(equal).tolist():
        equal[place] = said.texts[reply[place]] == proposed.texts[candidate[place]]
    return equal
