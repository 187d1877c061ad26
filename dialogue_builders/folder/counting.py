"""Count the rows of a built folder, for published tables and histograms alike."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from dialogue_builders.folder.built import BuiltFolder, ShardFile
from dialogue_builders.memory import release_memory
from dialogue_builders.spec.counting import Counts, RowCounter, RowCounters


def count_folder(
    built: BuiltFolder, wanted: Sequence[RowCounters]
) -> list[dict[str, Counts] | None]:
    """Count every split for each of the wanted counters.

    The rows of a view are read once for all that is counted of it.

    Returns:
        for each of them split → counts; None where none of its views is in the folder.
    """
    by_view: dict[str, list[int]] = {}
    for number, counters in enumerate(wanted):
        view = next((view for view in counters if view in built.files), None)
        if view is not None:
            by_view.setdefault(view, []).append(number)
    results: list[dict[str, Counts] | None] = [None] * len(wanted)
    for view, numbers in by_view.items():
        counters_of_view = [wanted[number][view] for number in numbers]
        for number in numbers:
            results[number] = {}
        for split, files in built.files[view].items():
            for number, counts in zip(
                numbers, count_files(built, files, counters_of_view), strict=True
            ):
                split_counts = results[number]
                assert split_counts is not None
                split_counts[split] = counts
    return results


def count_files(
    built: BuiltFolder, files: Sequence[ShardFile], counters: Sequence[RowCounter]
) -> list[Counts]:
    """Count the rows of some shards, several shards at a time; return counts for each counter."""
    columns = list(dict.fromkeys(column for counter in counters for column in counter.columns))

    def count(file: ShardFile) -> list[Counts]:
        counted: list[Counts] = [Counter() for _ in counters]
        for batch in built.read_file(file, columns):
            for counts, counter in zip(counted, counters, strict=True):
                # Not `+`, which forgets counts below zero that a later batch makes good.
                counts.update(counter.count(batch))
        release_memory()
        return counted

    totals: list[Counts] = [Counter() for _ in counters]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for counted in threads.map(count, files):
            for total, counts in zip(totals, counted, strict=True):
                total.update(counts)
    return [+total for total in totals]
