"""Releases: other states of a corpus's files that upstream published under the same names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dialogue_builders.spec.counting import Statistic
from dialogue_builders.spec.source import Pin


@dataclass(frozen=True, eq=False)
class Release:
    """What another release of a corpus does not share with the default one.

    Attributes:
        name: as upstream calls it.
        upstream, pins, download_url, statistics, published_rows: as in `Corpus`.
    """

    name: str
    upstream: str
    pins: Mapping[str, Pin]
    download_url: str | None = None
    statistics: tuple[Statistic, ...] = ()
    published_rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
