"""Raw formats: the same records in every form give the same rows, and every fault has its place."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import datasets
import msgspec
import pytest
import toy_dialogues

from dialogue_builders import DialogueBuildersError, RawFileError, RecordError, build
from dialogue_builders.raw.blocks import BLOCK_BYTES
from dialogue_builders.raw.formats import FORMATS
from dialogue_builders.spec import (
    Batch,
    Columns,
    Corpus,
    FormatName,
    Options,
    RawSource,
    RecordType,
    View,
)
from dialogue_builders.spec.source import KEYED_FORMATS

Records = Sequence[dict[str, str]]


class Note(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    text: str
    conversation_id: str | None = None


def features() -> Any:
    return datasets.Features({"id": datasets.Value("string"), "text": datasets.Value("string")})


def columns(batch: Batch, options: Options) -> Columns:
    """Take a keyed record's id from outside of it: it is the same as the name inside."""
    names = [note.name for note in batch.records]
    return {
        "id": [identity or name for identity, name in zip(batch.ids, names, strict=True)],
        "text": [note.text for note in batch.records],
    }


VIEW = View("notes", "a row per note", "notes", features, columns, ("id",), None, id_column="id")
EXTENSIONS = (".json", ".tsv", ".json.gz", ".tsv.gz")

# What no format may change: quotes, brackets and commas, a backslash, letters beyond ASCII, a
# separator of lines that is none in JSON, and an empty text.
RECORDS: Records = [
    {"name": "n1", "text": 'say "hi", {you} [there]'},
    {"name": "n2", "text": "back\\slash"},
    {"name": "n3", "text": "grüße 你好 \U0001f600"},
    {"name": "n4", "text": "one\u2028two"},
    {"name": "n5", "text": ""},
]


def as_json(value: Any, **keywords: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, **keywords).encode()


def by_id(records: Records) -> dict[str, Any]:
    return {record["name"]: record for record in records}


def as_lines(values: Sequence[Any]) -> bytes:
    return b"".join(as_json(value) + b"\n" for value in values)


def as_table(records: Records) -> bytes:
    rows = ["name\ttext", *(f"{record['name']}\t{record['text']}" for record in records)]
    return "".join(row + "\n" for row in rows).encode()


# form → the format that it is, and how it is written
FORMS: dict[str, tuple[FormatName, Callable[[Records], bytes]]] = {
    "object": ("object_by_id", lambda r: as_json(by_id(r))),
    "object, indented": ("object_by_id", lambda r: as_json(by_id(r), indent=2)),
    "pair lines": ("pair_lines", lambda r: as_lines([[n["name"], n] for n in r])),
    "single-key lines": ("single_key_lines", lambda r: as_lines([{n["name"]: n} for n in r])),
    "lines with ids": (
        "id_field_lines",
        lambda r: as_lines([{"conversation_id": n["name"], **n} for n in r]),
    ),
    "record lines": ("record_lines", as_lines),
    "record lines, CRLF": ("record_lines", lambda r: as_lines(r).replace(b"\n", b"\r\n\r\n")),
    "list": ("json_list", lambda r: as_json(r)),
    "list, indented": ("json_list", lambda r: as_json(r, indent="\t") + b"\n"),
    "table": ("tab_separated", as_table),
    "table, CRLF": ("tab_separated", lambda r: as_table(r).replace(b"\n", b"\r\n")),
    "table, byte order mark": ("tab_separated", lambda r: b"\xef\xbb\xbf" + as_table(r)),
    "table, not ended": ("tab_separated", lambda r: as_table(r)[:-1]),
}

Build = Callable[..., list[dict[str, str]]]


def make_corpus(formats: tuple[FormatName, ...]) -> Corpus:
    record_type = RecordType("note", Note, keyed=formats[0] in KEYED_FORMATS)
    source = RawSource("notes", record_type, ("{split}",), EXTENSIONS, formats)
    return replace(
        toy_dialogues.CORPUS,
        views=(VIEW,),
        default="notes",
        sources={"notes": source},
        resources={},
        splits=("train",),
        fields={"id": "invented", "text": "invented"},
    )


@pytest.fixture
def build_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build a corpus of one file in the declared formats, and return the rows."""
    toy_dialogues.install(monkeypatch)

    def build_one(
        content: bytes, *formats: FormatName, name: str = "train.json"
    ) -> list[dict[str, str]]:
        monkeypatch.setattr(toy_dialogues, "CORPUS", make_corpus(formats))
        (tmp_path / "raw").mkdir()
        (tmp_path / "raw" / name).write_bytes(content)
        try:
            folder = build("toy_dialogues", tmp_path / "out", data_dir=tmp_path / "raw").folder
        except DialogueBuildersError:
            assert sorted(path.name for path in tmp_path.iterdir()) == ["raw"]
            raise
        rows = datasets.load_dataset(
            str(folder), split="train", cache_dir=str(tmp_path / "cache"), streaming=True
        )
        return list(rows)

    return build_one


def test_every_format_is_tried() -> None:
    assert {name for name, _ in FORMS.values()} == set(FORMATS) == set(get_args(FormatName))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_rows(form: str, packed: bool, build_file: Build) -> None:
    format_name, write = FORMS[form]
    content = write(RECORDS)
    name = "train.tsv" if format_name == "tab_separated" else "train.json"
    if packed:
        content, name = gzip.compress(content), name + ".gz"
    assert build_file(content, format_name, name=name) == [
        {"id": record["name"], "text": record["text"]} for record in RECORDS
    ]


@pytest.mark.parametrize("form", ["object, indented", "pair lines", "list, indented", "table"])
def test_a_file_of_several_blocks_keeps_every_record(form: str, build_file: Build) -> None:
    format_name, write = FORMS[form]
    long = "x" * (BLOCK_BYTES // 3)
    records = [{"name": f"n{n}", "text": f"{long}{n}"} for n in range(8)]
    content = write(records)
    assert len(content) > 2 * BLOCK_BYTES
    rows = build_file(content, format_name)
    assert [row["id"] for row in rows] == [f"n{n}" for n in range(8)]
    assert [row["text"][len(long) :] for row in rows] == [str(n) for n in range(8)]


def test_the_format_is_told_by_the_content_and_not_by_the_name(build_file: Build) -> None:
    rows = build_file(as_table(RECORDS), "json_list", "tab_separated", name="train.json")
    assert [row["id"] for row in rows] == ["n1", "n2", "n3", "n4", "n5"]


def test_quotes_in_a_table_are_characters_like_others(build_file: Build) -> None:
    content = b'name\ttext\n"n1"\t"a ""b"""\nn2\t"\n'
    assert build_file(content, "tab_separated") == [
        {"id": '"n1"', "text": '"a ""b"""'},
        {"id": "n2", "text": '"'},
    ]


PLAIN = [{"name": f"n{n}", "text": f"t{n}"} for n in (1, 2, 3)]


def cut(count: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:-count]


def swap(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        assert content.count(old) == 1
        return content.replace(old, new)

    return change


# the form, what is done to three plain records in it → error, record, problem, next step (in part)
Fault = tuple[str, Callable[[bytes], bytes], type[DialogueBuildersError], str, str, str]
FAULTS: list[Fault] = [
    # The file ends too early.
    ("object", cut(5), RawFileError, "", "truncated: it ends in or after record n3", "fetch"),
    ("object, indented", cut(20), RawFileError, "", "truncated", "fetch"),
    ("pair lines", cut(6), RecordError, "on line 3", "not valid JSON", "fetch"),
    ("single-key lines", cut(6), RecordError, "on line 3", "not valid JSON", "fetch"),
    ("record lines", cut(6), RecordError, "on line 3", "not valid JSON", "fetch"),
    ("list", cut(6), RawFileError, "", "ends in or after record number 3 of the list", "fetch"),
    ("list", cut(1), RawFileError, "", "ends in or after record number 3 of the list", "fetch"),
    ("list, indented", cut(20), RawFileError, "", "truncated", "fetch"),
    ("table", cut(4), RecordError, "on line 4", "has 1 fields, but the first line", "fetch"),
    # Something in the middle.
    ("object", swap(b'"n2":', b'"n2"'), RecordError, "n2", "a colon is missing", "fetch"),
    ("object", swap(b"t2", b"t2\xff"), RecordError, "n2", "not UTF-8", "encoding"),
    ("object, indented", swap(b'"t2"', b"t2"), RecordError, "n2", "line 8", "fetch"),
    ("pair lines", swap(b'"t2"', b"#"), RecordError, "on line 2", "not valid JSON", "fetch"),
    ("single-key lines", swap(b'"t2"', b"#"), RecordError, "on line 2", "not valid", "fetch"),
    ("record lines", swap(b'"t2"', b"#"), RecordError, "on line 2", "not valid JSON", "fetch"),
    ("list", swap(b'"t2"', b"#"), RecordError, "number 2 of the list", "not valid", "fetch"),
    ("list", swap(b'2"},', b'2"}'), RecordError, "number 2 of", "comma is missing", "fetch"),
    ("list, indented", swap(b"t2", b"t\xff"), RecordError, "number 2 of", "not UTF-8", "fetch"),
    ("table", swap(b"t2", b"t\xff"), RecordError, "on line 3", "not UTF-8", "fetch"),
    # Something behind the end.
    ("object", lambda c: c + b"]", RawFileError, "", "behind its closing brace", "remove"),
    ("list", lambda c: c + b"x", RawFileError, "", "behind its closing bracket", "remove"),
    # A record of a wrong type.
    ("object", swap(b'"t2"', b"2"), RecordError, "n2", "expected `str`, got `int`", "correct"),
    ("pair lines", swap(b'"t2"', b"2"), RecordError, "n2", "got `int`", "correct"),
    ("single-key lines", swap(b'"t2"', b"2"), RecordError, "n2", "got `int`", "correct"),
    ("record lines", swap(b'"t2"', b"2"), RecordError, "on line 2", "got `int`", "correct"),
    ("list", swap(b'"t2"', b"2"), RecordError, "number 2 of the list", "got `int`", "correct"),
    ("list, indented", swap(b'"t3"', b"[]"), RecordError, "number 3 of", "got `array`", "correct"),
    (
        "list",
        swap(b'{"name": "n2", "text": "t2"}', b"7"),
        RecordError,
        "number 2 of the list",
        "is not a note: an object is expected here, not 7",
        "correct",
    ),
    (
        "record lines",
        swap(b'{"name": "n2", "text": "t2"}', b'["n2"]'),
        RecordError,
        "on line 2",
        "an object is expected here",
        "correct",
    ),
    # A line of another shape than the first.
    (
        "pair lines",
        swap(b'["n2", {"name": "n2", "text": "t2"}]', b'{"n2": {"name": "n2", "text": "t2"}}'),
        RecordError,
        "on line 2",
        "not of the same shape as the first line",
        "bring all lines into one shape",
    ),
    # A list of something else, and nothing at all.
    ("list", lambda c: b'["a", "b"]', RawFileError, "", "another form", "give one JSON list"),
    ("list", lambda c: b"[1, 2]", RawFileError, "", "another form", "give one JSON list"),
    ("list", lambda c: b"[]", RawFileError, "", "is empty: it holds no record", "fetch"),
    ("list", lambda c: b"", RawFileError, "", "is empty", "fetch"),
    ("record lines", lambda c: b"\n \n", RawFileError, "", "is empty", "fetch"),
    ("table", lambda c: b"name\ttext\n", RawFileError, "", "is empty: it holds no", "fetch"),
    # A table's columns.
    ("table", swap(b"n2\t", b""), RecordError, "on line 3", "has 1 fields", "fetch"),
    ("table", swap(b"n2\t", b"n2\t\t"), RecordError, "on line 3", "has 3 fields", "fetch"),
    ("table", swap(b"t2", b'"t\t2"'), RecordError, "on line 3", "has 3 fields", "fetch"),
    (
        "table",
        swap(b"\ttext\n", b"\ttext\ttext\n"),
        RawFileError,
        "",
        "names the field 'text' twice",
        "rename or remove one",
    ),
    ("table", swap(b"\ttext\n", b"\twords\n"), RawFileError, "", "lacks the fields text", "a note"),
    (
        "table",
        swap(b"name\ttext", b'"name"\t"text"'),
        RawFileError,
        "",
        "does not begin with a line of the field names",
        "without quotes",
    ),
    ("table", swap(b"name\ttext", b"name,text"), RawFileError, "", "with 'name,text'", "tab-sep"),
]


@pytest.mark.parametrize(
    ("form", "change", "kind", "record", "problem", "step"),
    FAULTS,
    ids=[f"{fault[0]}-{number}" for number, fault in enumerate(FAULTS)],
)
def test_a_fault_is_named_with_its_place(
    form: str,
    change: Callable[[bytes], bytes],
    kind: type[DialogueBuildersError],
    record: str,
    problem: str,
    step: str,
    build_file: Build,
) -> None:
    format_name, write = FORMS[form]
    with pytest.raises(DialogueBuildersError) as caught:
        build_file(change(write(PLAIN)), format_name)
    error = caught.value
    assert type(error) is kind
    assert error.file == "train.json"
    assert (error.record or "").startswith(record)
    assert bool(error.record) == bool(record)
    assert problem in error.problem
    assert error.next_step
    assert step in error.next_step


def test_a_record_line_over_several_lines_has_a_number(build_file: Build) -> None:
    """The decoder takes it; without a line of its own it still has to be found."""
    with pytest.raises(RecordError, match="number 1 of the file, field name: this field is miss"):
        build_file(as_json(by_id(PLAIN), indent=2), "record_lines")


@pytest.mark.parametrize("form", ["object", "object, indented", "pair lines", "single-key lines"])
def test_an_id_that_stands_twice_is_an_error(form: str, build_file: Build) -> None:
    format_name, write = FORMS[form]
    content = write(PLAIN)
    name = b'"n3": {' if form != "pair lines" else b'["n3", {'
    with pytest.raises(RecordError, match="stands twice, as records number 1 and 3") as caught:
        build_file(swap(name, name.replace(b"n3", b"n1"))(content), format_name)
    assert caught.value.record == "n1"


# what the source takes, what it gets → what the message says it has found, and what it asks for
REFUSALS: list[tuple[FormatName, str, str, str]] = [
    ("object_by_id", "pair lines", 'JSON lines ["id", {record}]', "one object {id: record}"),
    ("object_by_id", "single-key lines", "JSON lines, not one JSON object", "one object"),
    ("object_by_id", "list", "records without their ids", "{id: record}"),
    ("object_by_id", "table", "'name\\ttext'", "fetch"),
    ("pair_lines", "object", "one JSON object", 'JSON lines ["id", {record}]'),
    ("pair_lines", "object, indented", "one JSON object", 'JSON lines ["id", {record}]'),
    ("pair_lines", "single-key lines", 'JSON lines {"id": {record}}', 'lines ["id", {record}]'),
    ("pair_lines", "record lines", "JSON lines {record}", 'JSON lines ["id", {record}]'),
    ("single_key_lines", "object", "one JSON object", 'JSON lines {"id": {record}}'),
    ("single_key_lines", "pair lines", 'JSON lines ["id", {record}]', 'lines {"id": {record}}'),
    ("single_key_lines", "record lines", "records without their ids", '{"id": {record}}'),
    ("record_lines", "list", "one list", "on a line of its own"),
    ("record_lines", "pair lines", 'JSON lines ["id", {record}]', "JSON lines {record}"),
    ("record_lines", "table", "'name\\ttext'", "fetch"),
    ("json_list", "record lines", "JSON lines {record}", "one JSON list [{record}]"),
    ("json_list", "object", "one JSON object", "one JSON list [{record}]"),
    ("json_list", "pair lines", 'JSON lines ["id", {record}]', "one JSON list [{record}]"),
    ("tab_separated", "list", "one JSON list", "tab-separated lines"),
    ("tab_separated", "record lines", "JSON lines {record}", "tab-separated lines"),
    ("tab_separated", "object, indented", "one JSON object", "tab-separated lines"),
]


@pytest.mark.parametrize(("taken", "form", "found", "asked"), REFUSALS)
def test_a_format_that_is_not_taken_is_refused_by_its_name(
    taken: FormatName, form: str, found: str, asked: str, build_file: Build
) -> None:
    with pytest.raises(RawFileError) as caught:
        build_file(FORMS[form][1](PLAIN), taken)
    assert caught.value.file == "train.json"
    assert found in caught.value.problem
    assert asked in (caught.value.next_step or "")
