"""A corpus as data: everything the engine has to know of one dataset, in one object.

It imports neither `datasets` nor the raw data, so that listing, help and verification stay instant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from dialogue_builders.distributions import Distribution
from dialogue_builders.errors import RawFileError, unknown_name
from dialogue_builders.sources import Pin, RawSource, Resource
from dialogue_builders.views import Alias, View

Counts = Counter[str]


@dataclass(frozen=True)
class RowCounter:
    """How one view's rows are counted.

    Attributes:
        count: a batch of rows → counts.
        columns: those that it reads, in Parquet's terms; no others are read from the files.
    """

    count: Callable[[pa.RecordBatch], Counts]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Statistic:
    """One row of a published table, and how it is computed from counts.

    Attributes:
        name: the row's title.
        compute: counts → value. Counts of several splits add up, so the total needs no second pass.
            None where they do not tell it: no built config gives what it needs.
        published: split (or `all`) → the printed value.
        decimals: how many decimals the print has.
    """

    name: str
    compute: Callable[[Counts], float | None]
    published: Mapping[str, float]
    decimals: int = 0


@dataclass(frozen=True)
class Corpus:
    """What a dataset declares in its `corpus` module.

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
        homepage, paper, citation: of the authors.
        sample: path → bytes of an invented sample in the exact raw format.
        counters: groups of view → how its rows are counted. Of each group the first view that is in
            a built folder is used, and the groups' counts are put together.
        statistics: the published table.
        published_rows: view → split → rows, for folders built from the pinned files.
        how_to_get: what to do to get the raw files.
        fields: what each field of the configs is, for people. A field is looked up as
            `view.path`, as its path (`content.message`), and by its last name.
        distributions: what the card counts beyond the published table, and `--figures` draws.
        translations: language → English text → text: the summaries, fields, statistics and
            distributions above, and the notes of a build, for the cards in other languages. A text
            with `{names}` translates every line of its form.
        download_url: the address below which the pinned paths lie; None where they can't be
            downloaded.
        terms: the conditions in words, where the data may be published only by somebody who has
            accepted them; a push is then private unless that is said. None where it is free.
        content: what makes a conversation the same one, where ids do not tell (they may restart in
            each split): rows of the default config → something hashable for each of them, or None
            for a row that is like no other. Of raw records the kind's `identify` tells the same.
            None where the id tells.
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
    homepage: str
    paper: str
    citation: str
    sample: Callable[[], Mapping[str, bytes]]
    counters: tuple[Mapping[str, RowCounter], ...]
    statistics: tuple[Statistic, ...]
    published_rows: Mapping[str, Mapping[str, int]]
    how_to_get: str
    download_url: str | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    licence_link: str | None = None
    terms: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    distributions: tuple[Distribution, ...] = ()
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    content: Callable[[pa.RecordBatch], list[Any]] | None = None
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

    def identities(self, rows: pa.RecordBatch) -> list[tuple[Any, Any]]:
        """Return what tells conversations apart, and their ids.

        Args:
            rows: of the default config.

        Returns:
            per row the conversation's content, or its id where the id tells; and the id. A row that
            is like no other is left out.
        """
        ids = rows[self.view_of(self.default).key[0]].to_pylist()
        told = ids if self.content is None else self.content(rows)
        return [pair for pair in zip(told, ids, strict=True) if pair[0] is not None]

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

    def describe_field(self, view: str, path: str) -> str:
        """Return what a field of a view is, in English; empty where nobody said.

        Args:
            path: the names from the outside in, joined by dots.
        """
        for name in (f"{view}.{path}", path, path.rpartition(".")[2]):
            if name in self.fields:
                return self.fields[name]
        return ""

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
