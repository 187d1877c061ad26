"""The plan of a push: a folder's files beside a repository's, by hash."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from huggingface_hub import CommitOperationAdd
from push_harness import large, local, plan_of

from dialogue_builders.errors import FolderError
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.hub.commit import _parts
from dialogue_builders.hub.files import RemoteFile, read_folder

pytest_plugins = ("push_fixtures",)

SHARD = "conversations/data/test_rare-00000-of-00001.parquet"


def test_files_are_compared_by_the_hash_that_the_repository_has() -> None:
    # What `printf text | git hash-object --stdin` and `printf text | sha256sum` print.
    git = "f3a34851d44d6b97c90fbb99dd3d18c261b9a237"
    sha256 = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
    file = local("a", b"text")
    assert file.git_blob == git
    assert file.is_same(RemoteFile("a", 4, git, None))
    assert file.is_same(RemoteFile("a", 4, "of the pointer", sha256))
    assert not file.is_same(RemoteFile("a", 4, git[::-1], None))
    assert not file.is_same(RemoteFile("a", 4, git, sha256[::-1]))


def test_each_file_is_added_replaced_deleted_or_unchanged() -> None:
    plan = plan_of(
        [local("x/new", b"12"), local("x/changed", b"345"), local("x/same", b"6789")],
        [
            large("x/changed", b"old"),
            large("x/same", b"6789"),
            large("conversations/data/train-00003-of-00008.parquet", b"stale"),
        ],
    )
    assert plan.adds == ("x/new",)
    assert plan.replaces == ("x/changed",)
    assert plan.unchanged == ("x/same",)
    assert plan.deletes == ("conversations/data/train-00003-of-00008.parquet",)
    assert plan.deleted_bytes == 5
    assert plan.size(plan.unchanged) == 4
    assert [file.path for file in plan.uploads] == ["x/new", "x/changed"]
    assert plan.summary == "1 added, 1 replaced, 1 deleted"
    assert plan.changes
    assert not plan_of([local("x", b"1")], [large("x", b"1")]).changes


@pytest.mark.parametrize(
    "path",
    [
        "data/train-00000-of-00001.parquet",
        "theirs/conversations/data/train-00000-of-00001.parquet",
        "conversations/extra-00000-of-00001.parquet",
        "conversations/notes.txt",
        "conversations/train.parquet",
        "train-00000-of-00001.parquet",
        "docs/README.zh.md",
        ".gitattributes",
    ],
)
def test_foreign_files_are_not_deleted(path: str) -> None:
    assert plan_of([], [large(path, b"theirs")]).deletes == ()


def test_a_card_in_another_language_is_ours_where_it_has_our_blocks() -> None:
    remote = [large("README.zh.md", b"x"), large("README.de.md", b"x")]
    texts = {
        "README.zh.md": "<!-- computed: files -->\n1\n<!-- end: files -->\n",
        "README.de.md": "Ein Text.",
    }
    assert plan_of([], remote, texts).deletes == ("README.zh.md",)


def test_a_drawing_of_ours_goes_when_the_folder_has_none() -> None:
    paths = [
        "figures/sentiments.png",
        "figures/sentiments.svg",
        "figures/theirs.png",
        "sentiments.png",
    ]
    plan = plan_of([], [large(path, b"x") for path in paths])
    assert plan.deletes == ("figures/sentiments.png", "figures/sentiments.svg")


def test_the_identity_tells_what_a_commit_changes() -> None:
    files = [local("a", b"1"), local("b", b"2")]
    plan = plan_of(files, [])
    assert plan.identity == plan_of(list(reversed(files)), []).identity
    assert len(plan.identity) == 32
    other = [
        plan_of(files, [large("a", b"1")]),
        plan_of([local("a", b"1"), local("b", b"3")], []),
        plan_of(files, [large("utterances/data/train-00000-of-00001.parquet", b"1")]),
    ]
    assert len({plan.identity, *(each.identity for each in other)}) == 4


def test_a_folder_is_read_with_progress(small_folder: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    files = read_folder(open_built_folder(small_folder), lambda *step: steps.append(step))
    assert sorted(files) == ["README.md", "README.zh.md", SHARD]
    data = (small_folder / SHARD).read_bytes()
    assert files[SHARD].sha256 == hashlib.sha256(data).hexdigest()
    cards = [(small_folder / name).stat().st_size for name in ("README.md", "README.zh.md")]
    total = len(data) + sum(cards)
    assert {(what, whole) for what, _, whole in steps} == {("hashing", total)}
    done = [part for _, part, _ in steps]
    assert done == sorted(done)
    assert done[-1] == total


def test_the_hubs_own_file_stays_at_home(small_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(small_folder, folder)
    (folder / ".gitattributes").write_text("*.parquet binary\n")
    (folder / "figures").mkdir()
    (folder / "figures" / "turns.svg").write_text("<svg/>")
    files = read_folder(open_built_folder(folder), lambda *_: None)
    assert sorted(files) == ["README.md", "README.zh.md", SHARD, "figures/turns.svg"]


def test_a_folder_that_changes_while_it_is_read_is_refused(
    small_folder: Path, old_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(small_folder, folder)
    built = open_built_folder(folder)
    shutil.copy(old_folder / "conversations/data/test_rare-00000-of-00002.parquet", folder / SHARD)
    with pytest.raises(FolderError, match="was changed") as caught:
        read_folder(built, lambda *_: None)
    assert caught.value.file == SHARD


def test_uploads_are_cut_into_parts_of_a_size() -> None:
    operations = [CommitOperationAdd(str(n), b"x" * 4) for n in range(5)]
    cut = [[each.path_in_repo for each in part] for part in _parts(operations, 8)]
    assert cut == [["0", "1"], ["2", "3"], ["4"]]
    assert list(_parts([], 8)) == []
