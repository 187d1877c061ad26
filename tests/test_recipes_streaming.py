"""docs/recipes/streaming.md: every row once, exact resuming, exact shuffling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pytest
from recipes import headings_with_snippets, printed_value, run_python, snippets

DOCUMENT = "streaming.md"
EVERY_ROW = "Every row once, with several workers"
FROM_RAW = "The same, straight from raw files"
RESUMING = "Resuming in the middle of an epoch"
SHUFFLING = "Shuffling exactly"
ENDING = "A script that ends right after streaming"

Key = tuple[str, int]


@pytest.fixture(scope="module")
def keys(demo: Path) -> list[Key]:
    """The rows of `utterances`, `train`, as the raw file has them, by a program of its own."""
    raw = json.loads((demo / "demo/raw/conversations/train.json").read_text("utf-8"))
    return [(name, turn) for name, record in raw.items() for turn in range(len(record["content"]))]


def test_every_snippet_is_tested() -> None:
    tested = [EVERY_ROW, FROM_RAW, RESUMING, SHUFFLING, ENDING]
    assert headings_with_snippets(DOCUMENT) == tested


@pytest.mark.train
def test_every_row_comes_once_in_every_epoch(demo: Path, keys: list[Key]) -> None:
    (code,) = snippets(DOCUMENT, EVERY_ROW)
    # Fifty rows divide neither by three workers nor into batches of eight.
    assert len(keys) == 50
    assert run_python(code, demo) == ["50 50", "50 50"]


@pytest.mark.train
def test_every_row_comes_once_from_raw(demo: Path) -> None:
    (code,) = snippets(DOCUMENT, FROM_RAW)
    assert run_python(code, demo) == ["50 50"]


def test_resuming_continues_with_the_next_row(demo: Path, keys: list[Key]) -> None:
    code = snippets(DOCUMENT, RESUMING)[0]
    assert printed_value(run_python(code, demo)) == keys


@pytest.mark.train
def test_resuming_through_workers_loses_nothing(demo: Path, keys: list[Key]) -> None:
    code = snippets(DOCUMENT, RESUMING)[1]
    got = printed_value(run_python(code, demo))
    assert len(got) == len(keys)
    assert sorted(got) == sorted(keys)


@pytest.mark.parametrize("origin", ["folder", "raw"])
@pytest.mark.parametrize("stop", [1, 7, 25, 49, 50])
def test_resuming_anywhere(origin: str, stop: int, demo: Path, keys: list[Key]) -> None:
    """With shards in another order too, as `set_epoch` makes it."""

    def make() -> Any:
        stream = stream_of(origin, demo)
        stream.set_epoch(3)
        return stream

    whole = [key_of(row) for row in make()]
    assert sorted(whole) == sorted(keys)
    assert whole != keys
    stream = make()
    before = []
    for row in stream:
        before.append(key_of(row))
        if len(before) == stop:
            break
    state = json.loads(json.dumps(stream.state_dict()))
    stream = make()
    stream.load_state_dict(state)
    assert before + [key_of(row) for row in stream] == whole


def test_what_a_shuffle_buffer_loses(demo: Path, keys: list[Key]) -> None:
    """The recipe says: up to `buffer_size` rows never come, and one may come twice."""
    stream = stream_of("folder", demo).shuffle(seed=1, buffer_size=10)
    before = []
    for row in stream:
        before.append(key_of(row))
        if len(before) == 20:
            break
    state = stream.state_dict()
    stream = stream_of("folder", demo).shuffle(seed=1, buffer_size=10)
    stream.load_state_dict(state)
    seen = before + [key_of(row) for row in stream]
    assert 1 <= len(set(keys) - set(seen)) <= 10
    assert len(seen) - len(set(seen)) <= 1


def test_exact_shuffling_and_resuming(demo: Path, keys: list[Key]) -> None:
    (code,) = snippets(DOCUMENT, SHUFFLING)
    first = printed_value(run_python(code, demo))
    assert sorted(first) == sorted(keys)
    assert first != keys
    second = printed_value(run_python(code.replace("seed=1", "seed=2"), demo))
    assert sorted(second) == sorted(keys)
    assert second != first
    # Two runs of one seed agree, as do two machines.
    assert printed_value(run_python(code, demo)) == first


@pytest.mark.train
def test_exact_shuffling_in_workers(demo: Path, keys: list[Key]) -> None:
    (code,) = snippets(DOCUMENT, SHUFFLING)
    code += """
from torch.utils.data import DataLoader

loader = DataLoader(shuffled(stream, seed=5), batch_size=8, num_workers=3, collate_fn=list)
rows = [row for batch in loader for row in batch]
print([(row["conversation_id"], row["turn_index"]) for row in rows])
"""
    got = printed_value(run_python(code, demo))
    assert sorted(got) == sorted(keys)


def test_a_script_that_lets_go_of_its_files_ends_well(demo: Path) -> None:
    (code,) = snippets(DOCUMENT, ENDING)
    raw = json.loads((demo / "demo/raw/conversations/train.json").read_text("utf-8"))
    first = next(iter(raw.values()))["content"][0]
    assert run_python(code, demo, farewell=True) == [first["message"]]


def stream_of(origin: str, demo: Path) -> Any:
    from dialogue_builders import load_dataset

    if origin == "folder":
        folder = str(demo / "demo" / "topical_chat")
        return datasets.load_dataset(folder, "utterances", split="train", streaming=True)
    raw = str(demo / "demo" / "raw")
    return load_dataset("topical_chat", "utterances", data_dir=raw, split="train", streaming=True)


def key_of(row: dict[str, Any]) -> Key:
    return row["conversation_id"], row["turn_index"]
