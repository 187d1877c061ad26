"""Streams for several nodes: stock splitting, and a word where the shards don't fit the nodes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from dialogue_builders.errors import OptionError
from dialogue_builders.spec.registry import corpus_names

if TYPE_CHECKING:
    from datasets import IterableDataset


class ShardsWarning(UserWarning):
    """A stream has too few shards, or a number of them that the nodes can't share equally."""


def split_by_node(
    stream: IterableDataset, rank: int, world_size: int, num_workers: int = 0
) -> IterableDataset:
    """Return one node's part of a stream: stock `split_dataset_by_node`, with advice.

    The parts of all nodes together are the split, and no row is in two of them. A folder's shards
    are equal to within one row, the longer ones first. So nodes have equally many rows, to within
    one, where their number divides that of the shards (after `set_epoch`, which moves the shards,
    to within one row per shard), and their `DataLoader` workers have equal work where nodes ×
    workers divides it. The 16 shards of `train` suit 1, 2, 4, 8 and 16 of them. Elsewhere the rows
    are right too, but nodes read more than they keep, or workers stand idle: that is a
    `ShardsWarning` with the command that makes fitting shards.

    Args:
        stream: a streamed split, from a built folder, a repository or raw files.
        rank, world_size: this node's number, from 0, and how many nodes there are.
        num_workers: workers of each node's `DataLoader`.

    Raises:
        OptionError: a rank that does not exist, or a negative number of workers.
    """
    from datasets.distributed import split_dataset_by_node

    if not 0 <= rank < world_size:
        raise OptionError(
            f"there is no rank {rank} among {world_size} nodes",
            next_step="ranks count from 0 to world_size - 1",
        )
    if num_workers < 0:
        raise OptionError(f"num_workers can't be {num_workers}", next_step="give 0 or more")
    problem = misfit(stream.num_shards, world_size, num_workers)
    if problem and rank == 0:  # every node would say the same
        wanted = fitting_shards(stream.num_shards, world_size, num_workers)
        warnings.warn(f"{problem}\nNext: {rebuild_command(stream, wanted)}", ShardsWarning, 2)
    return split_dataset_by_node(stream, rank, world_size)


def misfit(shards: int, world_size: int, num_workers: int) -> str | None:
    """Return what is wrong with a number of shards; None where nodes and workers share equally."""
    readers = world_size * max(num_workers, 1)
    if shards % world_size:
        return (
            f"{shards} shards can't be shared equally by {world_size} nodes, so every node reads "
            f"the whole split and keeps one row in {world_size}"
        )
    if shards < readers:
        return (
            f"{shards} shards are too few for {world_size} nodes with {num_workers} workers each: "
            f"{readers - shards} workers have nothing to do"
        )
    if shards % readers:
        return (
            f"{shards} shards can't be shared equally by {world_size} nodes with {num_workers} "
            "workers each: some workers have one shard more to read"
        )
    return None


def fitting_shards(shards: int, world_size: int, num_workers: int) -> int:
    """Return the smallest number of shards that fits, and is not below the present one."""
    readers = world_size * max(num_workers, 1)
    return -(-shards // readers) * readers


def rebuild_command(stream: Any, shards: int) -> str:
    """Return the command that builds a folder with so many shards per split."""
    name = stream.info.dataset_name
    known = name if name in corpus_names() else "NAME"
    config = stream.info.config_name
    only = f" --config {config}" if config and config != "default" else ""
    return (
        f"build a folder with {shards} shards per split: dialogue-builders build {known} "
        f"--data-dir RAW --out FOLDER{only} --shards {shards}"
    )
