"""A field that stands twice in one object is named, at every level, in every kind and layout."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from diamante_raw import read_lines
from diamante_raw import write_sample as write_diamante
from raw_layouts import LAYOUTS, read_records, write_split
from test_topical_chat_bad_raw import KINDS, build
from topical_chat_raw import change_json, write_raw

import dialogue_builders
from dialogue_builders.errors import RecordError
from dialogue_builders.raw.repeated_keys import may_repeat_keys, repeated_key

AGAIN = "__again"
PLACES = {
    "of the record": "config",
    "of a turn": "content[1].sentiment",
    "of a lower object": "conversation_rating.agent_1",
    "an object": "conversation_rating",
}


def repeat(value: Any, path: str, other: Any = None) -> None:
    """Put a field beside the one at a path, with its name and a mark."""
    *steps, last = path.replace("[", ".").replace("]", "").split(".")
    for step in steps:
        value = value[int(step) if step.isdigit() else step]
    value[last + AGAIN] = value[last] if other is None else other


def without_mark(content: bytes) -> bytes:
    """The same bytes, in which both fields have one name; packed where they were."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.compress(without_mark(gzip.decompress(content)))
    assert AGAIN.encode() in content
    return content.replace(AGAIN.encode(), b"")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_every_layout(layout: str, place: str, sample_raw: Path, tmp_path: Path) -> None:
    records = read_records(sample_raw, "train")
    identity = list(records)[2]
    repeat(records[identity], PLACES[place])
    path = write_split(tmp_path / "raw", "train", without_mark(LAYOUTS[layout](records)))
    with pytest.raises(RecordError, match="stands twice") as caught:
        dialogue_builders.build(
            "topical_chat",
            tmp_path / "out",
            data_dir=tmp_path / "raw",
            configs=["conversations"],
            splits=["train"],
        )
    assert (caught.value.file, caught.value.record, caught.value.field) == (
        path.relative_to(tmp_path / "raw").as_posix(),
        identity,
        PLACES[place],
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_in_every_kind_of_topical_chat(kind: str, tmp_path: Path) -> None:
    config, name, field = KINDS[kind]
    raw = write_raw(tmp_path / "raw", post_build=kind == "post-build")
    ids: list[str] = []

    def change(records: Any) -> None:
        ids.extend(records)
        repeat(records[ids[1]], field)

    change_json(raw / name, change)
    (raw / name).write_bytes(without_mark((raw / name).read_bytes()))
    with pytest.raises(RecordError, match="stands twice") as caught:
        build(raw, tmp_path / "out", config)
    assert (caught.value.file, caught.value.record, caught.value.field) == (name, ids[1], field)


@pytest.mark.parametrize("packed", ["", "gz", "zip"])
@pytest.mark.parametrize("field", ["id", "conversation[1].utterance", "conversation"])
def test_in_diamante(field: str, packed: str, tmp_path: Path) -> None:
    raw = write_diamante(tmp_path / "raw")
    lines = read_lines(raw / "valid.txt")
    repeat(lines[2], field)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (raw / "valid.txt").write_bytes(without_mark(text.encode()))
    name = "valid.txt"
    if packed == "gz":
        name += ".gz"
        (raw / name).write_bytes(gzip.compress((raw / "valid.txt").read_bytes()))
        (raw / "valid.txt").unlink()
    if packed == "zip":
        raw = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", raw))
    with pytest.raises(RecordError, match="stands twice") as caught:
        dialogue_builders.build(
            "diamante", tmp_path / "out", data_dir=raw, configs=["conversations"]
        )
    assert (caught.value.file, caught.value.record, caught.value.field) == (
        name,
        "on line 3",
        field,
    )


@pytest.mark.parametrize("field", ["fact", "responses[2].model", "responses[0].Overall"])
def test_in_judgements(field: str, tmp_path: Path) -> None:
    raw = dialogue_builders.write_sample("topical_chat_judgements", tmp_path / "raw")
    (path,) = raw.rglob("usr_topical_chat.json")
    change_json(path, lambda records: repeat(records[1], field))
    path.write_bytes(without_mark(path.read_bytes()))
    with pytest.raises(RecordError, match="stands twice") as caught:
        dialogue_builders.build(
            "topical_chat_judgements", tmp_path / "out", data_dir=raw, configs=["usr"]
        )
    assert caught.value.file == path.relative_to(raw).as_posix()
    assert (caught.value.record, caught.value.field) == ("number 2 of the list", field)


@pytest.mark.parametrize(
    ("name", "place"),
    [("src/entity_to_topic.json", ""), ("src/wiki/wiki.json", "shortened_wiki_lead_section.")],
)
def test_in_a_file_that_is_read_as_a_whole(name: str, place: str, tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    content = json.loads((raw / name).read_bytes())
    inner = content[place[:-1]] if place else content
    key, value = next(iter(inner.items()))
    text = json.dumps(content)
    pair = f"{json.dumps(key)}: {json.dumps(value)}"
    assert text.count(pair) == 1
    (raw / name).write_text(text.replace(pair, f"{pair}, {pair}"), "utf-8")
    with pytest.raises(RecordError, match="stands twice") as caught:
        build(raw, tmp_path / "out", "reading_sets")
    assert (caught.value.file, caught.value.field) == (name, place + key)


@pytest.mark.parametrize(
    "spelled", ['"sentiment" :', '"sentiment"\r\n \t:', '"s\\u0065ntiment":', '"mood":1,"mood" : ']
)
def test_however_the_key_is_written(spelled: str, sample_raw: Path, tmp_path: Path) -> None:
    """White space before a colon, an escape in a name, and a field that is not of the format."""
    records = read_records(sample_raw, "train")
    repeat(next(iter(records.values())), PLACES["of a turn"])
    text = json.dumps(records, indent=2)
    write_split(tmp_path / "raw", "train", text.replace(f'"sentiment{AGAIN}":', spelled).encode())
    with pytest.raises(RecordError, match="stands twice") as caught:
        dialogue_builders.build(
            "topical_chat",
            tmp_path / "out",
            data_dir=tmp_path / "raw",
            configs=["conversations"],
            splits=["train"],
        )
    assert (caught.value.field or "").startswith("content[1].")


# What a count of keys could be mistaken about.
AWKWARD = '":\\ {}[],a\n'
SEPARATORS = [(",", ":"), (", ", ": "), (" ,\n", " :"), (",", "\t\r\n: "), (",", "  :")]


def make_value(chance: random.Random, depth: int = 4) -> Any:
    """A value whose keys and texts are hard to tell apart."""
    kind = chance.choice(["text", "number", "list", "dict", "dict"]) if depth else "text"
    if kind == "list":
        return [make_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == "dict":
        return {
            make_value(chance, 0): make_value(chance, depth - 1) for _ in range(chance.randrange(5))
        }
    return 3 if kind == "number" else "".join(chance.choices(AWKWARD, k=chance.randrange(6)))


def keys_of(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(keys_of, value.values()))
    return sum(map(keys_of, value)) if isinstance(value, list) else 0


@pytest.mark.parametrize("separators", SEPARATORS)
def test_no_key_is_overlooked(separators: tuple[str, str]) -> None:
    """Too few decoded keys are always noticed, whatever stands in the texts."""
    for seed in range(3000):
        value = make_value(random.Random(seed))
        content = json.dumps(value, separators=separators, ensure_ascii=False).encode()
        counts = range(max(0, keys_of(value) - 4), keys_of(value))
        assert all(may_repeat_keys(content, count) for count in counts), (seed, content)
        assert repeated_key(content.decode()) is None


def test_real_looking_text_raises_no_alarm() -> None:
    value: Any = [
        {"message": text, "b": {}} for text in (":-)", "a: b", "b : c", 'x  :"y"', "  ;", "{")
    ]
    for separators in ((",", ":"), (", ", ": ")):
        content = json.dumps(value, separators=separators).encode()
        assert not may_repeat_keys(content, keys_of(value))


def test_the_outermost_key_is_named() -> None:
    assert repeated_key('{"a": [{"b": 1, "b": 2}], "c": 1, "c": 2}') == "c"
    assert repeated_key('{"a": [1, {"b": {"x": 1, "x": 2}}]}') == "a[1].b.x"
    # The decoder that reads the files keeps the last one without a word.
    assert msgspec.json.decode('{"c": 1, "c": 2}') == {"c": 2}
