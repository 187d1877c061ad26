"""Restrictions: what in a view's rows may not be published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Restriction:
    """Content that may not be published, told by the rows that hold it.

    Where the rows' raw file lay does not count: people put files in other places.

    Attributes:
        reason: why it may not be published, in one line for people.
        columns: the columns of the view that tell; Parquet paths such as `article.AS1` are allowed.
        is_held: rows with these columns → whether any of them holds such content.
    """

    reason: str
    columns: tuple[str, ...]
    is_held: Callable[[pa.RecordBatch], bool]


def any_row(rows: pa.RecordBatch) -> bool:
    """Whether there is a row at all: for a view whose whole content is restricted."""
    return bool(rows.num_rows)


def any_text(rows: pa.RecordBatch) -> bool:
    """Whether any column holds a text, at any depth of its structs and lists."""
    return any(_holds_text(column) for column in rows.columns)


def _holds_text(column: pa.Array) -> bool:
    if pa.types.is_struct(column.type) or pa.types.is_list(column.type):
        # Both respect what is null at the upper level. `flatten` of a list gives one array.
        parts = column.flatten()
        return any(map(_holds_text, parts if isinstance(parts, list) else [parts]))
    return bool(len(column) - column.null_count)
