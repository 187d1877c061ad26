"""`check` finds every breach of the folder's contract: each test breaks one thing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialogue_builders import DialogueBuildersError, check
from dialogue_builders.card.blocks import FolderSummary
from dialogue_builders.card.render import render_cards
from dialogue_builders.errors import CheckError, FolderError
from dialogue_builders.folder.built import measure_folder, open_built_folder
from dialogue_builders.hub.files import read_folder

UTTERANCES = "utterances/data/test_rare-00000-of-00001.parquet"
CONVERSATIONS = "conversations/data/test_rare-00000-of-00001.parquet"


@pytest.fixture
def folder(sample_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_folder, tmp_path / "copy"))


def rewrite(file: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(file)), file)


def state_the_files(folder: Path) -> None:
    """Write the cards anew for the files as they are now, so that only the data is wrong."""
    built = open_built_folder(folder)
    facts = FolderSummary(measure_folder(folder, built.corpus, built.provenance))
    for name, card in render_cards(facts).items():
        (folder / name).write_text(card)


def problems(folder: Path) -> str:
    return "\n".join(check(folder).problems)


def test_a_fresh_folder_has_no_problems(folder: Path) -> None:
    assert problems(folder) == ""


def test_a_foreign_file(folder: Path) -> None:
    (folder / "utterances" / "notes.txt").write_text("x")
    assert problems(folder) == "utterances/notes.txt does not belong to the folder"


def test_companions_of_the_card_are_no_foreign_files(folder: Path) -> None:
    (folder / "README.fr.md").write_text("x")
    (folder / ".gitattributes").write_text("x")
    assert problems(folder) == ""


@pytest.mark.parametrize(
    "name",
    [
        "a/b/figures/key",
        "a/README.private.md",
        "README.private.md",
        "utterances/README.zh.md",
        "utterances/.gitattributes",
        ".cache/other/notes.txt",
        "utterances/LICENSE",
        "utterances/data/notes-00000-of-00001.parquet",
    ],
)
def test_what_resembles_our_files_elsewhere_is_foreign(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x")
    assert problems(folder) == f"{name} does not belong to the folder"
    with pytest.raises(CheckError) as caught:
        check(folder).require()
    assert "move away" in str(caught.value.next_step)


def test_bookkeeping_of_tools_that_carry_a_folder_is_left_alone(folder: Path) -> None:
    for name in (
        ".cache/huggingface/.gitignore",
        ".cache/huggingface/download/README.md.metadata",
        ".git/HEAD",
        ".gitattributes",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (folder / "LICENSE").write_text("Invented terms.")
    assert problems(folder) == ""
    pushed = read_folder(open_built_folder(folder), lambda *_: None)
    assert "LICENSE" in pushed
    assert not [name for name in pushed if name.startswith(".")]


def test_linked_folders_are_pushed_where_they_are_checked(folder: Path, tmp_path: Path) -> None:
    whole = read_folder(open_built_folder(folder), lambda *_: None)
    for name in ("utterances", "conversations/data"):
        place = tmp_path / name.replace("/", "-")
        (folder / name).rename(place)
        (folder / name).symlink_to(place)
    assert problems(folder) == ""
    linked = read_folder(open_built_folder(folder), lambda *_: None)
    assert {path: file.sha256 for path, file in linked.items()} == {
        path: file.sha256 for path, file in whole.items()
    }
    (folder / "more").symlink_to(tmp_path)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    assert problems(folder).splitlines() == [
        "gone does not belong to the folder",
        "more does not belong to the folder",
    ]


def test_a_list_that_lacks_a_checked_file_is_not_pushed(folder: Path) -> None:
    built = open_built_folder(folder)
    (folder / UTTERANCES).unlink()
    with pytest.raises(FolderError, match="not among the files") as caught:
        read_folder(built, lambda *_: None)
    assert caught.value.file == UTTERANCES


def test_a_missing_shard(folder: Path) -> None:
    (folder / "utterances/data/train-00003-of-00016.parquet").unlink()
    assert "utterances/train has 15 shards, but its file names say {16}" in problems(folder)


def test_a_missing_split(folder: Path) -> None:
    (folder / UTTERANCES).unlink()
    assert "utterances/test_rare is missing" in problems(folder)


def test_a_repeated_key(folder: Path) -> None:
    rewrite(folder / UTTERANCES, lambda rows: pa.concat_tables([rows, rows.slice(0, 2)]))
    state_the_files(folder)
    found = problems(folder)
    assert "utterances/test_rare: 2 keys stand more than once, such as ('t_" in found
    assert found.count("\n") == 0


def test_a_conversation_in_two_splits(folder: Path) -> None:
    other = folder / "conversations/data/valid_rare-00000-of-00001.parquet"
    first = pq.read_table(other).slice(0, 1)
    rewrite(folder / CONVERSATIONS, lambda rows: pa.concat_tables([rows, first]))
    state_the_files(folder)
    identity = first["conversation_id"][0].as_py()
    found = problems(folder).splitlines()
    assert found[0] == f"{identity} stands in valid_rare and in test_rare"
    # The other configs lack it in this split.
    assert len(found) == 5
    assert all(f"is missing, such as {identity}" in problem for problem in found[1:])


def test_a_turn_of_no_conversation(folder: Path) -> None:
    first = pq.read_table(folder / UTTERANCES)["conversation_id"][0].as_py()

    def change(rows: pa.Table) -> pa.Table:
        ids = ["t_stray", *rows["conversation_id"].to_pylist()[1:]]
        return rows.set_column(0, "conversation_id", pa.array(ids))

    rewrite(folder / UTTERANCES, lambda rows: change(rows).cast(rows.schema))
    state_the_files(folder)
    assert problems(folder).splitlines() == [
        "utterances/test_rare: 1 conversations are not in the split, such as t_stray",
        f"utterances/test_rare: rows are missing for 1 turn of conversations, such as {first} turn 0",
    ]


def test_a_code_outside_of_the_labels(folder: Path) -> None:
    def change(rows: pa.Table) -> pa.Table:
        position = rows.schema.get_field_index("sentiment")
        return rows.set_column(position, "sentiment", pa.array([8] * len(rows))).cast(rows.schema)

    rewrite(folder / UTTERANCES, change)
    state_the_files(folder)
    found = problems(folder).splitlines()
    assert found[0] == "utterances/test_rare: sentiment holds the code 8, but there are 8 labels"
    (other,) = found[1:]
    assert other.startswith("utterances/test_rare: sentiment: 19 turns with other labels than")


def test_other_features(folder: Path) -> None:
    rewrite(folder / UTTERANCES, lambda rows: rows.drop_columns(["article_url"]))
    state_the_files(folder)
    assert f"{UTTERANCES} has other features than the config utterances declares" in problems(
        folder
    )


def test_changed_rows_under_an_old_card(folder: Path) -> None:
    rewrite(folder / UTTERANCES, lambda rows: rows.slice(1))
    found = problems(folder)
    assert "README.md states other files or digests for utterances than there are" in found
    assert "README.zh.md states other rows or features for utterances than there are" in found


def test_a_stale_card(folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(
        card.read_text().replace("| conversations |  8.00 ", "| x ").replace("119", "120")
    )
    assert "README.md is not fresh" in problems(folder)


def test_counts_of_a_pinned_folder_are_compared_with_the_published(folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text().replace('"raw": "sample"', '"raw": "pinned"'))
    assert "conversations/train has 8 rows, but 8,628 are published" in problems(folder)


def test_an_unreadable_file_is_an_error(folder: Path) -> None:
    (folder / UTTERANCES).write_bytes(b"PAR1")
    with pytest.raises(DialogueBuildersError, match="is not readable Parquet|not a readable"):
        check(folder)


@pytest.mark.parametrize("what", ["absent", "empty", "foreign card"])
def test_a_folder_that_no_build_made(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    if what != "absent":
        folder.mkdir()
    if what == "foreign card":
        (folder / "README.md").write_text("# Mine\n")
    with pytest.raises(
        DialogueBuildersError, match="no folder|not a built folder|not made by a build"
    ):
        check(folder)
