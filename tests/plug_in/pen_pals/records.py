"""The raw records, typed: a field that is missing, unknown or of another type is an error."""

from __future__ import annotations

import msgspec


class Letter(msgspec.Struct, forbid_unknown_fields=True):
    """One letter."""

    writer: str
    text: str


class Friendship(msgspec.Struct, forbid_unknown_fields=True):
    """All letters between two people; its id is its key in the raw file."""

    town: str
    letters: list[Letter]
