"""A view resolved against a raw folder: what it reads there, and what it refuses.

Whoever makes rows (a build, the builder class, a stream) or a cache key asks this one object, so
that all of them give the same rows or the same refusal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dialogue_builders.raw.decode import read_range
from dialogue_builders.raw.files import RawFile
from dialogue_builders.raw.fingerprint import fingerprint
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.ranges import RecordRange, cut_ranges
from dialogue_builders.raw.scan import ScannedFile
from dialogue_builders.raw.split_reader import Lookup, SplitReader
from dialogue_builders.raw.verify import is_pinned
from dialogue_builders.spec.batch import Notes
from dialogue_builders.spec.source import RawSource
from dialogue_builders.spec.view import Options, View

RANGES = 16
"""How many ranges a split is cut into: the shards of a stream from raw files."""


@dataclass(frozen=True)
class ResolvedView:
    """One view with its raw files.

    Attributes:
        view: what is made.
        folder: where its files are.
        source: the source whose records it reads there.
        splits: those that have files, in the order in which they were asked for.
        absent: those that were asked for and have none, which the source allows.
        resources: name → the whole file; None where it is optional and absent.
    """

    view: View
    folder: RawFolder
    source: RawSource
    splits: tuple[str, ...]
    absent: tuple[str, ...]
    resources: Mapping[str, RawFile | None]

    def readers(self, options: Options) -> dict[str, SplitReader]:
        """Return what makes the rows of each split.

        Raises:
            RawFileError: an unreadable file, or files of several releases.
            RecordError: an unreadable record, an id that stands twice in a split, or a conversation
                that stands in two.
        """
        self.folder.require_one_release({path: file.git_blob for _, path, file in self.files})
        self.folder.require_no_overlap(self.source, self.splits)
        return {split: self._reader(split, options) for split in self.splits}

    def _reader(self, split: str, options: Options) -> SplitReader:
        files = self.folder.scan(self.source, split)
        share = 1 if self.source.one_shard_per_file else max(1, RANGES // len(files))
        ranges: list[RecordRange] = []
        before = 0
        for file in files:
            ranges.extend(cut_ranges(file, split, share, before=before))
            before += file.count
        lookups = {
            name: Lookup(self.folder.corpus.sources[name].record_type, self._lookup(name, split))
            for name in self.view.lookups
        }
        return SplitReader(
            view=self.view,
            record_type=self.source.record_type,
            options=options,
            ranges=tuple(ranges),
            lookups=lookups,
            resources={
                name: (self.folder.corpus.resources[name], file)
                for name, file in self.resources.items()
            },
            notes=self._stray_notes(split, files, lookups),
        )

    def _lookup(self, name: str, split: str) -> tuple[ScannedFile, ...]:
        return self.folder.scan(self.folder.corpus.sources[name], split)

    def _stray_notes(
        self, split: str, files: Sequence[ScannedFile], lookups: Mapping[str, Lookup]
    ) -> Notes:
        """Count the records of look-ups that belong to no conversation; each id once."""
        notes: Notes = Counter()
        if self.source.may_lack_splits:  # which need not speak of every conversation
            return notes
        known = {identity for file in files for identity in file.ids}
        stray: dict[str, set[str]] = {}
        for lookup in lookups.values():
            ids = {identity for file in lookup.files for identity in file.ids}
            stray.setdefault(lookup.record_type.name, set()).update(ids - known)
        for what, ids in stray.items():
            note = f"{split}: a {what} of no conversation in {self.source.name}; left out"
            notes += Counter({note: len(ids)})
        return notes

    @cached_property
    def files(self) -> tuple[tuple[str, str, RawFile], ...]:
        """Every file that is read: (split or resource, path that upstream gives it, file)."""
        listed = []
        for name in dict.fromkeys((self.source.name, *self.view.lookups)):
            for split in self.splits:
                path = self.folder.corpus.sources[name].upstream_path(split)
                # Where a split has many files, each has a pinned path of its own: its name.
                listed += [
                    (split, scanned.file.name if "*" in path else path, scanned.file)
                    for scanned in self._lookup(name, split)
                ]
        for name, file in self.resources.items():
            if file is not None:
                listed.append((name, self.folder.corpus.resources[name].path, file))
        return tuple(listed)

    @property
    def is_pinned(self) -> bool:
        """Whether every file that is read is the pinned upstream file."""
        pins = self.folder.corpus.pins
        return all(is_pinned(file.git_blob, path, pins) for _, path, file in self.files)

    @cached_property
    def fingerprint(self) -> str:
        """What a cache entry depends on besides options: SHA-256 of raw content and code."""
        files = ((*place, file.git_blob) for *place, file in self.files)
        return fingerprint(self.folder.corpus, self.view, files)


def resolve_view(folder: RawFolder, view: View, splits: Sequence[str]) -> ResolvedView:
    """Look a view's files up in a raw folder.

    Args:
        splits: the raw splits that are wanted.

    Raises:
        RawFileError: files are missing that can't be done without.
    """
    sources = folder.corpus.sources
    source = sources[view.source]
    if view.fallback_source is not None and not folder.has_files(source):
        source = sources[view.fallback_source]
    present = folder.splits_with_files(source, splits)
    for name in view.required_lookups:
        folder.splits_with_files(sources[name], present)
    resources = {name: _find_resource(folder, view, name, present) for name in view.resources}
    absent = tuple(split for split in splits if split not in present)
    return ResolvedView(view, folder, source, present, absent, resources)


def _find_resource(
    folder: RawFolder, view: View, name: str, splits: Sequence[str]
) -> RawFile | None:
    file = folder.find_resource(name, optional=True)
    if file is None and name not in view.optional_inputs:
        spared_by = folder.corpus.resources[name].spared_by
        if spared_by is None or not _holds_for_all(folder, splits, *spared_by):
            folder.find_resource(name, optional=False)  # raises where it is required
    return file


def _holds_for_all(
    folder: RawFolder, splits: Sequence[str], source_name: str, holds: Callable[[Any], bool]
) -> bool:
    """Whether something is true of all records of a source in some splits."""
    source = folder.corpus.sources[source_name]
    ranges = (
        part
        for split in splits
        for file in folder.scan(source, split)
        for part in cut_ranges(file, split, 1, before=0)
    )
    return all(
        holds(record)
        for part in ranges
        for batch in read_range(part, source.record_type, Counter())
        for record in batch.records
    )
