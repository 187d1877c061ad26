"""Every new kind of raw file, broken in the ways that files break: the error names the place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from topical_chat_raw import change_json, write_raw

import dialogue_builders
from dialogue_builders.errors import DialogueBuildersError, RawFileError, RecordError
from topical_chat.sample.conversations import CONVERSATIONS

# Config, a file that it reads, and a text whose type is then changed.
KINDS = {
    "pre-build": ("reading_sets", "reading_sets/pre-build/test_rare.json", "agent_2.FS1.entity"),
    "post-build": ("responses", "reading_sets/post-build/test_rare.json", "agent_1.FS3.fun_facts"),
    "actual": (
        "asr_actual",
        "TopicalChatASR/actual/test_rare_audio.json",
        "content[1].message_asr_B",
    ),
    "synthetic": (
        "asr_synthetic",
        "TopicalChatASR/synthetic/test/rare/test_rare_wer_0.1_seed_1.json",
        "content[1].message_sim_asr",
    ),
    "enriched": ("enriched", "enriched/test_rare.json", "content[1].gt_turn_ks.section"),
}


def cut_off(content: bytes) -> bytes:
    return content[: len(content) // 2]


def not_utf8(content: bytes) -> bytes:
    return content.replace(b"agent_2", b"agent\xff2", 5)


def twice(content: bytes) -> bytes:
    """The first id stands once more behind the last record."""
    records = json.loads(content)
    identity = next(iter(records))
    record = json.dumps(records[identity])
    return (
        content.rstrip()[:-1] + b"," + json.dumps(identity).encode() + b":" + record.encode() + b"}"
    )


def without_ids(content: bytes) -> bytes:
    return json.dumps(list(json.loads(content).values())).encode()


BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut off": (cut_off, "is truncated"),
    "empty": (lambda _: b"", "is empty"),
    "web page": (lambda _: b"<html><body>Sign in</body></html>", "is an HTML page"),
    "no JSON": (lambda _: b"id;text\n1;hello\n", "is not JSON"),
    "not UTF-8": (not_utf8, "not UTF-8"),
    "twice": (twice, "this id stands twice"),
    "without ids": (without_ids, "records without their ids"),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("kind", KINDS)
def test_broken_files(tmp_path: Path, kind: str, fault: str) -> None:
    config, name, _ = KINDS[kind]
    raw = write_raw(tmp_path / "raw", post_build=kind == "post-build")
    change, problem = BROKEN[fault]
    (raw / name).write_bytes(change((raw / name).read_bytes()))
    with pytest.raises(DialogueBuildersError, match=problem) as caught:
        build(raw, tmp_path / "out", config)
    place = name if fault != "twice" else name.rsplit("/", 1)[0]
    assert (caught.value.file or "").startswith(place)
    assert caught.value.next_step
    assert not (tmp_path / "out").exists()


def build(raw: Path, out: Path, config: str) -> Any:
    return dialogue_builders.build(
        "topical_chat", out, data_dir=raw, configs=[config], splits=["test_rare"]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_another_type(tmp_path: Path, kind: str) -> None:
    config, name, field = KINDS[kind]
    raw = write_raw(tmp_path / "raw", post_build=kind == "post-build")

    def change(records: Any) -> None:
        identity, value = list(records.items())[1]
        changed.append(identity)
        *path, last = field.replace("[", ".").replace("]", "").split(".")
        for step in path:
            value = value[int(step) if step.isdigit() else step]
        value[last] = {"a": 1}

    changed: list[str] = []
    change_json(raw / name, change)
    with pytest.raises(RecordError) as caught:
        build(raw, tmp_path / "out", config)
    assert caught.value.file == name
    assert caught.value.record == changed[0]
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("given", "wanted", "problem"),
    [
        ("conversations", "TopicalChatASR/actual/test_rare_audio", "this field is missing"),
        ("reading_sets/pre-build", "enriched/test_rare", "is not an? .*, but a reading set"),
        ("reading_sets/pre-build", "TopicalChatASR/actual/test_rare_audio", "but a reading set"),
    ],
)
def test_files_in_place_of_others(tmp_path: Path, given: str, wanted: str, problem: str) -> None:
    raw = write_raw(tmp_path / "raw")
    (raw / f"{wanted}.json").write_bytes((raw / given / "test_rare.json").read_bytes())
    config = "enriched" if "enriched" in wanted else "asr_actual"
    with pytest.raises(RecordError, match=problem) as caught:
        build(raw, tmp_path / "out", config)
    assert caught.value.file == f"{wanted}.json"
    assert caught.value.record == CONVERSATIONS["test_rare"][0].id


def test_a_resource_that_is_missing(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    (raw / "src/entity_to_topic.json").unlink()
    with pytest.raises(RawFileError, match=r"lacks src/entity_to_topic\.json"):
        build(raw, tmp_path / "out", "reading_sets")


def test_same_bytes_with_several_processes(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw", post_build=True)
    digests = []
    for processes in (1, 2):
        out = tmp_path / str(processes)
        dialogue_builders.build("topical_chat", out, data_dir=raw, num_proc=processes)
        digests.append(
            {
                p.relative_to(out).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
                for p in sorted(out.rglob("*"))
                if p.is_file()
            }
        )
    assert digests[0] == digests[1]
