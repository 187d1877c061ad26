"""A raw folder, opened for one corpus: every file is found and scanned once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from dialogue_builders.corpus import Corpus
from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.raw_files import RawFile, git_blob_id
from dialogue_builders.raw_scan import ScannedFile, repeated_id, scan
from dialogue_builders.records import cut_pieces
from dialogue_builders.sources import find_all, is_pinned, name_of, open_raw_folder
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
            RecordError: an unreadable record, or an id that stands twice in a split.
        """
        source = self.corpus.sources[source_name]
        found = find_all(self.folder, source, splits, self.corpus.splits)
        scanned = {}
        for split, paths in found.items():
            for path in paths:
                if path not in self.scans:
                    name = name_of(path, self.folder)
                    self.scans[path] = scan(path, name, keyed=source.kind.keyed)
            scanned[split] = [self.scans[path] for path in paths]
            ids = [identity for file in scanned[split] for identity in file.ids]
            if len(set(ids)) != len(ids):
                raise repeated_id(ids, name_of(paths[0].parent, self.folder))
        return scanned

    def reader(self, view: View, split: str, options: Options) -> SplitReader:
        """Return what makes the rows of one split of a view.

        The split is cut into `PIECES` runs of records: the shards of a stream from raw files.
        """
        pieces = []
        for file in self.scan_source(view.source, [split])[split]:
            share = PIECES // len(self.scan_source(view.source, [split])[split])
            pieces.extend(cut_pieces(file, split, max(1, share)))
        sources = self.corpus.sources
        return SplitReader(
            view,
            sources[view.source].kind,
            options,
            tuple(pieces),
            {
                name: (sources[name].kind, tuple(self.scan_source(name, [split])[split]))
                for name in view.related
            },
            {
                name: (self.corpus.resources[name], self.find_resource(name))
                for name in view.resources
            },
        )

    def find_resource(self, name: str) -> RawFile | None:
        """Return a whole file; None where it is optional and absent.

        Raises:
            RawFileError: it is required and absent.
        """
        resource = self.corpus.resources[name]
        path = self.folder / resource.path
        if not path.is_file():
            if resource.required:
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
            for name in (view.source, *view.related):
                find_all(self.folder, self.corpus.sources[name], splits, self.corpus.splits)
            for name in view.resources:
                self.find_resource(name)
        except RawFileError as error:
            return error.problem
        return None

    def require_no_overlap(self, source_name: str, splits: Sequence[str]) -> None:
        """Raise a RecordError where a conversation stands in two splits."""
        owner: dict[str, ScannedFile] = {}
        for files in self.scan_source(source_name, splits).values():
            for file in files:
                for identity in file.ids:
                    if identity in owner and owner[identity] is not file:
                        raise RecordError(
                            f"this conversation also stands in {owner[identity].file.name}",
                            file=file.file.name,
                            record=identity,
                            next_step="a conversation may belong to one split only; remove one",
                        )
                    owner[identity] = file

    def files_of(self, view: View, splits: Sequence[str]) -> list[tuple[str, str, RawFile]]:
        """List every file that a view reads, as (split or resource, usual path, file)."""
        listed = [
            (split, self.corpus.sources[name].usual_path(split), file.file)
            for name in (view.source, *view.related)
            for split, files in self.scan_source(name, splits).items()
            for file in files
        ]
        for name in view.resources:
            file = self.find_resource(name)
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
        for name in (*view.related, view.source):
            for place, why in self.corpus.sources[name].restricted.items():
                for split, files in self.scan_source(name, splits).items():
                    prefix = place.format(split=split)
                    if any(file.file.name.startswith(prefix) for file in files):
                        reasons.add(why)
        return reasons

    def fingerprint(self, view: View, splits: Sequence[str]) -> str:
        """Return a digest of raw content and code: what a cache entry depends on besides options.

        Returns:
            64 hexadecimal digits (SHA-256).
        """
        corpus = self.corpus
        head = f"{corpus.name} {corpus.version} {view.name} {code_fingerprint(corpus)}"
        digest = hashlib.sha256(head.encode())
        for label, _, file in self.files_of(view, splits):
            digest.update(f"\n{label} {file.git_blob}".encode())
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
