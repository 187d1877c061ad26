"""The same rows from every layout in which people have the raw files on disk."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from raw_layouts import LAYOUTS, Records, read_records, write_split

from dialogue_builders import build, load_dataset
from dialogue_builders.raw import blocks
from dialogue_builders.raw.decode import read_range
from dialogue_builders.raw.ranges import cut_ranges
from dialogue_builders.raw.scan import scan
from topical_chat.records import CONVERSATION
from topical_chat.sources import CONVERSATIONS_SOURCE


@pytest.fixture(scope="module")
def records(sample_raw: Path) -> Records:
    return read_records(sample_raw, "train")


def as_read(record: Any) -> Any:
    """A record as plain JSON, without the id that it holds in one of the layouts only."""
    import msgspec

    plain = msgspec.to_builtins(record)
    plain.pop("conversation_id")
    return plain


def read_back(path: Path, pieces: int = 16) -> Records:
    """Read a raw file through the engine's pieces, back into plain JSON."""
    scanned = scan(path, path.name, CONVERSATIONS_SOURCE)
    found: Records = {}
    for piece in cut_ranges(scanned, "train", pieces):
        for batch in read_range(piece, CONVERSATION, Counter()):
            found.update(zip(batch.ids, map(as_read, batch.records), strict=True))
    assert list(scanned.ids) == list(found)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_records(layout: str, records: Records, tmp_path: Path) -> None:
    path = write_split(tmp_path, "train", LAYOUTS[layout](records))
    assert read_back(path) == records
    assert list(read_back(path)) == list(records)


@pytest.mark.parametrize("size", [16, 100, 1000, 1777, 4096, 20000])
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if "gzip" not in name])
def test_the_blocks_can_be_of_any_size(
    layout: str, size: int, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records that are larger than a block, and cuts at every place between two of them."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    path = write_split(tmp_path, "train", LAYOUTS[layout](records))
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
    scanned = scan(
        write_split(tmp_path, "train", LAYOUTS["pair lines"](many)), "x", CONVERSATIONS_SOURCE
    )
    lengths = [piece.stop - piece.start for piece in cut_ranges(scanned, "train", 16)]
    assert sum(lengths) == count
    assert max(lengths) - min(lengths) <= 1
    assert len(lengths) == min(count, 16)


@pytest.mark.parametrize(
    "name", ["conversations/{}.json", "conversations/{}.jsonl", "{}.json", "{}.jsonl", "{}.json.gz"]
)
def test_every_place_and_extension_is_found(name: str, records: Records, tmp_path: Path) -> None:
    """The content tells the layout, so that an extension may say anything."""
    raw = tmp_path / "raw"
    write_split(raw, "train", LAYOUTS["pair lines"](records), name)
    rows = load_dataset(
        "topical_chat", "train", data_dir=str(raw), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert list(rows["conversation_id"]) == list(records)


def test_several_files_in_a_folder_are_one_split(records: Records, tmp_path: Path) -> None:
    items = list(records.items())
    for number, part in enumerate((items[:3], items[3:4], items[4:])):
        content = LAYOUTS["single lines"](dict(part))
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
    """One record far larger than a block, between ordinary ones."""
    first, second, third = list(records.values())[:3]
    long = {**second, "article_url": "x" * 50_000_000}
    many = {"t_1": first, "t_2": long, "t_3": third}
    for layout in ("indented object", "pair lines"):
        path = write_split(tmp_path, "train", LAYOUTS[layout](many))
        assert read_back(path) == many


def test_unknown_fields_are_tolerated_counted_and_told_once(
    records: Records, tmp_path: Path
) -> None:
    known = json.loads(json.dumps(records))
    for record in records.values():
        record["collected"] = "later"
        record["content"][0]["mood"] = {"deep": [1, 2]}
    write_split(tmp_path / "raw", "train", LAYOUTS["indented object"](records))
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
    path = write_split(tmp_path, "train", LAYOUTS["indented object"](records))
    assert read_back(path) == known
