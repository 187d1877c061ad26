"""Files that are not what they should be are said to be what was found, without a guess."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diamante_raw import read_lines
from diamante_raw import write_sample as write_diamante
from raw_layouts import Records, read_records, write_split
from topical_chat_raw import sample_json

import dialogue_builders
from dialogue_builders.errors import DialogueBuildersError


def lines(values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("train.json", content)
    return buffer.getvalue()


def column_wise(records: Records) -> dict[str, Any]:
    fields = next(iter(records.values()))
    return {name: {key: record[name] for key, record in records.items()} for name in fields}


UTTERANCE = {
    "id": "u1",
    "conversation_id": "u1",
    "text": "hello",
    "speaker": "s1",
    "meta": {},
    "reply-to": None,
}
USR = {"context": "hi", "fact": "one", "annotators": ["a"], "responses": []}
UNIEVAL = {"source": "hi", "system_id": "s", "system_output": "o", "context": "c", "scores": {}}
CONFLICT = b"<<<<<<< HEAD\n%s\n=======\n{}\n>>>>>>> theirs\n"

# what is written → what is said of it, and what is advised (parts of them)
FILES: dict[str, tuple[Callable[[Records], bytes], str, str]] = {
    "a list of pairs": (lambda r: dump(list(r.items())), "one list of pairs", "line of its own"),
    "a list of single objects": (
        lambda r: dump([{key: record} for key, record in r.items()]),
        'one list of objects {"id": {record}}',
        "line of its own",
    ),
    "a list with the ids inside": (
        lambda r: dump([{"conversation_id": key, **record} for key, record in r.items()]),
        "one list of records that hold their ids",
        "line of its own",
    ),
    "a list like USR's": (lambda r: dump([USR]), "fields context, fact, annotators", "has article"),
    "a list like UniEval's": (lambda r: dump([UNIEVAL]), "fields source, system_id", ""),
    "lines like UniEval's": (lambda r: lines([UNIEVAL] * 2), "fields source, system_id", ""),
    "ConvoKit's utterances": (
        lambda r: lines([UTTERANCE] * 3),
        "JSON lines of objects with the fields id, conversation_id, text, speaker",
        "a conversation has",
    ),
    "a list of texts": (lambda r: b'["a", "b"]', "an object is expected here, not 'b'", ""),
    "a list of numbers": (lambda r: b"[1, 2]", "a list of other values than objects", ""),
    "an empty list": (lambda r: b"[]", "is an empty list", "fetch"),
    "a list of reading sets": (
        lambda r: dump([{"config": "A", "agent_1": {}, "agent_2": {}}]),
        "a reading set (a file of reading_sets/)",
        "right files",
    ),
    "records without ids": (lambda r: dump(list(r.values())), "without their ids", "{id: record}"),
    "a conflict": (lambda r: CONFLICT % dump(r), "a conflict that Git could not merge", "checkout"),
    "a conflict inside": (
        lambda r: json.dumps(r, indent=1).encode().replace(b"\n  ", b"\n<<<<<<< HEAD\n  ", 1),
        "a conflict that Git could not merge, on line 3",
        "checkout",
    ),
    "column-wise": (lambda r: dump(column_wise(r)), "column-wise", "orient='index'"),
    "column-wise, lists": (
        lambda r: dump({key: list(column.values()) for key, column in column_wise(r).items()}),
        "column-wise",
        "orient='index'",
    ),
    "one record": (lambda r: dump(next(iter(r.values()))), "one record alone", "{id: record}"),
    "an error of an API": (lambda r: b'{"message": "Not Found"}', "an object is expected", "fetch"),
    "XML": (lambda r: b'<?xml version="1.0"?><Error/>', "is XML", "server"),
    "other marks": (lambda r: b"<Error><Code>AccessDenied", "begins with '<Error><Code>", "fetch"),
    "HTML": (lambda r: b"<!doctype html><title>x</title>", "an HTML page", "raw address"),
    "zip": (lambda r: zipped(dump(r)), "is a zip archive", "as the raw folder"),
    "gzip twice": (lambda r: gzip.compress(gzip.compress(dump(r))), "by gzip twice", "unpack"),
    "bzip2": (lambda r: bz2.compress(dump(r)), "is packed by bzip2", "unpack"),
    "xz": (lambda r: lzma.compress(dump(r)), "is packed by xz", "unpack"),
    "Parquet": (lambda r: b"PAR1\x15\x04", "is a Parquet file", "raw file"),
    "UTF-16": (lambda r: json.dumps(r).encode("utf-16"), "is UTF-16", "UTF-8"),
    "UTF-16 without a mark": (lambda r: json.dumps(r).encode("utf-16-le"), "UTF-16", "UTF-8"),
    "UTF-16, big end first": (lambda r: json.dumps(r).encode("utf-16-be"), "UTF-16", "UTF-8"),
    "UTF-32": (lambda r: json.dumps(r).encode("utf-32"), "is UTF-32", "UTF-8"),
    "a CSV": (lambda r: b"id,text\n1,hello\n", "is not JSON", "fetch"),
}


@pytest.mark.parametrize("kind", FILES)
def test_what_a_file_is_said_to_be(kind: str, sample_raw: Path, tmp_path: Path) -> None:
    write, found, step = FILES[kind]
    write_split(tmp_path / "raw", "train", write(read_records(sample_raw, "train")))
    with pytest.raises(DialogueBuildersError) as caught:
        dialogue_builders.build(
            "topical_chat",
            tmp_path / "out",
            data_dir=tmp_path / "raw",
            configs=["conversations"],
            splits=["train"],
        )
    assert caught.value.file == "conversations/train.json"
    assert found in caught.value.problem
    assert step in (caught.value.next_step or "")
    assert ("ids are lost" in str(caught.value)) == (kind == "records without ids")
    assert not (tmp_path / "out").exists()


def test_an_enriched_file_among_the_conversations(tmp_path: Path) -> None:
    write_split(tmp_path / "raw", "train", dump(sample_json("enriched/test_rare.json")))
    with pytest.raises(DialogueBuildersError, match="but a conversation of Enriched Topical-Chat"):
        dialogue_builders.build(
            "topical_chat",
            tmp_path / "out",
            data_dir=tmp_path / "raw",
            configs=["conversations"],
            splits=["train"],
        )


@pytest.mark.parametrize("indent", [None, 2])
def test_topical_chat_in_place_of_diamante(
    indent: int | None, sample_raw: Path, tmp_path: Path
) -> None:
    raw = write_diamante(tmp_path / "raw")
    records = read_records(sample_raw, "train")
    (raw / "train.txt").write_text(json.dumps(records, indent=indent))
    with pytest.raises(DialogueBuildersError, match="but one object .* a conversation of Topical"):
        dialogue_builders.build(
            "diamante", tmp_path / "out", data_dir=raw, configs=["conversations"]
        )


@pytest.mark.parametrize("encoding", ["gb18030", "gbk"])
def test_chinese_in_another_encoding(encoding: str, tmp_path: Path) -> None:
    raw = write_diamante(tmp_path / "raw")
    text = "".join(
        json.dumps(line, ensure_ascii=False) + "\n" for line in read_lines(raw / "train.txt")
    )
    (raw / "train.txt").write_bytes(text.encode(encoding, "ignore"))
    with pytest.raises(DialogueBuildersError, match="the whole file reads as GB18030") as caught:
        dialogue_builders.build(
            "diamante", tmp_path / "out", data_dir=raw, configs=["conversations"]
        )
    assert caught.value.file == "train.txt"
    assert "iconv -f GB18030" in (caught.value.next_step or "")


def test_other_bytes_are_not_said_to_be_chinese(tmp_path: Path) -> None:
    raw = write_diamante(tmp_path / "raw")
    (raw / "train.txt").write_bytes('{"conversation": [{"utterance": "café"}]}'.encode("latin-1"))
    with pytest.raises(
        DialogueBuildersError, match="bytes that are not UTF-8$|not UTF-8"
    ) as caught:
        dialogue_builders.build(
            "diamante", tmp_path / "out", data_dir=raw, configs=["conversations"]
        )
    assert "GB18030" not in str(caught.value)
