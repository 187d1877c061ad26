"""A corpus as data: everything the engine has to know of one dataset, in one object.

It imports neither `datasets` nor the raw data, so that listing, help and verification stay instant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from dialogue_builders.errors import RawFileError, unknown_name
from dialogue_builders.sources import Pin, RawSource, Resource
from dialogue_builders.views import Alias, View

Counts = Counter[str]


@dataclass(frozen=True)
class Statistic:
    """One row of a published table, and how it is computed from counts.

    Attributes:
        name: the row's title.
        compute: counts → value. Counts of several splits add up, so the total needs no second pass.
        published: split (or `all`) → the printed value.
        decimals: how many decimals the print has.
    """

    name: str
    compute: Callable[[Counts], float]
    published: Mapping[str, float]
    decimals: int = 0


@dataclass(frozen=True)
class Counting:
    """How to count the rows of one view.

    Attributes:
        columns: what has to be read for it, as Parquet paths.
        count: one batch of these columns → counts; it spends its time in Arrow, so that batches
            are counted in parallel.
    """

    columns: tuple[str, ...]
    count: Callable[[pa.RecordBatch], Counts]


@dataclass(frozen=True)
class Corpus:
    """What a dataset declares; see `topical_chat.corpus` for an example.

    Attributes:
        name: the name under which it loads.
        title, summary: for people.
        version: of the views' meaning; a new one makes every cache entry new.
        splits: all splits, in their order.
        views, aliases: its configs.
        default: the config that is meant where none is named.
        sources: raw sources by name.
        resources: files that are read as a whole, by name.
        pins: upstream files; those of `sources` decide whether a folder was built from them.
        upstream: the pinned repository and commit, for people.
        licence: the Hub's identifier of the data's licence.
        licence_note: the licence in words, layer by layer.
        languages, task_categories, tags: for the card's front matter, in the Hub's terms.
        size_category: the Hub's size class of the whole corpus.
        homepage, paper, citation: of the authors.
        sample: path → bytes of an invented sample in the exact raw format.
        counters: view → how its rows are counted; the first view that is in a built folder is used
            for the statistics.
        statistics: the published table.
        published_rows: view → split → rows, for folders built from the pinned files.
        dialogue_rows: view → a function that shows one row as (speaker, text, notes) turns.
        how_to_get: what to do to get the raw files.
        download_url: the address below which the pinned paths lie; None where they can't be
            downloaded.
    """

    name: str
    title: str
    summary: str
    version: str
    splits: tuple[str, ...]
    views: tuple[View, ...]
    aliases: tuple[Alias, ...]
    default: str
    sources: Mapping[str, RawSource]
    pins: Mapping[str, Pin]
    upstream: str
    licence: str
    licence_note: str
    languages: tuple[str, ...]
    task_categories: tuple[str, ...]
    tags: tuple[str, ...]
    size_category: str
    homepage: str
    paper: str
    citation: str
    sample: Callable[[], Mapping[str, bytes]]
    counters: Mapping[str, Counting]
    statistics: tuple[Statistic, ...]
    published_rows: Mapping[str, Mapping[str, int]]
    how_to_get: str
    download_url: str | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    licence_link: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config_names(self) -> tuple[str, ...]:
        """All configs: the views, then the aliases."""
        return tuple(view.name for view in self.views) + tuple(a.name for a in self.aliases)

    def config(self, name: str) -> View | Alias:
        """Return a view or an alias by its name.

        Raises:
            UnknownNameError: there is no such config; the nearest one is suggested.
        """
        configs: tuple[View | Alias, ...] = (*self.views, *self.aliases)
        for config in configs:
            if config.name == name:
                return config
        raise unknown_name("config", name, self.config_names)

    def view_of(self, name: str) -> View:
        """Return the view whose rows a config shows: itself, or the one behind an alias."""
        config = self.config(name)
        if isinstance(config, Alias):
            config = self.config(config.view)
        assert isinstance(config, View)
        return config

    def splits_of(self, name: str) -> dict[str, str]:
        """Return a config's split names → the split names of its raw files, in order."""
        config = self.config(name)
        if isinstance(config, Alias):
            return dict(config.splits)
        return {split: split for split in config.splits or self.splits}

    def check_splits(self, splits: tuple[str, ...]) -> tuple[str, ...]:
        """Return the wanted splits in the corpus's order.

        Raises:
            UnknownNameError: a split that the corpus does not have.
        """
        for split in splits:
            if split not in self.splits:
                raise unknown_name("split", split, self.splits)
        return tuple(split for split in self.splits if split in splits)

    def require_raw_folder(self, data_dir: object) -> None:
        """Raise a RawFileError with the way to the raw files where no folder was given."""
        if data_dir is None:
            raise RawFileError(
                f"no raw folder was given for {self.name}", next_step=self.how_to_get
            )
