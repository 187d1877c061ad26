"""What is counted over a folder's rows: declared by a corpus, counted and shown by the engine.

Published tables and histograms are counted in the same way: a `RowCounter` turns a batch of rows
into counts, and counts add up over batches, shards and splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Counts = Counter[Any]
"""How often each category was met; where a histogram has a `series`, each (series, category)."""


@dataclass(frozen=True)
class RowCounter:
    """How one view's rows are counted.

    Attributes:
        columns: those that it reads, as Parquet paths; no others are read from the files.
        count: one batch of these columns → its counts; counts of batches add up.
    """

    columns: tuple[str, ...]
    count: Callable[[pa.RecordBatch], Counts]


RowCounters = Mapping[str, RowCounter]
"""View → how its rows are counted; of these views the first one that is in a folder is used."""


@dataclass(frozen=True)
class Statistic:
    """One row of a published table, and how it is computed from counts.

    Attributes:
        name: the row's title.
        compute: counts → value. Counts of several splits add up, so the total needs no second pass.
            None where they do not tell it: no built config gives what it needs.
        published: split (or `all`) → the printed value.
        decimals: how many decimals the print has.
    """

    name: str
    compute: Callable[[Counts], float | None]
    published: Mapping[str, float]
    decimals: int = 0


def published_values(columns: Sequence[str], *values: float) -> dict[str, float]:
    """Return column (a split, or `all`) → printed value, for a row of a published table."""
    return dict(zip(columns, values, strict=True))


def count_of(name: str) -> Callable[[Counts], float | None]:
    """Return how to compute a plain count; None where nothing was counted."""
    return lambda counts: counts[name] or None


def ratio(part: str, *whole: str, scale: float = 1.0) -> Callable[[Counts], float | None]:
    """Return how to divide a count by the sum of others; None where those are zero."""

    def compute(counts: Counts) -> float | None:
        total = sum(counts[name] for name in whole)
        return scale * counts[part] / total if total else None

    return compute


@dataclass(frozen=True)
class Threshold:
    """A value on a histogram's axis that an option of a view sets, such as a cut between labels."""

    view: str
    option: str
    label: str


@dataclass(frozen=True)
class HistogramSpec:
    """What is counted for a histogram, and how it is shown.

    Attributes:
        name: also the stem of the figure's file name.
        title: for people.
        axis: what the categories are.
        counted: what the counts are counts of, such as `turns`.
        counters: how the rows are counted.
        categories: their names, in the order in which they are shown; others follow where they are
            met. Empty for numbers: the counter then counts whole multiples of `step`.
        step: the distance of two neighbouring numbers.
        series: what the counts are compared by, where it is not the split.
        threshold: a value that is marked on the axis of numbers.
    """

    name: str
    title: str
    axis: str
    counted: str
    counters: RowCounters
    categories: tuple[str, ...] = ()
    step: float = 1
    series: str | None = None
    threshold: Threshold | None = None


def count_pairs(series: pa.Array, categories: pa.Array) -> Counts:
    """Count pairs of (series, category), given as two columns of equal length."""
    first, second = series.dictionary_encode(), categories.dictionary_encode()
    names, others = first.dictionary.to_pylist(), second.dictionary.to_pylist()
    # One number for each pair, because Arrow counts numbers much faster than pairs.
    codes = pc.add(pc.multiply(first.indices, len(others)), second.indices)
    counts: Counts = Counter()
    for entry in codes.drop_null().value_counts().to_pylist():
        left, right = divmod(entry["values"], len(others))
        counts[names[left], others[right]] = entry["counts"]
    return counts


def count_lengths(turn_index: pa.Array) -> Counts:
    """Count conversations by their number of turns, given the places of turns, from 0.

    A conversation of n turns has a turn n - 1 and no turn n. So every turn counts for the length
    that it may end, and against the one that it goes beyond; over a whole split that adds up,
    wherever the batches are cut.
    """
    counts: Counts = Counter()
    for index, count in count_values(turn_index).items():
        counts[index + 1] += count
        counts[index] -= count
    # Every conversation goes beyond no turns at all.
    del counts[0]
    return counts


def count_values(values: pa.Array | pa.ChunkedArray, names: Sequence[str] | None = None) -> Counts:
    """Count the values of a column; nulls are not counted.

    Args:
        values: of any type that Arrow can count.
        names: the names behind label codes.
    """
    counts: Counts = Counter()
    for entry in values.drop_null().value_counts().to_pylist():
        value = entry["values"]
        # A code that no name belongs to is a fault of the folder, and `check` tells it.
        if names is not None:
            value = names[value] if 0 <= value < len(names) else str(value)
        counts[value] = entry["counts"]
    return counts
