"""Rows of a built folder read in Arrow columns, and the turns of a split made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dialogue_builders.dialogue.turns import number_ranges
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.memory import release_memory
from dialogue_builders.spec.split_turns import Indices, SplitTurns, list_lengths
from dialogue_builders.spec.view import View


@dataclass
class FlatRows:
    """Rows laid out flat: one for each turn, or for each conversation."""

    ids: pa.Array
    index: Indices | None
    columns: Mapping[str, pa.Array]
    conversation_ids: pa.Array | None = None
    lengths: Indices | None = None


def flat_rows(view: View, batch: pa.RecordBatch, names: tuple[str, ...]) -> FlatRows:
    """Lay the named columns (or fields of nested turns) of a view out flat."""
    assert view.turns is not None
    ids, columns = batch[view.id_column], view.turns
    labels = {name: _label_names(view, name) for name in columns.labels}
    if columns.nested is None:
        index = batch[columns.turn_index] if columns.turn_index else None
        flat = {name: _named(batch[name], labels.get(name)) for name in names}
        numbers = None if index is None else np.asarray(index.fill_null(-1), np.int64)
        return FlatRows(ids, numbers, flat)
    nested = batch[columns.nested]
    lengths = list_lengths(nested)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    fields = nested.flatten()
    flat = {
        name: _named(pc.struct_field(fields, name), labels.get(name))
        if name in columns.of_turns
        else batch[name].take(pa.array(owner))
        for name in names
    }
    index = number_ranges(np.zeros(len(lengths), np.int64), lengths)
    return FlatRows(ids.take(pa.array(owner)), index, flat, ids, lengths)


def _label_names(view: View, name: str) -> list[str] | None:
    features: Any = view.features()
    if view.turns is not None and view.turns.nested:
        features = getattr(features[view.turns.nested], "feature", None) or {}
    return getattr(features.get(name), "names", None)


def _named(column: pa.Array, names: list[str] | None) -> pa.Array:
    """Return a ClassLabel's names for its codes; a code that stands for none becomes null."""
    if names is None:
        return column
    in_range = pc.and_(pc.greater_equal(column, 0), pc.less(column, len(names)))
    codes = pc.if_else(in_range, column, None).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(names))


def read_turns(built: BuiltFolder, view: View, split: str) -> SplitTurns | None:
    """Read all turns of a split; None where they do not stand one after the other, from 0."""
    columns = view.turns
    assert columns is not None
    top = (columns.nested,) if columns.nested else (columns.turn_index, *columns.of_turns)
    wanted = [view.id_column, *filter(None, top), *columns.whole]
    ids, lengths, fields, whole = [], [], [], []
    for _, batch in read_rows(built, view, split, wanted):
        flat = flat_rows(view, batch, columns.of_turns)
        fields.append(flat.columns)
        if flat.lengths is None:
            assert flat.index is not None
            starts = pa.array(np.flatnonzero(flat.index == 0))
            lengths.append(flat.index)
            ids.append(plain(flat.ids.take(starts)))
            whole.append({name: batch[name].take(starts) for name in columns.whole})
        else:
            lengths.append(flat.lengths)
            ids.append(plain(batch[view.id_column]))
            whole.append({name: batch[name] for name in columns.whole})
    counts = np.concatenate(lengths) if lengths else np.zeros(0, np.int64)
    if columns.nested is None:
        index = counts
        starts = np.flatnonzero(index == 0)
        counts = np.diff(np.append(starts, len(index)))
        if (index != number_ranges(np.zeros(len(counts), np.int64), counts)).any():
            return None
    return SplitTurns(
        ids=_concat(ids),
        lengths=counts,
        columns={name: _concat([part[name] for part in fields]) for name in columns.of_turns},
        whole={name: _concat([part[name] for part in whole]) for name in columns.whole},
        text=columns.text,
        agent=columns.agent,
        sources=columns.sources,
    )


def plain(column: pa.Array) -> pa.Array:
    """Return a column without dictionaries, so that those of all row groups fit together."""
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    if pa.types.is_list(column.type):
        values = plain(column.flatten())
        offsets = np.append(0, np.cumsum(list_lengths(column)))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
    return column


def _concat(parts: list[pa.Array]) -> pa.Array:
    return pa.concat_arrays([plain(part) for part in parts]) if parts else pa.array([], pa.string())


def read_rows(
    built: BuiltFolder, view: View, split: str, columns: Sequence[str]
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield paths and rows, with all strings as dictionary arrays: most texts stand in many rows.

    A file with other features than declared is left out: that is a breach of its own.
    """
    names = list(dict.fromkeys(columns))
    declared = view.features().arrow_schema
    strings = [
        path
        for name in names
        for path, kind in _leaves(name, declared.field(name).type)
        if pa.types.is_string(kind)
    ]
    for file in built.files[view.name][split]:
        with pq.ParquetFile(built.path / file.path) as parquet:
            if not parquet.schema_arrow.equals(declared):
                continue
        with pq.ParquetFile(built.path / file.path, read_dictionary=strings) as parquet:
            for batch in parquet.iter_batches(batch_size=4096, columns=names, use_threads=False):
                yield file.path, batch
    release_memory()


def _leaves(path: str, kind: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    """Yield the Parquet path and the type of each column that holds the values of a field."""
    if pa.types.is_list(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for child in kind:
            yield from _leaves(f"{path}.{child.name}", child.type)
    else:
        yield path, kind
