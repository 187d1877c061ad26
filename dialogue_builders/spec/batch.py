"""A batch of decoded records, as views get it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Notes = Counter[str]
"""What was met and tolerated, with how often; a build reports each line once."""


@dataclass(slots=True)
class Batch:
    """Some neighbouring records of one raw file, decoded.

    Attributes:
        split: the split that the file belongs to.
        ids: one per record; empty strings for records that carry their id inside.
        records: the typed records.
        first: the number of the first record in its file, from 0.
        position: the number of the first record in its split, from 0: the same unless the split
            lies in several files.
        file_name: for errors.
        notes: where a view counts what it met and tolerated.
        lookups: source → the record with the same id for each record, None where there is none.
        resources: name → the loaded file, None where it is optional and absent.
        split_facts: what the view's `survey` learnt from the whole split.
    """

    split: str
    ids: Sequence[str]
    records: Sequence[Any]
    first: int
    file_name: str
    position: int = 0
    notes: Notes = field(default_factory=Counter)
    lookups: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    resources: Mapping[str, Any] = field(default_factory=dict)
    split_facts: Any = None
