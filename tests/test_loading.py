"""Ways to load: names, `register()`, options, and that none of them ever serves stale rows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import pytest
import toy_dialogues

import dialogue_builders
from dialogue_builders import build, load_dataset


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    toy_dialogues.install(monkeypatch)
    return toy_dialogues.write_raw(tmp_path / "raw")


def load_toy(toy: Path, **keywords: Any) -> Any:
    given = {"data_dir": str(toy), "cache_dir": str(toy.parent / "cache"), "split": "train"}
    return load_dataset("toy_dialogues", **{**given, **keywords})


@pytest.mark.parametrize("streaming", [False, True])
def test_a_third_dataset_gets_everything_from_the_engine(streaming: bool, toy: Path) -> None:
    rows = list(load_toy(toy, streaming=streaming))
    assert rows == [
        {"id": "train-0", "text": "hello / xxxxxx", "town": None, "colour": "green", "longest": 8},
        {
            "id": "train-1",
            "text": "hello / xxxxxxx",
            "town": "town of train-1",
            "colour": None,
            "longest": 8,
        },
        {
            "id": "train-2",
            "text": "hello / xxxxxxxx",
            "town": "town of train-2",
            "colour": None,
            "longest": 8,
        },
    ]


@pytest.mark.parametrize("num_proc", [1, 2])
def test_a_third_dataset_is_built(num_proc: int, toy: Path, tmp_path: Path) -> None:
    options = {"talks": {"loud": "true"}}
    # Workers import views by name, so the toy lends itself to processes like any package.
    report = build(
        "toy_dialogues", tmp_path / "out", data_dir=toy, options=options, num_proc=num_proc
    )
    rows = datasets.load_dataset(str(report.folder), split="train", cache_dir=str(tmp_path / "c"))
    assert rows["text"][0] == "HELLO / XXXXXX"
    assert report.built.provenance.options["talks"]["loud"] is True
    assert report.built.provenance.notes == (
        "train: the longest line has 8 characters",
        "test: the longest line has 8 characters",
    )


def test_a_changed_option_is_seen(toy: Path) -> None:
    assert load_toy(toy)["text"][0] == "hello / xxxxxx"
    assert load_toy(toy, loud=True)["text"][0] == "HELLO / XXXXXX"
    assert load_toy(toy, joint=" ")["text"][0] == "hello xxxxxx"
    assert load_toy(toy)["text"][0] == "hello / xxxxxx"
    # None means "not given", in the library and here.
    assert load_toy(toy, loud=None)["text"][0] == "hello / xxxxxx"


@pytest.mark.parametrize(
    ("option", "value"),
    [("loud", 1), ("loud", "yes"), ("joint", "-"), ("most", -1), ("most", 1.5), ("share", "x")],
)
def test_an_option_value_that_can_not_be_used(option: str, value: Any, toy: Path) -> None:
    with pytest.raises(
        dialogue_builders.DialogueBuildersError, match=f"the option {option} can't be"
    ):
        load_toy(toy, **{option: value})


def test_an_unknown_option_is_compared_with_the_known(toy: Path) -> None:
    with pytest.raises(dialogue_builders.DialogueBuildersError, match="did you mean 'loud'"):
        load_toy(toy, lout=True)


@pytest.mark.parametrize("file", ["talks/train.json", "places/train.json", "colours.json"])
def test_a_changed_raw_file_is_seen(file: str, toy: Path) -> None:
    """Same size, same times: only the content tells."""
    before = list(load_toy(toy))
    path = toy / file
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    text = path.read_text()
    changed = text.replace("hello", "HELLO").replace("town of", "TOWN OF").replace("green", "black")
    path.write_text(changed)
    os.utime(path, ns=times)
    assert (len(changed), changed) != (0, text)
    assert list(load_toy(toy)) != before
    path.write_text(text)
    assert list(load_toy(toy)) == before


def test_a_raw_file_that_changes_under_an_open_stream_is_an_error(toy: Path) -> None:
    stream = load_toy(toy, streaming=True)
    path = toy / "talks" / "train.json"
    path.write_text(path.read_text().replace("hello", "goodbye"))
    with pytest.raises(dialogue_builders.DialogueBuildersError, match="was changed after"):
        list(stream)


@pytest.mark.parametrize("streaming", [False, True])
def test_a_rebuilt_folder_of_the_same_name_is_seen(
    streaming: bool, toy: Path, tmp_path: Path
) -> None:
    def load() -> list[Any]:
        return list(
            datasets.load_dataset(
                str(tmp_path / "out"),
                split="train",
                streaming=streaming,
                cache_dir=str(tmp_path / "c"),
            )
        )

    build("toy_dialogues", tmp_path / "out", data_dir=toy)
    before = load()
    path = toy / "talks" / "train.json"
    path.write_text(path.read_text().replace("hello", "HELLO"))
    build("toy_dialogues", tmp_path / "out", data_dir=toy, overwrite=True)
    after = load()
    assert [row["text"] for row in before] == ["hello / " + "x" * n for n in (6, 7, 8)]
    assert [row["text"] for row in after] == ["HELLO / " + "x" * n for n in (6, 7, 8)]


def test_register_teaches_stock_datasets_the_names(
    sample_raw: Path, tmp_path: Path, unregistered: None
) -> None:
    from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset_builder
    from datasets import load_dataset as imported_before

    dialogue_builders.register()
    dialogue_builders.register()
    common = {"data_dir": str(sample_raw), "cache_dir": str(tmp_path)}
    assert imported_before("topical_chat", "rare", split="test", **common).num_rows == 3
    assert load_dataset_builder("topical_chat", **common).config.name == "conversations"
    assert get_dataset_config_names("topical_chat")[:2] == ["conversations", "utterances"]
    assert get_dataset_split_names("topical_chat", "freq") == ["train", "validation", "test"]
    for parameter in ("revision", "data_files"):
        with pytest.raises(dialogue_builders.DialogueBuildersError, match=parameter):
            imported_before("topical_chat", **{parameter: "x"})
    dialogue_builders.unregister()
    dialogue_builders.unregister()
    with pytest.raises(Exception, match=r"topical_chat") as caught:
        imported_before(
            "topical_chat", download_config=datasets.DownloadConfig(local_files_only=True)
        )
    assert not isinstance(caught.value, dialogue_builders.DialogueBuildersError)


def test_a_name_beats_a_local_folder_but_not_its_path(
    sample_raw: Path,
    sample_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    unregistered: None,
) -> None:
    shutil.copytree(sample_folder, tmp_path / "topical_chat")
    (tmp_path / "topical_chat" / "utterances").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path)
    dialogue_builders.register()
    by_name = datasets.load_dataset(
        "topical_chat", "utterances", data_dir=str(sample_raw), split="train", cache_dir="c"
    )
    assert by_name.num_rows == 50
    by_path = datasets.load_dataset("./topical_chat", "train", split="train", cache_dir="c")
    assert by_path.num_rows == 8


def test_other_paths_are_passed_on(sample_folder: Path, tmp_path: Path) -> None:
    rows = load_dataset(str(sample_folder), "rare", split="test", cache_dir=str(tmp_path))
    assert rows.num_rows == 3
    lines = tmp_path / "x.json"
    lines.write_text(json.dumps({"a": 1}) + "\n")
    assert load_dataset("json", data_files=str(lines), split="train").num_rows == 1


def test_importing_is_lazy() -> None:
    """Neither the packages nor the command line's help import `datasets` or Arrow."""
    code = (
        "import sys, dialogue_builders, topical_chat, dialogue_builders.cli\n"
        "print({'datasets', 'pyarrow', 'rich', 'msgspec'} & set(sys.modules))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "set()\n"
