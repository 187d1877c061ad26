"""A `split=` asks for what it needs: the files of that split, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import pytest
from topical_chat_raw import sample_json, write_raw

from dialogue_builders import OptionError, UnknownNameError, load_dataset
from dialogue_builders.loading.wanted_splits import wanted_splits

KNOWN = ("train", "valid", "test")

# Every form that the library takes, and the splits it needs.
FORMS: list[tuple[Any, list[str] | None]] = [
    (None, None),
    ("all", None),
    (datasets.Split.ALL, None),
    ("train+valid+test", None),
    ("test", ["test"]),
    (" test ", ["test"]),
    ("test[:10%]", ["test"]),
    ("test[5:]+train", ["train", "test"]),
    ("train[:50%](pct1_dropremainder)", ["train"]),
    (datasets.Split.TRAIN, ["train"]),
    (datasets.Split.TRAIN + datasets.Split.TEST, ["train", "test"]),
    (datasets.ReadInstruction("valid", to=3, unit="abs"), ["valid"]),
    (["valid", "test[:1]"], ["valid", "test"]),
    ({"a": "valid"}, ["valid"]),
]


@pytest.mark.parametrize(("split", "needed"), FORMS, ids=str)
def test_forms(split: Any, needed: list[str] | None) -> None:
    assert wanted_splits(split, KNOWN, "talks") == needed


@pytest.mark.parametrize("split", ["tests", "train+tests", ["tests"], datasets.Split.VALIDATION])
def test_a_split_that_is_not_there(split: Any) -> None:
    with pytest.raises(UnknownNameError, match="known: train, valid, test"):
        wanted_splits(split, KNOWN, "talks")


@pytest.mark.parametrize("split", ["a b", "train[", "", "train+", datasets.Split("x") + "train"])
def test_what_is_no_split(split: Any) -> None:
    with pytest.raises(OptionError, match="split can't be"):
        wanted_splits(split, KNOWN, "talks")


@pytest.fixture
def valid_rare_alone(tmp_path: Path) -> Path:
    """A raw folder with the conversations of one split, as somebody has who copied one file."""
    return write_raw(tmp_path / "raw", only=("conversations/valid_rare",))


def load(raw: Path, tmp_path: Path, split: Any, **keywords: Any) -> Any:
    return load_dataset(
        "topical_chat",
        "utterances",
        data_dir=str(raw),
        cache_dir=str(tmp_path / "cache"),
        split=split,
        **keywords,
    )


def messages(split: str) -> list[str]:
    records = sample_json(f"conversations/{split}.json").values()
    return [turn["message"] for record in records for turn in record["content"]]


@pytest.mark.parametrize("streaming", [False, True])
def test_other_splits_may_be_absent(
    valid_rare_alone: Path, tmp_path: Path, streaming: bool
) -> None:
    rows = load(valid_rare_alone, tmp_path, "valid_rare", streaming=streaming)
    assert [row["message"] for row in rows] == messages("valid_rare")


def test_slices(valid_rare_alone: Path, tmp_path: Path) -> None:
    assert (
        load(valid_rare_alone, tmp_path, "valid_rare[2:5]")["message"][:]
        == messages("valid_rare")[2:5]
    )
    parts = load(valid_rare_alone, tmp_path, ["valid_rare[:1]", "valid_rare[1:]"])
    assert [len(part) for part in parts] == [1, len(messages("valid_rare")) - 1]


@pytest.mark.parametrize("split", ["valid_rare[:10%]", ["valid_rare"]])
def test_a_stream_is_not_cut_by_its_split(
    valid_rare_alone: Path, tmp_path: Path, split: Any
) -> None:
    with pytest.raises(OptionError, match="stream"):
        load(valid_rare_alone, tmp_path, split, streaming=True)


def test_a_part_in_the_cache_is_not_the_whole(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    assert len(load(raw, tmp_path, "test_rare")) == len(messages("test_rare"))
    whole = load(raw, tmp_path, None)
    assert {split: len(rows) for split, rows in whole.items()} == {
        split: len(messages(split))
        for split in ("train", "valid_freq", "valid_rare", "test_freq", "test_rare")
    }
    assert len(load(raw, tmp_path, "train+test_rare")) == len(messages("train")) + len(
        messages("test_rare")
    )


def test_an_unknown_split_is_told_before_anything_is_read(tmp_path: Path) -> None:
    for streaming in (False, True):
        with pytest.raises(UnknownNameError, match="'dev'"):
            load(tmp_path / "nowhere", tmp_path, "dev", streaming=streaming)
