"""`messages`, `asr_actual`, `asr_synthetic`, `enriched`; several files per split."""

from __future__ import annotations

import gzip
import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from topical_chat_raw import built_rows, change_json, read_json, sample_json, write_raw

import dialogue_builders
from dialogue_builders.cli.main import main
from dialogue_builders.errors import OptionError, RawFileError, RecordError
from topical_chat.sample import EMPTY_TRANSCRIPT, ENRICHED

SPLITS = ("train", "valid_freq", "valid_rare", "test_freq", "test_rare")
NEW = ("reading_sets", "responses", "messages", "asr_actual", "asr_synthetic", "enriched")
SYNTHETIC = "TopicalChatASR/synthetic"
NOT_ALTERNATING = "t_3b9e60d4-a7f2-4c85-b1d8-e6420f7c915e"


def build(raw: Path, out: Path, **keywords: Any) -> Any:
    return dialogue_builders.build("topical_chat", out, data_dir=raw, **keywords)


def notes_of(report: Any) -> list[str]:
    return list(report.built.provenance.notes)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's files; tests that change some write their own."""
    return write_raw(tmp_path_factory.mktemp("raw"))


@pytest.fixture(scope="module")
def whole(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All configs of the sample."""
    return build(raw, tmp_path_factory.mktemp("whole") / "out")


def llama_style_template(messages: list[dict[str, str]]) -> str:
    """What chat templates of that family do, with their two conditions, written down anew."""
    text = "<s>"
    for position, message in enumerate(messages):
        expected = "user" if position % 2 == 0 else "assistant"
        if message["role"] != expected:
            raise ValueError("roles must alternate user/assistant/user/…")
        text += f"[{message['role']}] {message['content'].strip()}\n"
    if messages[-1]["role"] != "assistant":
        raise ValueError("nothing is learned from a user's last turn")
    return text


def plain_chat(record: Any, agent: str) -> list[dict[str, str]]:
    """What a row must hold: neighbours joined, then cut at both ends."""
    chat: list[dict[str, str]] = []
    for turn in record["content"]:
        role = "assistant" if turn["agent"] == agent else "user"
        if chat and chat[-1]["role"] == role:
            chat[-1]["content"] += "\n" + turn["message"]
        else:
            chat.append({"role": role, "content": turn["message"]})
    if chat[0]["role"] == "assistant":
        del chat[0]
    if chat and chat[-1]["role"] == "user":
        del chat[-1]
    return chat


@pytest.mark.parametrize("assistant", ["agent_2", "agent_1", "last", "both"])
def test_messages(tmp_path: Path, raw: Path, assistant: str) -> None:
    options = {"messages": {"assistant": assistant}}
    report = build(raw, tmp_path / "out", configs=["messages"], options=options)
    for split in SPLITS:
        expected = []
        for identity, record in sample_json(f"conversations/{split}.json").items():
            agents = {
                "both": ("agent_1", "agent_2"),
                "last": (record["content"][-1]["agent"],),
            }.get(assistant, (assistant,))
            for agent in agents:
                chat = plain_chat(record, agent)
                row = {"conversation_id": identity, "assistant": agent, "messages": chat}
                expected.append(row)
        rows = built_rows(report, "messages", split)
        assert rows == expected
        for row in rows:
            assert llama_style_template(row["messages"])
    assert dialogue_builders.check(tmp_path / "out").problems == ()


def test_both_learn_every_message_after_the_first_once(tmp_path: Path, raw: Path) -> None:
    report = build(
        raw, tmp_path / "out", configs=["messages"], options={"messages": {"assistant": "both"}}
    )
    for split in SPLITS:
        learned: dict[str, list[str]] = {}
        for row in built_rows(report, "messages", split):
            learned.setdefault(row["conversation_id"], []).extend(
                message["content"] for message in row["messages"] if message["role"] == "assistant"
            )
        for identity, record in sample_json(f"conversations/{split}.json").items():
            joined = [
                "\n".join(turn["message"] for turn in turns)
                for _, turns in groupby(record["content"], key=lambda turn: turn["agent"])
            ]
            assert sorted(learned[identity]) == sorted(joined[1:])


def test_messages_of_a_conversation_that_does_not_alternate(whole: Any) -> None:
    rows = {r["conversation_id"]: r for r in built_rows(whole, "messages", "valid_rare")}
    texts = [
        turn["message"]
        for turn in sample_json("conversations/valid_rare.json")[NOT_ALTERNATING]["content"]
    ]
    # Its agents are 1 1 2 1 2 2 1, so that the last turn answers nobody, and nobody answers it.
    assert rows[NOT_ALTERNATING]["messages"] == [
        {"role": "user", "content": f"{texts[0]}\n{texts[1]}"},
        {"role": "assistant", "content": texts[2]},
        {"role": "user", "content": texts[3]},
        {"role": "assistant", "content": f"{texts[4]}\n{texts[5]}"},
    ]


def test_what_a_chat_leaves_out_is_counted(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")

    def only_agent_1(records: Any) -> None:
        for turn in next(iter(records.values()))["content"]:
            turn["agent"] = "agent_1"

    change_json(folder / "conversations/test_freq.json", only_agent_1)
    report = build(
        folder,
        tmp_path / "out",
        configs=["messages"],
        splits=["test_freq"],
        options={"messages": {"assistant": "agent_1"}},
    )
    assert len(built_rows(report, "messages", "test_freq")) == 2
    # The two conversations that are left: how many turns agent_2 says after agent_1's last one.
    closing = 0
    for record in list(read_json(folder / "conversations/test_freq.json").values())[1:]:
        for turn in reversed(record["content"]):
            if turn["agent"] == "agent_1":
                break
            closing += 1
    assert notes_of(report) == [
        "chat: a conversation in which the assistant never answers the user; no row (1 times)",
        "chat: a turn of the assistant before the user's first one; left out (2 times)",
        f"chat: a turn of the user after the assistant's last one; left out ({closing} times)",
    ]


def test_unknown_assistant(tmp_path: Path, raw: Path) -> None:
    with pytest.raises(OptionError, match="one of agent_1, agent_2, last, both"):
        build(raw, tmp_path / "out", options={"messages": {"assistant": "agent_3"}})


@pytest.mark.parametrize("split", ["test_freq", "test_rare"])
def test_asr_actual(whole: Any, split: str) -> None:
    expected = [
        {
            "conversation_id": identity,
            "turn_index": index,
            "agent": turn["agent"],
            "message": turn["message"],
            "hypothesis_a": turn["message_asr_A"],
            "hypothesis_b": turn["message_asr_B"],
        }
        for identity, record in sample_json(f"TopicalChatASR/actual/{split}_audio.json").items()
        for index, turn in enumerate(record["content"])
    ]
    rows = built_rows(whole, "asr_actual", split)
    assert rows == expected
    empty = [(r["conversation_id"], r["turn_index"]) for r in rows if r["hypothesis_b"] == ""]
    assert empty == ([EMPTY_TRANSCRIPT[:2]] if split == "test_freq" else [])


def test_asr_synthetic(whole: Any) -> None:
    expected = [
        {
            "conversation_id": identity,
            "turn_index": index,
            "agent": turn["agent"],
            "message": turn["message"],
            "hypothesis": turn["message_sim_asr"],
            "target_wer": 0.1,
            "seed": seed,
        }
        for seed in (0, 1)
        for identity, record in sample_json(
            f"{SYNTHETIC}/test/rare/test_rare_wer_0.1_seed_{seed}.json"
        ).items()
        for index, turn in enumerate(record["content"])
    ]
    assert built_rows(whole, "asr_synthetic", "test_rare") == expected
    (rate,) = {row["target_wer"] for row in built_rows(whole, "asr_synthetic", "valid_freq")}
    assert rate == 0.3


def test_absent_splits_are_told(whole: Any) -> None:
    there = {p.name.split("-")[0] for p in (whole.folder / "asr_synthetic" / "data").iterdir()}
    assert there == {"train", "valid_freq", "test_rare"}
    line = "the config asr_synthetic has no valid_rare, test_freq: there is no raw file for it"
    assert line in notes_of(whole)
    assert dialogue_builders.check(whole.folder).problems == ()


def test_a_split_that_vanished_is_no_absent_split(tmp_path: Path, raw: Path) -> None:
    build(raw, tmp_path / "out", configs=["asr_synthetic"])
    for file in (tmp_path / "out" / "asr_synthetic" / "data").glob("valid_freq-*"):
        file.unlink()
    problems = dialogue_builders.check(tmp_path / "out").problems
    assert "asr_synthetic/valid_freq is missing" in problems


def test_each_synthetic_file_is_a_shard(raw: Path, tmp_path: Path) -> None:
    from topical_chat import TopicalChat

    builder = TopicalChat(cache_dir=str(tmp_path), config_name="asr_synthetic", data_dir=str(raw))
    streams = builder.as_streaming_dataset()
    assert {split: stream.num_shards for split, stream in streams.items()} == {
        "train": 1,
        "valid_freq": 1,
        "test_rare": 2,
    }


def test_a_renamed_synthetic_file_is_another_content(tmp_path: Path) -> None:
    """Rate and seed stand in the name only, so the cache key has to depend on it."""
    from topical_chat import TopicalChat

    folder = write_raw(tmp_path / "raw")
    keys = []
    for rename in (False, True):
        if rename:
            file = folder / SYNTHETIC / "train/train_wer_0.1_seed_1.json"
            file.rename(file.with_name("train_wer_0.2_seed_1.json"))
        keywords = {"cache_dir": str(tmp_path), "data_dir": str(folder)}
        keys.append(TopicalChat(config_name="asr_synthetic", **keywords).hash)
    assert keys[0] != keys[1]


def test_synthetic_file_names(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")
    place = folder / SYNTHETIC / "test/rare"
    name = "test_rare_wer_0.1_seed_0.json"
    # A packed copy beside the file would give every row twice.
    (place / f"{name}.gz").write_bytes(gzip.compress((place / name).read_bytes()))
    with pytest.raises(RawFileError, match="lies there twice"):
        build(folder, tmp_path / "out", configs=["asr_synthetic"])
    (place / name).unlink()
    report = build(folder, tmp_path / "out", configs=["asr_synthetic"])
    assert len(built_rows(report, "asr_synthetic", "test_rare")) == 38
    (place / f"{name}.gz").rename(place / "test_rare_wer_high_seed_0.json.gz")
    with pytest.raises(RawFileError, match="does not tell the word error rate") as caught:
        build(folder, tmp_path / "other", configs=["asr_synthetic"])
    assert caught.value.file == f"{SYNTHETIC}/test/rare/test_rare_wer_high_seed_0.json.gz"


def test_check_compares_messages_with_the_conversations(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")

    def change(records: Any) -> None:
        next(iter(records.values()))["content"][3]["message"] = "something else"

    path = folder / "TopicalChatASR/actual/test_rare_audio.json"
    change_json(path, change)
    identity = next(iter(json.loads(path.read_bytes())))
    build(folder, tmp_path / "out", configs=["conversations", "asr_actual"])
    (problem,) = dialogue_builders.check(tmp_path / "out").problems
    assert problem == (
        "asr_actual/test_rare: message: 1 turn with another text than conversations, such as "
        f"{identity} turn 3 in asr_actual/data/test_rare-00000-of-00001.parquet"
    )


@pytest.mark.parametrize(
    ("split", "name"),
    [("test_rare", "actual/test_rare_audio"), ("train", "synthetic/train/train_wer_0.1_seed_1")],
)
def test_conversations_in_place_of_speech_files(tmp_path: Path, split: str, name: str) -> None:
    folder = write_raw(tmp_path / "raw")
    path = folder / f"TopicalChatASR/{name}.json"
    path.write_bytes((folder / f"conversations/{split}.json").read_bytes())
    with pytest.raises(RecordError, match="this field is missing") as caught:
        build(folder, tmp_path / "out")
    assert caught.value.file == f"TopicalChatASR/{name}.json"
    assert caught.value.field is not None
    assert caught.value.field.startswith("content[0].message_")


def test_enriched_resolves_texts(tmp_path: Path) -> None:
    """Every pointer of the sample quotes the sentence, or counts the fact, that it means."""
    folder = write_raw(tmp_path / "raw", post_build=True)
    report = build(folder, tmp_path / "out", configs=["enriched"], splits=["test_rare"])
    sets = sample_json("reading_sets/post-build/test_rare.json", post_build=True)
    source = sample_json("enriched/test_rare.json")
    rows = built_rows(report, "enriched", "test_rare")
    assert len(rows) == 11
    for row in rows:
        turn, segments = ENRICHED[row["conversation_id"]][row["turn_index"]]
        raw_turn = source[row["conversation_id"]]["content"][row["turn_index"]]
        pointed = [(turn, row)] + [
            (pointer, segment)
            for (_, pointer), segment in zip(segments, row["segments"], strict=True)
        ]
        for (score, data_source, section, target), got in pointed:
            text = target
            if isinstance(target, int):
                text = sets[row["conversation_id"]][row["agent"]][section]["fun_facts"][target]
            pointer = got["knowledge_pointer"]
            assert got["knowledge_text"] == text
            assert (pointer["score"], pointer["data_source"]) == (score, data_source)
            assert pointer["section"] == section
            assert pointer["fact_index"] == (target if isinstance(target, int) else None)
        assert [s["text"] for s in row["segments"]] == raw_turn["message"]
        assert [s["dialogue_act"] for s in row["segments"]] == [act for act, _ in segments]
        assert row["agent"] == raw_turn["agent"]
    assert notes_of(report)[-1].startswith("Washington Post articles")


def test_enriched_without_reading_sets(tmp_path: Path, whole: Any) -> None:
    folder = write_raw(tmp_path / "raw", only=("enriched",))
    report = build(folder, tmp_path / "out", configs=["enriched"])
    rows = built_rows(report, "enriched", "test_rare")
    assert {row["knowledge_text"] for row in rows} == {None}
    # 11 pointers of turns and 23 of segments.
    assert any("knowledge_text is null (34 times)" in note for note in notes_of(report))
    # Pre-build sets hold the Wikipedia texts: 5 segments and 1 turn point to them.
    rows = built_rows(whole, "enriched", "test_rare")
    assert sum(row["knowledge_text"] is not None for row in rows) == 1
    segments = [segment for row in rows for segment in row["segments"]]
    assert sum(segment["knowledge_text"] is not None for segment in segments) == 5


def test_enriched_is_read_tolerantly(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw")

    def change(records: Any) -> None:
        turns = next(iter(records.values()))["content"]
        turns[0]["message"] = "one text, not a list"
        del turns[1]["segmented_annotations"]
        turns[2]["gt_turn_ks"] = None
        turns[3]["gt_turn_ks"] = {"score": 0, "ds": "wiki", "section": "FS9"}
        turns[4]["gt_turn_ks"] |= {"ds": "wiki", "start_index": 5, "end_index": 99_999}
        turns[5]["mood"] = "fine"

    change_json(folder / "enriched/test_rare.json", change)
    report = build(folder, tmp_path / "out", configs=["enriched"])
    rows = built_rows(report, "enriched", "test_rare")[:6]
    assert [segment["text"] for segment in rows[0]["segments"]] == ["one text, not a list", None]
    assert [segment["dialogue_act"] for segment in rows[1]["segments"]] == [None, None]
    assert rows[2]["knowledge_pointer"] is None
    assert rows[3]["knowledge_pointer"]["section"] == "FS9"
    assert [row["knowledge_text"] for row in rows[2:5]] == [None, None, None]
    notes = notes_of(report)
    assert any("not as many annotations as segments" in n and "(2 times)" in n for n in notes)
    assert any("the field content[].mood is not part of the format" in n for n in notes)


def test_several_raw_files_per_split(tmp_path: Path, whole: Any) -> None:
    folder = write_raw(tmp_path / "raw")
    records = list(sample_json("conversations/train.json").items())
    (folder / "conversations/train.json").unlink()
    (folder / "conversations/train").mkdir()
    for number, part in enumerate((records[:1], records[1:6], records[6:])):
        lines = "".join(json.dumps(pair) + "\n" for pair in part)
        (folder / f"conversations/train/{number}.jsonl").write_text(lines, "utf-8")
    report = build(folder, tmp_path / "out", configs=["conversations", "responses"])
    for view in ("conversations", "responses"):
        assert built_rows(report, view, "train") == built_rows(whole, view, "train")
    # One conversation in two of the files is an error that names it.
    (folder / "conversations/train/3.jsonl").write_text(json.dumps(records[0]) + "\n", "utf-8")
    with pytest.raises(RecordError, match="this id stands twice") as caught:
        build(folder, tmp_path / "twice", configs=["conversations"])
    assert caught.value.record == records[0][0]


@pytest.mark.parametrize("config", NEW)
def test_command_line_knows_the_configs(whole: Any, config: str) -> None:
    info = CliRunner().invoke(main, ["info", "topical_chat", config, "--json"])
    assert json.loads(info.stdout)["config"] == config
    shown = CliRunner().invoke(main, ["head", str(whole.folder), config, "test_rare", "-n", "1"])
    assert shown.exit_code == 0
    assert shown.stdout.startswith("t_")
    assert config in CliRunner().invoke(main, ["list"]).stdout


def test_a_config_without_the_wanted_splits(tmp_path: Path, raw: Path) -> None:
    with pytest.raises(OptionError, match="asr_actual has none of the splits train"):
        build(raw, tmp_path / "out", configs=["asr_actual"], splits=["train"])
    report = build(raw, tmp_path / "out", splits=["train"])
    assert "asr_actual" not in report.built.files


def test_no_file_of_a_partial_source(tmp_path: Path) -> None:
    folder = write_raw(tmp_path / "raw", only=("conversations",))
    with pytest.raises(RawFileError, match=r"train_wer_\*_seed_\*\.json"):
        build(folder, tmp_path / "out", configs=["asr_synthetic"])
    report = build(folder, tmp_path / "out")
    assert set(report.built.files) == {"conversations", "utterances", "messages"}
    left_out = [note.split()[2] for note in notes_of(report) if "was left out" in note]
    assert left_out == ["reading_sets", "responses", "asr_actual", "asr_synthetic", "enriched"]
