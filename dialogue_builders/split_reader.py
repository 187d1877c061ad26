"""One split of one config, ready to be read anywhere: raw pieces in, rows out.

A `SplitReader` is small and picklable. What it opens (look-ups, tables) is opened late and once per
process, and never travels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from dialogue_builders.raw_files import RawFile, require_unchanged
from dialogue_builders.raw_scan import ScannedFile, Window
from dialogue_builders.record_faults import RecordKind
from dialogue_builders.records import Batch, Notes, RawPiece, paused_collector, read_piece
from dialogue_builders.sources import Resource
from dialogue_builders.views import Prepared, View, record_batch


@dataclass
class SplitReader:
    """Everything that is needed to make the rows of one split of one view.

    Attributes:
        view, kind, options: what to make of which records.
        pieces: the whole split, in order.
        related: source → the kind of its records, and its files of this split.
        resources: name → how to load it, and its file (None where it is optional and absent).
        prepared: filled by `prepare`.
    """

    view: View
    kind: RecordKind
    options: Mapping[str, Any]
    pieces: tuple[RawPiece, ...]
    related: Mapping[str, tuple[RecordKind, tuple[ScannedFile, ...]]] = field(default_factory=dict)
    resources: Mapping[str, tuple[Resource, RawFile | None]] = field(default_factory=dict)
    prepared: Prepared | None = None

    def prepare(self) -> Prepared | None:
        """Let the view look at the whole split, once; None for a view that need not."""
        if self.view.prepare is not None and self.prepared is None:
            notes: Notes = Counter()
            batches = (batch for piece in self.pieces for batch in self._attach(piece, notes))
            self.prepared = self.view.prepare(batches, self.options)
        return self.prepared

    def rows(
        self, pieces: Iterable[RawPiece], schema: pa.Schema, notes: Notes
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield (the piece's number, rows) for some of the pieces, in order; no batch is empty.

        Raises:
            RecordError, RawFileError: as `records.read_piece`.
        """
        prepared = self.prepare()
        for number, piece in enumerate(pieces):
            for batch in self._attach(piece, notes):
                batch.prepared = prepared.value if prepared else None
                with paused_collector():
                    rows = record_batch(self.view, batch, self.options, schema)
                if rows.num_rows:
                    yield number, rows

    def _attach(self, piece: RawPiece, notes: Notes) -> Iterator[Batch]:
        """Yield a piece's batches with their related records and resources."""
        resources = {
            name: None if file is None else load_resource(resource, file)
            for name, (resource, file) in self.resources.items()
        }
        for batch in read_piece(piece, self.kind, notes):
            batch.resources = resources
            batch.related = {
                name: look_up(files, kind, batch.ids, notes)
                for name, (kind, files) in self.related.items()
            }
            yield batch


@lru_cache(maxsize=8)
def load_resource(resource: Resource, file: RawFile) -> Any:
    """Load a whole file, once per process and content."""
    require_unchanged(file)
    return resource.load(Path(file.path).read_bytes())


def look_up(
    files: tuple[ScannedFile, ...], kind: RecordKind, ids: Sequence[str], notes: Notes
) -> list[Any]:
    """Return the record of each id, None where no file has it.

    Related files mostly keep the order of the main one, so that a window serves many ids in a row.
    """
    records: list[Any] = []
    places = [(file, id_positions(file)) for file in files]
    for identity in ids:
        found = None
        for file, positions in places:
            number = positions.get(identity)
            if number is not None:
                window = window_of(file, number)
                found = decoded_window(file, window, kind)[number - window.first]
                break
        records.append(found)
    return records


@lru_cache(maxsize=16)
def id_positions(file: ScannedFile) -> dict[str, int]:
    """Return id → the record's number in its file."""
    return {identity: number for number, identity in enumerate(file.ids)}


def window_of(file: ScannedFile, number: int) -> Window:
    """Return the window that holds a record."""
    return file.windows[bisect_right(file.windows, number, key=lambda window: window.first) - 1]


@lru_cache(maxsize=4)
def decoded_window(file: ScannedFile, window: Window, kind: RecordKind) -> list[Any]:
    """Decode one window of a related file; its unknown fields are not counted again."""
    piece = RawPiece(
        "", file.file, file.shape, (window,), window.first, window.first + window.count
    )
    return [record for batch in read_piece(piece, kind, Counter()) for record in batch.records]
