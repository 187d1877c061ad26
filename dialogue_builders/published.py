"""The published tables, recomputed from a built folder.

The public function is `dialogue_builders.statistics`; this module has another name, because a
module of that name would hide the function.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dialogue_builders.arrow import release_memory
from dialogue_builders.built_folder import BuiltFolder, ShardFile, open_built_folder
from dialogue_builders.corpus import Counting, Counts
from dialogue_builders.errors import FolderError

ALL = "all"


@dataclass(frozen=True)
class StatisticRow:
    """One row of the table: its name, the measured and the printed value by split, the decimals."""

    name: str
    measured: Mapping[str, float]
    published: Mapping[str, float]
    decimals: int


@dataclass(frozen=True)
class StatisticsTable:
    """A published table, recomputed.

    Attributes:
        columns: the splits at hand, and `all` (their sum; the corpus's total where all are there).
        rows: in the order of the source.
        differences: where the print differs from what was measured; empty for files that are not
            the pinned ones, because the print does not speak of them.
    """

    columns: Sequence[str]
    rows: Sequence[StatisticRow]
    differences: Sequence[str]


def statistics(folder: str | Path) -> StatisticsTable:
    """Recompute the source's published table from a built folder.

    Args:
        folder: made by `build`.

    Returns:
        counts, and means per conversation or utterance, per split and in all.

    Raises:
        FolderError: not a built folder, or none of its configs can be counted.
    """
    return compute_statistics(open_built_folder(folder))


def compute_statistics(built: BuiltFolder) -> StatisticsTable:
    """Recompute the table of an opened folder; see `statistics`."""
    corpus = built.corpus
    counts = count_splits(built)
    complete = set(counts) == set(corpus.splits)
    total: Counts = sum(counts.values(), Counter())
    columns = {**counts, ALL: total}
    rows = [
        StatisticRow(
            statistic.name,
            {column: statistic.compute(columns[column]) for column in columns},
            {
                column: statistic.published[column]
                for column in columns
                if column in statistic.published and (column != ALL or complete)
            },
            statistic.decimals,
        )
        for statistic in corpus.statistics
    ]
    differences: list[str] = []
    if built.provenance.raw == "pinned":
        differences = [line for row in rows for line in describe_differences(row)]
    return StatisticsTable(tuple(columns), rows, differences)


def count_splits(built: BuiltFolder) -> dict[str, Counts]:
    """Count every split of the first config that can be counted."""
    for view, counting in built.corpus.counters.items():
        if view in built.files:
            return {
                split: count_files(built, files, counting)
                for split, files in built.files[view].items()
            }
    raise FolderError(
        f"statistics need one of the configs {', '.join(built.corpus.counters)}",
        next_step="build one of them too",
    )


def count_files(built: BuiltFolder, files: Sequence[ShardFile], counting: Counting) -> Counts:
    """Count the rows of some shards, several shards at a time."""

    def count(file: ShardFile) -> Counts:
        batches = built.read_file(file, counting.columns)
        counts = sum((counting.count(batch) for batch in batches), Counter())
        release_memory()
        return counts

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return sum(threads.map(count, files), Counter())


def describe_differences(row: StatisticRow) -> list[str]:
    """Say where a row's print is not the measured value, rounded to the print's decimals."""
    lines = []
    for column, printed in row.published.items():
        measured = row.measured[column]
        if round(measured, row.decimals) == printed:
            continue
        scale = 10**row.decimals
        how = "cut off, not rounded" if int(measured * scale) / scale == printed else "differs"
        lines.append(f"{row.name}, {column}: printed {printed:g}, measured {measured:.4f} ({how})")
    return lines
