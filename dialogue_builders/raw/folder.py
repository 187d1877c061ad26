"""A raw folder, opened for one corpus: every file is found and scanned once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.hashing import git_blob_id
from dialogue_builders.raw.files import RawFile
from dialogue_builders.raw.find import (
    RawListing,
    enter_outer_folders,
    explain_missing,
    find_files,
    open_raw_folder,
)
from dialogue_builders.raw.release import distinctive_paths, one_release, recognise_release
from dialogue_builders.raw.scan import ScannedFile, has_repeated, repeated_id, scan
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.source import RawSource


@dataclass
class RawFolder:
    """The raw files of one corpus in one folder; what was looked up once is remembered.

    Attributes:
        corpus: what to look for, in the release that the files are of.
        listing: what lies in the folder.
        declared: the corpus as it is declared, which knows all releases.
        release: the one that the files are of; None where their content does not tell.
    """

    corpus: Corpus
    listing: RawListing
    declared: Corpus
    release: str | None = None
    _found: dict[tuple[str, str], list[Path]] = field(default_factory=dict)
    _scanned: dict[Path, ScannedFile] = field(default_factory=dict)
    _resources: dict[str, RawFile | None] = field(default_factory=dict)
    _without_overlap: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    @classmethod
    def open(
        cls,
        corpus: Corpus,
        data_dir: str | Path | None,
        release: str | None = None,
        *,
        enter: bool = True,
    ) -> RawFolder:
        """Open a raw folder, and tell by its files which release they are of.

        Args:
            release: the one that is wanted; None for any.
            enter: whether raw files may also lie in a folder inside of this one.

        Raises:
            RawFileError: files of several releases, or of another one than is wanted; and as
                `find.open_raw_folder`.
        """
        folder = cls.unrecognised(corpus, data_dir, enter=enter)
        folder.release = recognise_release(corpus, folder.locate_all(distinctive_paths(corpus)))
        if None not in (release, folder.release) and folder.release != release:
            raise RawFileError(
                f"the raw folder holds files of {folder.release}, not of {release}",
                next_step=f"use another folder for {release}, or ask for {folder.release}",
            )
        folder.corpus = corpus.of_release(folder.release or release)
        return folder

    @classmethod
    def unrecognised(
        cls, corpus: Corpus, data_dir: str | Path | None, *, enter: bool = True
    ) -> RawFolder:
        """Open a raw folder, whatever its files are of.

        Raises:
            RawFileError: as `find.open_raw_folder` and `find.enter_outer_folders`.
        """
        corpus.require_raw_folder(data_dir)
        assert data_dir is not None
        path = open_raw_folder(data_dir)
        if enter:
            listings: dict[Path, RawListing] = {}  # what is looked at here is not read again
            holds = partial(_holds_raw_files, corpus, listings)
            path = enter_outer_folders(path, holds)
            return cls(corpus, listings[path], corpus)
        return cls(corpus, RawListing(path), corpus)

    def locate_all(self, upstream_paths: Sequence[str]) -> dict[str, Path]:
        """Return where files lie, for those that are there once."""
        located = {}
        for upstream_path in upstream_paths:
            try:
                path = self.locate(upstream_path)
            except RawFileError:
                continue  # whoever needs the file says that it is there twice
            if path is not None:
                located[upstream_path] = path
        return located

    def require_one_release(self, files: Mapping[str, str]) -> None:
        """Raise a RawFileError where files that were scanned are of another release than others.

        Opening the folder did not read every file; see `release.recognise_release`.

        Args:
            files: upstream's path → Git blob id.
        """
        found = one_release(self.declared, files)
        if None not in (found, self.release) and found != self.release:
            raise RawFileError(
                f"the raw folder holds files of {self.release} and of {found}",
                next_step="give each release a folder of its own; `dialogue-builders verify "
                f"{self.corpus.name} --data-dir DIR` tells the release of every file",
            )

    def find(self, source: RawSource, split: str) -> list[Path]:
        """Return the raw files of one split of a source; see `find.find_files`."""
        key = (source.name, split)
        if key not in self._found:
            self._found[key] = find_files(self.listing, source, split)
        return self._found[key]

    def splits_with_files(self, source: RawSource, splits: Sequence[str]) -> tuple[str, ...]:
        """Return those of the splits that have raw files: all of them, unless some may lack.

        Raises:
            RawFileError: a split has no file (where splits may lack: none has); all are named.
        """
        present = tuple(split for split in splits if self.find(source, split))
        missing = [split for split in splits if split not in present]
        if missing and not (source.may_lack_splits and present):
            anywhere = [split for split in self.corpus.splits if self.find(source, split)]
            raise explain_missing(self.listing, source, missing, anywhere)
        return present

    def has_files(self, source: RawSource) -> bool:
        """Whether any split of a source has a raw file."""
        return any(self.find(source, split) for split in self.corpus.splits)

    def find_resource(self, name: str, *, optional: bool) -> RawFile | None:
        """Return a whole file; None where it is optional (in itself or to the view) and absent.

        Raises:
            RawFileError: it is required and absent.
        """
        resource = self.corpus.resources[name]
        if name not in self._resources:
            path = self.listing.folder / resource.path
            is_there = self.listing.is_file(path)
            self._resources[name] = _identify(path, resource.path) if is_there else None
        file = self._resources[name]
        if file is None and resource.required and not optional:
            raise RawFileError(
                f"the raw folder lacks {resource.path}", next_step=self.corpus.how_to_get
            )
        return file

    def locate(self, upstream_path: str) -> Path | None:
        """Return where the file of an upstream path lies; None where it is absent.

        That is under this path, or at another place where a build would find it.

        Raises:
            RawFileError: it lies there twice.
        """
        path = self.listing.folder / upstream_path
        if self.listing.is_file(path):
            return path
        for source in self.corpus.sources.values():
            # Where the first match wins, the places hold different files.
            if not source.first_match_wins:
                for split in self.corpus.splits:
                    if source.upstream_path(split) == upstream_path:
                        return next(iter(self.find(source, split)), None)
        return None

    def scan(self, source: RawSource, split: str) -> tuple[ScannedFile, ...]:
        """Scan the files of one split of a source; none where it has none.

        Raises:
            RawFileError: an unreadable file.
            RecordError: an unreadable record, or an id that stands twice in the split (in a file,
                where each file speaks of the same conversations).
        """
        paths = self.find(source, split)
        new = [path for path in paths if path not in self._scanned]
        for path in new:
            self._scanned[path] = scan(path, self.listing.name_of(path), source)
        files = tuple(self._scanned[path] for path in paths)
        if new and len(files) > 1 and not source.one_shard_per_file:
            ids = [identity for file in files for identity in file.ids]
            if has_repeated(ids):
                raise repeated_id(ids, self.listing.name_of(paths[0].parent))
        if new:
            _require_own_ids(files, split, source.record_type.filled_id)
        return files

    def require_no_overlap(self, source: RawSource, splits: tuple[str, ...]) -> None:
        """Raise a RecordError where a conversation stands in two splits.

        A conversation is known by its id or, where the corpus says so, by its content.
        """
        if (source.name, splits) in self._without_overlap:
            return
        by_content = self.corpus.conversation_digest is not None
        owner: dict[Any, tuple[str, ScannedFile, str, int]] = {}
        for split in splits:
            for file in self.scan(source, split):
                digests = file.digests if by_content else file.ids
                for number, (digest, identity) in enumerate(zip(digests, file.ids, strict=True)):
                    if not digest:
                        continue
                    here = (split, file, identity, number)
                    other = owner.setdefault(digest, here)
                    if other[0] != split:
                        raise _explain_overlap(here, other, by_content=by_content)
        self._without_overlap.add((source.name, splits))


def _holds_raw_files(corpus: Corpus, listings: dict[Path, RawListing], folder: Path) -> bool:
    """Whether a folder holds a raw file of a corpus, at one of the places where it may lie."""
    listing = listings.setdefault(folder, RawListing(folder))
    if any(listing.is_file(folder / resource.path) for resource in corpus.resources.values()):
        return True
    try:
        return any(
            find_files(listing, source, split)
            for source in corpus.sources.values()
            for split in corpus.splits
        )
    except RawFileError:
        return True  # a file that lies there twice; whoever needs it says so


def _require_own_ids(
    files: Sequence[ScannedFile], split: str, filled_id: Callable[[str, int], str] | None
) -> None:
    """Raise a RecordError where a record without an id would get one that another record has."""
    places = [(file, n, identity) for file in files for n, identity in enumerate(file.ids)]
    owners = {identity: (file, n) for file, n, identity in places if identity}
    if filled_id is None or len(owners) == len(places):
        return
    for position, (file, number, identity) in enumerate(places):
        filled = filled_id(split, position)
        if not identity and filled in owners:
            owner, owner_number = owners[filled]
            raise RecordError(
                f"this id is also the one that record {file.format.place(file.file, number, '')} "
                f"of {file.file.name} gets, which has none",
                file=owner.file.name,
                record=owner.format.place(owner.file, owner_number, filled),
                field="id",
                next_step="give that record an id of its own, or this one another",
            )


def _explain_overlap(
    here: tuple[str, ScannedFile, str, int],
    other: tuple[str, ScannedFile, str, int],
    *,
    by_content: bool,
) -> RecordError:
    (_, file, identity, number), (_, first_file, first_id, first_number) = here, other
    first_place = first_file.format.place(first_file.file, first_number, first_id)
    return RecordError(
        f"this conversation also stands in {first_file.file.name}"
        + (f", record {first_place}" if by_content else ""),
        file=file.file.name,
        record=file.format.place(file.file, number, identity),
        next_step="a conversation may belong to one split only; remove one",
    )


def _identify(path: Path, name: str) -> RawFile:
    status = path.stat()
    return RawFile(str(path), name, status.st_size, status.st_mtime_ns, git_blob_id(path))
