"""A raw folder, opened for one corpus: every file is found and scanned once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from dialogue_builders.corpus import Corpus
from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.raw_diagnosis import place_of_record
from dialogue_builders.raw_files import RawFile, git_blob_id
from dialogue_builders.raw_scan import ScannedFile, has_repeated, repeated_id, scan
from dialogue_builders.record_faults import RecordKind
from dialogue_builders.records import Notes, RawPiece, cut_pieces
from dialogue_builders.sources import (
    find_all,
    find_files,
    is_pinned,
    name_of,
    open_raw_folder,
    place_of,
)
from dialogue_builders.split_reader import SplitReader
from dialogue_builders.views import Options, View

PIECES = 16


@dataclass
class RawFolder:
    """The raw files of one corpus in one folder.

    Attributes:
        corpus: what to look for.
        folder: where to look.
        scans: the files that were scanned so far.
    """

    corpus: Corpus
    folder: Path
    scans: dict[Path, ScannedFile] = field(default_factory=dict)

    @classmethod
    def open(cls, corpus: Corpus, data_dir: str | Path | None) -> RawFolder:
        """Open a raw folder; see `sources.open_raw_folder` for the errors."""
        corpus.require_raw_folder(data_dir)
        assert data_dir is not None
        return cls(corpus, open_raw_folder(data_dir))

    def scan_source(self, source_name: str, splits: Sequence[str]) -> dict[str, list[ScannedFile]]:
        """Scan the files of a raw source, split by split.

        Raises:
            RawFileError: a split without a file, or an unreadable file.
            RecordError: an unreadable record, or an id that stands twice in a split (in a file,
                where each file speaks of the same conversations).
        """
        source = self.corpus.sources[source_name]
        found = find_all(self.folder, source, splits, self.corpus.splits)
        scanned = {}
        for split, paths in found.items():
            for path in paths:
                if path not in self.scans:
                    name = name_of(path, self.folder)
                    self.scans[path] = scan(path, name, source.kind)
            scanned[split] = [self.scans[path] for path in paths]
            if source.ids_per_file:
                continue
            ids = [identity for file in scanned[split] for identity in file.ids]
            if has_repeated(ids):
                raise repeated_id(ids, name_of(paths[0].parent, self.folder))
        return scanned

    def main_source(self, view: View) -> str:
        """Return the source whose records a view reads in this folder."""
        source = self.corpus.sources[view.source]
        if view.instead and not any(find_files(self.folder, source, s) for s in self.corpus.splits):
            return view.instead
        return view.source

    def splits_there(self, view: View, splits: Sequence[str]) -> list[str]:
        """Return those of the splits for which a view has raw files.

        They are all of them, unless its source is a partial one.

        Raises:
            RawFileError: files are missing that can't be done without.
        """
        source = self.corpus.sources[self.main_source(view)]
        return list(find_all(self.folder, source, splits, self.corpus.splits))

    def reader(self, view: View, split: str, options: Options) -> SplitReader:
        """Return what makes the rows of one split of a view.

        The split is cut into `PIECES` runs of records: the shards of a stream from raw files.
        """
        source = self.corpus.sources[self.main_source(view)]
        files = self.scan_source(source.name, [split])[split]
        share = 1 if source.ids_per_file else max(1, PIECES // len(files))
        pieces: list[RawPiece] = []
        before = 0
        for file in files:
            pieces.extend(cut_pieces(file, split, share, before=before))
            before += file.count
        related = {name: self._related(view, name, split) for name in view.related}
        resources = {
            name: (self.corpus.resources[name], self.find_resource(name, name in view.optional))
            for name in view.resources
        }
        notes: Notes = Counter()
        if not source.partial:  # which need not speak of every conversation
            known = {identity for file in files for identity in file.ids}
            for kind, others in (related[name] for name in view.related_and_needed):
                stray = sum(identity not in known for file in others for identity in file.ids)
                note = f"{split}: a {kind.name} of no conversation in {source.name}; left out"
                notes += Counter({note: stray})
        return SplitReader(view, source.kind, options, tuple(pieces), related, resources, notes)

    def _related(
        self, view: View, name: str, split: str
    ) -> tuple[RecordKind, tuple[ScannedFile, ...]]:
        """Return the kind and the files of a source; no file where the view can do without."""
        source = self.corpus.sources[name]
        if name in view.optional and not find_files(self.folder, source, split):
            return source.kind, ()
        return source.kind, tuple(self.scan_source(name, [split])[split])

    def find_resource(self, name: str, optional: bool = False) -> RawFile | None:
        """Return a whole file; None where it is optional (in itself or to the view) and absent.

        Raises:
            RawFileError: it is required and absent.
        """
        resource = self.corpus.resources[name]
        path = self.folder / resource.path
        if not path.is_file():
            if resource.required and not optional:
                raise RawFileError(
                    f"the raw folder lacks {resource.path}", next_step=self.corpus.how_to_get
                )
            return None
        status = path.stat()
        return RawFile(
            str(path), resource.path, status.st_size, status.st_mtime_ns, git_blob_id(path)
        )

    def missing_for(self, view: View, splits: Sequence[str]) -> str | None:
        """Return why a view can't be built from this folder; None where it can."""
        try:
            splits = self.splits_there(view, splits)
            for name in view.related_and_needed:
                find_all(self.folder, self.corpus.sources[name], splits, self.corpus.splits)
            for name in view.resources:
                self.find_resource(name, name in view.optional)
        except RawFileError as error:
            return error.problem
        return None

    def require_no_overlap(self, source_name: str, splits: Sequence[str]) -> None:
        """Raise a RecordError where a conversation stands in two splits.

        A conversation is known by its id or, where the corpus says so, by its content.
        """
        by_content = self.corpus.content is not None
        owner: dict[Any, tuple[str, RawFile, str, int]] = {}
        for split, files in self.scan_source(source_name, splits).items():
            for file in files:
                told = file.contents if by_content else file.ids
                for number, (what, identity) in enumerate(zip(told, file.ids, strict=True)):
                    if not what:
                        continue
                    here = (split, file.file, identity, number)
                    first_split, first_file, first_id, first = owner.setdefault(what, here)
                    if first_split != split:
                        there = place_of_record(first_file, first, first_id)
                        raise RecordError(
                            f"this conversation also stands in {first_file.name}"
                            + (f", record {there}" if by_content else ""),
                            file=file.file.name,
                            record=place_of_record(file.file, number, identity),
                            next_step="a conversation may belong to one split only; remove one",
                        )

    def files_of(self, view: View, splits: Sequence[str]) -> list[tuple[str, str, RawFile]]:
        """List every file that a view reads, as (split or resource, usual path, file)."""
        splits = self.splits_there(view, splits)
        listed = []
        for name in dict.fromkeys((self.main_source(view), *view.related)):
            for split in splits:
                path = self.corpus.sources[name].usual_path(split)
                files = self._related(view, name, split)[1]
                # Where a split has many files, each has a pinned path of its own: its name.
                listed += [(split, f.file.name if "*" in path else path, f.file) for f in files]
        for name in view.resources:
            file = self.find_resource(name, name in view.optional)
            if file is not None:
                listed.append((name, self.corpus.resources[name].path, file))
        return listed

    def is_pinned(self, view: View, splits: Sequence[str]) -> bool:
        """Whether every file that a view reads is the pinned upstream file."""
        return all(
            is_pinned(file.git_blob, [path], self.corpus.pins)
            for _, path, file in self.files_of(view, splits)
        )

    def restrictions(self, view: View, splits: Sequence[str]) -> set[str]:
        """Return why files that a view reads may not be published, one line per reason."""
        reasons = set()
        for name in (*view.related, self.main_source(view)):
            for place, why in self.corpus.sources[name].restricted.items():
                for split in self.splits_there(view, splits):
                    files = self._related(view, name, split)[1]
                    if any(file.file.name.startswith(place_of(place, split)) for file in files):
                        reasons.add(why)
        return reasons

    def fingerprint(self, view: View, splits: Sequence[str]) -> str:
        """Return a digest of raw content and code: what a cache entry depends on besides options.

        Returns:
            64 hexadecimal digits (SHA-256).
        """
        listed = self.files_of(view, splits)
        return fingerprint(self.corpus, view, ((*place, file.git_blob) for *place, file in listed))


def fingerprint(corpus: Corpus, view: View, files: Iterable[Iterable[str]]) -> str:
    """Return a digest of code and raw content, given as (split or resource, path, Git blob id)."""
    head = f"{corpus.name} {corpus.version} {view.name} {code_fingerprint(corpus)}"
    digest = hashlib.sha256(head.encode())
    for file in files:
        digest.update(f"\n{' '.join(file)}".encode())
    return digest.hexdigest()


def code_fingerprint(corpus: Corpus) -> str:
    """Return a digest of the engine's and the dataset's code, so that a change is noticed."""
    return _package_fingerprint("dialogue_builders") + _package_fingerprint(corpus.name)


@lru_cache(maxsize=16)
def _package_fingerprint(package: str) -> str:
    try:
        module_file = import_module(package).__file__
    except ModuleNotFoundError:  # a corpus that was made in place, as tests do
        return package
    digest = hashlib.sha256()
    for file in sorted(Path(module_file or "").parent.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
