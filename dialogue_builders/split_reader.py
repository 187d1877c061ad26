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

import msgspec
import pyarrow as pa

from dialogue_builders.errors import RawFileError
from dialogue_builders.raw_files import RawFile, require_unchanged
from dialogue_builders.raw_scan import ScannedFile
from dialogue_builders.raw_windows import Shape, Window
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
        related: source → the kind of its records, and its files of this split (none where it is
            optional and absent).
        resources: name → how to load it, and its file (None where it is optional and absent).
        notes: what was noticed in the split's files as a whole, with how often.
        prepared: filled by `prepare`.
    """

    view: View
    kind: RecordKind
    options: Mapping[str, Any]
    pieces: tuple[RawPiece, ...]
    related: Mapping[str, tuple[RecordKind, tuple[ScannedFile, ...]]] = field(default_factory=dict)
    resources: Mapping[str, tuple[Resource, RawFile | None]] = field(default_factory=dict)
    notes: Notes = field(default_factory=Counter)
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
            found: dict[tuple[RawFile, ...], list[Any]] = {}
            related = {}
            for name, (kind, files) in self.related.items():
                key = tuple(file.file for file in files)
                # Two sources may mean the same files; what is tolerated there is then counted once.
                if key not in found:
                    found[key] = look_up(files, kind, batch.ids, notes)
                related[name] = found[key]
            batch.related = related
            yield batch


def prepare_splits(view: View, readers: Mapping[str, SplitReader]) -> list[str]:
    """Let a view look at all splits before the first row of any of them.

    Args:
        readers: split → what makes its rows.

    Returns:
        the lines worth telling, each with its split's name.

    Raises:
        DialogueBuildersError: a split does not tell what the view needs, or two contradict.
    """
    if view.prepare is None:
        return []
    prepared = {split: reader.prepare() for split, reader in readers.items()}
    found = {split: value for split, value in prepared.items() if value is not None}
    if view.agree is not None:
        view.agree(found)
    return [f"{split}: {line}" for split, value in found.items() for line in value.notes]


@lru_cache(maxsize=8)
def load_resource(resource: Resource, file: RawFile) -> Any:
    """Load a whole file, once per process and content.

    Raises:
        RawFileError: it is not what it should be.
    """
    require_unchanged(file)
    try:
        return resource.load(Path(file.path).read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RawFileError(
            f"can't be read: {error}", file=file.name, next_step="fetch the raw file again"
        ) from None
    except RawFileError as error:
        error.file = error.file or file.name
        raise


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
                decoded, tolerated = decoded_window(file.file, file.shape, window, kind)
                found = decoded[number - window.first]
                if tolerated:
                    notes.update(tolerated[number - window.first])
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
def decoded_window(
    file: RawFile, shape: Shape, window: Window, kind: RecordKind
) -> tuple[list[Any], list[Notes]]:
    """Decode one window of a related file.

    Returns:
        its records, and what was tolerated in each of them; the second list is empty where there
        was nothing to tolerate. A window is decoded for many batches, and by several processes:
        only counts that belong to a record can be counted once.
    """

    def read(start: int, stop: int) -> tuple[list[Any], Notes]:
        piece = RawPiece("", file, shape, (window,), start, stop)
        notes: Notes = Counter()
        return [r for batch in read_piece(piece, kind, notes) for r in batch.records], notes

    stop = window.first + window.count
    records, notes = read(window.first, stop)
    return records, [read(n, n + 1)[1] for n in range(window.first, stop)] if notes else []
