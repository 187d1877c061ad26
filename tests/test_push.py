"""Pushes end to end: what is on the Hub afterwards, and what a person or a program is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hub_server import Fault, HubServer
from push_harness import Pushers, files_of, pushed_files, routes

import dialogue_builders
from dialogue_builders.card.blocks import FolderSummary
from dialogue_builders.card.render import render_cards
from dialogue_builders.folder.built import open_built_folder

pytest_plugins = ("push_fixtures",)

READS = ("GET", "HEAD")


def test_a_new_repository_and_the_same_again(
    hub: HubServer, pushers: Pushers, folder: Path
) -> None:
    report = pushers.push(folder, "org/new", "--json").report
    repository = hub.repository("org/new")
    files = files_of(folder)
    assert pushed_files(repository) == files
    assert len(repository.commits()) == 2
    assert report["commit"] == repository.head()
    assert report["committed"] is True
    assert report["created"] is True
    assert report["private"] is False
    assert report["url"] == f"{hub.url}/datasets/org/new"
    assert report["load"] == 'load_dataset("org/new", "conversations")'
    assert report["plan"]["adds"] == {path: len(data) for path, data in files.items()}
    assert report["plan"]["upload_bytes"] == sum(map(len, files.values()))
    assert report["proof"]["files"] == len(files)
    rows = report["proof"]["rows"]
    assert rows["rare"] == {"train": 8, "validation": 3, "test": 3}
    assert rows["utterances"]["train"] == 50

    hub.clear_log()
    again = pushers.push(folder, "org/new", "--json").report
    assert again["committed"] is False
    assert again["commit"] == report["commit"]
    assert again["plan"]["unchanged"] == len(files)
    assert again["plan"]["unchanged_bytes"] == sum(map(len, files.values()))
    assert again["proof"] == report["proof"]
    assert len(repository.commits()) == 2
    assert {record.method for record in hub.requests} <= set(READS)


def test_of_a_changed_config_only_its_files_are_uploaded(
    hub: HubServer, pushers: Pushers, folder: Path, own_folder: Path, tmp_path: Path
) -> None:
    repository = hub.create_repository("org/changed", files_of(folder))
    dialogue_builders.build(
        "topical_chat", tmp_path / "other", sample=True, configs=["utterances"], shards=3
    )
    shutil.rmtree(own_folder / "utterances")
    shutil.copytree(tmp_path / "other" / "utterances", own_folder / "utterances")
    for name, card in render_cards(FolderSummary(open_built_folder(own_folder))).items():
        (own_folder / name).write_text(card)
    report = pushers.push(own_folder, "org/changed", "--yes", "--json").report
    new = {path for path in files_of(own_folder) if path.startswith("utterances/")}
    # Each of the five splits is in three files now; before, `train` was in 16 and others in one.
    assert len(new) == 15
    assert set(report["plan"]["adds"]) == new
    assert set(report["plan"]["replaces"]) == {"README.md", "README.zh.md"}
    assert len(report["plan"]["deletes"]) == 20
    assert all(path.startswith("utterances/") for path in report["plan"]["deletes"])
    assert routes(hub).count("lfs_upload") == 15
    assert pushed_files(repository) == files_of(own_folder)
    assert len(repository.commits()) == 3


def test_sixty_shards_are_one_commit(hub: HubServer, pushers: Pushers, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    dialogue_builders.write_sample("topical_chat", raw)
    place = next(raw.rglob("conversations/train.json"))
    few = json.loads(place.read_text())
    many = {f"{name}-{copy}": few[name] for copy in range(8) for name in few}
    assert len(many) == 64
    place.write_text(json.dumps(many))
    out = tmp_path / "out"
    dialogue_builders.build(
        "topical_chat", out, data_dir=raw, configs=["conversations"], splits=["train"], shards=60
    )
    assert pushers.push(out, "org/sixty").code == 0
    repository = hub.repository("org/sixty")
    assert len(list((out / "conversations" / "data").iterdir())) == 60
    assert pushed_files(repository) == files_of(out)
    assert len(repository.commits()) == 2
    assert routes(hub).count("commit") == 1


def test_a_dry_run_touches_nothing(
    hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path
) -> None:
    repository = hub.create_repository("org/dry", files_of(old_folder))
    report = pushers.push(small_folder, "org/dry", "--dry-run", "--json").report
    shard = "conversations/data/test_rare-0000{}-of-0000{}.parquet"
    assert report["dry_run"] is True
    assert report["commit"] is None
    assert report["proof"] is None
    assert set(report["plan"]["adds"]) == {shard.format(0, 1)}
    assert set(report["plan"]["replaces"]) == {"README.md", "README.zh.md"}
    assert report["plan"]["deletes"] == [shard.format(0, 2), shard.format(1, 2)]
    shown = pushers.push(small_folder, "org/dry", "--dry-run").stdout
    for line in ("add", "replace", "delete", "1 added, 2 replaced, 2 deleted", "a dry run"):
        assert line in shown
    assert len(repository.commits()) == 2
    missing = pushers.push(small_folder, "org/dry-new", "--dry-run", "--json").report
    assert (missing["created"], len(missing["plan"]["adds"])) == (True, 3)
    with pytest.raises(KeyError):
        hub.repository("org/dry-new")
    assert {record.method for record in hub.requests} <= set(READS)


def test_a_plan_names_a_folder_of_many_files_once(
    hub: HubServer, pushers: Pushers, folder: Path
) -> None:
    shown = pushers.push(folder, "org/grouped", "--dry-run").stdout
    lines = {line.split("  ")[1].strip(): line for line in shown.splitlines() if "add " in line}
    shards = list((folder / "utterances/data").iterdir())
    assert len(shards) == 20
    assert f"utterances/data/ ({len(shards)} files)" in lines, shown
    size = sum(shard.stat().st_size for shard in shards)
    assert f"{size / 1e6:,.2f} MB" in lines["utterances/data/ (20 files)"]
    assert "README.md" in lines
    assert "utterances/data/train-00000-of-00016.parquet" not in shown
    assert len(lines) < 25


def test_names_and_order_as_in_the_hubs_own_command(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    where = (Path("org/turned"), str(small_folder))
    assert pushers.push(*where, "--commit-message", "As hf says it").code == 0
    repository = hub.repository("org/turned")
    assert pushed_files(repository) == files_of(small_folder)
    assert repository.commits()[0].title == "As hf says it"


def test_deleting_needs_a_yes(
    hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path
) -> None:
    repository = hub.create_repository("org/delete", files_of(old_folder))
    refused = pushers.push(small_folder, "org/delete")
    refused.require_known_error("would delete 2 files", "test_rare-00001-of-00002", "--yes")
    assert len(repository.commits()) == 2
    assert {record.method for record in hub.requests} <= set(READS)


def test_foreign_files_and_a_foreign_card_stay(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    foreign = {
        "data/train-00000-of-00001.parquet": b"theirs",
        "conversations/notes.txt": b"theirs too",
        ".gitignore": b"*.parquet\n",
    }
    card = """---
license: other
annotations_creators: [found]
configs:
- config_name: theirs
  default: true
  data_files: data/*
---

# Theirs

请保留这些文字。
"""
    repository = hub.create_repository("org/foreign", {**foreign, "README.md": card.encode()})
    result = pushers.push(small_folder, "org/foreign")
    assert result.code == 0, result.stderr
    assert "theirs is no longer the default config" in result.stderr
    files = pushed_files(repository)
    assert {path: files[path] for path in foreign} == foreign
    text = files["README.md"].decode()
    assert text.endswith("\n# Theirs\n\n请保留这些文字。\n")
    assert "annotations_creators: [found]\n" in text
    assert "license: cdla-sharing-1.0\n" in text
    assert text.index("# Topical-Chat") < text.index("# Theirs")
    again = pushers.push(small_folder, "org/foreign", "--json").report
    assert again["committed"] is False
    assert len(repository.commits()) == 3


def test_a_card_that_was_edited_on_the_hub(
    hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path
) -> None:
    files = files_of(old_folder)
    files["README.md"] = files["README.md"].replace(
        b"Topical-Chat is a", b"This, dear reader, is a"
    )
    repository = hub.create_repository("org/edited", files)
    assert pushers.push(small_folder, "org/edited", "--yes").code == 0
    text = pushed_files(repository)["README.md"].decode()
    assert "This, dear reader, is a" in text
    # The old folder has two files, the new one has one.
    assert "| `conversations` | 2 |" in files["README.md"].decode()
    assert "| `conversations` | 1 |" in text
    assert "test_rare-*-of-00001.parquet" in text
    assert "of-00002" not in text


def test_a_card_that_cannot_be_kept_ends_the_push(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    card = b"---\na: [\n---\n"
    repository = hub.create_repository("org/yaml", {"README.md": card})
    result = pushers.push(small_folder, "org/yaml")
    result.require_known_error("README.md", "then push again")
    assert pushed_files(repository) == {"README.md": card}


def test_a_page_that_is_not_utf_8_gives_way_and_stays_in_the_history(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    card = b"---\na: 1\n---\nk\xf6nnte"
    repository = hub.create_repository("org/latin", {"README.md": card})
    before = repository.head()
    result = pushers.push(small_folder, "org/latin", "--yes")
    assert result.code == 0, result.stderr
    assert f"(commit {before[:8]})" in result.stderr
    assert pushed_files(repository) == files_of(small_folder)
    assert repository.files(before)["README.md"] == card


def test_another_branch_leaves_main_alone(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    repository = hub.create_repository("org/branch", {"data.txt": b"main"})
    head = repository.head()
    report = pushers.push(small_folder, "org/branch", "--revision", "v2", "--json").report
    assert repository.head() == head
    assert pushed_files(repository, "v2") == {**files_of(small_folder), "data.txt": b"main"}
    assert [commit.sha for commit in repository.commits("v2")][1] == head
    assert report["load"] == 'load_dataset("org/branch", "conversations", revision="v2")'
    assert report["url"].endswith("/datasets/org/branch/tree/v2")
    again = pushers.push(small_folder, "org/branch", "--revision", "v2", "--json").report
    assert again["committed"] is False


def test_a_pull_request(
    hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path
) -> None:
    old = files_of(old_folder)
    repository = hub.create_repository("org/proposed", old)
    options = ("--create-pr", "--yes", "--json", "--message", "One file is enough")
    report = pushers.push(small_folder, "org/proposed", *options, token="hf_reader").report
    (pull_request,) = repository.pull_requests
    assert pull_request.title == "One file is enough"
    assert pushed_files(repository) == old
    assert pushed_files(repository, "refs/pr/1") == files_of(small_folder)
    assert report["pull_request"] == 1
    assert report["url"] == f"{hub.url}/datasets/org/proposed/discussions/1"
    assert 'revision="refs/pr/1"' in report["load"]
    # Proposing the same again opens no second one.
    again = pushers.push(small_folder, "org/proposed", *options, token="hf_reader").report
    assert (again["committed"], again["pull_request"]) == (False, 1)
    assert len(repository.pull_requests) == 1
    # It is a branch like others, and can be changed.
    back = ("--revision", "refs/pr/1", "--yes", "--json")
    report = pushers.push(old_folder, "org/proposed", *back, token="hf_reader").report
    assert report["committed"] is True
    assert pushed_files(repository, "refs/pr/1") == old
    nowhere = pushers.push(old_folder, "org/proposed", "--revision", "refs/pr/9")
    nowhere.require_known_error("no revision refs/pr/9")


def test_a_tag(hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path) -> None:
    hub.inject(Fault("lost_answer", route="create_tag"))
    assert pushers.push(old_folder, "org/tagged", "--tag", "v1").code == 0
    repository = hub.repository("org/tagged")
    first = repository.head()
    assert repository.tags == {"v1": first}
    assert pushers.push(old_folder, "org/tagged", "--tag", "v1").code == 0
    taken = pushers.push(small_folder, "org/tagged", "--yes", "--tag", "v1")
    taken.require_known_error("the tag v1 is taken", "nothing was pushed")
    assert repository.head() == first
    assert pushers.push(small_folder, "org/tagged", "--yes", "--tag", "v2").code == 0
    assert repository.tags == {"v1": first, "v2": repository.head()}
