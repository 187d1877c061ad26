"""docs/recipes/streaming.md: every row once, exact resuming, exact shuffling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pytest
from recipes import headings_with_snippets, printed_value, run_python, snippets
from tiny_model import save_tiny_model

DOCUMENT = "streaming.md"
EVERY_ROW = "Every row once, with several workers"
FROM_RAW = "The same, straight from raw files"
RESUMING = "Resuming in the middle of an epoch"
PASSES = "A Trainer that resumes in a later pass"
SHUFFLING = "Shuffling exactly"
ENDING = "A script that ends right after streaming"

Key = tuple[str, int]


@pytest.fixture(scope="module")
def keys(demo: Path) -> list[Key]:
    """The rows of `utterances`, `train`, as the raw file has them, by a program of its own."""
    raw = json.loads((demo / "demo/raw/conversations/train.json").read_text("utf-8"))
    return [(name, turn) for name, record in raw.items() for turn in range(len(record["content"]))]


def test_every_snippet_is_tested() -> None:
    tested = [EVERY_ROW, FROM_RAW, RESUMING, PASSES, SHUFFLING, ENDING]
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


PERSISTENT = """
sizes = []
for epoch in range(2):
    sizes.append(sum(len(batch) for batch in loader))
print([len(before), *sizes])
"""


@pytest.mark.train
@pytest.mark.parametrize("persistent", [False, True])
def test_persistent_workers_shorten_the_epoch_after_a_resume(persistent: bool, demo: Path) -> None:
    """Once torchdata mends this, the recipe's warning can go."""
    code = snippets(DOCUMENT, RESUMING)[1].rpartition("after = ")[0] + PERSISTENT
    if persistent:
        code = code.replace("num_workers=2", "num_workers=2, persistent_workers=True")
    seen, rest, following = printed_value(run_python(code, demo))
    assert seen + rest == 50
    assert (following < 50) if persistent else (following == 50)


# Batches are recorded where they are learnt from; a loader also makes those that are skipped.
RECORDED = """
from transformers import Trainer

learnt, step = [], Trainer.training_step


def record(self, model, inputs, *arguments, **keywords):
    learnt.append(inputs["input_ids"].tolist())
    return step(self, model, inputs, *arguments, **keywords)


Trainer.training_step = record
"""


@pytest.mark.train
@pytest.mark.parametrize("in_one_stream", [True, False])
def test_a_trainer_resumes_in_the_second_pass(in_one_stream: bool, demo: Path) -> None:
    save_tiny_model(demo / "demo", demo / "my-model")
    (code,) = snippets(DOCUMENT, PASSES)
    if not in_one_stream:
        code = code.replace("datasets.concatenate_datasets(passes)", "stream")
    learnt = printed_value(run_python(f"{RECORDED}{code}\nprint(learnt)", demo))
    whole, resumed = learnt[:18], learnt[18:]
    assert len(resumed) == 9
    # Once transformers mends this, the recipe can take the stream as it is.
    assert (resumed == whole[9:]) == in_one_stream


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
