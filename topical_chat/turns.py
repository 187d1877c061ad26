"""A batch's turns, laid out flat."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from dialogue_builders.dialogue.turns import FlatTurns
from dialogue_builders.spec import Batch
from topical_chat.knowledge import AGENTS


@dataclass
class Turns(FlatTurns):
    """All turns of a batch, one after the other.

    Attributes:
        records: per turn the typed turn itself.
    """

    records: list[Any]


def flat_turns(batch: Batch) -> Turns:
    """Lay a batch's turns out flat."""
    turns = list(chain.from_iterable(record.content for record in batch.records))
    return Turns(
        ids=batch.ids,
        lengths=[len(record.content) for record in batch.records],
        speakers=[turn.agent for turn in turns],
        texts=[turn.message for turn in turns],
        speakers_in_order=AGENTS,
        records=turns,
    )
