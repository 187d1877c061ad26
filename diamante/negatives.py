"""What a human reply is set against: candidates that lose, one that is drawn, a random utterance.

Whatever is drawn is drawn by a hash of the row's key (split, conversation, turn) and the seed, from
choices in an order of their own, so that rows do not depend on the order of the file, on shards or
on processes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.turns import Indices
from dialogue_builders.spec import Batch, Option, Options, SplitFacts
from diamante.alignment import choose_alignment
from diamante.candidates import CandidateComparison
from diamante.turns import Turns

# The reference code (Knover's projects/Diamante) draws a model's reply among so many candidates,
# those least similar to the human's.
LEAST_SIMILAR = 5

SEED = Option("seed", 0, "of whatever is drawn; the same seed draws the same", minimum=0)
WITH_HUMAN_RANDOM = Option(
    "human_random", False, "also rows of the human reply over a random utterance of the split"
)
WITH_MODEL_RANDOM = Option(
    "model_random", False, "also rows of the candidates over a random utterance of the split"
)


@dataclass(frozen=True)
class Preparation:
    """What is known of a whole split.

    Attributes:
        reading: which turn the candidates compete with.
        utterances: the split's utterances that are not empty, sorted; none where no random
            utterance is wanted.
    """

    reading: str
    utterances: pa.Array


def prepare_ranking(batches: Iterable[Batch], options: Options) -> SplitFacts:
    """Settle the reading and collect the utterances for random negatives, in one pass."""
    collected: list[pa.Array] = [pa.array([], pa.string())]
    batches = _collecting(batches, collected)
    reading = choose_alignment(batches, options)
    for _ in batches:  # what a given reading left unread
        pass
    utterances = pa.concat_arrays(collected)
    utterances = utterances.take(pc.sort_indices(utterances))
    return SplitFacts(Preparation(reading.value.reading, utterances), reading.notes)


def prepare_preference(batches: Iterable[Batch], options: Options) -> SplitFacts:
    """As `prepare_ranking`; without utterances where no pair asks for a random one."""
    if options[WITH_HUMAN_RANDOM.name] or options[WITH_MODEL_RANDOM.name]:
        return prepare_ranking(batches, options)
    reading = choose_alignment(batches, options)
    return SplitFacts(Preparation(reading.value.reading, pa.array([], pa.string())), reading.notes)


def _collecting(batches: Iterable[Batch], collected: list[pa.Array]) -> Iterator[Batch]:
    for batch in batches:
        turns = (turn.utterance for record in batch.records for turn in record.conversation)
        collected.append(pa.array([text for text in turns if text.strip()], pa.string()))
        yield batch


def usable_candidates(comparison: CandidateComparison) -> Indices:
    """Return the competitors that may lose: none that is the reply or equals one before it."""
    chosen: list[int] = []
    current, seen = -1, set[str]()
    losers = (~comparison.is_reply).tolist()
    for place, reply in enumerate(comparison.reply.tolist()):
        if reply != current:
            current, seen = reply, set()
        text = comparison.stripped[place]
        if losers[place] and text not in seen:
            seen.add(text)
            chosen.append(place)
    return np.array(chosen, np.int64)


def drawn_candidates(
    comparison: CandidateComparison, replies: Indices, numbers: npt.NDArray[np.uint64]
) -> Indices:
    """Draw a competitor for each reply by the reference's rule: one of the five least similar.

    Equally similar ones keep the file's order and one that stands twice counts twice, as there.

    Args:
        replies: all replies of the batch.
        numbers: what draws for each of them.

    Returns:
        per reply the competitor, or -1 where it has none that may lose.
    """
    losers = np.flatnonzero(~comparison.is_reply)
    losers = losers[np.lexsort((comparison.similarity[losers], comparison.reply[losers]))]
    first, last = (
        np.searchsorted(comparison.reply[losers], replies, side=side) for side in ("left", "right")
    )
    choices = np.minimum(last - first, LEAST_SIMILAR)
    places = first + (numbers % np.maximum(choices, 1).astype(np.uint64)).astype(np.int64)
    drawn: Indices = np.append(losers, -1)[np.where(choices > 0, places, len(losers))]
    return drawn


def draw(batch: Batch, turns: Turns, seed: int) -> npt.NDArray[np.uint64]:
    """Return two numbers for each reply of a batch, which depend on its key and the seed only."""
    replies = turns.replies
    keys = zip(turns.dialogue[replies].tolist(), turns.index[replies].tolist(), strict=True)
    digests = [
        blake2b(f"{seed}\0{batch.split}\0{turns.ids[d]}\0{i}".encode(), digest_size=16).digest()
        for d, i in keys
    ]
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64).reshape(-1, 2)


def random_utterances(
    turns: Turns,
    comparison: CandidateComparison,
    utterances: pa.Array,
    numbers: npt.NDArray[np.uint64],
) -> list[str | None]:
    """Draw an utterance of the split for each reply: neither the reply nor a competitor of it.

    Returns:
        per reply the utterance; None where the split has none.
    """
    replies = turns.replies
    bounds = np.searchsorted(comparison.reply, np.append(replies, len(turns.texts))).tolist()
    drawn: list[str | None] = []
    for row, (reply, number) in enumerate(zip(replies.tolist(), numbers.tolist(), strict=True)):
        unwanted = comparison.stripped[bounds[row] : bounds[row + 1]]
        unwanted.append(turns.texts[reply].strip())
        drawn.append(random_utterance(utterances, number, unwanted))
    return drawn


def random_utterance(utterances: pa.Array, number: int, unwanted: Container[str]) -> str | None:
    """Return the utterance that a number draws, or the next one in order that is not unwanted.

    Args:
        utterances: sorted.
        unwanted: texts without white space at their ends; the result equals none of them.
    """
    if not len(utterances):
        return None
    place = number % len(utterances)
    passed: set[str] = set()
    text: str = utterances[place].as_py()
    while text.strip() in unwanted:
        if text in passed:
            return None
        passed.add(text)
        place = bisect_right(utterances, text, key=lambda scalar: scalar.as_py()) % len(utterances)
        text = utterances[place].as_py()
    return text
