"""A batch's turns, laid out flat, with what the raw file may lack filled in and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from dialogue_builders.dialogue.turns import FlatTurns
from dialogue_builders.spec import Batch
from diamante.constants import ROLES
from diamante.records import Role, Turn, filled_id


@dataclass
class Turns(FlatTurns):
    """All turns of a batch, one after the other.

    Attributes:
        candidates: per turn its list of candidates, as it stands in the file.
    """

    candidates: list[list[str]]


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
        speakers=_all_roles(batch),
        texts=[turn.utterance for turn in turns],
        speakers_in_order=ROLES,
        candidates=[turn.response_candidates or [] for turn in turns],
    )


def dialogue_ids(batch: Batch) -> list[str]:
    """Return the id of each dialogue; one that has none is named by its split and number."""
    ids = [
        record.id or filled_id(batch.split, number)
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
