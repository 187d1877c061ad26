"""`statistics`: the published tables, recomputed from a built folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dialogue_builders.errors import FolderError
from dialogue_builders.folder.built import BuiltFolder, open_built_folder
from dialogue_builders.folder.counting import count_folder
from dialogue_builders.spec.counting import Counts

ALL = "all"


@dataclass(frozen=True)
class StatisticRow:
    """One row of the table: its name, the measured and the printed value by split, the decimals.

    A measured value is None where the built configs do not tell it.
    """

    name: str
    measured: Mapping[str, float | None]
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
        beside: whether the print belongs beside what was measured: where the corpus says so, and
            where upstream is not public, so that nothing but its figures can tell whether the files
            are the published ones.
    """

    columns: Sequence[str]
    rows: Sequence[StatisticRow]
    differences: Sequence[str]
    beside: bool = False


def show_value(row: StatisticRow, value: float | None) -> str:
    """Write a measured or printed value with the row's decimals; a dash where it is not known."""
    return "–" if value is None else f"{value:,.{row.decimals and max(2, row.decimals)}f}"


def statistics_lines(table: StatisticsTable) -> list[list[str]]:
    """Return the table line by line, names first; where the print shows, it has its own lines."""
    lines = []
    for row in table.rows:
        lines.append([row.name, *(show_value(row, row.measured[c]) for c in table.columns)])
        if table.beside and row.published:
            printed = (row.published.get(column) for column in table.columns)
            lines.append(["  published", *(show_value(row, value) for value in printed)])
    return lines


def statistics(folder: str | Path) -> StatisticsTable:
    """Recompute the source's published table from a built folder.

    Args:
        folder: made by `build`.

    Returns:
        counts, and means per conversation or utterance, per split and in all.

    Raises:
        FolderError: not a built folder, or none of its configs can be counted.
    """
    built = open_built_folder(folder)
    with built.explained():
        return compute_statistics(built)


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
    rows = [row for row in rows if any(value is not None for value in row.measured.values())]
    differences: list[str] = []
    if built.provenance.raw == "pinned":
        differences = [line for row in rows for line in describe_differences(row)]
    beside = not corpus.upstream_is_public
    if corpus.published_beside:  # but never beside what was invented
        beside = built.provenance.raw != "sample"
    return StatisticsTable(tuple(columns), rows, differences, beside)


def count_splits(built: BuiltFolder) -> dict[str, Counts]:
    """Count every split, of each group of counters by the first config that is there.

    Raises:
        FolderError: no config that can be counted is there.
    """
    groups = built.corpus.counters
    if not groups:
        raise FolderError(
            f"{built.corpus.name} declares nothing to count, so it has no statistics",
            next_step="see the rows of each split in the folder's README.md",
        )
    counts: dict[str, Counts] = {}
    for by_split in filter(None, count_folder(built, groups)):
        for split, more in by_split.items():
            counts[split] = counts.get(split, Counter()) + more
    if counts:
        return {split: counts[split] for split in built.corpus.splits if split in counts}
    known = ", ".join(view for group in groups for view in group)
    raise FolderError(
        f"statistics need one of the configs {known}", next_step="build one of them too"
    )


def describe_differences(row: StatisticRow) -> list[str]:
    """Say where a row's print is not the measured value, rounded to the print's decimals."""
    lines = []
    for column, printed in row.published.items():
        measured = row.measured[column]
        if measured is None or round(measured, row.decimals) == printed:
            continue
        scale = 10**row.decimals
        how = "cut off, not rounded" if int(measured * scale) / scale == printed else "differs"
        lines.append(f"{row.name}, {column}: printed {printed:g}, measured {measured:.4f} ({how})")
    return lines
