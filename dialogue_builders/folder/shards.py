"""From ranges of records to Parquet shards of equal size, the same bytes however they were made.

Two phases, both parallel. First every range becomes Arrow batches in a spill file, because the
number of rows, and so the shards' borders, are known only at the end. Then every shard reads its
rows back and writes Parquet, in row groups that are counted from the shard's start. Memory stays at
one row group, and neither the batches' sizes nor the number of processes can reach the bytes.
"""

from __future__ import annotations

import json
import multiprocessing
import multiprocessing.process
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dialogue_builders.memory import paused_collector, release_memory
from dialogue_builders.raw.decode import forget_raw_records
from dialogue_builders.raw.ranges import RecordRange, equal_cuts
from dialogue_builders.raw.split_reader import SplitReader
from dialogue_builders.spec.batch import Notes

ROWS_PER_GROUP = 4096
COMPRESSION_LEVEL = 3
# Pages are cut by content, so that a changed row leaves the other pages' bytes alone: the Hub then
# stores and sends only what changed. These are the values of `datasets`, in bytes.
CHUNKING = {"min_chunk_size": 256 * 1024, "max_chunk_size": 1024 * 1024, "norm_level": 0}
# What the footer says of it: `datasets` writes the first key, the Hub's viewer looks for the other.
CHUNKING_KEYS = ("content_defined_chunking", "use_content_defined_chunking")


@dataclass(frozen=True)
class Spill:
    """Arrow batches of some ranges on disk.

    Attributes:
        path: an Arrow IPC file.
        rows: the number of rows of each of its batches.
        notes: what was tolerated while decoding.
    """

    path: Path
    rows: tuple[int, ...]
    notes: Notes


@dataclass(frozen=True)
class Shard:
    """One finished Parquet file.

    Attributes:
        path: where it lies.
        rows: its rows.
    """

    path: Path
    rows: int


def spill_ranges(
    reader: SplitReader, ranges: Sequence[RecordRange], schema: pa.Schema, path: Path
) -> Spill:
    """Decode ranges and write their rows, in order, to one Arrow file."""
    notes: Notes = Counter()
    rows = []
    with (
        paused_collector(),
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, schema) as writer,
        ThreadPoolExecutor(1) as background,
    ):
        writing: Future[None] | None = None
        for _, batch in reader.rows(ranges, schema, notes):
            # Writing waits for no interpreter lock: one batch is written while the next is made.
            if writing is not None:
                writing.result()
            writing = background.submit(writer.write_batch, batch)
            rows.append(batch.num_rows)
        if writing is not None:
            writing.result()
    forget_raw_records()
    release_memory()
    return Spill(path, tuple(rows), notes)


def read_rows(spills: Sequence[Spill], start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows from `start` to `stop` of several spills that follow on each other."""
    first = 0
    for spill in spills:
        total = sum(spill.rows)
        if first < stop and first + total > start:
            with pa.OSFile(str(spill.path), "rb") as file:
                reader = pa.ipc.open_file(file)
                for number, rows in enumerate(spill.rows):
                    if first < stop and first + rows > start:
                        begin = max(start - first, 0)
                        yield reader.get_batch(number).slice(begin, min(stop - first, rows) - begin)
                    first += rows
        else:
            first += total


def row_groups(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Regroup batches into one-chunk tables of `ROWS_PER_GROUP` rows; the last may be shorter."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        while count + batch.num_rows >= ROWS_PER_GROUP:
            missing = ROWS_PER_GROUP - count
            yield pa.Table.from_batches(
                [*waiting, batch.slice(0, missing)], schema
            ).combine_chunks()
            batch = batch.slice(missing)
            waiting, count = [], 0
        if batch.num_rows:
            waiting.append(batch)
            count += batch.num_rows
    if waiting:
        yield pa.Table.from_batches(waiting, schema).combine_chunks()


def write_shard(
    spills: Sequence[Spill], start: int, stop: int, schema: pa.Schema, path: Path
) -> Shard:
    """Write the rows from `start` to `stop` as one Parquet file."""
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        write_page_index=True,
        use_content_defined_chunking=CHUNKING,
    ) as writer:
        for table in row_groups(read_rows(spills, start, stop), schema):
            writer.write_table(table, row_group_size=ROWS_PER_GROUP)
        writer.add_key_value_metadata(dict.fromkeys(CHUNKING_KEYS, json.dumps(CHUNKING)))
    release_memory()
    return Shard(path, stop - start)


@contextmanager
def worker_pool(num_proc: int) -> Iterator[Executor]:
    """Open the workers of one build: processes where several are wanted, else the caller's thread.

    Workers are spawned, not forked, because Arrow's own threads do not survive a fork.
    """
    if num_proc <= 1:
        yield SameThread()
        return
    pool = ProcessPoolExecutor(num_proc, mp_context=multiprocessing.get_context("spawn"))
    workers = start_workers(pool, num_proc)
    try:
        yield pool
    except BaseException:
        # Nobody wants to wait for the rest of the work after Ctrl-C or an error.
        for worker in workers:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def start_workers(
    pool: ProcessPoolExecutor, count: int
) -> list[multiprocessing.process.BaseProcess]:
    """Start all of a pool's processes, deaf to Ctrl-C.

    A terminal sends it to them too, and only the parent has something to say about it.
    """
    others = multiprocessing.active_children()
    in_main_thread = threading.current_thread() is threading.main_thread()
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main_thread else None
    try:
        for _ in range(count):
            pool.submit(os.getpid)  # a task that finds no idle process starts one
        return [child for child in multiprocessing.active_children() if child not in others]
    finally:
        if heard is not None:
            signal.signal(signal.SIGINT, heard)


class SameThread(Executor):
    """An executor that runs a task at once, where it is submitted."""

    def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Run a task; its error is raised here already."""
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **keywords))
        return future


def generate_shards(
    reader: SplitReader,
    schema: pa.Schema,
    paths: Callable[[int], Sequence[Path]],
    spill_folder: Path,
    pool: Executor,
    jobs: int,
) -> tuple[list[Shard], Notes]:
    """Generate all shards of one split of one config.

    Args:
        paths: the number of rows → the shards' paths.
        spill_folder: an existing folder for what is needed in between.
        pool, jobs: where to run, and into how many jobs to cut the first phase.

    Returns:
        the shards in order, and what was tolerated.
    """
    reader.survey()
    ranges = reader.ranges
    jobs = min(jobs, len(ranges))
    bounds = [len(ranges) * job // jobs for job in range(jobs + 1)]
    spilling = [
        pool.submit(spill_ranges, reader, ranges[a:b], schema, spill_folder / f"{a}.arrow")
        for a, b in pairwise(bounds)
    ]
    spills = [future.result() for future in spilling]
    notes: Notes = sum((spill.notes for spill in spills), Counter(reader.notes))
    total = sum(sum(spill.rows) for spill in spills)
    targets = paths(total)
    cuts = equal_cuts(total, len(targets))
    # Parquet is encoded outside of the interpreter lock, so threads are enough for this phase.
    with ThreadPoolExecutor(max(jobs, 2)) as threads:
        shards = list(
            threads.map(
                lambda k: write_shard(spills, cuts[k], cuts[k + 1], schema, targets[k]),
                range(len(targets)),
            )
        )
    for spill in spills:
        spill.path.unlink()
    return shards, notes
