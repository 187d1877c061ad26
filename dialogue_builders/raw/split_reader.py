"""One split of one config, ready to be read anywhere: ranges of records in, rows out.

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
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.memory import paused_collector
from dialogue_builders.raw.blocks import Block
from dialogue_builders.raw.decode import read_range
from dialogue_builders.raw.files import RawFile, require_unchanged
from dialogue_builders.raw.formats.base import Format
from dialogue_builders.raw.ranges import RecordRange
from dialogue_builders.raw.repeated_keys import repeated_key
from dialogue_builders.raw.scan import ScannedFile
from dialogue_builders.spec.batch import Batch, Notes
from dialogue_builders.spec.record_type import RecordType
from dialogue_builders.spec.source import Resource
from dialogue_builders.spec.view import SplitFacts, View, record_batch


class Lookup(NamedTuple):
    """Files in which records are looked up by their ids; none where the view can do without."""

    record_type: RecordType
    files: tuple[ScannedFile, ...]


@dataclass
class SplitReader:
    """Everything that is needed to make the rows of one split of one view.

    Attributes:
        view, record_type, options: what to make of which records.
        ranges: the whole split, in order.
        lookups: source → where its records are looked up.
        resources: name → how to load it, and its file (None where it is optional and absent).
        notes: what was noticed in the split's files as a whole, with how often.
        split_facts: filled by `survey`.
    """

    view: View
    record_type: RecordType
    options: Mapping[str, Any]
    ranges: tuple[RecordRange, ...]
    lookups: Mapping[str, Lookup] = field(default_factory=dict)
    resources: Mapping[str, tuple[Resource, RawFile | None]] = field(default_factory=dict)
    notes: Notes = field(default_factory=Counter)
    split_facts: SplitFacts | None = None

    def survey(self) -> SplitFacts | None:
        """Let the view look at the whole split, once; None for a view that need not."""
        if self.view.survey is not None and self.split_facts is None:
            notes: Notes = Counter()
            batches = (batch for part in self.ranges for batch in self._attach(part, notes))
            self.split_facts = self.view.survey(batches, self.options)
        return self.split_facts

    def rows(
        self, ranges: Iterable[RecordRange], schema: pa.Schema, notes: Notes
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield (the range's number, rows) for some of the ranges, in order; no batch is empty.

        Raises:
            RecordError, RawFileError: as `decode.read_range`.
        """
        facts = self.survey()
        for number, part in enumerate(ranges):
            for batch in self._attach(part, notes):
                batch.split_facts = facts.value if facts else None
                with paused_collector():
                    rows = record_batch(self.view, batch, self.options, schema)
                if rows.num_rows:
                    yield number, rows

    def _attach(self, part: RecordRange, notes: Notes) -> Iterator[Batch]:
        """Yield a range's batches with their look-ups and resources."""
        resources = {
            name: None if file is None else load_resource(resource, file)
            for name, (resource, file) in self.resources.items()
        }
        for batch in read_range(part, self.record_type, notes):
            batch.resources = resources
            done: dict[tuple[RawFile, ...], list[Any]] = {}
            lookups = {}
            for name, lookup in self.lookups.items():
                key = tuple(scanned.file for scanned in lookup.files)
                # Two sources may mean the same files; what is tolerated there is then counted once.
                if key not in done:
                    done[key] = look_up(lookup, batch.ids, notes)
                lookups[name] = done[key]
            batch.lookups = lookups
            yield batch


def survey_splits(view: View, readers: Mapping[str, SplitReader]) -> list[str]:
    """Let a view look at all splits before the first row of any of them.

    Args:
        readers: split → what makes its rows.

    Returns:
        the lines worth telling, each with its split's name.

    Raises:
        DialogueBuildersError: a split does not tell what the view needs, or two contradict.
    """
    if view.survey is None:
        return []
    surveyed = {split: reader.survey() for split, reader in readers.items()}
    facts = {split: value for split, value in surveyed.items() if value is not None}
    if view.check_agreement is not None:
        view.check_agreement(facts)
    return [f"{split}: {line}" for split, value in facts.items() for line in value.notes]


@lru_cache(maxsize=8)
def load_resource(resource: Resource, file: RawFile) -> Any:
    """Load a whole file, once per process and content.

    Raises:
        RawFileError: it is not what it should be.
    """
    require_unchanged(file)
    content = Path(file.path).read_bytes()
    try:
        loaded = resource.load(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RawFileError(
            f"can't be read: {error}", file=file.name, next_step="fetch the raw file again"
        ) from None
    except RawFileError as error:
        error.file = error.file or file.name
        raise
    _require_single_keys(content, file)
    return loaded


def _require_single_keys(content: bytes, file: RawFile) -> None:
    """Raise a RecordError where a file is JSON, and a key stands twice in one of its objects."""
    try:
        key = repeated_key(content.decode())
    except (ValueError, RecursionError):
        return  # another format, whose loader has just taken it
    if key is not None:
        raise RecordError(
            "this key stands twice, so that either of the two could be meant",
            file=file.name,
            field=key,
            next_step="fetch the raw file again, or remove one of the two",
        )


def look_up(lookup: Lookup, ids: Sequence[str], notes: Notes) -> list[Any]:
    """Return the record of each id, None where no file has it.

    Looked-up files mostly keep the order of the main one, so that a block serves many ids in a row.
    """
    records: list[Any] = []
    places = [(file, id_positions(file)) for file in lookup.files]
    for identity in ids:
        record = None
        for file, positions in places:
            number = positions.get(identity)
            if number is not None:
                block = block_of(file, number)
                decoded, tolerated = decode_block(file.file, file.format, block, lookup.record_type)
                record = decoded[number - block.first]
                if tolerated:
                    notes.update(tolerated[number - block.first])
                break
        records.append(record)
    return records


@lru_cache(maxsize=16)
def id_positions(file: ScannedFile) -> dict[str, int]:
    """Return id → the record's number in its file."""
    return {identity: number for number, identity in enumerate(file.ids)}


def block_of(file: ScannedFile, number: int) -> Block:
    """Return the block that holds a record."""
    return file.blocks[bisect_right(file.blocks, number, key=lambda block: block.first) - 1]


@lru_cache(maxsize=4)
def decode_block(
    file: RawFile, file_format: Format, block: Block, record_type: RecordType
) -> tuple[list[Any], list[Notes]]:
    """Decode one block of a looked-up file.

    Returns:
        its records, and what was tolerated in each of them; the second list is empty where there
        was nothing to tolerate. A block is decoded for many batches, and by several processes:
        only counts that belong to a record can be counted once.
    """

    def read(start: int, stop: int) -> tuple[list[Any], Notes]:
        part = RecordRange("", file, file_format, (block,), start, stop)
        notes: Notes = Counter()
        return [r for batch in read_range(part, record_type, notes) for r in batch.records], notes

    stop = block.first + block.count
    records, notes = read(block.first, stop)
    return records, [read(n, n + 1)[1] for n in range(block.first, stop)] if notes else []
