"""A folder that others' tools carried: Git, `hf upload` and `hf download` leave nothing to do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hub_server import HubServer, xet_available
from push_harness import WAIT_SECONDS, Pushers, files_of, pushed_files, routes

import dialogue_builders
from dialogue_builders.errors import FolderError

pytest_plugins = ("push_fixtures",)

POINTER = b"""version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""


def hf(hub: HubServer, home: Path, *arguments: str | Path, xet: bool = False) -> None:
    """Run the Hub's own command line."""
    subprocess.run(
        [sys.executable, "-m", "huggingface_hub.cli.hf", *map(str, arguments)],
        env=hub.environment(home, xet=xet),
        check=True,
        capture_output=True,
        timeout=WAIT_SECONDS,
    )


def git(place: Path, *arguments: str | Path) -> None:
    who = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")
    subprocess.run(
        ["git", *who, *map(str, arguments)],
        cwd=place,
        check=True,
        capture_output=True,
        timeout=WAIT_SECONDS,
    )


def as_git_repository(files: dict[str, bytes], place: Path) -> Path:
    """Put a repository's files, `.gitattributes` among them, into a Git repository."""
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    git(place, "init", "--quiet")
    git(place, "add", "--all")
    git(place, "commit", "--quiet", "--message", "As on the Hub")
    return place


@pytest.fixture
def licensed(small_folder: Path, tmp_path: Path) -> Path:
    """A built folder with the text of its license."""
    folder = Path(shutil.copytree(small_folder, tmp_path / "licensed"))
    (folder / "LICENSE").write_text("Invented terms.\n")
    return folder


@pytest.mark.parametrize("way", ["a clone", "another work tree"])
def test_through_git(
    way: str, hub: HubServer, pushers: Pushers, licensed: Path, tmp_path: Path
) -> None:
    pushers.push(licensed, "org/git", "--yes")
    repository = hub.repository("org/git")
    origin = as_git_repository(repository.files("main"), tmp_path / "origin")
    carried = tmp_path / "carried"
    if way == "a clone":
        git(tmp_path, "clone", "--quiet", origin, carried)
    else:
        git(origin, "worktree", "add", "--quiet", carried)
    assert (carried / ".git").is_dir() is (way == "a clone")
    assert (carried / ".gitattributes").is_file()
    assert dialogue_builders.check(carried).problems == ()
    before = repository.head()
    report = pushers.push(carried, "org/git", "--json").report
    assert (report["committed"], report["plan"]["unchanged"]) == (False, len(files_of(licensed)))
    assert repository.head() == before


def test_a_clone_without_its_large_files(small_folder: Path, tmp_path: Path) -> None:
    clone = Path(shutil.copytree(small_folder, tmp_path / "clone"))
    (clone / "conversations/data/test_rare-00000-of-00001.parquet").write_bytes(POINTER)
    with pytest.raises(FolderError, match="pointer of Git LFS") as caught:
        dialogue_builders.check(clone)
    assert caught.value.file == "conversations/data/test_rare-00000-of-00001.parquet"
    assert "git lfs pull" in str(caught.value.next_step)


@pytest.mark.parametrize(
    "xet",
    [
        False,
        pytest.param(
            True, marks=pytest.mark.skipif(not xet_available(), reason="hf_xet is not installed")
        ),
    ],
)
def test_through_the_hubs_own_command_line(xet: bool, licensed: Path, tmp_path: Path) -> None:
    name = "org/carried"
    with HubServer(xet_folder=tmp_path / "store" if xet else None) as hub:
        home = tmp_path / "home"
        repository = hub.create_repository(name)
        hf(hub, home, "upload", name, licensed, "--type", "dataset", xet=xet)
        assert ("xet_token" in routes(hub), "lfs_upload" in routes(hub)) == (xet, not xet)
        assert pushed_files(repository) == files_of(licensed)
        before = repository.head()
        got = tmp_path / "got"
        hf(hub, home, "download", name, "--type", "dataset", "--local-dir", got, xet=xet)
        assert (got / ".cache/huggingface").is_dir()
        assert (got / ".gitattributes").is_file()
        assert dialogue_builders.check(got).problems == ()
        (tmp_path / "pushers").mkdir()
        pushers = Pushers(hub, tmp_path / "pushers")
        try:
            for place in (got, licensed):
                report = pushers.push(place, name, "--json").report
                assert report["committed"] is False
                assert report["plan"]["unchanged"] == len(files_of(licensed))
            # What was fetched can be carried on, and its tools' notes stay behind.
            hf(hub, home, "upload", name, got, "--type", "dataset", xet=xet)
        finally:
            pushers.close()
        assert pushed_files(repository) == files_of(licensed)
        assert repository.files("main").keys() - files_of(licensed).keys() == {".gitattributes"}
        assert before in [commit.sha for commit in repository.commits()]


def test_back_to_an_earlier_state(
    hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path, tmp_path: Path
) -> None:
    name = "org/back"
    pushers.push(old_folder, name, "--tag", "v1.0")
    pushers.push(small_folder, name, "--yes", "--tag", "v1.1")
    repository = hub.repository(name)
    assert pushed_files(repository) == files_of(small_folder)
    commits = len(repository.commits())
    got = tmp_path / "earlier"
    where = ("--type", "dataset", "--revision", "v1.0", "--local-dir", got)
    hf(hub, tmp_path / "home", "download", name, *where)
    report = pushers.push(got, name, "--yes", "--json").report
    assert report["committed"] is True
    assert pushed_files(repository) == files_of(old_folder)
    assert len(repository.commits()) == commits + 1
