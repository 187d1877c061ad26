"""Small helpers for views that build nested Arrow columns without a Python object per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa


def offsets(lengths: Iterable[int]) -> pa.Array:
    """Return list offsets (int32, one more than there are lengths) for consecutive lists."""
    return pa.array(list(accumulate(lengths, initial=0)), pa.int32())


def list_column(values: pa.Array, lengths: Iterable[int]) -> pa.Array:
    """Fold flat values into one list per length, in order."""
    return pa.ListArray.from_arrays(offsets(lengths), values)


def string_lists(rows: Sequence[Sequence[str]]) -> pa.Array:
    """Make a column of string lists from a list of lists."""
    flat = pa.array(list(chain.from_iterable(rows)), pa.string())
    return list_column(flat, map(len, rows))


def struct_column(fields: Mapping[str, Any]) -> pa.Array:
    """Join equally long columns (Arrow arrays, or lists of strings) into one struct column."""
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, pa.string())
        for column in fields.values()
    ]
    return pa.StructArray.from_arrays(arrays, names=list(fields))
