"""`reading_sets` and `responses`, against plain reimplementations on the invented sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from topical_chat_raw import (
    built_rows,
    change_json,
    put_post_build_in_place_of_pre_build,
    sample_json,
    write_raw,
)

import dialogue_builders
from dialogue_builders.errors import OptionError, RawFileError, RecordError
from topical_chat.sample.conversations import CONVERSATIONS
from topical_chat.sample.reading_sets import FAILED_ARTICLE, REPEATED_FACT

SPLITS = ("train", "valid_freq", "valid_rare", "test_freq", "test_rare")
SHORTENED, SUMMARIZED = "shortened_wiki_lead_section", "summarized_wiki_lead_section"
KNOWLEDGE = ["reading_sets", "responses"]
RESTRICTED = "Washington Post articles and Reddit facts may not be redistributed"


def build(raw: Path, out: Path, **keywords: Any) -> Any:
    return dialogue_builders.build(
        "topical_chat", out, data_dir=raw, **{"configs": KNOWLEDGE, **keywords}
    )


def notes_of(report: Any) -> list[str]:
    return list(report.built.provenance.notes)


def wiki_text(kind: str, number: int) -> str | None:
    (text,) = [t for t, n in sample_json("src/wiki/wiki.json")[kind].items() if n == number]
    return text


def plain_reading_set(identity: str, pre: Any, post: Any | None) -> dict[str, Any]:
    """What a row must be, from the raw JSON, without any of the package's code."""
    topics = sample_json("src/entity_to_topic.json")
    article = (post or {}).get("article", {})
    row: dict[str, Any] = {
        "conversation_id": identity,
        "config": pre["config"],
        "article": {n: article.get(n) for n in ("url", "headline", "AS1", "AS2", "AS3", "AS4")},
    }
    row["article"]["url"] = pre["article_url"]
    for agent in ("agent_1", "agent_2"):
        row[agent] = {}
        for name, section in pre[agent].items():
            row[agent][name] = {
                "entity": section["entity"],
                "topic": topics[section["entity"]],
                SHORTENED: None,
                SUMMARIZED: None,
                "fun_facts": [None] * len(section["fun_facts"]),
                "fun_fact_ids": section["fun_facts"],
            }
            for kind in (SHORTENED, SUMMARIZED):
                if kind in section:
                    row[agent][name][kind] = wiki_text(kind, section[kind])
            if post:
                row[agent][name]["fun_facts"] = post[agent][name]["fun_facts"]
    return row


@pytest.fixture(scope="module")
def pre_built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("pre")
    return build(write_raw(folder / "raw"), folder / "out")


@pytest.fixture(scope="module")
def post_built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("post")
    return build(write_raw(folder / "raw", post_build=True), folder / "out")


@pytest.mark.parametrize("split", SPLITS)
def test_pre_build_rows(pre_built: Any, split: str) -> None:
    pre = sample_json(f"reading_sets/pre-build/{split}.json")
    expected = [plain_reading_set(identity, record, None) for identity, record in pre.items()]
    assert built_rows(pre_built, "reading_sets", split) == expected


@pytest.mark.parametrize("split", SPLITS)
def test_post_build_rows_where_they_are(post_built: Any, split: str) -> None:
    """Two splits have post-build files, three have not: a mixture is one build."""
    pre = sample_json(f"reading_sets/pre-build/{split}.json")
    name = f"reading_sets/post-build/{split}.json"
    post = sample_json(name, post_build=True) if split in ("valid_rare", "test_rare") else {}
    expected = [plain_reading_set(i, record, post.get(i)) for i, record in pre.items()]
    assert built_rows(post_built, "reading_sets", split) == expected


def test_unresolved_is_counted_once_per_build(pre_built: Any, post_built: Any) -> None:
    # FACTS of the sample: 583 fact slots; 16 of 20 conversations are not config C, 4 sections each.
    notes = notes_of(pre_built)
    hint = "has no text (only post-build reading sets hold it); null in its place"
    assert [n for n in notes if "fun fact" in n] == [f"a fun fact {hint} (583 times)"]
    assert [n for n in notes if "article section" in n] == [f"an article section {hint} (64 times)"]
    # valid_rare and test_rare are resolved: 583 - 86 - 86; 64 - 2 * 4 - 3 * 4, but one article of
    # test_rare is an error object.
    notes = notes_of(post_built)
    assert any("fun fact" in n and "(411 times)" in n for n in notes)
    assert any("article section" in n and "(48 times)" in n for n in notes)
    assert any("article.message is not part of the format; left out (1 times)" in n for n in notes)
    assert not any("wiki.json" in n or "entity_to_topic" in n for n in notes)


def test_article_that_is_an_error_object(post_built: Any) -> None:
    (conversation,) = [c for c in CONVERSATIONS["test_rare"] if c.article == FAILED_ARTICLE]
    rows = {r["conversation_id"]: r for r in built_rows(post_built, "reading_sets", "test_rare")}
    article = rows[conversation.id]["article"]
    assert article.pop("url") == conversation.article_url
    assert set(article.values()) == {None}


def test_repeated_fact_keeps_its_position(pre_built: Any) -> None:
    identity, section = REPEATED_FACT
    rows = {r["conversation_id"]: r for r in built_rows(pre_built, "reading_sets", "test_rare")}
    assert rows[identity]["agent_2"][section]["fun_fact_ids"] == [
        "t3_zztele01", "t3_zztele02", "t3_zztele03", "t3_zztele04", "t3_zztele01",
    ]  # fmt: skip


def test_post_build_is_marked_as_restricted(pre_built: Any, post_built: Any) -> None:
    assert pre_built.built.provenance.restricted == ()
    assert post_built.built.provenance.restricted == (RESTRICTED,)
    assert RESTRICTED in notes_of(post_built)


@pytest.mark.parametrize("config", [*KNOWLEDGE, "enriched"])
def test_texts_are_restricted_wherever_their_file_lay(tmp_path: Path, config: str) -> None:
    raw = write_raw(tmp_path / "raw", post_build=True)
    put_post_build_in_place_of_pre_build(raw)
    for without, expected in ((False, (RESTRICTED,)), (True, ())):
        if without:
            for file in (raw / "reading_sets/pre-build").iterdir():
                change_json(file, take_texts_out)
        report = build(raw, tmp_path / "out", configs=[config], overwrite=True)
        assert report.built.provenance.restricted == expected


def take_texts_out(reading_sets: dict[str, Any]) -> None:
    """Leave ids where articles and facts have their texts; Wikipedia's texts stay."""
    for reading_set in reading_sets.values():
        reading_set["article"] = {"url": "https://example.org/article"}
        for agent in ("agent_1", "agent_2"):
            for section in reading_set[agent].values():
                section["fun_facts"] = [f"t3_zz{n}" for n in range(len(section["fun_facts"]))]


def test_post_build_without_pre_build(tmp_path: Path) -> None:
    """Thread ids are then unknown, but positions stay; Wikipedia ids are found by their texts."""
    raw = write_raw(tmp_path / "raw", post_build=True)
    (raw / "reading_sets/pre-build/test_rare.json").unlink()
    report = build(raw, tmp_path / "out", splits=["test_rare"])
    post = sample_json("reading_sets/post-build/test_rare.json", post_build=True)
    for row in built_rows(report, "reading_sets", "test_rare"):
        source = post[row["conversation_id"]]
        assert row["article"]["url"] == source["article"]["url"]
        for agent in ("agent_1", "agent_2"):
            for name, section in row[agent].items():
                assert section["fun_facts"] == source[agent][name]["fun_facts"]
                assert section["fun_fact_ids"] == [None] * len(section["fun_facts"])
    wiki = sample_json("src/wiki/wiki.json")
    pieces = [p for r in built_rows(report, "responses", "test_rare") for p in r["knowledge"]]
    assert {p["id"] for p in pieces if p["kind"] == "wiki"} <= {
        str(number) for kind in wiki.values() for number in kind.values()
    }
    assert {p["id"] for p in pieces if p["kind"] == "fun_fact"} == {None}


def test_post_build_with_a_changed_fact_loads(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw", post_build=True)

    def change(value: Any) -> None:
        next(iter(value.values()))["agent_1"]["FS1"]["fun_facts"][2] = "a fact of my own"

    change_json(raw / "reading_sets/post-build/test_rare.json", change)
    report = build(raw, tmp_path / "out", splits=["test_rare"])
    first = built_rows(report, "reading_sets", "test_rare")[0]
    assert first["agent_1"]["FS1"]["fun_facts"][2] == "a fact of my own"


def plain_knowledge(turn: Any, pre: Any, post: Any | None) -> list[tuple[Any, ...]]:
    pieces: list[tuple[Any, ...]] = []
    for source in turn["knowledge_source"]:
        if source.startswith("FS"):
            section = pre[turn["agent"]][source]
            kind = SHORTENED if SHORTENED in section else SUMMARIZED
            number = section[kind]
            pieces.append((source, "wiki", section["entity"], str(number), wiki_text(kind, number)))
            facts = post[turn["agent"]][source]["fun_facts"] if post else [None] * 9
            pieces += [
                (source, "fun_fact", section["entity"], identity, text)
                for identity, text in zip(section["fun_facts"], facts, strict=False)
            ]
        elif source.startswith("AS"):
            text = post["article"].get(source) if post else None
            pieces.append((source, "article", None, pre["article_url"], text))
    return pieces


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("layout", ["pre_built", "post_built"])
def test_responses(request: pytest.FixtureRequest, layout: str, split: str) -> None:
    report = request.getfixturevalue(layout)
    pre = sample_json(f"reading_sets/pre-build/{split}.json")
    post: Any = {}
    if layout == "post_built" and split in ("valid_rare", "test_rare"):
        post = sample_json(f"reading_sets/post-build/{split}.json", post_build=True)
    expected = []
    for identity, record in sample_json(f"conversations/{split}.json").items():
        messages = [turn["message"] for turn in record["content"]]
        for index, turn in list(enumerate(record["content"]))[1:]:
            pieces = plain_knowledge(turn, pre[identity], post.get(identity))
            expected.append(
                {
                    "conversation_id": identity,
                    "turn_index": index,
                    "agent": turn["agent"],
                    "history": messages[:index],
                    "response": messages[index],
                    "knowledge_source": turn["knowledge_source"],
                    "knowledge": [
                        dict(zip(("source", "kind", "entity", "id", "text"), piece, strict=True))
                        for piece in pieces
                    ],
                }
            )
    assert built_rows(report, "responses", split) == expected


def test_summarized_text_of_config_b(pre_built: Any) -> None:
    """One text stands in both maps under two ids: each map is inverted on its own."""
    cited = {
        (piece["id"], piece["text"])
        for split in SPLITS
        for row in built_rows(pre_built, "responses", split)
        for piece in row["knowledge"]
        if piece["kind"] == "wiki" and piece["entity"] == "Village council"
    }
    text = sample_json("src/wiki/wiki.json")[SHORTENED]
    assert len({t for _, t in cited}) == 1
    assert next(iter(cited))[1] in text
    assert {identity for identity, _ in cited} == {"90125", "20733"}


@pytest.mark.parametrize("most", [1, 3])
def test_history_turns(tmp_path: Path, pre_built: Any, most: int) -> None:
    report = build(
        write_raw(tmp_path / "raw"),
        tmp_path / "out",
        configs=["responses"],
        splits=["train"],
        options={"responses": {"history_turns": most}},
    )
    full = built_rows(pre_built, "responses", "train")
    short = built_rows(report, "responses", "train")
    assert len(short) == 42  # 50 turns of 8 conversations
    for long_row, row in zip(full, short, strict=True):
        assert row == {**long_row, "history": long_row["history"][-most:]}


@pytest.mark.parametrize("value", [-1, "many"])
def test_history_turns_out_of_range(tmp_path: Path, value: Any) -> None:
    with pytest.raises(OptionError, match="history_turns"):
        build(tmp_path, tmp_path / "out", options={"responses": {"history_turns": value}})


def test_conversation_without_reading_set(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    gone = CONVERSATIONS["test_rare"][1]
    change_json(raw / "reading_sets/pre-build/test_rare.json", lambda sets: sets.pop(gone.id))
    report = build(raw, tmp_path / "out", splits=["test_rare"])
    rows = built_rows(report, "reading_sets", "test_rare")
    assert [row["conversation_id"] for row in rows] == [c.id for c in CONVERSATIONS["test_rare"]]
    assert rows[1]["agent_1"] is None
    assert rows[1]["agent_2"] is None
    assert rows[1]["article"] == {
        "url": gone.article_url,
        **dict.fromkeys(("headline", "AS1", "AS2", "AS3", "AS4")),
    }
    responses = built_rows(report, "responses", "test_rare")
    without = [r for r in responses if r["knowledge"] is None]
    assert {r["conversation_id"] for r in without} == {gone.id}
    assert len(without) == len(gone.turns) - 1
    assert "a conversation has no reading set; its knowledge is null (1 times)" in notes_of(report)


def test_reading_set_of_no_conversation(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    gone = CONVERSATIONS["test_rare"][1]
    change_json(raw / "conversations/test_rare.json", lambda records: records.pop(gone.id))
    report = build(raw, tmp_path / "out", splits=["test_rare"])
    assert len(built_rows(report, "reading_sets", "test_rare")) == 2
    line = "test_rare: a reading set of no conversation in conversations; left out (1 times)"
    assert notes_of(report).count(line) == 1


def test_reading_sets_with_nothing_else(tmp_path: Path, pre_built: Any) -> None:
    """Pre-build files, wiki.json and entity_to_topic.json are enough."""
    raw = write_raw(tmp_path / "raw", only=("reading_sets", "src"))
    report = build(raw, tmp_path / "out", configs=["reading_sets"])
    for split in SPLITS:
        rows = built_rows(report, "reading_sets", split)
        assert rows == built_rows(pre_built, "reading_sets", split)


def test_unknown_wiki_id_and_entity(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")

    def change(sets: Any) -> None:
        section = next(iter(sets.values()))["agent_1"]["FS2"]
        section[SHORTENED] = 7
        section["entity"] = "Nobody's entity"

    change_json(raw / "reading_sets/pre-build/test_rare.json", change)
    report = build(raw, tmp_path / "out", splits=["test_rare"])
    section = built_rows(report, "reading_sets", "test_rare")[0]["agent_1"]["FS2"]
    assert (section["topic"], section[SHORTENED], section[SUMMARIZED]) == (None, None, None)
    notes = notes_of(report)
    assert "a section's Wikipedia text is not in wiki.json; null in its place (1 times)" in notes
    assert "an entity is not in entity_to_topic.json; its topic is null (1 times)" in notes
    pieces = [
        piece
        for row in built_rows(report, "responses", "test_rare")
        for piece in row["knowledge"]
        if piece["entity"] == "Nobody's entity" and piece["kind"] == "wiki"
    ]
    assert pieces
    assert all((piece["id"], piece["text"]) == ("7", None) for piece in pieces)


def test_unknown_fields_of_a_reading_set_are_counted(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")

    def change(sets: Any) -> None:
        for record in sets.values():
            record["agent_2"]["FS1"]["mood"] = 1

    change_json(raw / "reading_sets/pre-build/test_rare.json", change)
    report = build(raw, tmp_path / "out", splits=["test_rare"])
    assert (
        "reading_sets/pre-build/test_rare.json: the field agent_2.FS1.mood is not part of the "
        "format; left out (3 times)"
    ) in notes_of(report)


def test_kinds_of_files_that_are_mixed_up(tmp_path: Path) -> None:
    raw = write_raw(tmp_path / "raw")
    reading_sets = raw / "reading_sets/pre-build/test_rare.json"
    conversations = raw / "conversations/test_rare.json"
    kept = reading_sets.read_bytes()
    reading_sets.write_bytes(conversations.read_bytes())
    with pytest.raises(RecordError, match="is not a reading set, but a conversation") as caught:
        build(raw, tmp_path / "out", splits=["test_rare"])
    assert caught.value.file == "reading_sets/pre-build/test_rare.json"
    assert caught.value.record == CONVERSATIONS["test_rare"][0].id
    reading_sets.write_bytes(kept)
    conversations.write_bytes(kept)
    with pytest.raises(RecordError, match="is not a conversation, but a reading set") as caught:
        build(raw, tmp_path / "out", splits=["test_rare"])
    assert caught.value.file == "conversations/test_rare.json"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "can't be read"),
        (b'{"shortened_wiki_lead_section": {}}', "has no texts named summarized"),
        (
            json.dumps({SHORTENED: {"a": 1, "b": 1}, SUMMARIZED: {}}).encode(),
            "have the same id",
        ),
        (b"<html>", "can't be read"),
    ],
)
def test_broken_wiki(tmp_path: Path, content: bytes, problem: str) -> None:
    raw = write_raw(tmp_path / "raw")
    (raw / "src/wiki/wiki.json").write_bytes(content)
    with pytest.raises(RawFileError, match=problem) as caught:
        build(raw, tmp_path / "out", splits=["test_rare"])
    assert caught.value.file == "src/wiki/wiki.json"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["src/wiki/wiki.json", "reading_sets/pre-build/test_rare.json"])
def test_missing_file_is_named(tmp_path: Path, name: str) -> None:
    raw = write_raw(tmp_path / "raw")
    (raw / name).unlink()
    with pytest.raises(RawFileError, match=name):
        build(raw, tmp_path / "out", splits=["test_rare"])
    # Where no config was named, the others are built, and the line says which are not.
    report = build(raw, tmp_path / "all", splits=["test_rare"], configs=None)
    left_out = [note for note in notes_of(report) if "was left out" in note]
    assert [note.split()[2] for note in left_out] == KNOWLEDGE
    assert all(name in note for note in left_out)


def test_reading_sets_as_json_lines(tmp_path: Path, pre_built: Any) -> None:
    """The shapes of conversation files are those of reading sets too, several files included."""
    raw = write_raw(tmp_path / "raw")
    path = raw / "reading_sets/pre-build/train.json"
    records = list(json.loads(path.read_bytes()).items())
    path.unlink()
    path.with_suffix("").mkdir()
    for number, part in enumerate((records[:3], records[3:])):
        lines = "".join(json.dumps(pair) + "\n" for pair in part)
        (path.with_suffix("") / f"part-{number}.jsonl").write_text(lines, "utf-8")
    report = build(raw, tmp_path / "out", splits=["train"])
    rows = built_rows(report, "reading_sets", "train")
    assert rows == built_rows(pre_built, "reading_sets", "train")


def test_filtered_rows_are_the_unfiltered_ones(tmp_path: Path, pre_built: Any) -> None:
    """Both filters at once, in plain Python: every row that is kept says what it said."""
    report = build(
        write_raw(tmp_path / "raw"),
        tmp_path / "out",
        configs=["responses"],
        options={"responses": {"minimum_earlier_turns": 3, "personal_knowledge": False}},
    )
    for split in SPLITS:
        rows = built_rows(pre_built, "responses", split)
        expected = [
            row
            for row in rows
            if row["turn_index"] >= 3 and "Personal Knowledge" not in row["knowledge_source"]
        ]
        assert 0 < len(expected) < len(rows)
        assert built_rows(report, "responses", split) == expected


def test_no_response_lacks_an_earlier_turn(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="minimum_earlier_turns"):
        build(tmp_path, tmp_path / "out", options={"responses": {"minimum_earlier_turns": 0}})
