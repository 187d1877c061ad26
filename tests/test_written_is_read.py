"""What we write we read; and what one file lacks, another one gives, record by record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import diamante_raw
import pytest
from topical_chat_raw import built_rows, change_json, read_json, sample_json, write_raw

import dialogue_builders
from dialogue_builders import RawFileError, RecordError, load_dataset

KNOWLEDGE = ["reading_sets", "responses"]


def build(name: str, raw: Path, out: Path, **keywords: Any) -> Any:
    return dialogue_builders.build(name, out, data_dir=raw, **keywords)


def notes_of(report: Any) -> str:
    return "\n".join(report.built.provenance.notes)


def write_rows(folder: Path, config: str, to: Path, suffix: str = "json") -> None:
    """Write every split of a built config as the library's `to_json` writes it."""
    loaded = load_dataset(str(folder), config, cache_dir=str(to / "cache"))
    for split, rows in loaded.items():
        target = to / f"{split}.{suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        rows.to_json(target, force_ascii=False)


def test_conversations_go_round(tmp_path: Path) -> None:
    first = build("topical_chat", write_raw(tmp_path / "raw"), tmp_path / "a")
    write_rows(first.folder, "conversations", tmp_path / "again" / "conversations")
    again = build(
        "topical_chat", tmp_path / "again", tmp_path / "b",
        configs=["conversations", "utterances", "messages"],
    )  # fmt: skip
    for config in ("conversations", "utterances", "messages"):
        for split in ("train", "valid_freq", "valid_rare", "test_freq", "test_rare"):
            assert built_rows(again, config, split) == built_rows(first, config, split)
    # The sample has unrated turns: raw they are empty texts, in our rows nulls.
    texts = (tmp_path / "again/conversations/train.json").read_text("utf-8")
    assert '"turn_rating":null' in texts


def test_reading_sets_go_round(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw", post_build=True)
    first = build("topical_chat", raw, tmp_path / "a", configs=KNOWLEDGE)
    again = write_raw(tmp_path / "again", only=("conversations",))
    write_rows(first.folder, "reading_sets", again / "reading_sets" / "pre-build")
    # The rows have texts and ids, so neither wiki.json nor entity_to_topic.json is needed.
    (again / "src").mkdir()
    (again / "src/entity_to_topic.json").write_text("{}")
    second = build("topical_chat", again, tmp_path / "b", configs=KNOWLEDGE)
    for split in ("train", "valid_freq", "valid_rare", "test_freq", "test_rare"):
        assert built_rows(second, "reading_sets", split) == built_rows(first, "reading_sets", split)


def test_an_id_that_contradicts_the_one_inside(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    key = next(iter(sample_json("conversations/train.json")))
    change_json(
        raw / "conversations/train.json", lambda c: c[key].update(conversation_id="t_other")
    )
    with pytest.raises(RecordError, match="'t_other'") as caught:
        build("topical_chat", raw, tmp_path / "out", configs=["conversations"])
    assert (caught.value.record, caught.value.file) == (key, "conversations/train.json")


def test_dialogues_go_round(tmp_path: Path) -> None:
    first = build("diamante", diamante_raw.write_sample(tmp_path / "raw"), tmp_path / "a")
    write_rows(first.folder, "conversations", tmp_path / "again", suffix="txt")
    again = build("diamante", tmp_path / "again", tmp_path / "b")
    for config in ("conversations", "responses", "preference", "messages"):
        for split in diamante_raw.SPLITS:
            assert built_rows(again, config, split) == built_rows(first, config, split)


def pairs_of_sections(reading_set: Any) -> Iterator[dict[str, Any]]:
    for agent in ("agent_1", "agent_2"):
        yield from reading_set[agent].values()


@pytest.fixture
def post_built_alone(tmp_path: Path) -> Path:
    """Post-build reading sets for all that is there, every text inside, and no look-up table."""
    raw = write_raw(
        tmp_path / "raw",
        post_build=True,
        only=("conversations/test_rare", "reading_sets/post-build/test_rare", "src/entity"),
    )

    def fill(reading_sets: Any) -> None:
        for record in reading_sets.values():
            for section in pairs_of_sections(record):
                for kind in [name for name in section if name.endswith("_lead_section")]:
                    section[kind] = f"an invented text of {section['entity']}"

    change_json(raw / "reading_sets/post-build/test_rare.json", fill)
    return raw


def test_texts_that_are_inside_need_no_table(post_built_alone: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"configs": KNOWLEDGE, "splits": ["test_rare"]}
    report = build("topical_chat", post_built_alone, tmp_path / "out", **given)
    row = built_rows(report, "reading_sets", "test_rare")[0]
    section = row["agent_1"]["FS1"]
    text = section["shortened_wiki_lead_section"] or section["summarized_wiki_lead_section"]
    assert text == f"an invented text of {section['entity']}"
    # One text for each section of each agent.
    records = read_json(post_built_alone / "reading_sets/post-build/test_rare.json").values()
    count = sum(len(list(pairs_of_sections(record))) for record in records)
    assert f"the ids of Wikipedia texts are null ({count} times)" in notes_of(report)


def test_a_number_needs_the_table(post_built_alone: Path, tmp_path: Path) -> None:
    def break_one(reading_sets: Any) -> None:
        section = next(pairs_of_sections(next(iter(reading_sets.values()))))
        for kind in [name for name in section if name.endswith("_lead_section")]:
            section[kind] = 7

    change_json(post_built_alone / "reading_sets/post-build/test_rare.json", break_one)
    with pytest.raises(RawFileError, match=r"lacks src/wiki/wiki\.json"):
        build("topical_chat", post_built_alone, tmp_path / "out", configs=["responses"],
              splits=["test_rare"])  # fmt: skip


def test_a_number_of_the_pre_build_file_needs_the_table(
    post_built_alone: Path, tmp_path: Path
) -> None:
    write_raw(post_built_alone, only=("reading_sets/pre-build/test_rare",))
    name = post_built_alone / "reading_sets/post-build/test_rare.json"
    change_json(name, lambda records: records.pop(list(records)[-1]))
    with pytest.raises(RawFileError, match=r"lacks src/wiki/wiki\.json.* has the number \d+ "):
        build("topical_chat", post_built_alone, tmp_path / "out", configs=["responses"],
              splits=["test_rare"])  # fmt: skip
    assert not (tmp_path / "out").exists()


def test_what_only_the_pre_build_file_has(tmp_path: Path) -> None:
    whole = build("topical_chat", write_raw(tmp_path / "pre"), tmp_path / "a", configs=KNOWLEDGE)
    raw = write_raw(tmp_path / "post", post_build=True)
    name = "reading_sets/post-build/test_rare.json"
    gone = list(read_json(raw / name))[1]
    change_json(raw / name, lambda records: records.pop(gone))
    report = build("topical_chat", raw, tmp_path / "b", configs=KNOWLEDGE)
    for config in KNOWLEDGE:
        of_gone = [
            [row for row in built_rows(each, config, "test_rare") if row["conversation_id"] == gone]
            for each in (whole, report)
        ]
        assert of_gone[0]
        assert of_gone[0] == of_gone[1]
    assert "no reading set" not in notes_of(report)


def test_without_conversations_a_record_of_the_pre_build_file_is_counted(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "post", post_build=True, only=("reading_sets", "src"))
    name = "reading_sets/post-build/test_rare.json"
    gone = list(read_json(raw / name))[1]
    change_json(raw / name, lambda records: records.pop(gone))
    report = build("topical_chat", raw, tmp_path / "b", configs=["reading_sets"])
    assert (
        "test_rare: a reading set of no conversation in reading_sets; left out (1 times)"
        in notes_of(report)
    )


def test_an_articles_address_survives(tmp_path: Path) -> None:
    """Also where the build left an article without one, and there is no pre-build file."""
    raw = write_raw(tmp_path / "post", post_build=True)
    for split in ("valid_rare", "test_rare"):
        (raw / f"reading_sets/pre-build/{split}.json").unlink(missing_ok=True)
    name = "reading_sets/post-build/test_rare.json"
    change_json(raw / name, lambda r: [each["article"].pop("url", None) for each in r.values()])
    report = build("topical_chat", raw, tmp_path / "out", configs=["reading_sets"])
    rows = built_rows(report, "reading_sets", "test_rare")
    urls = {i: c["article_url"] for i, c in read_json(raw / "conversations/test_rare.json").items()}
    assert {row["conversation_id"]: row["article"]["url"] for row in rows} == urls


def test_contradictions_are_counted(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")

    def contradict(records: Any) -> None:
        one, other = list(records.values())[:2]
        one["config"] = {"A": "B"}.get(one["config"], "A")
        other["article_url"] += "?another"

    change_json(raw / "reading_sets/pre-build/train.json", contradict)
    report = build("topical_chat", raw, tmp_path / "out", configs=KNOWLEDGE)
    notes = notes_of(report)
    assert "another config than its conversation; each keeps its own (1 times)" in notes
    assert "another article URL than its conversation; each keeps its own (1 times)" in notes
    assert "another" not in notes_of(
        build("topical_chat", write_raw(tmp_path / "fine"), tmp_path / "b", configs=KNOWLEDGE)
    )


@pytest.mark.parametrize("configs", [None, ["utterances"]])
def test_a_filled_id_that_is_taken(tmp_path: Path, configs: list[str] | None) -> None:
    turns = [diamante_raw.turn("你好"), diamante_raw.turn("你好呀")]
    records = [
        diamante_raw.dialogue("train-00001", *turns),
        {"conversation": [{"role": "speaker1", "utterance": "早"}]},
    ]
    raw = diamante_raw.write_lines(tmp_path / "raw", {"train": records})
    with pytest.raises(RecordError, match=r"record on line 2 of train\.txt gets") as caught:
        build("diamante", raw, tmp_path / "out", splits=["train"], configs=configs)
    assert (caught.value.file, caught.value.record) == ("train.txt", "train-00001")
    with pytest.raises(RecordError, match="line 2"):
        load_dataset("diamante", data_dir=str(raw), split="train", cache_dir=str(tmp_path / "c"))
    records[0]["id"] = "train-00000"
    raw = diamante_raw.write_lines(tmp_path / "fine", {"train": records})
    report = build("diamante", raw, tmp_path / "out", splits=["train"], configs=["conversations"])
    rows = built_rows(report, "conversations", "train")
    assert [row["id"] for row in rows] == ["train-00000", "train-00001"]
    assert json.dumps(rows, ensure_ascii=False).count("你好呀") == 1
