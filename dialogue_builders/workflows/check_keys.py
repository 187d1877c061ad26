"""The rule on keys: unique, and the same conversations in every config, for `check`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.workflows.findings import MOST_SHOWN


def check_keys(built: BuiltFolder) -> Iterator[str]:
    """Keys are unique within a split, and every config speaks of the same conversations."""
    owners: dict[Any, tuple[str, Any]] = {}
    default = built.corpus.default
    for split in built.corpus.splits:
        known: pa.Array | None = None
        if split in built.files.get(default, {}):
            known = _column(built, default, split, built.corpus.view_of(default).id_column)
        for view, splits in built.files.items():
            if split in splits:
                yield from _check_split_keys(built, view, split, known)
        for what, conversation in _conversations(built, split):
            first_split, first = owners.setdefault(what, (split, conversation))
            if first_split != split:
                there = "" if first == conversation else f" (as {first})"
                yield f"{conversation} stands in {first_split}{there} and in {split}"


def _column(built: BuiltFolder, view: str, split: str, name: str) -> pa.Array:
    """Read a whole column, as numbers of its distinct values where it holds strings."""
    parts = []
    for file in built.files[view][split]:
        with pq.ParquetFile(built.path / file.path, read_dictionary=[name]) as parquet:
            parts.append(parquet.read(columns=[name], use_threads=False).column(0))
    column = pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type)
    return column.unify_dictionaries().combine_chunks()


def _conversations(built: BuiltFolder, split: str) -> Iterator[tuple[Any, Any]]:
    """Yield what tells a split's conversations apart, and their ids; see `Corpus.identities`."""
    default = built.corpus.view_of(built.corpus.default)
    if split in built.files.get(default.name, {}):
        columns = None if built.corpus.conversation_digest else [default.id_column]
        for rows in built.read(default.name, split, columns):
            yield from built.corpus.identities(rows)


def _check_split_keys(
    built: BuiltFolder, view: str, split: str, known: pa.Array | None
) -> Iterator[str]:
    declared = built.corpus.view_of(view)
    columns = {name: _column(built, view, split, name) for name in declared.key}
    repeated = _repeated_rows(list(columns.values()))
    if len(repeated):
        first = repeated[:MOST_SHOWN].tolist()
        shown = ", ".join(str(tuple(c[row].as_py() for c in columns.values())) for row in first)
        yield f"{view}/{split}: {len(repeated):,} keys stand more than once, such as {shown}"
    if known is None or view == built.corpus.default:
        return
    ids = _distinct(columns[declared.id_column])
    stray = ids.filter(pc.invert(pc.is_in(ids, value_set=_distinct(known))))
    if len(stray):
        shown = ", ".join(sorted(map(str, stray.to_pylist()))[:MOST_SHOWN])
        yield f"{view}/{split}: {len(stray):,} conversations are not in the split, such as {shown}"


def _distinct(column: pa.Array) -> pa.Array:
    values = pc.unique(column)
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _repeated_rows(columns: list[pa.Array]) -> npt.NDArray[np.int64]:
    """Return the rows whose key an earlier row has."""
    numbers = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        codes = np.asarray(column.indices.fill_null(-1), np.int64) + 1
        # Numbered anew after each column, so that no product grows too large.
        _, numbers = np.unique(numbers * (len(column.dictionary) + 1) + codes, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    return np.sort(order[1:][numbers[order[1:]] == numbers[order[:-1]]])
