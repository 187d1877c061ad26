"""Histograms of a built folder, counted as a corpus declares them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.folder.counting import count_folder
from dialogue_builders.spec.counting import Counts, HistogramSpec

# A damaged file may hold any number; between very distant ones no gap is filled.
MOST_CATEGORIES = 10_000


@dataclass(frozen=True)
class Histogram:
    """A histogram, counted.

    Attributes:
        spec: what was counted, and how it is shown.
        categories: the names, or the numbers from the least to the most, as a rule without a gap.
        counts: series → one count per category. A split in which nothing was met is left out.
        threshold: the marked value; None where there is none.
    """

    spec: HistogramSpec
    categories: tuple[Any, ...]
    counts: Mapping[str, Sequence[int]]
    threshold: float | None

    def shares(self, series: str) -> list[float]:
        """Return each category's share of a series, in percent; zeros where nothing was counted."""
        total = sum(self.counts[series]) or 1
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
            self.spec.name,
            self.spec.title,
            self.spec.axis,
            self.categories,
            self.counts,
            self.threshold,
        ]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def histograms(built: BuiltFolder, specs: Sequence[HistogramSpec]) -> list[Histogram]:
    """Count histograms over a built folder; those of which nothing was met are left out."""
    counted = count_folder(built, [spec.counters for spec in specs])
    return [
        _histogram(built, spec, by_split)
        for spec, by_split in zip(specs, counted, strict=True)
        if by_split and any(by_split.values())
    ]


def _histogram(
    built: BuiltFolder, spec: HistogramSpec, by_split: Mapping[str, Counts]
) -> Histogram:
    by_series: dict[str, Counts] = {}
    for split, counts in by_split.items():
        for series, category, count in _entries(counts, spec, split):
            by_series.setdefault(series, Counter())[category] += count
    met = {category for counts in by_series.values() for category in counts}
    keys: Sequence[Any]
    if spec.categories:
        # What nobody expected is shown after the rest.
        keys = (*spec.categories, *sorted(met.difference(spec.categories)))
    else:
        least, most = min(met), max(met)
        keys = range(least, most + 1) if most - least < MOST_CATEGORIES else sorted(met)
    return Histogram(
        spec,
        tuple(keys) if spec.categories else tuple(_scaled(keys, spec.step)),
        {
            name: [by_series[name][key] for key in keys]
            for name in (sorted(by_series) if spec.series else by_series)
        },
        _threshold(built, spec),
    )


def _entries(counts: Counts, spec: HistogramSpec, split: str) -> Iterator[tuple[str, Any, int]]:
    for key, count in counts.items():
        series, category = key if spec.series else (split, key)
        yield series, category, count


def _scaled(numbers: Sequence[int], step: float) -> Iterator[float]:
    # A multiple of 0.05 is no sum of 0.05: rounding gives the number that a person would write.
    return (round(number * step, 10) if step != 1 else number for number in numbers)


def _threshold(built: BuiltFolder, spec: HistogramSpec) -> float | None:
    if spec.threshold is None:
        return None
    options = built.provenance.options.get(spec.threshold.view, {})
    value = options.get(spec.threshold.option)
    return None if value is None else float(value)
