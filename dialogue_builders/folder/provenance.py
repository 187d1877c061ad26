"""Where a built folder comes from, as its card records it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PROVENANCE = re.compile(r"<!-- provenance (\{.*?\}) -->")


@dataclass(frozen=True)
class Provenance:
    """Where a built folder comes from; the card carries it.

    Attributes:
        dataset: the corpus's name.
        version: the corpus's version, of the views' meaning.
        raw: `pinned` (the upstream files), `sample` (invented) or `other`.
        splits: the raw splits that were built.
        options: view → its options' values.
        notes: what was met and tolerated, one line each.
        restricted: what in the folder may not be redistributed, one line each.
        absent: view → splits that it could have, and for which there was no raw file.
        plug_in: the package that brought the corpus, as `name version`; None for our own.
        release: which release the raw files are of; None where there is but one, or where their
            content does not tell.
    """

    dataset: str
    version: str
    raw: str
    splits: tuple[str, ...]
    options: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    absent: Mapping[str, Sequence[str]] = field(default_factory=dict)
    plug_in: str | None = None
    release: str | None = None

    def to_comment(self) -> str:
        """Return it as a comment that Markdown does not show."""
        unless_none = ("plug_in", "release")
        fields = {n: value for n, value in vars(self).items() if n not in unless_none or value}
        text = json.dumps(fields, ensure_ascii=False, sort_keys=True)
        # A comment may not hold "--"; JSON can say a hyphen in another way.
        return f"<!-- provenance {text.replace('--', '-' + chr(92) + 'u002d')} -->"


def parse_provenance(card: str) -> Provenance | None:
    """Return what a card says of its origin; None where it says nothing."""
    match = PROVENANCE.search(card)
    if not match:
        return None
    fields = json.loads(match[1])
    for name in ("splits", "notes", "restricted"):
        fields[name] = tuple(fields[name])
    return Provenance(**fields)
