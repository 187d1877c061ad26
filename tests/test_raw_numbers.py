"""Raw files at their edges: odd numbers, records over several lines, no turns, no room to unpack."""

from __future__ import annotations

import errno
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from diamante_raw import SPLITS, dialogue, turn, write_lines

from dialogue_builders import DialogueBuildersError, build, load_dataset

CONFIG = "conversations"


def records_of(split: str, count: int = 3) -> list[dict[str, Any]]:
    return [dialogue(f"{split}-{n}", turn(f"{split}的第{n}段话")) for n in range(count)]


def raw_folder(folder: Path) -> Path:
    return write_lines(folder, {split: records_of(split) for split in SPLITS})


def failing_build(folder: Path, **keywords: Any) -> DialogueBuildersError:
    with pytest.raises(DialogueBuildersError) as caught:
        build("diamante", folder.parent / "out", data_dir=folder, configs=[CONFIG], **keywords)
    assert not (folder.parent / "out").exists()
    return caught.value


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("field", ["mood", "id"])
def test_a_constant_of_python_is_named(field: str, constant: str, tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "raw")
    lines = (raw / "valid.txt").read_text("utf-8").splitlines()
    # The text before it looks like the constant, and is none.
    lines[1] = f'{{"note": "say \\"NaN, Infinity", "{field}": {constant}, "conversation": []}}'
    (raw / "valid.txt").write_text("\n".join(lines), "utf-8")
    error = failing_build(raw)
    assert (error.file, error.record) == ("valid.txt", "on line 2")
    column = lines[1].index(f": {constant}") + 3
    assert f"{constant} is no JSON number (column {column})" in error.problem
    assert "null" in str(error.next_step)


def test_a_constant_in_an_object_is_named(tmp_path: Path) -> None:
    ratings = {"agent_1": "Good", "agent_2": "Good"}
    good = {"article_url": "u", "config": "A", "content": [], "conversation_rating": ratings}
    place = tmp_path / "raw" / "conversations" / "train.json"
    place.parent.mkdir(parents=True)
    text = json.dumps({"one": good, "two": {**good, "extra": float("nan")}}, indent=1)
    place.write_text(text, "utf-8")
    with pytest.raises(DialogueBuildersError) as caught:
        build("topical_chat", tmp_path / "out", data_dir=tmp_path / "raw", splits=["train"])
    line = next(n for n, part in enumerate(text.split("\n"), start=1) if "NaN" in part)
    assert caught.value.record == "two"
    assert f"NaN is no JSON number (line {line}, " in caught.value.problem


@pytest.mark.parametrize("number", ["1e999", "-1e999", str(10**30), "9" * 5000])
def test_a_number_beyond_all_bounds_in_an_unknown_field_is_left_out(
    number: str, tmp_path: Path
) -> None:
    raw = raw_folder(tmp_path / "raw")
    text = (raw / "train.txt").read_text("utf-8")
    (raw / "train.txt").write_text(text.replace("{", f'{{"mood": {number}, ', 1), "utf-8")
    rows = load_dataset("diamante", CONFIG, split="train", data_dir=str(raw), streaming=True)
    assert [row["id"] for row in rows] == ["train-0", "train-1", "train-2"]


@pytest.mark.parametrize("number", ["1e999", str(10**30), "9" * 5000])
def test_a_number_in_the_place_of_a_text_is_a_fault(number: str, tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "raw")
    text = (raw / "train.txt").read_text("utf-8")
    (raw / "train.txt").write_text(text.replace('"train的第1段话"', number), "utf-8")
    error = failing_build(raw)
    assert error.file == "train.txt"
    assert error.record in ("train-1", "on line 2")
    assert error.field == "conversation[0].utterance"


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, 10**30])
def test_an_integer_that_no_column_holds_names_its_record(number: int, tmp_path: Path) -> None:
    pointer = {"start_index": number, "end_index": 1, "index": 0, "ds": "wiki", "section": "FS1"}
    ratings = {"agent_1": "Good", "agent_2": "Good"}
    said = {
        "message": ["Hello."],
        "agent": "agent_1",
        "segmented_annotations": [{"da": "Statement", "gt_ks": pointer}],
        "gt_turn_ks": pointer,
    }
    chat = {"article_url": "u", "config": "A", "content": [said], "conversation_rating": ratings}
    place = tmp_path / "raw" / "enriched" / "train.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"one": chat}), "utf-8")
    with pytest.raises(DialogueBuildersError) as caught:
        build(
            "topical_chat",
            tmp_path / "out",
            data_dir=tmp_path / "raw",
            configs=["enriched"],
            splits=["train"],
        )
    assert (caught.value.file, caught.value.record) == ("enriched/train.json", "one")
    assert caught.value.field


@pytest.mark.parametrize("count", [3, 9000])
@pytest.mark.parametrize("indent", [0, 1, 4])
def test_records_over_several_lines_are_read_at_any_size(
    count: int, indent: int, tmp_path: Path
) -> None:
    raw = raw_folder(tmp_path / "raw")
    records = records_of("train", count)
    parts = [json.dumps(record, ensure_ascii=False, indent=indent) + "\n" for record in records]
    (raw / "train.txt").write_text("".join(parts), "utf-8")
    rows = load_dataset("diamante", CONFIG, split="train", data_dir=str(raw), streaming=True)
    assert [row["id"] for row in rows] == [record["id"] for record in records]


def test_a_fault_in_a_record_over_several_lines_names_the_record(tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "raw")
    parts = [json.dumps(record, indent=1) + "\n" for record in records_of("train")]
    begins = parts[0].count("\n") + 1
    parts[1] = parts[1].replace('"conversation": [', '"conversation" [')
    (raw / "train.txt").write_text("".join(parts), "utf-8")
    error = failing_build(raw)
    assert error.record == f"on line {begins}"
    assert f"line {begins + 2}, " in error.problem


def test_a_build_without_any_turn(tmp_path: Path) -> None:
    raw = write_lines(tmp_path / "raw", {s: [dialogue(f"{s}-0")] for s in SPLITS})
    build("diamante", tmp_path / "out", data_dir=raw, configs=[CONFIG, "utterances"])
    assert (tmp_path / "out" / "README.md").is_file()


def test_a_full_disk_while_gzip_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = raw_folder(tmp_path / "raw")
    text = (raw / "train.txt").read_bytes()
    (raw / "train.txt").unlink()
    (raw / "train.txt.gz").write_bytes(gzip.compress(text))

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("dialogue_builders.raw.files.shutil.copyfileobj", full)
    error = failing_build(raw)
    assert error.file == "train.txt.gz"
    assert "No space left on device" in error.problem
    assert "TMPDIR" in str(error.next_step)


def archive_of(raw: Path, kind: str) -> bytes:
    target = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
            for path in sorted(raw.iterdir()):
                zipped.write(path, path.name)
        return target.getvalue()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for path in sorted(raw.iterdir()):
            tar.add(path, path.name)
    return {"gz": gzip.compress, "xz": lzma.compress}[kind](target.getvalue())


@pytest.mark.parametrize("kind", ["zip", "gz", "xz"])
@pytest.mark.parametrize("step", range(1, 12))
def test_a_damaged_archive_is_one_of_our_errors(kind: str, step: int, tmp_path: Path) -> None:
    data = bytearray(archive_of(raw_folder(tmp_path / "raw"), kind))
    place = len(data) * step // 12
    data[place : place + 8] = bytes(byte ^ 0x5A for byte in data[place : place + 8])
    archive = tmp_path / "raw.archive"
    archive.write_bytes(data)
    try:
        build("diamante", tmp_path / "out", data_dir=archive, configs=[CONFIG])
    except DialogueBuildersError as error:
        said = error.next_step
    else:
        said = None
    if said:
        return
    # What was hit says nothing about the texts (a time, an owner): then the rows are all there.
    build("diamante", tmp_path / "right", data_dir=tmp_path / "raw", configs=[CONFIG])
    shards = sorted((tmp_path / "right").rglob("*.parquet"))
    assert shards
    for shard in shards:
        found = tmp_path / "out" / shard.relative_to(tmp_path / "right")
        assert found.read_bytes() == shard.read_bytes()
