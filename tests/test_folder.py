"""The built folder: same input, same bytes; whole or absent; swept after a killed build."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from raw_layouts import LAYOUTS, read_records, write_split

from dialogue_builders import DialogueBuildersError, build
from dialogue_builders.folder import shards, staging
from dialogue_builders.raw import blocks


def digests(folder: Path) -> dict[str, str]:
    """Return path → SHA-256 of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def raw(sample_raw: Path, tmp_path: Path) -> Path:
    """A train split of 40 conversations (250 turns) and one evaluation split."""
    records = read_records(sample_raw, "train")
    many = {f"{k}-{n}": r for n in range(5) for k, r in records.items()}
    write_split(tmp_path / "raw", "train", LAYOUTS["indented object"](many))
    other = read_records(sample_raw, "test_rare")
    write_split(tmp_path / "raw", "test_rare", LAYOUTS["indented object"](other))
    return tmp_path / "raw"


SPLITS = ["train", "test_rare"]


def test_bytes_do_not_depend_on_how_they_were_made(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Small row groups, so that many of them are cut out of batches of every size.
    monkeypatch.setattr(shards, "ROWS_PER_GROUP", 7)
    common: dict[str, Any] = {"data_dir": raw, "splits": SPLITS, "shards": 3}
    common["configs"] = ["conversations", "utterances"]
    expected = digests(build("topical_chat", tmp_path / "a", **common).folder)
    assert (
        len(expected) == 2 + 2 * 2 * 3
    )  # two cards, and three shards for two splits of two configs
    again = build("topical_chat", tmp_path / "b", **{**common, "splits": SPLITS[::-1]})
    assert digests(again.folder) == expected
    named = build("topical_chat", tmp_path / "c", **{**common, "configs": common["configs"][::-1]})
    assert digests(named.folder) == expected
    for size in (100, 3000, 50_000):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
        built = build("topical_chat", tmp_path / f"block-{size}", **common)
        assert digests(built.folder) == expected, size


def test_bytes_do_not_depend_on_processes(raw: Path, tmp_path: Path) -> None:
    one = build("topical_chat", tmp_path / "a", data_dir=raw, splits=SPLITS)
    two = build("topical_chat", tmp_path / "b", data_dir=raw, splits=SPLITS, num_proc=2)
    three = build("topical_chat", tmp_path / "c", data_dir=raw, splits=SPLITS, num_proc=3)
    assert digests(one.folder) == digests(two.folder) == digests(three.folder)


@pytest.mark.parametrize("shape", ["pair lines", "object on one line", "single lines, gzipped"])
def test_bytes_do_not_depend_on_the_raw_shape(shape: str, raw: Path, tmp_path: Path) -> None:
    expected = digests(build("topical_chat", tmp_path / "a", data_dir=raw, splits=SPLITS).folder)
    for split in SPLITS:
        write_split(tmp_path / "other", split, LAYOUTS[shape](read_records(raw, split)))
    built = build("topical_chat", tmp_path / "b", data_dir=tmp_path / "other", splits=SPLITS)
    assert digests(built.folder) == expected


@pytest.mark.parametrize("count", [1, 3, 16, 37, 250, 300])
def test_shards_are_equal_to_within_one_row(count: int, raw: Path, tmp_path: Path) -> None:
    built = build("topical_chat", tmp_path / "out", data_dir=raw, splits=["train"], shards=count)
    for config, rows in (("conversations", 40), ("utterances", 250)):
        files = sorted((built.folder / config / "data").glob("*.parquet"))
        lengths = [pq.read_metadata(file).num_rows for file in files]
        assert len(lengths) == min(count, rows)
        assert sum(lengths) == rows
        assert max(lengths) - min(lengths) <= 1


def test_default_shards(raw: Path, tmp_path: Path) -> None:
    built = build("topical_chat", tmp_path / "out", data_dir=raw, splits=SPLITS)
    names = sorted(path.name for path in (built.folder / "utterances" / "data").iterdir())
    assert names[0] == "test_rare-00000-of-00001.parquet"
    assert names[1:] == [f"train-{n:05d}-of-00016.parquet" for n in range(16)]


def test_parquet_is_what_the_design_says(raw: Path, tmp_path: Path) -> None:
    built = build("topical_chat", tmp_path / "out", data_dir=raw, splits=["train"], shards=1)
    footer = pq.read_metadata(built.folder / "utterances/data/train-00000-of-00001.parquet")
    column = footer.row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert column.has_offset_index
    assert column.has_column_index
    assert footer.row_group(0).num_rows == 250


def test_the_footer_says_that_pages_are_cut_by_content(raw: Path, tmp_path: Path) -> None:
    import datasets

    built = build("topical_chat", tmp_path / "out", data_dir=raw, splits=["train"], shards=1)
    footer = pq.read_metadata(built.folder / "utterances/data/train-00000-of-00001.parquet")
    # What the library itself writes.
    datasets.Dataset.from_dict({"a": [1]}).to_parquet(tmp_path / "stock.parquet")
    stock = pq.read_metadata(tmp_path / "stock.parquet").metadata[b"content_defined_chunking"]
    assert footer.metadata[b"content_defined_chunking"] == stock
    assert footer.metadata[b"use_content_defined_chunking"] == stock


def test_an_existing_folder_is_only_replaced_when_it_is_asked_for(
    raw: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    build("topical_chat", out, data_dir=raw, splits=["test_rare"])
    before = digests(out)
    with pytest.raises(DialogueBuildersError, match="exists already") as caught:
        build("topical_chat", out, data_dir=raw, splits=SPLITS)
    assert "--overwrite" in (caught.value.next_step or "")
    assert digests(out) == before
    (out / "LICENSE").write_text("Invented terms.")
    build("topical_chat", out, data_dir=raw, splits=SPLITS, overwrite=True)
    assert (out / "LICENSE").read_text() == "Invented terms."
    assert set(digests(out)) > set(before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "raw"]


def test_foreign_files_are_never_touched(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(DialogueBuildersError, match="holds files that no build made"):
        build("topical_chat", out, data_dir=raw, splits=["test_rare"], overwrite=True)
    assert (out / "thesis.txt").read_text() == "years of work"


def test_an_empty_folder_and_missing_parents_are_filled(raw: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for out in (tmp_path / "empty", tmp_path / "a" / "b" / "c"):
        build("topical_chat", out, data_dir=raw, splits=["test_rare"])
        assert (out / "README.md").is_file()


def test_an_output_that_is_a_file(raw: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(DialogueBuildersError, match=r"is a file|part of the path is a file"):
            build("topical_chat", out, data_dir=raw, splits=["test_rare"])


def test_a_mount_point_is_refused(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "mounted"
    out.mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == out)
    with pytest.raises(DialogueBuildersError, match="mount point"):
        build("topical_chat", out, data_dir=raw, splits=["test_rare"])


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (errno.ENOSPC, "no space left"),
        (errno.EACCES, "can't be written"),
        (errno.EROFS, "read-only"),
        (errno.EBUSY, "mount point"),
    ],
)
def test_what_the_system_refuses_is_explained(
    number: int, problem: str, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **keywords: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(staging, "sync_tree", fail)
    with pytest.raises(DialogueBuildersError, match=problem):
        build("topical_chat", tmp_path / "out", data_dir=raw, splits=["test_rare"])
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


def test_a_full_disk_leaves_nothing(raw: Path, tmp_path: Path) -> None:
    """A file-size limit makes the system refuse a real write in the middle of a Parquet file."""
    code = (
        "import resource, signal, sys\n"
        "from dialogue_builders import DialogueBuildersError, build\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
        "try:\n"
        "    build('topical_chat', sys.argv[2], data_dir=sys.argv[1], splits=['train'])\n"
        "except DialogueBuildersError as error:\n"
        "    print(error)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, str(raw), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cannot write" in answer.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


def test_readers_see_the_old_or_the_new_folder_and_never_less(raw: Path, tmp_path: Path) -> None:
    """A reader in a loop, while the folder is replaced again and again."""
    out = tmp_path / "out"
    build("topical_chat", out, data_dir=raw, splits=SPLITS, shards=1)
    stop = threading.Event()
    seen: list[str] = []

    def read() -> None:
        while not stop.is_set():
            try:
                # One open folder is one generation: its card and its files belong together.
                handle = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
                card = os.open("README.md", os.O_RDONLY, dir_fd=handle)
                seen.append(
                    "old" if b"conversations/data/test_rare" in os.read(card, 10_000) else "new"
                )
                os.close(card)
                os.close(handle)
            except FileNotFoundError as error:
                seen.append(f"gap: {error}")

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(6):
        splits = ["train"] if number % 2 else SPLITS
        build("topical_chat", out, data_dir=raw, splits=splits, shards=1, overwrite=True)
    stop.set()
    reader.join()
    gaps = [entry for entry in seen if entry.startswith("gap: ") and str(out) in entry]
    assert gaps == []
    assert {"old", "new"} <= set(seen)


def test_where_folders_can_not_be_exchanged_two_renames_do(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "exchange", lambda first, second: False)
    for splits in (["test_rare"], SPLITS):
        build("topical_chat", tmp_path / "out", data_dir=raw, splits=splits, overwrite=True)
    assert (tmp_path / "out" / "conversations/data/train-00000-of-00016.parquet").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "raw"]


def test_a_crash_between_the_two_renames_is_healed(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build("topical_chat", out, data_dir=raw, splits=["test_rare"])
    before = digests(out)
    os.rename(out, tmp_path / ".out.replaced-0123abcd")
    with pytest.raises(DialogueBuildersError, match="exists already"):
        build("topical_chat", out, data_dir=raw, splits=["test_rare"])
    assert digests(out) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "raw"]


KILLED = """
import os, signal, sys
from dialogue_builders import build
from dialogue_builders.folder import shards, staging
where = sys.argv[3]
def die(*arguments, **keywords):
    os.kill(os.getpid(), signal.SIGKILL)
module = {"write_shard": shards, "sync_tree": staging, "publish": staging}[where]
setattr(module, where, die)
build("topical_chat", sys.argv[2], data_dir=sys.argv[1], splits=["test_rare"])
"""


@pytest.mark.parametrize("where", ["write_shard", "sync_tree", "publish"])
def test_a_killed_build_is_swept_by_the_next(where: str, raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", KILLED, str(raw), str(out), where]
    assert subprocess.run(command).returncode == -signal.SIGKILL
    assert not out.exists()
    assert len(list(tmp_path.glob(".out.building-*"))) == 1
    build("topical_chat", out, data_dir=raw, splits=["test_rare"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "raw"]


def test_a_living_build_is_not_swept(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with staging.staged_folder(out, overwrite=False, is_ours=lambda _: False) as temporary:
        build("topical_chat", out, data_dir=raw, splits=["test_rare"])
        assert temporary.is_dir()
        shutil.rmtree(out)
        (temporary / "x").write_text("x")
    assert (out / "x").is_file()


INTERRUPTED = """
import os, signal, sys
from dialogue_builders.cli import main as cli
from dialogue_builders.folder import shards, staging
from dialogue_builders.workflows import build
generate, sync = shards.generate_shards, staging.sync_tree
def interrupt(function):
    def run(*arguments):
        # As a terminal does: the signal goes to every process of the group.
        os.killpg(0, signal.SIGINT)
        return function(*arguments)
    return run
if sys.argv[1] == "generating":
    build.generate_shards = interrupt(generate)
else:
    staging.sync_tree = interrupt(sync)
if __name__ == "__main__":
    cli.main(sys.argv[2:])
"""


@pytest.mark.parametrize("processes", ["1", "2"])
@pytest.mark.parametrize("moment", ["generating", "syncing"])
def test_interrupting_leaves_nothing(
    moment: str, processes: str, raw: Path, tmp_path: Path
) -> None:
    """Ctrl-C in the middle of a build: nothing is left, and the exit code is the shell's."""
    script = tmp_path.parent / f"{tmp_path.name}.py"
    script.write_text(INTERRUPTED)
    arguments = ["build", "topical_chat", "--data-dir", str(raw), "--split", "test_rare"]
    answer = subprocess.run(
        [
            sys.executable,
            str(script),
            moment,
            *arguments,
            "--out",
            str(tmp_path / "out"),
            "--num-proc",
            processes,
        ],
        capture_output=True,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
    )
    assert answer.returncode in (130, -signal.SIGINT)  # a shell shows both as 130
    assert answer.stderr.strip() == "Interrupted; nothing was left behind."
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


def test_other_splits_of_the_card_are_left_out(raw: Path, tmp_path: Path) -> None:
    """A folder with a part of the splits offers only the aliases that it can serve."""
    built = build("topical_chat", tmp_path / "out", data_dir=raw, splits=SPLITS)
    names = datasets.get_dataset_config_names(str(built.folder))
    views = ["conversations", "utterances", "messages"]
    assert names == [*views, "train", "test_rare", "freq", "rare"]
    assert datasets.get_dataset_split_names(str(built.folder), "freq") == ["train"]
    assert datasets.get_dataset_split_names(str(built.folder), "rare") == ["train", "test"]
    json.dumps(digests(built.folder))
