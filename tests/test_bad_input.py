"""Bad raw files: each error names the file, the record, the field and the next step; nothing is left."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from raw_layouts import LAYOUTS, Records, read_records, write_split

from dialogue_builders import DialogueBuildersError, build, load_dataset

# The second record of the sample's train split, and what a test breaks in it.
ID = "t_02"


def make_records(sample_raw: Path) -> Records:
    known = list(read_records(sample_raw, "train").values())
    return {f"t_{n:02d}": json.loads(json.dumps(known[n - 1])) for n in range(1, 6)}


def change(path: str, value: Any) -> Callable[[Records], None]:
    """Set the field at a path such as `content.0.message` of the second record."""

    def apply(records: Records) -> None:
        *parents, last = [int(p) if p.isdigit() else p for p in path.split(".")]
        target: Any = records[ID]
        for part in parents:
            target = target[part]
        target[last] = value

    return apply


def remove(name: str) -> Callable[[Records], None]:
    return lambda records: records[ID].pop(name)


# what is done to the records → the field, the problem, the next step (parts of them)
FIELD_FAULTS: dict[str, tuple[Callable[[Records], Any], str, str, str]] = {
    "no content": (remove("content"), "content", "is missing", "a conversation has"),
    "no agent": (lambda r: r[ID]["content"][3].pop("agent"), "content[3].agent", "is missing", ""),
    "null message": (
        change("content.0.message", None),
        "content[0].message",
        "got `null`",
        "correct",
    ),
    "number as message": (change("content.2.message", 5), "content[2].message", "got `int`", ""),
    "text as content": (change("content", "hello"), "content", "got `str`", ""),
    "null as content": (change("content", None), "content", "got `null`", ""),
    "turn is a text": (change("content.1", "hello"), "content[1]", "got `str`", ""),
    "unknown config": (change("config", "E"), "config", "'E' is not known; known: 'A', 'B'", ""),
    "unknown agent": (
        change("content.1.agent", "agent_3"),
        "content[1].agent",
        "'agent_3'",
        "mean 'agent_",
    ),
    "unknown sentiment": (
        change("content.0.sentiment", "Hapy"),
        "content[0].sentiment",
        "'Hapy'",
        "mean 'Happy'",
    ),
    "unknown rating": (
        change("content.0.turn_rating", "Great"),
        "content[0].turn_rating",
        "'Great'",
        "",
    ),
    "empty sentiment": (
        change("content.0.sentiment", ""),
        "content[0].sentiment",
        "'' is not known",
        "",
    ),
    "unknown conversation rating": (
        change("conversation_rating.agent_2", "good"),
        "conversation_rating.agent_2",
        "'good' is not known",
        "mean 'Good'",
    ),
    "number as source": (
        change("content.0.knowledge_source", [1]),
        "content[0].knowledge_source[0]",
        "got `int`",
        "",
    ),
    "record is a list": (lambda r: r.update({ID: []}), "", "an object is expected", ""),
    "half a surrogate pair": (
        change("content.1.message", "a \ud83d b"),
        "content[1].message",
        "surrogate",
        "",
    ),
    "half a pair in an unread field": (
        change("extra", {"a": ["\ud83d"]}),
        "extra.a[0]",
        "surrogate",
        "",
    ),
    "half a pair in a key": (change("\ude00", 1), "", "surrogate", ""),
}


def failing_build(folder: Path, **keywords: Any) -> DialogueBuildersError:
    """Build from a raw folder that must fail, and make sure that nothing is left."""
    out = folder.parent / "out"
    with pytest.raises(DialogueBuildersError) as caught:
        build("topical_chat", out, data_dir=folder, **{"splits": ["train"], **keywords})
    assert sorted(path.name for path in folder.parent.iterdir()) == [folder.name]
    return caught.value


@pytest.mark.parametrize(
    "shape", ["indented object", "object on one line", "pair lines", "single lines"]
)
@pytest.mark.parametrize("fault", FIELD_FAULTS)
def test_a_faulty_field_is_named(fault: str, shape: str, sample_raw: Path, tmp_path: Path) -> None:
    apply, field, problem, step = FIELD_FAULTS[fault]
    records = make_records(sample_raw)
    apply(records)
    write_split(tmp_path / "raw", "train", LAYOUTS[shape](records))
    error = failing_build(tmp_path / "raw")
    assert error.file == "conversations/train.json"
    # What does not even decode is found by its line, which is then told too.
    line = ", on line 2" if shape.endswith("lines") and "half" in fault else ""
    assert error.record == ID + line
    assert problem in error.problem
    assert (error.field or "") == field
    assert error.next_step
    assert step in error.next_step
    assert str(error).startswith("conversations/train.json, record ")


def test_lines_that_do_not_decode_are_named_by_their_line(sample_raw: Path, tmp_path: Path) -> None:
    records = make_records(sample_raw)
    change("content.1.message", "a \ud83d b")(records)
    write_split(tmp_path / "raw", "train", b"\n" + LAYOUTS["pair lines"](records))
    error = failing_build(tmp_path / "raw")
    assert error.record == "t_02, on line 3"
    assert error.field == "content[1].message"


INDENTED = LAYOUTS["indented object"]


def replaced(old: bytes, new: bytes, shape: str = "indented object") -> Callable[[Records], bytes]:
    def write(records: Records) -> bytes:
        text = LAYOUTS[shape](records)
        assert old in text
        return text.replace(old, new, 1)

    return write


# how the file is written → the record ("" for none), the problem, the next step (parts of them)
FILE_FAULTS: dict[str, tuple[Callable[[Records], bytes], str, str, str]] = {
    "empty": (lambda r: b"", "", "is empty", "fetch"),
    "white space": (lambda r: b" \n\n", "", "is empty", "fetch"),
    "an empty object": (lambda r: b"{}", "", "holds no record", "fetch"),
    "an empty list": (lambda r: b"[]", "", "ids", ""),
    "HTML": (lambda r: b"<!DOCTYPE html><html></html>", "", "is an HTML page", "raw address"),
    "Git LFS": (
        lambda r: b"version https://git-lfs.github.com/spec/v1\noid",
        "",
        "LFS pointer",
        "git lfs pull",
    ),
    "prose": (lambda r: b"Not found, sorry", "", "is not JSON", "fetch"),
    "UTF-16": (lambda r: json.dumps(r).encode("utf-16"), "", "UTF-16", "UTF-8"),
    "a list of records": (
        lambda r: json.dumps(list(r.values())).encode(),
        "",
        "without their ids",
        "{id: record}",
    ),
    "lines of records": (
        lambda r: b"".join(json.dumps(v).encode() + b"\n" for v in r.values()),
        "",
        "records without their ids",
        "{id: record}",
    ),
    "truncated in a string": (lambda r: INDENTED(r)[:3000], "", "is truncated", "fetch"),
    "truncated between records": (lambda r: INDENTED(r).rstrip()[:-1], "", "is truncated", "fetch"),
    "truncated, one line": (lambda r: json.dumps(r).encode()[:-2], "", "is truncated", "fetch"),
    "a tail": (lambda r: INDENTED(r) + b"\nxyz", "", "goes on behind its closing brace", "remove"),
    "a second object": (
        lambda r: INDENTED(r) + b"{}",
        "",
        "goes on behind its closing brace",
        "remove",
    ),
    "a comma is missing": (
        replaced(b'},\n  "t_03"', b'}\n  "t_03"'),
        ID,
        "not valid JSON",
        "fetch",
    ),
    "a quote is missing": (replaced(b'"t_03": {', b'"t_03: {'), "", "not valid JSON", "fetch"),
    "not UTF-8 in a value": (
        replaced(b'"agent_1"', b'"agent_\xff"'),
        "t_01",
        "not UTF-8",
        "encoding",
    ),
    "not UTF-8 in a key": (
        replaced(b'"article_url"', b'"article_\xffurl"'),
        "t_01",
        "not UTF-8",
        "",
    ),
    "not UTF-8 in an id": (replaced(b'"t_02"', b'"t_0\xff"'), "t_0", "not UTF-8", ""),
    "not UTF-8 in an unread field": (
        replaced(b'"t_02": {', b'"t_02": {"note": "caf\xe9", '),
        ID,
        "not UTF-8",
        "",
    ),
    "half a pair in an id": (replaced(b'"t_02"', b'"t_\\ud83d"'), "t_", "surrogate", ""),
    "100,000 brackets": (
        replaced(b'"t_02": {', b'"t_02": {"note": ' + b"[" * 100_000 + b"]" * 100_000 + b", "),
        ID,
        "nested too deeply",
        "",
    ),
    "brackets on a line": (
        replaced(
            b'["t_02", {',
            b'["t_02", {"note": ' + b"[" * 100_000 + b"]" * 100_000 + b", ",
            "pair lines",
        ),
        "on line 2",
        "nested too deeply",
        "",
    ),
    "a broken line": (
        replaced(b'["t_02", {', b'["t_02", {,', "pair lines"),
        "on line 2",
        "not valid JSON",
        "",
    ),
    "a line of another shape": (
        replaced(b'["t_02", {', b'{"a": {', "pair lines"),
        "on line 2",
        "JSON",
        "",
    ),
    "an id twice": (
        replaced(b'"t_03"', b'"t_02"'),
        ID,
        "stands twice, as records number 2 and 3",
        "remove",
    ),
    "an id twice on lines": (
        replaced(b'"t_03"', b'"t_02"', "pair lines"),
        ID,
        "stands twice",
        "remove",
    ),
    "broken gzip": (lambda r: gzip.compress(INDENTED(r))[:-20], "", "broken gzip", "again"),
    "a changed gzip": (
        lambda r: gzip.compress(INDENTED(r))[:-8] + b"12345678",
        "",
        "broken gzip",
        "again",
    ),
}


@pytest.mark.parametrize("fault", FILE_FAULTS)
def test_a_faulty_file_is_named(fault: str, sample_raw: Path, tmp_path: Path) -> None:
    write, record, problem, step = FILE_FAULTS[fault]
    write_split(tmp_path / "raw", "train", write(make_records(sample_raw)))
    error = failing_build(tmp_path / "raw")
    assert error.file == "conversations/train.json"
    assert problem in error.problem
    assert (error.record or "").startswith(record)
    assert bool(record) <= bool(error.record)
    assert error.next_step
    assert step in error.next_step
    assert "\udcff" not in str(error)
    str(error).encode()  # whatever was broken, the message itself can be printed


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        (b'"agent_1"', b'"agent_\xff"', "content[0].agent"),
        (b'"Happy"', b'"Happy", "note": {"deep": ["caf\xe9"]}', "content[0].note.deep[0]"),
    ],
)
def test_bytes_outside_of_utf8_are_found_in_their_field(
    old: bytes, new: bytes, field: str, sample_raw: Path, tmp_path: Path
) -> None:
    records = {ID: read_records(sample_raw, "train").popitem()[1]}
    for turn in records[ID]["content"]:
        turn["sentiment"] = "Happy"
    write_split(tmp_path / "raw", "train", replaced(old, new)(records))
    error = failing_build(tmp_path / "raw")
    assert (error.record, error.field) == (ID, field)


def test_a_reading_set_is_recognised(sample_raw: Path, tmp_path: Path) -> None:
    content = (sample_raw / "reading_sets" / "pre-build" / "train.json").read_bytes()
    write_split(tmp_path / "raw", "train", content)
    error = failing_build(tmp_path / "raw")
    assert error.record
    assert error.record.startswith("t_")
    assert "is not a conversation, but a reading set" in error.problem


def test_a_folder_of_reading_sets_is_recognised(sample_raw: Path, tmp_path: Path) -> None:
    with pytest.raises(DialogueBuildersError, match="but a reading set"):
        build("topical_chat", tmp_path / "out", data_dir=sample_raw / "reading_sets" / "pre-build")
    with pytest.raises(DialogueBuildersError, match="but a reading set"):
        build("topical_chat", tmp_path / "out", data_dir=sample_raw / "reading_sets")
    assert list(tmp_path.iterdir()) == []


def test_missing_splits_are_all_named(sample_raw: Path, tmp_path: Path) -> None:
    for split in ("valid_freq", "test_rare"):
        write_split(tmp_path / "raw", split, INDENTED(read_records(sample_raw, split)))
    error = failing_build(tmp_path / "raw", splits=None)
    assert error.problem == (
        "the raw folder lacks conversations/train.json, conversations/valid_rare.json, "
        "conversations/test_freq.json"
    )
    assert "--split valid_freq --split test_rare" in (error.next_step or "")


def test_the_same_split_twice_is_an_error(sample_raw: Path, tmp_path: Path) -> None:
    content = INDENTED(read_records(sample_raw, "train"))
    write_split(tmp_path / "raw", "train", content)
    write_split(tmp_path / "raw", "train", content, "{}.jsonl")
    error = failing_build(tmp_path / "raw")
    assert error.problem.endswith("more than once: conversations/train.json, train.jsonl")


def test_a_conversation_in_two_splits_is_an_error(sample_raw: Path, tmp_path: Path) -> None:
    train, other = read_records(sample_raw, "train"), read_records(sample_raw, "test_rare")
    identity = next(iter(other))
    train[identity] = other[identity]
    write_split(tmp_path / "raw", "train", INDENTED(train))
    write_split(tmp_path / "raw", "test_rare", INDENTED(other))
    error = failing_build(tmp_path / "raw", splits=["train", "test_rare"])
    assert error.record == identity
    assert error.file == "conversations/test_rare.json"
    assert "conversations/train.json" in error.problem


@pytest.mark.parametrize(
    ("folder", "problem"),
    [
        ("absent", "does not exist"),
        ("file", "is a file"),
        ("empty", "lacks conversations/train.json"),
    ],
)
def test_a_raw_folder_that_is_none(folder: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DialogueBuildersError, match=problem):
        build("topical_chat", tmp_path / "out", data_dir=tmp_path / folder)
    assert not (tmp_path / "out").exists()


def test_a_built_folder_is_no_raw_folder(sample_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DialogueBuildersError, match="is a built folder, not a raw one"):
        build("topical_chat", tmp_path / "out", data_dir=sample_folder)


@pytest.mark.parametrize(
    ("keywords", "problem"),
    [
        ({"name": "utterence"}, "no config named 'utterence'; known: conversations, utterances"),
        ({"splits": ["valid"]}, "no split of the config conversations named 'valid'"),
        ({"mood": "sad"}, "no options, so no 'mood'"),
        ({"revision": "main"}, "revision has no meaning"),
        ({"data_files": "x.json"}, "data_files has no meaning"),
        ({"streaming": True, "num_proc": 2}, "num_proc has no meaning"),
    ],
)
def test_wrong_names_through_load_dataset(
    keywords: dict[str, Any], problem: str, sample_raw: Path, tmp_path: Path
) -> None:
    given = {"data_dir": str(sample_raw), "cache_dir": str(tmp_path), **keywords}
    with pytest.raises(DialogueBuildersError, match=re.escape(problem)):
        load_dataset("topical_chat", **given)


@pytest.mark.parametrize("num_proc", [None, 2])
def test_load_dataset_shows_our_error_and_not_a_general_one(
    num_proc: int | None, sample_raw: Path, tmp_path: Path
) -> None:
    records = make_records(sample_raw)
    change("content.0.sentiment", "Bored")(records)
    write_split(tmp_path / "raw", "train", INDENTED(records))
    with pytest.raises(DialogueBuildersError, match="'Bored' is not known") as caught:
        load_dataset(
            "topical_chat",
            "train",
            data_dir=str(tmp_path / "raw"),
            cache_dir=str(tmp_path / "cache"),
            num_proc=num_proc,
        )
    assert caught.value.record == ID
    assert not list((tmp_path / "cache").rglob("*.arrow"))
