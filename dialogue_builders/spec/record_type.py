"""Types of raw records: their typed shape, and what tells one record from another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from dialogue_builders.errors import DeclarationError

StructType = type[msgspec.Struct]


@dataclass(frozen=True)
class RecordType:
    """A type of raw record.

    Attributes:
        name: what errors call it, such as `conversation`.
        type: the `msgspec.Struct` of one record; its structs forbid unknown fields.
        keyed: whether the record's id stands outside of it. Lines that hold it inside are read too
            where `type` has an optional field `conversation_id`.
        scan_type: of records that are not keyed, what tells one apart: a struct of few fields, all
            of them optional, which is decoded while the file is scanned.
        identity: a decoded `scan_type` → the record's id, an empty string where it lacks one; and
            what makes it the same record wherever it stands (hashable), or None.
        filled_id: split, number of the record in it → the id that a record gets which lacks one.
            None where each has its own.
        lookalikes: other records that people hand over by mistake: a set of fields → what it is.

    Raises:
        DeclarationError: `scan_type` and `identity` do not belong together.
    """

    name: str
    type: StructType
    keyed: bool = True
    scan_type: StructType | None = None
    identity: Callable[[Any], tuple[str, Any]] | None = None
    filled_id: Callable[[str, int], str] | None = None
    lookalikes: tuple[tuple[frozenset[str], str], ...] = ()

    def __post_init__(self) -> None:
        if (self.scan_type is None) != (self.identity is None):
            raise DeclarationError(
                "has only one of scan_type and identity, which work together",
                file=f"record type {self.name}",
                field="identity",
                next_step="give both, or neither",
            )
        if self.keyed and self.identity is not None:
            raise DeclarationError(
                "says what identifies a record, but its records are keyed: their ids stand outside",
                file=f"record type {self.name}",
                field="identity",
                next_step="leave scan_type and identity out, or set keyed=False",
            )
