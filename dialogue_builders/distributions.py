"""How values are spread over a built folder: declared by a corpus, counted here, shown in cards.

A distribution is data: what to count and under which names it is shown. The card makes a table of
it, and `dialogue_builders.figures` a drawing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from dialogue_builders.built_folder import BuiltFolder, ShardFile

Tally = Counter[Any]
"""How often each category was met; where a distribution has a `series`, each (series, category)."""


@dataclass(frozen=True)
class Tallying:
    """How to count the values of one view.

    Attributes:
        columns: what has to be read for it, as Parquet paths.
        count: one batch of these columns → its tally; tallies of batches add up.
    """

    columns: tuple[str, ...]
    count: Callable[[pa.RecordBatch], Tally]


@dataclass(frozen=True)
class Mark:
    """A value on the axis that an option of a view set, such as a cut between two labels."""

    view: str
    option: str
    label: str


@dataclass(frozen=True)
class Distribution:
    """What is counted, and how it is shown.

    Attributes:
        name: also the stem of the figure's file name.
        title: for people.
        axis: what the categories are.
        counted: what the counts are counts of, such as `turns`.
        views: view → how its rows are counted; the first one that is in a folder is used.
        categories: their names, in the order in which they are shown; others follow where they are
            met. Empty for numbers: a tally then counts whole multiples of `step`.
        step: the distance of two neighbouring numbers.
        series: what the tallies are compared by, where it is not the split.
        mark: a value that is marked on the axis of numbers.
    """

    name: str
    title: str
    axis: str
    counted: str
    views: Mapping[str, Tallying]
    categories: tuple[str, ...] = ()
    step: float = 1
    series: str | None = None
    mark: Mark | None = None


@dataclass(frozen=True)
class Spread:
    """A distribution, counted.

    Attributes:
        distribution: what was counted.
        categories: the names, or the numbers from the least to the most without a gap.
        counts: series → one count per category. A split in which nothing was met is left out.
        mark: the marked value; None where there is none.
    """

    distribution: Distribution
    categories: tuple[Any, ...]
    counts: Mapping[str, Sequence[int]]
    mark: float | None

    def shares(self, series: str) -> list[float]:
        """Return each category's share of a series, in percent."""
        total = sum(self.counts[series])
        return [100 * count / total for count in self.counts[series]]

    def most(self, series: str) -> tuple[Any, float]:
        """Return the category that was met most in a series, and its share in percent."""
        return max(zip(self.categories, self.shares(series), strict=True), key=lambda pair: pair[1])

    def quantile(self, series: str, part: float) -> float:
        """Return the least number that at least this part of a series does not exceed.

        Args:
            part: from 0 (the least number) to 1 (the greatest one); 0.5 gives the median.
        """
        counts = self.counts[series]
        wanted, below = max(1, part * sum(counts)), 0
        for number, count in zip(self.categories, counts, strict=True):
            below += count
            if below >= wanted:
                return float(number)
        raise AssertionError("a series without counts is left out")

    @property
    def digest(self) -> str:
        """A name for what is shown, the same for the same counts: 16 hexadecimal digits."""
        shown = [
            self.distribution.name,
            self.distribution.title,
            self.distribution.axis,
            self.categories,
            self.counts,
            self.mark,
        ]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def spreads(built: BuiltFolder, distributions: Sequence[Distribution]) -> list[Spread]:
    """Count distributions over a built folder; those of which no view was built are left out.

    The rows of a view are read once for all of its distributions.
    """
    viewed: dict[str, list[Distribution]] = {}
    for distribution in distributions:
        view = next((view for view in distribution.views if view in built.files), None)
        if view is not None:
            viewed.setdefault(view, []).append(distribution)
    found: dict[str, Spread] = {}
    for view, here in viewed.items():
        counted = {
            split: _tally_files(built, files, [d.views[view] for d in here])
            for split, files in built.files[view].items()
        }
        for number, distribution in enumerate(here):
            by_split = {split: tallies[number] for split, tallies in counted.items()}
            if any(by_split.values()):
                found[distribution.name] = _spread(built, distribution, by_split)
    return [found[d.name] for d in distributions if d.name in found]


def _tally_files(
    built: BuiltFolder, files: Sequence[ShardFile], tallyings: Sequence[Tallying]
) -> list[Tally]:
    """Count the rows of some shards, several shards at a time; return a tally for each counting."""
    columns = list(dict.fromkeys(column for each in tallyings for column in each.columns))

    def count(file: ShardFile) -> list[Tally]:
        tallies: list[Tally] = [Counter() for _ in tallyings]
        for batch in built.read_file(file, columns):
            for tally, tallying in zip(tallies, tallyings, strict=True):
                # Not `+`, which forgets counts below zero that a later batch makes good.
                tally.update(tallying.count(batch))
        return tallies

    totals: list[Tally] = [Counter() for _ in tallyings]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for tallies in threads.map(count, files):
            for total, tally in zip(totals, tallies, strict=True):
                total.update(tally)
    return [+total for total in totals]


def _spread(
    built: BuiltFolder, distribution: Distribution, by_split: Mapping[str, Tally]
) -> Spread:
    tallies: dict[str, Tally] = {}
    for split, tally in by_split.items():
        for series, category, count in _entries(tally, distribution, split):
            tallies.setdefault(series, Counter())[category] += count
    met = {category for tally in tallies.values() for category in tally}
    keys: Sequence[Any]
    if distribution.categories:
        # What nobody expected is shown after the rest.
        keys = (*distribution.categories, *sorted(met.difference(distribution.categories)))
    else:
        keys = range(min(met), max(met) + 1)
    return Spread(
        distribution,
        tuple(keys) if distribution.categories else tuple(_scaled(keys, distribution.step)),
        {
            name: [tallies[name][key] for key in keys]
            for name in (sorted(tallies) if distribution.series else tallies)
        },
        _mark(built, distribution),
    )


def _entries(
    tally: Tally, distribution: Distribution, split: str
) -> Iterator[tuple[str, Any, int]]:
    for key, count in tally.items():
        series, category = key if distribution.series else (split, key)
        yield series, category, count


def _scaled(numbers: Sequence[int], step: float) -> Iterator[float]:
    # A multiple of 0.05 is no sum of 0.05: rounding gives the number that a person would write.
    return (round(number * step, 10) if step != 1 else number for number in numbers)


def _mark(built: BuiltFolder, distribution: Distribution) -> float | None:
    mark = distribution.mark
    if mark is None:
        return None
    value = built.provenance.options.get(mark.view, {}).get(mark.option)
    return None if value is None else float(value)


def tally_pairs(series: pa.Array, categories: pa.Array) -> Tally:
    """Count pairs of (series, category), given as two columns of equal length."""
    first, second = series.dictionary_encode(), categories.dictionary_encode()
    names, others = first.dictionary.to_pylist(), second.dictionary.to_pylist()
    # One number for each pair, because Arrow counts numbers much faster than pairs.
    codes = pc.add(pc.multiply(first.indices, len(others)), second.indices)
    tally: Tally = Counter()
    for found in codes.drop_null().value_counts().to_pylist():
        left, right = divmod(found["values"], len(others))
        tally[names[left], others[right]] = found["counts"]
    return tally


def tally_lengths(turn_index: pa.Array) -> Tally:
    """Count conversations by their number of turns, given the places of turns, from 0.

    A conversation of n turns has a turn n - 1 and no turn n. So every turn counts for the length
    that it may end, and against the one that it goes beyond; over a whole split that adds up,
    wherever the batches are cut.
    """
    tally: Tally = Counter()
    for index, count in tally_of(turn_index).items():
        tally[index + 1] += count
        tally[index] -= count
    # Every conversation goes beyond no turns at all.
    del tally[0]
    return tally


def tally_of(values: pa.Array | pa.ChunkedArray, names: Sequence[str] | None = None) -> Tally:
    """Count the values of a column; nulls are not counted.

    Args:
        values: of any type that Arrow can count.
        names: the names behind label codes.
    """
    tally: Tally = Counter()
    for found in values.drop_null().value_counts().to_pylist():
        value = found["values"]
        # A code that no name belongs to is a fault of the folder, and `check` tells it.
        if names is not None:
            value = names[value] if 0 <= value < len(names) else str(value)
        tally[value] = found["counts"]
    return tally
