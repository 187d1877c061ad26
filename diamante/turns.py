"""A batch's turns, laid out flat, with what the raw file may lack filled in and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from dialogue_builders.records import Batch
from diamante.labels import ROLES
from diamante.records import Role, Turn

Indices = npt.NDArray[np.int64]


@dataclass
class Turns:
    """All turns of a batch, one after the other.

    Attributes:
        ids: per dialogue its id.
        lengths: per dialogue the number of its turns.
        roles, utterances, candidates: per turn.
    """

    ids: list[str]
    lengths: list[int]
    roles: list[str]
    utterances: list[str]
    candidates: list[list[str]]

    @cached_property
    def dialogue(self) -> Indices:
        """Per turn the number of its dialogue within the batch."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def index(self) -> Indices:
        """Per turn its number within its dialogue, from 0."""
        lengths = np.asarray(self.lengths, np.int64)
        starts = np.cumsum(lengths) - lengths
        return np.arange(len(self.utterances)) - np.repeat(starts, lengths)

    @cached_property
    def is_last(self) -> npt.NDArray[np.bool_]:
        """Per turn whether nothing follows it in its dialogue."""
        return np.append(self.index[1:] == 0, True)[: len(self.utterances)]

    @cached_property
    def replies(self) -> Indices:
        """The places of the turns that reply to another one: all but each dialogue's first."""
        return np.flatnonzero(self.index > 0)

    @cached_property
    def is_second_speaker(self) -> npt.NDArray[np.bool_]:
        """Per turn whether speaker2 says it."""
        return np.fromiter((role == ROLES[1] for role in self.roles), np.bool_, len(self.roles))


def flat_turns(batch: Batch) -> Turns:
    """Lay a batch's turns out flat; what is absent is filled in and counted in the batch's notes.

    An absent id becomes the split's name and the dialogue's number in the split, absent roles
    alternate, and absent candidates are none.
    """
    turns: list[Turn] = list(chain.from_iterable(record.conversation for record in batch.records))
    without = sum(turn.response_candidates is None for turn in turns)
    if without:
        batch.notes[f"{batch.file_name}: no response_candidates; taken as none"] += without
    return Turns(
        ids=dialogue_ids(batch),
        lengths=[len(record.conversation) for record in batch.records],
        roles=_all_roles(batch),
        utterances=[turn.utterance for turn in turns],
        candidates=[turn.response_candidates or [] for turn in turns],
    )


def dialogue_ids(batch: Batch) -> list[str]:
    """Return the id of each dialogue; one that has none is named by its split and number."""
    ids = [
        record.id or f"{batch.split}-{number:05d}"
        for number, record in enumerate(batch.records, start=batch.position)
    ]
    without = sum(not record.id for record in batch.records)
    if without:
        note = f"{batch.file_name}: no id; dialogues are numbered, such as {batch.split}-00000"
        batch.notes[note] += without
    return ids


def _all_roles(batch: Batch) -> list[str]:
    roles: list[str] = []
    without = 0
    for record in batch.records:
        given = [turn.role for turn in record.conversation]
        if None in given:
            without += given.count(None)
            roles.extend(alternating(given))
        else:
            roles.extend(given)
    if without:
        batch.notes[f"{batch.file_name}: no role; speaker1 and speaker2 alternate"] += without
    return roles


def alternating(given: Sequence[Role | None]) -> list[Role]:
    """Fill absent roles so that the speakers alternate; roles that are there stay.

    Speaker1 opens, unless a role further on says that it must have been the other one.
    """
    known = next((place for place, role in enumerate(given) if role is not None), None)
    opens_second = known is not None and (given[known] == "speaker2") == (known % 2 == 0)
    current: Role = "speaker1" if opens_second else "speaker2"
    filled: list[Role] = []
    for role in given:
        other: Role = "speaker2" if current == "speaker1" else "speaker1"
        current = other if role is None else role
        filled.append(current)
    return filled
