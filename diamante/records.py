"""The typed shape of Diamante's raw JSON lines.

Source: the reader in Knover's projects/Diamante, and public programs that document a line. `id`,
`role` and `response_candidates` may be absent (or null, as some programs write an absent field);
see `turns` for what takes their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from dialogue_builders.spec import RecordType

Role = Literal["speaker1", "speaker2"]


class Turn(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One utterance, with the candidate replies that a model proposed."""

    utterance: str
    role: Role | None = None
    response_candidates: list[str] | None = None


class RawDialogue(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One line of `{train,valid,test}.txt`."""

    conversation: list[Turn]
    id: str | None = None


class TurnOutline(msgspec.Struct, gc=False):
    """What a scan reads of a turn; of any type, because the whole turn is looked at later."""

    utterance: Any = None


class DialogueOutline(msgspec.Struct, gc=False):
    """What a scan reads of a line."""

    id: Any = None
    conversation: list[TurnOutline] = []


def content_digest(utterances: Sequence[str]) -> bytes | None:
    """Return a digest of what was said in a dialogue; None where nothing was.

    Ids may restart in each split, so this is what tells whether a dialogue stands in two.
    """
    if not utterances:
        return None
    return blake2b(repr(utterances).encode(), digest_size=16).digest()


def identify(outline: DialogueOutline) -> tuple[str, bytes | None]:
    """Return a line's id (empty where it has none) and its content."""
    utterances = [turn.utterance for turn in outline.conversation]
    return outline.id if isinstance(outline.id, str) else "", content_digest(utterances)


def filled_id(split: str, number: int) -> str:
    """Return the id of a line that has none: its split, and its number there from 0."""
    return f"{split}-{number:05d}"


DIALOGUE = RecordType(
    name="dialogue",
    type=RawDialogue,
    keyed=False,
    scan_type=DialogueOutline,
    identity=identify,
    filled_id=filled_id,
    lookalikes=(
        (frozenset({"content", "conversation_rating"}), "a conversation of Topical-Chat"),
        (frozenset({"utterance"}), "a single turn"),
    ),
)
