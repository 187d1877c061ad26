"""docs/recipes/nodes.md: several nodes, each with several workers, see every row once."""

from __future__ import annotations

import json
import re
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from recipes import headings_with_snippets, run, snippets

import dialogue_builders
from dialogue_builders import build, load_dataset, split_by_node

DOCUMENT = "nodes.md"
HEADING = "Every row on one node"

Key = tuple[str, int]


@pytest.fixture(scope="module")
def keys(sample_raw: Path) -> list[Key]:
    raw = json.loads((sample_raw / "conversations/train.json").read_text("utf-8"))
    return [(name, turn) for name, record in raw.items() for turn in range(len(record["content"]))]


def test_every_snippet_is_tested() -> None:
    assert headings_with_snippets(DOCUMENT) == [HEADING]


@pytest.mark.train
def test_two_nodes_of_two_workers_under_torchrun(demo: Path, keys: list[Key]) -> None:
    import torch

    script, command = snippets(DOCUMENT, HEADING)
    name = re.match(r"# (\S+)\n", script)
    assert name is not None
    (demo / name[1]).write_text(script, "utf-8")
    # A hang at the end is the fault that is looked for: the run has to end by itself.
    run(["bash", "-ec", command], demo, timeout=200)
    for epoch in (0, 1):
        parts = [torch.load(demo / f"seen-{epoch}-{rank}.pt") for rank in (0, 1)]
        assert sorted(parts[0] + parts[1]) == sorted(keys)
        # 50 rows in 16 shards: two have four rows, the others three. `set_epoch` may bring the two
        # longer ones to one node.
        assert abs(len(parts[0]) - len(parts[1])) <= 2 * epoch


@pytest.mark.parametrize("world_size", [2, 4, 8, 16])
def test_default_shards_suit_the_nodes(
    world_size: int, sample_folder: Path, keys: list[Key]
) -> None:
    stream = stream_of(sample_folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parts = [split_by_node(stream, rank, world_size) for rank in range(world_size)]
    seen = [[key_of(row) for row in part] for part in parts]
    counts = [len(part) for part in seen]
    assert sum(counts) == 50
    assert max(counts) - min(counts) <= 1
    assert sorted(key for part in seen for key in part) == sorted(keys)


@pytest.mark.parametrize(("shards", "rows"), [(3, [17, 17, 16]), (4, [13, 13, 12, 12])])
def test_shards_are_equal_and_the_longer_ones_come_first(
    shards: int, rows: list[int], tmp_path: Path
) -> None:
    folder = build(
        "topical_chat", tmp_path / "out", sample=True, configs=["utterances"], shards=shards
    ).folder
    files = sorted((folder / "utterances" / "data").glob("train-*.parquet"))
    assert [pq.read_metadata(file).num_rows for file in files] == rows


def test_the_real_sizes_divide_without_thought() -> None:
    """Published: 8,628 conversations and 188,378 turns in train."""
    from dialogue_builders.raw.ranges import equal_cuts

    for rows in (8628, 188378):
        cuts = equal_cuts(rows, 16)
        shards = [stop - start for start, stop in pairwise(cuts)]
        assert sum(shards) == rows
        for nodes in (2, 4, 8, 16):
            counts = [sum(shards[rank::nodes]) for rank in range(nodes)]
            assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(
    ("world_size", "num_workers", "problem", "shards"),
    [
        (3, 0, "every node reads the whole split and keeps one row in 3", 18),
        (3, 2, "16 shards can't be shared equally by 3 nodes", 18),
        (16, 4, "48 workers have nothing to do", 64),
        (4, 3, "some workers have one shard more to read", 24),
    ],
)
def test_shards_that_do_not_suit_are_a_warning_with_the_command(
    world_size: int,
    num_workers: int,
    problem: str,
    shards: int,
    sample_folder: Path,
    keys: list[Key],
    tmp_path: Path,
) -> None:
    stream = stream_of(sample_folder)
    with pytest.warns(UserWarning, match=problem) as caught:
        parts = [split_by_node(stream, 0, world_size, num_workers)]
    assert len(caught) == 1
    command = (
        "dialogue-builders build NAME --data-dir RAW --out FOLDER "
        f"--config utterances --shards {shards}"
    )
    assert str(caught[0].message).endswith(command)
    with warnings.catch_warnings():
        # The other nodes say nothing: one warning is enough.
        warnings.simplefilter("error")
        parts += [
            split_by_node(stream, rank, world_size, num_workers) for rank in range(1, world_size)
        ]
    # The rows are right all the same.
    assert sorted(key_of(row) for part in parts for row in part) == sorted(keys)
    # And the command makes shards that suit.
    folder = build(
        "topical_chat", tmp_path / "out", sample=True, configs=["utterances"], shards=shards
    ).folder
    if shards <= len(keys):  # a shard needs a row
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            split_by_node(stream_of(folder), 0, world_size, num_workers)


def test_the_command_names_the_dataset_where_it_is_known(sample_raw: Path) -> None:
    stream = load_dataset(
        "topical_chat", "utterances", data_dir=str(sample_raw), split="train", streaming=True
    )
    with pytest.warns(UserWarning, match="dialogue-builders build topical_chat --data-dir RAW"):
        split_by_node(stream, 0, 3)


@pytest.mark.parametrize(("rank", "num_workers"), [(2, 0), (-1, 0), (0, -1)])
def test_what_can_not_be(rank: int, num_workers: int, sample_folder: Path) -> None:
    with pytest.raises(dialogue_builders.DialogueBuildersError, match="Next: "):
        split_by_node(stream_of(sample_folder), rank, 2, num_workers)


def stream_of(folder: Path) -> Any:
    return datasets.load_dataset(str(folder), "utterances", split="train", streaming=True)


def key_of(row: dict[str, Any]) -> Key:
    return row["conversation_id"], row["turn_index"]
