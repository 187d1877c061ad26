"""The same rows from every shape in which people have the raw files on disk."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from raw_shapes import SHAPES, Records, read_records, write_split

from dialogue_builders import build, load_dataset, raw_windows
from dialogue_builders.raw_scan import scan
from dialogue_builders.records import cut_pieces, read_piece
from topical_chat.records import CONVERSATION


@pytest.fixture(scope="module")
def records(sample_raw: Path) -> Records:
    return read_records(sample_raw, "train")


def read_back(path: Path, pieces: int = 16) -> Records:
    """Read a raw file through the engine's pieces, back into plain JSON."""
    import msgspec

    scanned = scan(path, path.name, CONVERSATION)
    found: Records = {}
    for piece in cut_pieces(scanned, "train", pieces):
        for batch in read_piece(piece, CONVERSATION, Counter()):
            found.update(zip(batch.ids, map(msgspec.to_builtins, batch.records), strict=True))
    assert list(scanned.ids) == list(found)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_records(shape: str, records: Records, tmp_path: Path) -> None:
    path = write_split(tmp_path, "train", SHAPES[shape](records))
    assert read_back(path) == records
    assert list(read_back(path)) == list(records)


@pytest.mark.parametrize("size", [16, 100, 1000, 1777, 4096, 20000])
@pytest.mark.parametrize("shape", [name for name in SHAPES if "gzip" not in name])
def test_the_windows_can_be_of_any_size(
    shape: str, size: int, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records that are larger than a window, and cuts at every place between two of them."""
    monkeypatch.setattr(raw_windows, "WINDOW_BYTES", size)
    path = write_split(tmp_path, "train", SHAPES[shape](records))
    for pieces in (1, 3, 8, 50):
        assert read_back(path, pieces) == records


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 100])
def test_pieces_are_equal_to_within_one_record(
    count: int, records: Records, tmp_path: Path
) -> None:
    many = {
        f"t_{n}": record
        for n, record in zip(range(count), list(records.values()) * 13, strict=False)
    }
    scanned = scan(write_split(tmp_path, "train", SHAPES["pair lines"](many)), "x", CONVERSATION)
    lengths = [piece.stop - piece.start for piece in cut_pieces(scanned, "train", 16)]
    assert sum(lengths) == count
    assert max(lengths) - min(lengths) <= 1
    assert len(lengths) == min(count, 16)


@pytest.mark.parametrize(
    "name", ["conversations/{}.json", "conversations/{}.jsonl", "{}.json", "{}.jsonl", "{}.json.gz"]
)
def test_every_place_and_extension_is_found(name: str, records: Records, tmp_path: Path) -> None:
    """The content tells the shape, so that an extension may say anything."""
    raw = tmp_path / "raw"
    write_split(raw, "train", SHAPES["pair lines"](records), name)
    rows = load_dataset(
        "topical_chat", "train", data_dir=str(raw), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert list(rows["conversation_id"]) == list(records)


def test_several_files_in_a_folder_are_one_split(records: Records, tmp_path: Path) -> None:
    items = list(records.items())
    for number, part in enumerate((items[:3], items[3:4], items[4:])):
        content = SHAPES["single lines"](dict(part))
        write_split(tmp_path / "raw", "train", content, f"conversations/{{}}/part-{number}.jsonl")
    rows = load_dataset(
        "topical_chat",
        "train",
        data_dir=str(tmp_path / "raw"),
        split="train",
        cache_dir=str(tmp_path / "cache"),
    )
    assert list(rows["conversation_id"]) == list(records)


def test_a_record_of_fifty_megabytes(records: Records, tmp_path: Path) -> None:
    """One record far larger than a window, between ordinary ones."""
    first, second, third = list(records.values())[:3]
    long = {**second, "article_url": "x" * 50_000_000}
    many = {"t_1": first, "t_2": long, "t_3": third}
    for shape in ("indented object", "pair lines"):
        path = write_split(tmp_path, "train", SHAPES[shape](many))
        assert read_back(path) == many


def test_unknown_fields_are_tolerated_counted_and_told_once(
    records: Records, tmp_path: Path
) -> None:
    known = json.loads(json.dumps(records))
    for record in records.values():
        record["collected"] = "later"
        record["content"][0]["mood"] = {"deep": [1, 2]}
    write_split(tmp_path / "raw", "train", SHAPES["indented object"](records))
    report = build(
        "topical_chat",
        tmp_path / "out",
        data_dir=tmp_path / "raw",
        splits=["train"],
        configs=["conversations", "utterances"],
    )
    assert report.built.provenance.notes == (
        "conversations/train.json: the field collected is not part of the format; left out (8 times)",
        "conversations/train.json: the field content[].mood is not part of the format; left out (8 times)",
    )
    path = write_split(tmp_path, "train", SHAPES["indented object"](records))
    assert read_back(path) == known
