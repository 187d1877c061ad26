"""What a human reply is set against: candidates that lose, one that is drawn, a random utterance.

Whatever is drawn is drawn by a hash of the row's key (split, conversation, turn) and the seed, from
choices in an order of their own, so that rows do not depend on the order of the file, on shards or
on processes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from dialogue_builders.records import Batch
from dialogue_builders.views import Option, Options, Prepared
from diamante.alignment import choose_reading
from diamante.candidates import compete
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
    utterances: tuple[str, ...]


def prepare_ranking(batches: Iterable[Batch], options: Options) -> Prepared:
    """Settle the reading and collect the utterances for random negatives, in one pass."""
    collected: list[str] = []
    batches = _collecting(batches, collected)
    reading = choose_reading(batches, options)
    for _ in batches:  # what a given reading left unread
        pass
    return Prepared(Preparation(reading.value.reading, tuple(sorted(collected))), reading.notes)


def prepare_preference(batches: Iterable[Batch], options: Options) -> Prepared:
    """As `prepare_ranking`; without utterances where no pair asks for a random one."""
    if options[WITH_HUMAN_RANDOM.name] or options[WITH_MODEL_RANDOM.name]:
        return prepare_ranking(batches, options)
    reading = choose_reading(batches, options)
    return Prepared(Preparation(reading.value.reading, ()), reading.notes)


def _collecting(batches: Iterable[Batch], collected: list[str]) -> Iterator[Batch]:
    for batch in batches:
        collected.extend(
            turn.utterance
            for record in batch.records
            for turn in record.conversation
            if turn.utterance.strip()
        )
        yield batch


class Model(NamedTuple):
    """A candidate that loses against the human reply: its number in its list, and its text."""

    number: int
    text: str


class Rivals(NamedTuple):
    """What a human reply is set against.

    Attributes:
        reply: its place among the batch's turns.
        usable: the candidates that may lose against it, in the file's order: neither empty nor
            equal to it nor equal to one before.
        drawn: the one that the reference's rule draws; None where there is none.
        random: an utterance of the split that is neither the reply nor a candidate; None where the
            split has none.
    """

    reply: int
    usable: list[Model]
    drawn: Model | None
    random: str | None


def draw(seed: int, split: str, conversation_id: str, turn_index: int) -> tuple[int, int]:
    """Return two numbers below 2 ** 64 that depend on these four only."""
    key = f"{seed}\0{split}\0{conversation_id}\0{turn_index}"
    digest = blake2b(key.encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")


def random_utterance(utterances: Sequence[str], number: int, unwanted: set[str]) -> str | None:
    """Return the utterance that a number draws, or the next one in order that is not unwanted.

    Args:
        utterances: sorted.
        unwanted: texts without white space at their ends; the result equals none of them.
    """
    if not utterances:
        return None
    place = number % len(utterances)
    passed: set[str] = set()
    while utterances[place].strip() in unwanted:
        if utterances[place] in passed:
            return None
        passed.add(utterances[place])
        place = bisect_right(utterances, utterances[place]) % len(utterances)
    return utterances[place]


def rivals_of(batch: Batch, turns: Turns, options: Options) -> list[Rivals]:
    """Set every reply of a batch against its candidates and a random utterance, in order."""
    (contest,) = compete(turns, [batch.prepared.reading])
    replies = turns.replies
    bounds = np.searchsorted(contest.reply, np.append(replies, len(turns.utterances))).tolist()
    losers = (~contest.is_reply).tolist()
    similarity = contest.similarity.tolist()
    models = list(map(Model, contest.number.tolist(), contest.texts))
    keys = zip(turns.dialogue[replies].tolist(), turns.index[replies].tolist(), strict=True)
    rivals = []
    for row, (reply, (dialogue, index)) in enumerate(zip(replies.tolist(), keys, strict=True)):
        competing = [k for k in range(bounds[row], bounds[row + 1]) if losers[k]]
        # Sorting keeps the file's order among equally similar ones, as the reference does; and as
        # there, a candidate that stands twice counts twice.
        least = sorted(competing, key=similarity.__getitem__)[:LEAST_SIMILAR]
        first_of: dict[str, Model] = {}
        for k in competing:
            first_of.setdefault(models[k].text.strip(), models[k])
        model, other = draw(options[SEED.name], batch.split, turns.ids[dialogue], index)
        unwanted = {turns.utterances[reply].strip(), *first_of}
        rivals.append(
            Rivals(
                reply,
                list(first_of.values()),
                models[least[model % len(least)]] if least else None,
                random_utterance(batch.prepared.utterances, other, unwanted),
            )
        )
    return rivals
