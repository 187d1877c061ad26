"""Which turn a turn's candidates belong to: measured on a whole split, never guessed.

Under the right reading about 18 % of the replies equal one of their candidates (the published share
of selected replies), under the wrong one almost none; and the replies that were revised are near to
a candidate. A wrong choice would yield preference pairs whose rejected side answers something else,
without any error. So `auto` takes a reading only where the file tells it clearly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dialogue_builders.dialogue.turns import Indices
from dialogue_builders.spec import Batch, Option, Options, RawFileError, SplitFacts
from diamante.candidates import Nearest, compare
from diamante.constants import READINGS
from diamante.turns import flat_turns

# Fewer replies than this under either reading prove nothing: with 18 % selected, thirty replies
# show less than two equal ones once in fifty times.
FEWEST_REPLIES = 30
# The shares of equal replies must lie this far apart. The right reading is near to 0.18 and the
# wrong one near to 0, so that a file in between is another file than this one takes it for.
MARGIN = 0.05

CANDIDATES_OPTION = Option(
    "candidates",
    "auto",
    "which turn a turn's candidates compete with: the next one, the same one, or as measured",
    choices=("auto", *READINGS),
)
NEXT_STEP = (
    "say it yourself, with the option candidates=next (a turn's candidates answer that turn) or "
    "candidates=same (they compete with that turn), on the command line --option "
    "CONFIG.candidates=next; conversations, utterances and messages need no answer"
)


@dataclass(frozen=True)
class Evidence:
    """What one reading of a split would mean.

    Attributes:
        replies: the replies that have a candidate at all.
        equal: those of them that equal one of theirs.
        similarity: the sum of their similarities to the nearest candidate.
    """

    replies: int = 0
    equal: int = 0
    similarity: float = 0.0

    @property
    def share(self) -> float:
        """The share of replies that equal one of their candidates."""
        return self.equal / self.replies if self.replies else 0.0

    @property
    def mean_similarity(self) -> float:
        """The mean similarity to the nearest candidate."""
        return self.similarity / self.replies if self.replies else 0.0

    def plus(self, replies: int, equal: int, similarity: float) -> Evidence:
        """Return the evidence with that of more replies."""
        return Evidence(self.replies + replies, self.equal + equal, self.similarity + similarity)

    def __str__(self) -> str:
        if not self.replies:
            return "no reply has a candidate"
        return (
            f"{self.share:.1%} of {self.replies:,} replies equal a candidate, "
            f"mean similarity to the nearest {self.mean_similarity:.3f}"
        )


class AlignmentEvidence:
    """What was measured on a whole split, batch by batch.

    Attributes:
        evidence: reading → what it would mean.
    """

    def __init__(self) -> None:
        self.evidence = dict.fromkeys(READINGS, Evidence())
        self._lengths: list[int] = []
        self._nearest: dict[str, list[Nearest]] = {reading: [] for reading in READINGS}

    def add(self, batch: Batch) -> None:
        """Measure the next batch of the split under both readings."""
        turns = flat_turns(batch)
        self._lengths.extend(turns.lengths)
        for reading, comparison in zip(READINGS, compare(turns, READINGS), strict=True):
            nearest = comparison.nearest()
            told = nearest.similarity[~np.isnan(nearest.similarity)]
            self.evidence[reading] = self.evidence[reading].plus(
                len(told), int(nearest.is_equal.sum()), float(told.sum())
            )
            self._nearest[reading].append(nearest)

    def nearest(self, reading: str) -> SplitNearest:
        """Return the split's similarities under one reading."""
        similarity, is_equal = zip(*self._nearest[reading], strict=True)
        before = np.cumsum([0, *self._lengths])
        return SplitNearest(before, Nearest(np.concatenate(similarity), np.concatenate(is_equal)))


@dataclass(frozen=True)
class SplitNearest:
    """How near all turns of a split are to the nearest of their competitors.

    Attributes:
        turns_before: per dialogue of the split the number of turns before it, and their sum.
        turns: of all turns, in the split's order.
    """

    turns_before: Indices
    turns: Nearest

    def of(self, batch: Batch) -> Nearest:
        """Return those of a batch's turns, however the split is cut into batches."""
        begin = self.turns_before[batch.position]
        end = self.turns_before[batch.position + len(batch.records)]
        return Nearest(self.turns.similarity[begin:end], self.turns.is_equal[begin:end])


@dataclass(frozen=True)
class CandidateAlignment:
    """What is known of a whole split.

    Attributes:
        reading: which turn the candidates compete with.
        measured: under that reading, where both were measured.
    """

    reading: str
    measured: SplitNearest | None = None


def clear_alignment(evidence: Mapping[str, Evidence]) -> str | None:
    """Return the reading that the evidence tells clearly, or None.

    It needs `FEWEST_REPLIES` with candidates under either reading, a share of equal replies that is
    greater than the other's by `MARGIN`, and a mean similarity that does not speak against it.
    """
    better, worse = sorted(READINGS, key=lambda reading: evidence[reading].share, reverse=True)
    if max(found.replies for found in evidence.values()) < FEWEST_REPLIES:
        return None
    if evidence[better].share - evidence[worse].share < MARGIN:
        return None
    if evidence[better].replies < FEWEST_REPLIES:
        return None
    nearer = evidence[better].mean_similarity >= evidence[worse].mean_similarity
    return better if nearer else None


def describe(evidence: Mapping[str, Evidence]) -> str:
    """Return the figures of both readings in one sentence."""
    return "; ".join(f"{reading}: {evidence[reading]}" for reading in READINGS)


def choose_alignment(batches: Iterable[Batch], options: Options) -> SplitFacts:
    """Settle the reading of a split: the option's, or the one that is measured clearly.

    Returns:
        a `CandidateAlignment`, and the evidence as a note.

    Raises:
        RawFileError: the option is `auto`, and neither reading is clear.
    """
    wanted = options[CANDIDATES_OPTION.name]
    if wanted != "auto":
        return SplitFacts(CandidateAlignment(wanted))
    measured = AlignmentEvidence()
    names: dict[str, None] = {}
    for batch in batches:
        names[batch.file_name] = None
        measured.add(batch)
    reading = clear_alignment(measured.evidence)
    figures = describe(measured.evidence)
    if reading is None:
        raise RawFileError(
            f"does not tell clearly which turn the candidates belong to ({figures}); clear is a "
            f"share greater by {MARGIN:.0%} of at least {FEWEST_REPLIES} replies",
            file=", ".join(names),
            next_step=NEXT_STEP,
        )
    note = f"candidates={reading}, as measured ({figures})"
    return SplitFacts(CandidateAlignment(reading, measured.nearest(reading)), (note,))


def require_agreement(prepared: Mapping[str, SplitFacts]) -> None:
    """Raise a RawFileError where the splits were read in different ways.

    Args:
        prepared: split → what was found; the values have a `reading`, the notes the figures.
    """
    if len({found.value.reading for found in prepared.values()}) > 1:
        figures = "; ".join(
            f"{split}: {note}" for split, found in prepared.items() for note in found.notes
        )
        raise RawFileError(
            f"the splits disagree on which turn the candidates belong to: {figures}",
            next_step=f"look whether all files are of one release, or {NEXT_STEP}",
        )
