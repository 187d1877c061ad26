"""A corpus as data: everything the engine has to know of one dataset, in one object.

It imports neither `datasets` nor the raw data, so that listing, help and verification stay instant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from dialogue_builders.errors import DeclarationError, RawFileError, nearest, unknown_name
from dialogue_builders.spec.counting import HistogramSpec, RowCounters, Statistic
from dialogue_builders.spec.release import Release
from dialogue_builders.spec.source import Pin, RawSource, Resource
from dialogue_builders.spec.view import Alias, View

Problem = tuple[str, str, str]
"""What is wrong with a declaration: the field, the problem, the remedy."""


# Compared by identity: a corpus is declared once, and serves as a key.
@dataclass(frozen=True, eq=False)
class Corpus:
    """What a dataset declares in its `corpus` module.

    Attributes:
        name: the name under which it loads; also that of its entry point.
        title, summary: for people.
        version: of the views' meaning (`1.2.3`); a new one makes every cache entry new.
        splits: all splits, in their order.
        views, aliases: its configs.
        default: the config that is meant where none is named.
        sources: raw sources by name.
        pins: upstream files; those of `sources` decide whether a folder was built from them.
        upstream: the pinned repository and commit, for people.
        release: the name of the release that is pinned, where upstream has several.
        releases: the others; see `of_release`.
        upstream_is_public: whether anybody can look at upstream's files. Where not, nothing is
            pinned, and nothing but figures can tell whether files are the published ones.
        license: the Hub's identifier of the data's license.
        license_note: the license in words, layer by layer.
        license_name, license_link: where `license` is `other`: the Hub asks for both.
        languages, task_categories, tags: for the card's front matter, in the Hub's terms.
        homepage, paper, citation: of the authors.
        sample: path → bytes of an invented sample in the exact raw format.
        counters: groups of counters for `statistics`; the groups' counts are put together.
        statistics: the published table.
        published_beside: whether the published values stand beside what was measured in full; else
            only those that differ are told.
        published_rows: view → split → rows, for folders built from the pinned files.
        how_to_get: what to do to get the raw files.
        download_url: the address below which the pinned paths lie, but for pins that have their
            own; None where they can't be downloaded.
        resources: files that are read as a whole, by name.
        terms: the conditions in words, where the data may be published only by somebody who has
            accepted them; a push is then private unless that is said. None where it is free.
        fields: what each field of the configs is, for people. A field is looked up as
            `view.path`, as its path (`content.message`), and by its last name.
        histograms: what the card counts beyond the published table, and `--figures` draws.
        shards: split → how many Parquet files it is built into; 1 for the others.
        translations: language → English text → text: the summaries, fields, statistics and
            histograms above, and the notes of a build, for the cards in other languages. A text
            with `{names}` translates every line of its form.
        conversation_digest: what makes a conversation the same one, where ids do not tell (they may
            restart in each split): rows of the default config → something hashable for each of
            them, or None for a row that is like no other. Of raw records the record type's
            `identity` tells the same. None where the id tells.
        package: the import name of the package that holds the declaration: its code is part of the
            cache key, and its cards lie in it. None where it is the corpus's name.

    Raises:
        DeclarationError: the first thing that is missing or contradicts another, with the remedy.
    """

    name: str
    title: str
    summary: str
    version: str
    splits: tuple[str, ...]
    views: tuple[View, ...]
    default: str
    sources: Mapping[str, RawSource]
    upstream: str
    license: str
    license_note: str
    languages: tuple[str, ...]
    homepage: str
    citation: str
    sample: Callable[[], Mapping[str, bytes]]
    how_to_get: str
    fields: Mapping[str, str]
    aliases: tuple[Alias, ...] = ()
    pins: Mapping[str, Pin] = field(default_factory=dict)
    release: str | None = None
    releases: tuple[Release, ...] = ()
    upstream_is_public: bool = True
    task_categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paper: str = ""
    counters: tuple[RowCounters, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    published_beside: bool = False
    published_rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    download_url: str | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    license_name: str | None = None
    license_link: str | None = None
    terms: str | None = None
    histograms: tuple[HistogramSpec, ...] = ()
    shards: Mapping[str, int] = field(default_factory=dict)
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    conversation_digest: Callable[[pa.RecordBatch], list[Any]] | None = None
    package: str | None = None

    def __post_init__(self) -> None:
        self._raise_first(_problems(self))

    def require_described_fields(self) -> None:
        """Raise a DeclarationError for a field of a view that nobody has described.

        Not part of making a corpus, because a view's features need the `datasets` library, and
        listing names must not. The builder asks when its class is made.
        """
        self._raise_first(_undescribed(self))

    def _raise_first(self, problems: Iterator[Problem]) -> None:
        for field_name, problem, remedy in problems:
            raise DeclarationError(
                problem, file=f"corpus {self.name}", field=field_name, next_step=remedy
            )

    @property
    def download_urls(self) -> tuple[str, ...]:
        """Every address below which pinned files lie, the corpus's own first."""
        if self.download_url is None:
            return ()
        own = (pin.base_url for pin in self.pins.values())
        return tuple(dict.fromkeys((self.download_url, *filter(None, own))))

    @cached_property
    def pins_by_release(self) -> dict[str, Mapping[str, Pin]]:
        """Each release's pins, the default one's first; empty where there is but one."""
        if self.release is None:
            return {}
        return {self.release: self.pins, **{r.name: r.pins for r in self.releases}}

    @cached_property
    def _by_release(self) -> dict[str | None, Corpus]:
        return {self.release: self, **{r.name: _of_release(self, r) for r in self.releases}}

    def of_release(self, name: str | None) -> Corpus:
        """Return the corpus as a release has it: its files, figures and address; None for this one.

        Raises:
            UnknownNameError: there is no such release.
        """
        if name is None:
            return self
        if name not in self._by_release:
            raise unknown_name("release", name, [known for known in self._by_release if known])
        return self._by_release[name]

    @property
    def package_name(self) -> str:
        """The import name of the package that holds the declaration."""
        return self.package or self.name

    @cached_property
    def _configs(self) -> dict[str, View | Alias]:
        configs: tuple[View | Alias, ...] = (*self.views, *self.aliases)
        return {config.name: config for config in configs}

    @property
    def config_names(self) -> tuple[str, ...]:
        """All configs: the views, then the aliases."""
        return tuple(self._configs)

    def config(self, name: str) -> View | Alias:
        """Return a view or an alias by its name.

        Raises:
            UnknownNameError: there is no such config; the nearest one is suggested.
        """
        try:
            return self._configs[name]
        except KeyError:
            raise unknown_name("config", name, self.config_names) from None

    def identities(self, rows: pa.RecordBatch) -> list[tuple[Any, Any]]:
        """Return what tells conversations apart, and their ids.

        Args:
            rows: of the default config.

        Returns:
            per row the conversation's digest, or its id where the id tells; and the id. A row that
            is like no other is left out.
        """
        ids = rows[self.view_of(self.default).id_column].to_pylist()
        digests = ids if self.conversation_digest is None else self.conversation_digest(rows)
        return [pair for pair in zip(digests, ids, strict=True) if pair[0] is not None]

    def view_of(self, name: str) -> View:
        """Return the view whose rows a config shows: itself, or the one behind an alias."""
        config = self.config(name)
        return self.view_of(config.view) if isinstance(config, Alias) else config

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


def _of_release(corpus: Corpus, release: Release) -> Corpus:
    """Return a corpus in another release; what that release does not have, nothing needs."""
    resources = {
        name: replace(resource, required=resource.required and resource.path in release.pins)
        for name, resource in corpus.resources.items()
    }
    return replace(
        corpus,
        release=release.name,
        releases=(),
        upstream=release.upstream,
        pins=release.pins,
        resources=resources,
        download_url=release.download_url,
        statistics=release.statistics,
        published_rows=release.published_rows,
    )


def _problems(corpus: Corpus) -> Iterator[Problem]:
    """Yield what is wrong with a declaration, beyond what its parts say of themselves."""
    if not corpus.name.isidentifier():
        yield "name", f"can't be {corpus.name!r}", "give a name of letters, digits and underscores"
    if not re.fullmatch(r"\d+\.\d+\.\d+", corpus.version):
        yield "version", f"can't be {corpus.version!r}", "give three numbers, such as 1.0.0"
    for name in ("title", "summary", "upstream", "license", "license_note", "how_to_get"):
        if not getattr(corpus, name):
            yield name, "is empty", "say it in a few words; cards and messages show it"
    if corpus.license == "other":
        for name in ("license_name", "license_link"):
            if not getattr(corpus, name):
                yield name, "is missing, and the license is 'other'", "give it: the Hub asks for it"
    for name, values in (("splits", corpus.splits), ("views", corpus.views)):
        if not values:
            yield name, "is empty", "declare at least one"
    yield from _repeated("splits", corpus.splits)
    names = [view.name for view in corpus.views] + [alias.name for alias in corpus.aliases]
    yield from _repeated("views and aliases", names)
    yield from _unknown("default", [corpus.default], names, "config")
    if corpus.pins and not corpus.upstream_is_public:
        yield "pins", "name files of an upstream that is not public", "say upstream_is_public=True"
    if corpus.releases and corpus.release is None:
        yield "release", "is missing, and there are other releases", "name the one that is pinned"
    releases = [name for name in (corpus.release, *(r.name for r in corpus.releases)) if name]
    yield from _repeated("releases", releases)
    for resource in corpus.resources.values():
        if resource.spared_by is not None:
            source = [resource.spared_by[0]]
            yield from _unknown(f"resources.{resource.name}", source, corpus.sources, "raw source")
    for attribute in ("sources", "resources"):
        for key, value in getattr(corpus, attribute).items():
            if key != value.name:
                yield attribute, f"has {value.name} under the name {key}", "use one name for both"
    yield from _view_problems(corpus)
    yield from _count_problems(corpus)


def _view_problems(corpus: Corpus) -> Iterator[Problem]:
    for view in corpus.views:
        place = f"views.{view.name}"
        sources = [view.source, *view.lookups, *filter(None, [view.fallback_source])]
        yield from _unknown(f"{place}.source", sources, corpus.sources, "raw source")
        yield from _unknown(f"{place}.resources", view.resources, corpus.resources, "resource")
        yield from _unknown(f"{place}.splits", view.splits or (), corpus.splits, "split")
        if view.annotation is not None:
            own = [name for name in view.annotation.to if "/" not in name]
            known = [other.name for other in corpus.views]
            yield from _unknown(f"{place}.annotation", own, known, "view")
    views = {view.name: view for view in corpus.views}
    for alias in corpus.aliases:
        place = f"aliases.{alias.name}"
        yield from _unknown(f"{place}.view", [alias.view], views, "view")
        if alias.view in views:
            splits = views[alias.view].splits or corpus.splits
            yield from _unknown(f"{place}.splits", alias.splits.values(), splits, "split")


def _count_problems(corpus: Corpus) -> Iterator[Problem]:
    views = [view.name for view in corpus.views]
    for counters in corpus.counters:
        yield from _unknown("counters", counters, views, "view")
    for spec in corpus.histograms:
        yield from _unknown(f"histograms.{spec.name}", spec.counters, views, "view")
        if spec.threshold is not None:
            yield from _unknown(f"histograms.{spec.name}", [spec.threshold.view], views, "view")
            names = [
                o.name for v in corpus.views if v.name == spec.threshold.view for o in v.options
            ]
            yield from _unknown(f"histograms.{spec.name}", [spec.threshold.option], names, "option")
    yield from _unknown("published_rows", corpus.published_rows, views, "view")
    yield from _unknown("shards", corpus.shards, corpus.splits, "split")
    if any(count < 1 for count in corpus.shards.values()):
        yield "shards", "has a number below 1", "give the number of files of each large split"
    if corpus.statistics and not corpus.counters:
        yield "counters", "is empty, and there are statistics", "say how rows are counted"


def _unknown(
    field_name: str, names: Collection[str], known: Collection[str], what: str
) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            hint = nearest(name, known)
            remedy = f"did you mean {hint!r}?" if hint else f"declare that {what} too"
            yield field_name, f"names the {what} {name!r}, which is not declared", remedy


def _repeated(field_name: str, names: Collection[str]) -> Iterator[Problem]:
    for name in dict.fromkeys(names):
        if list(names).count(name) > 1:
            yield field_name, f"holds the name {name!r} twice", "rename one of the two"


def _undescribed(corpus: Corpus) -> Iterator[Problem]:
    for view in corpus.views:
        for path in leaf_paths(dict(view.features())):
            if not corpus.describe_field(view.name, path):
                yield (
                    "fields",
                    f"says nothing of the field {path} of {view.name}",
                    f"describe it as {view.name}.{path}, as {path}, or by its last name",
                )


def leaf_paths(features: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of every field that holds no fields itself, names joined by dots."""
    for name, kind in features.items():
        while hasattr(kind, "feature"):
            kind = kind.feature
        if isinstance(kind, Mapping):
            yield from leaf_paths(kind, f"{path}{name}.")
        else:
            yield f"{path}{name}"
