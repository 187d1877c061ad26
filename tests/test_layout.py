"""Where the files of a folder lie: splits stay apart for every reader, and older folders are ours."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from hub_server import HubServer
from huggingface_hub import HfApi
from older_layout import as_older_version, lay_both
from push_harness import WAIT_SECONDS, Pushers, files_of, pushed_files, routes

import dialogue_builders
from dialogue_builders import FolderError
from dialogue_builders.folder.layout import parse_shard_path
from dialogue_builders.spec.registry import find_corpus

pytest_plugins = ("push_fixtures",)

# Turns of the invented sample, counted by hand.
TURNS = {"train": 50, "valid_freq": 15, "valid_rare": 18, "test_freq": 17, "test_rare": 19}
DIAMANTE_TURNS = {"train": 103, "valid": 42, "test": 43}
SHARD = "utterances/data/test_rare-00000-of-00001.parquet"
OLDER_SHARD = "utterances/test_rare-00000-of-00001.parquet"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dialogue_builders", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=WAIT_SECONDS
    )


# Readers that go past the card


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("way", ["data_dir", "the config's folder", "the parquet builder"])
def test_stock_readers_keep_the_splits_apart(
    way: str, streaming: bool, folder: Path, tmp_path: Path
) -> None:
    arguments: dict[str, Mapping[str, Any]] = {
        "data_dir": {"path": str(folder), "data_dir": "utterances"},
        "the config's folder": {"path": str(folder / "utterances")},
        "the parquet builder": {"path": "parquet", "data_dir": str(folder / "utterances")},
    }
    common: dict[str, Any] = {"streaming": streaming, "cache_dir": str(tmp_path)}
    found = datasets.load_dataset(**arguments[way], **common)
    declared = datasets.load_dataset(str(folder), "utterances", **common)
    assert {split: len(list(rows)) for split, rows in found.items()} == TURNS
    for split in TURNS:
        assert list(found[split]) == list(declared[split]), split


# Stock `datasets` takes no `hf://` address as `data_dir` of a builder: that one reads a download.
LOAD = """
import json, sys
import datasets, huggingface_hub
datasets.config.USE_PARQUET_EXPORT = False  # would ask a host that does not exist here
huggingface_hub.snapshot_download("org/apart", repo_type="dataset", local_dir="got")
found = {}
for way in ({"path": "org/apart", "data_dir": "utterances"},
            {"path": "got/utterances"},
            {"path": "parquet", "data_dir": "got/utterances"}):
    for streaming in (False, True):
        splits = datasets.load_dataset(**way, streaming=streaming)
        rows = {split: [row["message"] for row in part] for split, part in splits.items()}
        found[f"{way['path']} {streaming}"] = rows
print(json.dumps(found))
"""


def test_stock_readers_keep_a_repositorys_splits_apart(
    hub: HubServer, folder: Path, tmp_path: Path
) -> None:
    hub.create_repository("org/apart", files_of(folder))
    answer = subprocess.run(
        [sys.executable, "-c", LOAD],
        env=hub.environment(tmp_path / "home"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    assert len(found) == 6
    declared = datasets.load_dataset(str(folder), "utterances", cache_dir=str(tmp_path / "cache"))
    expected = {split: list(rows["message"]) for split, rows in declared.items()}
    for way, rows in found.items():
        assert {split: len(part) for split, part in rows.items()} == TURNS, way
        assert rows == expected, way


# Paths


def test_a_shards_path_is_read_exactly() -> None:
    corpus = find_corpus("topical_chat")
    for path, is_older in ((SHARD, False), (OLDER_SHARD, True)):
        shard = parse_shard_path(path, corpus)
        assert shard is not None
        assert (shard.view, shard.split, shard.number, shard.shards) == (
            *("utterances", "test_rare"),
            *(0, 1),
        )
        assert shard.is_older is is_older
    for path in (
        "test_rare-00000-of-00001.parquet",
        "data/test_rare-00000-of-00001.parquet",
        "x/utterances/data/test_rare-00000-of-00001.parquet",
        "utterances/data/data/test_rare-00000-of-00001.parquet",
        "utterances/Data/test_rare-00000-of-00001.parquet",
        "utterances/data/test_rare-00000-of-00001.parquet.bak",
        "utterances/data/test_rare-0-of-1.parquet",
        "utterances/data/test_rare-٠٠٠٠٠-of-٠٠٠٠١.parquet",
        "utterances/data/test-00000-of-00001.parquet",
        "Utterances/data/test_rare-00000-of-00001.parquet",
        "freq/data/train-00000-of-00001.parquet",
    ):
        assert parse_shard_path(path, corpus) is None, path


def test_info_gives_the_paths_for_engines(folder: Path) -> None:
    facts = json.loads(run("info", "topical_chat", "utterances", "--json").stdout)
    assert facts["files"]["all splits"] == "utterances/data/*.parquet"
    assert facts["files"]["train"] == "utterances/data/train-*.parquet"
    alias = json.loads(run("info", "topical_chat", "rare", "--json").stdout)["files"]
    assert alias == {
        "train": "conversations/data/train-*.parquet",
        "validation": "conversations/data/valid_rare-*.parquet",
        "test": "conversations/data/test_rare-*.parquet",
    }
    for path in (*facts["files"].values(), *alias.values()):
        assert list(folder.glob(path)), path


@pytest.mark.parametrize("card", ["README.md", "README.zh.md"])
def test_the_card_gives_the_paths_for_engines(card: str, folder: Path) -> None:
    text = (folder / card).read_text("utf-8")
    for path in ("conversations/data/*.parquet", "conversations/data/train-*.parquet"):
        assert f"select * from '{path}';" in text
        assert list(folder.glob(path))


# Folders of older versions


def test_an_older_folder_is_read_and_check_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    older = as_older_version(folder, tmp_path / "older")
    (problem,) = dialogue_builders.check(older).problems
    assert problem.startswith("an older version made the folder")
    assert problem.endswith("build the folder again")
    assert dialogue_builders.statistics(older) == dialogue_builders.statistics(folder)
    shown = run("head", older, "utterances", "test_rare", "-n", "2")
    assert shown.returncode == 0
    assert shown.stdout == run("head", folder, "utterances", "test_rare", "-n", "2").stdout
    refused = run("push", older, "org/refused", "--dry-run")
    assert refused.returncode == 1
    assert "an older version made the folder" in refused.stderr


def test_an_older_folder_is_replaced_by_a_build(folder: Path, tmp_path: Path) -> None:
    older = as_older_version(folder, tmp_path / "older")
    dialogue_builders.build("topical_chat", older, sample=True, overwrite=True)
    assert files_of(older) == files_of(folder)


def with_a_column_less(folder: Path, config: str, column: str) -> None:
    """Rewrite a config's files as those of a version that did not know the column yet."""
    for shard in (folder / config).rglob("*.parquet"):
        pq.write_table(pq.read_table(shard).drop_columns([column]), shard)


def test_an_older_folder_with_other_columns(folder: Path, tmp_path: Path) -> None:
    older = as_older_version(folder, tmp_path / "older")
    with_a_column_less(older, "conversations", "conversation_id")
    (problem,) = dialogue_builders.check(older).problems
    assert problem.startswith("an older version made the folder")
    shown = run("check", older)
    assert (shown.returncode, shown.stderr.splitlines()) == (
        1,
        [
            f"Error: {older} breaks its contract in 1 point",
            "Next: build the folder again",
        ],
    )


@pytest.mark.parametrize("command", ["stats", "head", "push", "check"])
@pytest.mark.parametrize("layout", ["older", "new"])
def test_rows_of_another_version_are_an_error(
    layout: str, command: str, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    if layout == "older":
        as_older_version(folder, copy)
    else:
        shutil.copytree(folder, copy)
    with_a_column_less(copy, "conversations", "content")
    more = {"head": ["conversations", "test_rare"], "push": ["org/none", "--dry-run"]}
    answer = run(command, copy, *more.get(command, []))
    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr
    assert "build the folder again" in answer.stderr
    told = " ".join((answer.stdout + answer.stderr).split())
    if layout == "older" and command in ("push", "check"):
        assert "an older version made the folder" in told
    else:
        assert "has other features than the config conversations declares" in told


def test_a_split_that_its_config_does_not_have_is_foreign(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    stray = "asr_actual/data/train-00000-of-00001.parquet"
    shutil.copy(copy / SHARD, copy / stray)
    assert dialogue_builders.check(copy).problems == (f"{stray} does not belong to the folder",)
    for place in copy.iterdir():
        if place.is_dir() and place.name != "asr_actual":
            shutil.rmtree(place)
    for shard in (copy / "asr_actual" / "data").glob("test*"):
        shard.unlink()
    with pytest.raises(FolderError, match="has a card and no data"):
        dialogue_builders.check(copy)


def test_a_push_replaces_an_older_repository_in_one_commit(
    hub: HubServer, pushers: Pushers, folder: Path, tmp_path: Path
) -> None:
    older = as_older_version(folder, tmp_path / "older")
    foreign = {"notes/ideas.txt": b"theirs"}
    repository = hub.create_repository("org/older", {**files_of(older), **foreign})
    before = len(repository.commits())
    report = pushers.push(folder, "org/older", "--yes", "--json").report
    shards = [path for path in files_of(older) if path.endswith(".parquet")]
    assert report["plan"]["deletes"] == sorted(shards)
    assert pushed_files(repository) == {**files_of(folder), **foreign}
    assert len(repository.commits()) == before + 1
    assert pushers.push(folder, "org/older", "--json").report["committed"] is False


# Both in one folder


def test_both_layouts_in_one_folder_are_a_fault(folder: Path, tmp_path: Path) -> None:
    both = lay_both(folder, tmp_path / "both")
    count = len(list(folder.rglob("*.parquet")))
    report = dialogue_builders.check(both)
    (problem,) = report.problems
    assert problem.startswith(f"{count} files of an older version lie beside those of this one")
    assert report.next_step == "delete the files of the older version; then try again"
    refused = run("push", both, "org/refused", "--dry-run")
    assert refused.returncode == 1
    assert "files of an older version lie beside" in refused.stderr


def test_a_single_file_of_an_older_version_is_a_fault(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    shutil.copy(copy / SHARD, copy / OLDER_SHARD)
    (problem,) = dialogue_builders.check(copy).problems
    assert problem.startswith("1 file of an older version lies beside those of this one")
    assert OLDER_SHARD in problem


def test_what_an_upload_over_an_older_repository_leaves(
    hub: HubServer, pushers: Pushers, small_folder: Path, tmp_path: Path
) -> None:
    older = as_older_version(small_folder, tmp_path / "older")
    repository = hub.create_repository("org/uploaded", files_of(older))
    api = HfApi(endpoint=hub.url, token="hf_owner")
    api.upload_folder(repo_id="org/uploaded", folder_path=small_folder, repo_type="dataset")
    assert pushed_files(repository).keys() == files_of(older).keys() | files_of(small_folder).keys()
    left = tmp_path / "left"
    for path, content in pushed_files(repository).items():
        (left / path).parent.mkdir(parents=True, exist_ok=True)
        (left / path).write_bytes(content)
    (problem,) = dialogue_builders.check(left).problems
    assert "conversations/test_rare-00000-of-00001.parquet" in problem
    report = pushers.push(small_folder, "org/uploaded", "--yes", "--json").report
    assert report["plan"]["deletes"] == ["conversations/test_rare-00000-of-00001.parquet"]
    assert pushed_files(repository) == files_of(small_folder)
    assert routes(hub).count("commit") == 2


# Nothing there


@pytest.mark.parametrize("command", ["check", "stats", "head", "push"])
@pytest.mark.parametrize("left", ["nothing", "other names"])
def test_a_folder_without_data_is_an_error(
    command: str, left: str, small_folder: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(small_folder, tmp_path / "copy"))
    data = copy / "conversations" / "data"
    if left == "nothing":
        shutil.rmtree(data)
    else:
        for shard in data.iterdir():
            shard.rename(data / shard.name.replace("test_rare", "elsewhere"))
    more = {"head": ["conversations", "test_rare"], "push": ["org/empty"]}.get(command, [])
    answer = run(command, copy, *more)
    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr
    assert "has a card and no data" in answer.stderr
    assert "conversations/data/train-00000-of-00001.parquet" in answer.stderr
    assert "\nNext: " in answer.stderr


@pytest.mark.parametrize("name", ["a[1]", "a*b", "a?b", "a::b"])
def test_a_path_that_the_library_takes_as_a_pattern(name: str, tmp_path: Path) -> None:
    for out in (tmp_path / name, tmp_path / name / "inner"):
        with pytest.raises(FolderError, match="can't be loaded by its path"):
            dialogue_builders.build("diamante", out, sample=True, configs=["utterances"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a]b", "a{b}", "a#b", "a%20b", "a b", "对话", "a'b"])
def test_an_odd_path_that_can_be_loaded(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    dialogue_builders.build("diamante", out, sample=True, configs=["utterances"])
    loaded = datasets.load_dataset(str(out), "utterances", cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == DIAMANTE_TURNS
