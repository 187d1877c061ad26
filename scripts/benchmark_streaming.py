"""Measure reading: rows per second for each way to load and format, against bare `pyarrow.parquet`.

All readers of a config take turns in one process, on the same files, several rounds over; what is
shown is the median rate, and the median of the ratios to the bare reader of the same round, so that
a machine that changes its speed changes both sides of a ratio. Times to the first row, and of
builds with one and two processes, are medians over fresh processes.

    python scripts/benchmark_streaming.py                    # on conversations made from the sample
    python scripts/benchmark_streaming.py --data-dir RAW     # on real text, with fresh ids
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmark import (
    TRAIN_CONVERSATIONS,
    machine,
    make_records,
    report,
    run_script,
    write_raw,
)

CONFIGS = ("utterances", "conversations", "messages")
ROUNDS = 9
BATCH = 4096
PYTHON_BATCH = 256

Reader = Callable[[], int]
"""Reads a whole split and returns the number of its rows."""


# --- the readers --------------------------------------------------------------------------------


def readers_of(config: str, built: Path, raw: Path, cache: Path) -> dict[str, Reader]:
    """Return every way to read the train split of a config, the bare one first."""
    import datasets
    import pyarrow.parquet as pq

    from dialogue_builders import load_dataset

    datasets.disable_progress_bars()
    files = sorted((built / config / "data").glob("train-*.parquet"))

    def bare() -> int:
        return sum(
            batch.num_rows
            for file in files
            for batch in pq.ParquetFile(file).iter_batches(batch_size=BATCH)
        )

    def whole_files() -> int:
        return sum(pq.read_table(file).num_rows for file in files)

    given: dict[str, Any] = {"split": "train", "cache_dir": str(cache)}
    ways = {
        "folder, streamed": load_dataset(str(built), config, streaming=True, **given),
        "raw files, streamed": load_dataset(
            "topical_chat", config, data_dir=str(raw), splits=["train"], streaming=True, **given
        ),
        # Its arrow format maps the cache and decodes nothing, so only its Python rows compare.
        "folder, loaded": load_dataset(str(built), config, **given),
    }
    readers = {"pyarrow, batches": bare, "pyarrow, whole files": whole_files}
    for way, rows in ways.items():
        readers |= {f"{way}, {kind}": reader for kind, reader in formats(rows).items()}
    del readers["folder, loaded, arrow"]
    return readers


def formats(rows: Any) -> dict[str, Reader]:
    """Return the ways to read a loaded or streamed split."""
    tables = rows.with_format("arrow")
    return {
        "arrow": lambda: sum(table.num_rows for table in tables.iter(batch_size=BATCH)),
        "batches": lambda: sum(
            len(next(iter(batch.values()))) for batch in rows.iter(batch_size=PYTHON_BATCH)
        ),
        "rows": lambda: sum(1 for _ in rows),
    }


# --- the contestants; each runs in a process of its own -----------------------------------------


def reading(config: str, built: Path, raw: Path, rounds: int, out: Path) -> None:
    """Let all readers read in turn, and report the seconds of each round."""
    readers = readers_of(config, built, raw, out / "cache")
    seconds: dict[str, list[float]] = {name: [] for name in readers}
    counts = {reader() for reader in readers.values()}  # nobody reads for the first time below
    assert len(counts) == 1, counts
    for _ in range(rounds):
        for name, reader in readers.items():
            gc.collect()
            started = time.perf_counter()
            reader()
            seconds[name].append(time.perf_counter() - started)
    print(json.dumps({"rows": counts.pop(), "seconds": seconds}))


def first_row(config: str, built: Path, raw: Path, rounds: int, out: Path) -> None:
    """From nothing but the imports to the first streamed row, by the folder and by raw files."""
    import datasets  # noqa: F401

    from dialogue_builders import load_dataset
    from dialogue_builders.loading.builder_classes import find_builder_class

    find_builder_class("topical_chat")
    with contextlib.suppress(ImportError):  # the first stream imports it where it is installed
        import torch  # noqa: F401
    given: dict[str, Any] = {"split": "train", "streaming": True, "cache_dir": str(out / "cache")}
    started = time.perf_counter()
    next(iter(load_dataset(str(built), config, **given)))
    by_folder = time.perf_counter() - started
    started = time.perf_counter()
    raw_stream = load_dataset("topical_chat", config, data_dir=str(raw), splits=["train"], **given)
    next(iter(raw_stream))
    report(time.perf_counter() - started, folder=by_folder)


def building(config: str, built: Path, raw: Path, rounds: int, out: Path) -> None:
    """Build with as many processes as `rounds` says."""
    import datasets  # noqa: F401

    from dialogue_builders import build

    made = build(
        "topical_chat",
        out / "built",
        data_dir=raw,
        splits=["train"],
        configs=[config],
        num_proc=rounds,
    )
    report(made.seconds)


CONTESTANTS = {function.__name__: function for function in (reading, first_row, building)}


# --- running and showing ------------------------------------------------------------------------


def measure(place: Path, data_dir: Path | None, rounds: int) -> None:
    """Make a folder of the train split's size, run everything, print the tables."""
    from dialogue_builders import build

    raw = write_raw(place / "raw", make_records(data_dir, TRAIN_CONVERSATIONS), "indented")
    built = build(
        "topical_chat", place / "built", data_dir=raw, splits=["train"], configs=CONFIGS
    ).folder

    def run(contestant: str, config: str, number: int) -> dict[str, Any]:
        print(f"{contestant} {config} {number}", file=sys.stderr)
        return run_script(__file__, contestant, config, str(built), str(raw), str(number))

    print(f"{machine()}\n")
    print("| rows per second, train | " + " | ".join(f"`{config}`" for config in CONFIGS) + " |")
    print("|---|" + "--:|" * len(CONFIGS))
    results = {config: run("reading", config, rounds) for config in CONFIGS}
    for name in next(iter(results.values()))["seconds"]:
        cells = [cell(result["rows"], result["seconds"], name) for result in results.values()]
        print(f"| {name} | {' | '.join(cells)} |")

    firsts = [run("first_row", "utterances", 0) for _ in range(5)]
    print("\n| seconds, `utterances` | |\n|---|--:|")
    for title, key in (("the folder", "folder"), ("raw files", "seconds")):
        middle = statistics.median(first[key] for first in firsts)
        print(f"| to the first row from {title} | {middle:.3f} |")
    for processes in (1, 2):
        times = [run("building", "utterances", processes)["seconds"] for _ in range(3)]
        print(f"| to build with {processes} processes | {statistics.median(times):.2f} |")


def cell(rows: int, seconds: dict[str, list[float]], name: str) -> str:
    """Return a reader's median rate and its median ratio to the bare reader."""
    bare = seconds["pyarrow, batches"]
    ratio = statistics.median(b / s for b, s in zip(bare, seconds[name], strict=True))
    return f"{rows / statistics.median(seconds[name]):,.0f} ({ratio:.2f} ×)"


def main() -> None:
    """Run the benchmark, or, in a process of its own, one contestant of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="a raw folder whose text is used")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--contestant", nargs=6, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        name, config, built, raw, rounds, out = arguments.contestant
        CONTESTANTS[name](config, Path(built), Path(raw), int(rounds), Path(out))
        sys.stdout.flush()
        os._exit(0)  # Arrow may abort at exit right after streaming: docs/recipes/streaming.md
    with tempfile.TemporaryDirectory() as place:
        measure(Path(place), arguments.data_dir, arguments.rounds)


if __name__ == "__main__":
    main()
