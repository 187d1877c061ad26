"""`preference`, `ranking` and `messages`, against plain rules written here."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from diamante_raw import (
    SPLITS,
    dialogue,
    plain_replies,
    read_lines,
    reference_model_choices,
    turn,
    write_lines,
    write_sample,
)

from dialogue_builders import build, check
from diamante import Diamante
from diamante.negatives import random_utterance

PAIRS = ("human_model", "human_random", "model_random")


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("raw"))


def load(raw: Path, cache: Path, config: str, split: str = "train", **options: Any) -> list[Any]:
    builder = Diamante(config_name=config, data_dir=str(raw), cache_dir=str(cache), **options)
    builder.download_and_prepare()
    return builder.as_dataset(split=split).to_list()


def plain_prompt(reply: dict[str, Any]) -> list[dict[str, str]]:
    """The whole dialogue before a reply, without the assistant's opening; empty for no prompt."""
    messages = whole_prompt(reply)
    if messages[-1]["role"] == "assistant":
        return []
    return messages[messages[0]["role"] == "assistant" :]


def whole_prompt(reply: dict[str, Any]) -> list[dict[str, str]]:
    """Join neighbours of one speaker; the one who replies is the assistant."""
    messages: list[dict[str, str]] = []
    for role, text in zip(reply["context_roles"], reply["context"], strict=True):
        chat_role = "assistant" if role == reply["role"] else "user"
        if messages and messages[-1]["role"] == chat_role:
            messages[-1]["content"] += "\n" + text
        else:
            messages.append({"role": chat_role, "content": text})
    return messages


def usable(reply: dict[str, Any]) -> list[tuple[int, str]]:
    """Return the candidates that may be rejected: no empty one, no repetition, not the reply."""
    seen = {"", reply["reply"].strip()}
    found = []
    for number, text in enumerate(reply["candidates"]):
        if text.strip() not in seen:
            seen.add(text.strip())
            found.append((number, text))
    return found


def assistant(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize("split", SPLITS)
def test_preference_has_a_row_for_every_usable_candidate(
    raw: Path, tmp_path: Path, split: str
) -> None:
    expected = [
        {
            "conversation_id": reply["id"],
            "turn_index": reply["index"],
            "prompt": plain_prompt(reply),
            "chosen": assistant(reply["reply"]),
            "rejected": assistant(text),
            "pair": 0,
            "candidate_index": number,
        }
        for reply in plain_replies(read_lines(raw / f"{split}.txt"), "next")
        for number, text in usable(reply)
    ]
    assert load(raw, tmp_path, "preference", split) == expected


def test_negatives_one_draws_among_the_five_least_similar(raw: Path, tmp_path: Path) -> None:
    rows = load(raw, tmp_path, "preference", negatives="one")
    replies = [
        reply
        for reply in plain_replies(read_lines(raw / "train.txt"), "next")
        if reference_model_choices(reply)
    ]
    assert len(rows) == len(replies)
    for row, reply in zip(rows, replies, strict=True):
        assert row["rejected"][0]["content"] in reference_model_choices(reply)
        assert reply["candidates"][row["candidate_index"]] == row["rejected"][0]["content"]


def test_random_pairs_on_request(raw: Path, tmp_path: Path) -> None:
    rows = load(raw, tmp_path, "preference", human_random=True, model_random=True)
    records = read_lines(raw / "train.txt")
    pool = {t["utterance"] for record in records for t in record["conversation"]}
    by_key: dict[tuple[str, int], dict[str, list[Any]]] = {}
    for row in rows:
        kinds = by_key.setdefault((row["conversation_id"], row["turn_index"]), {})
        kinds.setdefault(PAIRS[row["pair"]], []).append(row)
    for reply in plain_replies(records, "next"):
        found = by_key.pop((reply["id"], reply["index"]))
        models = [text for _, text in usable(reply)]
        human, random_rows = found.get("human_model", []), found["human_random"]
        assert [row["rejected"][0]["content"] for row in human] == models
        (one,) = random_rows
        drawn = one["rejected"][0]["content"]
        assert one["chosen"] == assistant(reply["reply"])
        assert one["candidate_index"] is None
        assert drawn in pool
        assert drawn.strip() not in {reply["reply"].strip(), *(m.strip() for m in models), ""}
        losing = found.get("model_random", [])
        assert [row["chosen"][0]["content"] for row in losing] == models
        assert {row["rejected"][0]["content"] for row in losing} <= {drawn}
    assert not by_key


def test_ranking_reproduces_the_reference_triples(raw: Path, tmp_path: Path) -> None:
    for split in SPLITS:
        records = read_lines(raw / f"{split}.txt")
        pool = {t["utterance"] for record in records for t in record["conversation"]}
        replies = [r for r in plain_replies(records, "next") if reference_model_choices(r)]
        rows = load(raw, tmp_path, "ranking", split)
        assert [(r["conversation_id"], r["turn_index"]) for r in rows] == [
            (reply["id"], reply["index"]) for reply in replies
        ]
        for row, reply in zip(rows, replies, strict=True):
            assert row["prompt"] == plain_prompt(reply)
            assert row["ranks"] == [1, 2, 3]
            human, model, other = row["completions"]
            assert human == reply["reply"]
            assert model in reference_model_choices(reply)
            assert other in pool
            assert other != human


def test_seeds_draw_different_ones_of_the_five(raw: Path, tmp_path: Path) -> None:
    replies = [
        reply
        for reply in plain_replies(read_lines(raw / "valid.txt"), "next")
        if reference_model_choices(reply)
    ]
    drawn: list[set[str]] = [set() for _ in replies]
    for seed in range(12):
        rows = load(raw, tmp_path, "ranking", "valid", seed=seed)
        for found, row in zip(drawn, rows, strict=True):
            found.add(row["completions"][1])
    for found, reply in zip(drawn, replies, strict=True):
        choices = reference_model_choices(reply)
        assert found <= choices
        # Twelve draws among two or more all agree once in two thousand times.
        assert len(found) > 1 or len(choices) == 1


@pytest.mark.parametrize("config", ["preference", "ranking"])
def test_rows_do_not_depend_on_order_or_seedless_chance(
    raw: Path, tmp_path: Path, config: str
) -> None:
    options: dict[str, Any] = {"seed": 3}
    if config == "preference":
        options |= {"negatives": "one", "human_random": True, "model_random": True}
    records = {split: read_lines(raw / f"{split}.txt") for split in SPLITS}
    shuffled = {split: random.Random(5).sample(part, len(part)) for split, part in records.items()}
    other = write_lines(tmp_path / "raw", shuffled)
    key = ("conversation_id", "turn_index", "pair") if config == "preference" else None
    sort_by = key or ("conversation_id", "turn_index")

    def rows(folder: Path, cache: str) -> list[Any]:
        found = load(folder, tmp_path / cache, config, **options)
        return sorted(found, key=lambda row: tuple(row[name] for name in sort_by))

    first = rows(raw, "a")
    assert rows(other, "b") == first
    builder = Diamante(
        config_name=config, data_dir=str(raw), cache_dir=str(tmp_path / "c"), **options
    )
    stream = builder.as_streaming_dataset(split="train")
    shards = [list(stream.shard(4, number)) for number in range(4)]
    streamed = [row for shard in shards for row in shard]
    assert sorted(streamed, key=lambda row: tuple(row[name] for name in sort_by)) == first
    builder = Diamante(
        config_name=config, data_dir=str(raw), cache_dir=str(tmp_path / "d"), **options
    )
    builder.download_and_prepare(num_proc=2)
    parallel = builder.as_dataset(split="train").to_list()
    assert sorted(parallel, key=lambda row: tuple(row[name] for name in sort_by)) == first
    assert load(raw, tmp_path / "e", config, **{**options, "seed": 4}) != first


def irregular() -> list[dict[str, Any]]:
    """Speakers who go on, one who opens as speaker2, one who is alone."""
    return [
        dialogue(
            "goes-on",
            turn("甲一", "候选一", role="speaker1"),
            turn("甲二", "候选二", role="speaker1"),
            turn("乙一", "候选三", role="speaker2"),
            turn("乙二", "候选四", role="speaker2"),
            turn("甲三", role="speaker1"),
        ),
        dialogue(
            "opens-second",
            turn("乙一", "候选一", role="speaker2"),
            turn("甲一", "候选二", role="speaker1"),
            turn("乙二", role="speaker2"),
        ),
        dialogue("alone", turn("乙", "候选", role="speaker2"), turn("乙乙", role="speaker2")),
    ]


def test_chats_begin_with_the_user_and_end_with_the_assistant(tmp_path: Path) -> None:
    raw = write_lines(tmp_path / "raw", {split: irregular() for split in ("train",)})
    rows = load(raw, tmp_path / "cache", "messages", splits=["train"])
    assert rows == [
        {
            "conversation_id": "goes-on",
            "assistant": "speaker2",
            "messages": [
                {"role": "user", "content": "甲一\n甲二"},
                {"role": "assistant", "content": "乙一\n乙二"},
            ],
        },
        {
            "conversation_id": "opens-second",
            "assistant": "speaker2",
            "messages": [
                {"role": "user", "content": "甲一"},
                {"role": "assistant", "content": "乙二"},
            ],
        },
    ]
    report = build(
        "diamante", tmp_path / "out", data_dir=raw, configs=["messages"], splits=["train"]
    )
    notes = "\n".join(report.built.provenance.notes)
    assert "a turn of the assistant before the user's first one; left out (1 times)" in notes
    assert "a turn of the user after the assistant's last one; left out (1 times)" in notes
    assert "the assistant never answers the user; no row (1 times)" in notes
    assert check(tmp_path / "out").problems == ()


def test_prompts_of_irregular_speakers(tmp_path: Path) -> None:
    raw = write_lines(tmp_path / "raw", {"train": irregular()})
    told = {"splits": ["train"], "candidates": "next"}
    replies = list(plain_replies(irregular(), "next"))
    whole = load(raw, tmp_path / "a", "preference", prompt_start="dialogue", **told)
    assert [(row["conversation_id"], row["turn_index"], row["prompt"]) for row in whole] == [
        (reply["id"], reply["index"], whole_prompt(reply)) for reply in replies
    ]
    # The first of these two replies follows on its own speaker's words alone.
    assert whole[0]["prompt"] == [{"role": "assistant", "content": "甲一"}]
    assert whole[1]["prompt"] == [{"role": "user", "content": "甲一\n甲二"}]
    rows = load(raw, tmp_path / "b", "preference", **told)
    assert [(row["conversation_id"], row["turn_index"], row["prompt"]) for row in rows] == [
        (reply["id"], reply["index"], plain_prompt(reply))
        for reply in replies
        if plain_prompt(reply)
    ]
    # By hand: 乙一 and 甲三 of the first dialogue (甲三 without the opening), 甲一 and 乙二 of the
    # second (乙二 without the opening), nothing of the third.
    assert [row["prompt"] for row in rows] == [
        [{"role": "user", "content": "甲一\n甲二"}],
        [{"role": "user", "content": "乙一\n乙二"}],
        [{"role": "user", "content": "乙一"}],
        [{"role": "user", "content": "甲一"}],
    ]
    report = build(
        "diamante",
        tmp_path / "out",
        data_dir=raw,
        configs=["preference"],
        splits=["train"],
        options={"preference": {"candidates": "next"}},
    )
    notes = "\n".join(report.built.provenance.notes)
    assert "no prompt with prompt_start=user, no row (3 times)" in notes
    assert "the assistant's opening is left out (prompt_start=user) (2 times)" in notes


def test_prompts_of_the_sample(raw: Path, tmp_path: Path) -> None:
    rows = load(raw, tmp_path / "a", "ranking")
    whole = load(raw, tmp_path / "b", "ranking", prompt_start="dialogue")
    assert {row["prompt"][0]["role"] for row in whole} == {"user", "assistant"}
    for row in rows:
        roles = [message["role"] for message in row["prompt"]]
        assert roles == ["user", *["assistant", "user"] * (len(roles) // 2)]
    # Speakers alternate in the sample, so that every reply answers the other one.
    assert len(rows) == len(whole)


def test_what_never_is_rejected(tmp_path: Path) -> None:
    records = [
        dialogue(
            "edge",
            turn("今天好吗", "", " ", "　", "好", " 好 ", "不好", "不好", "不好 ", "还行"),
            turn("好", "好", "\n好"),
            turn("好"),
        )
    ]
    raw = write_lines(tmp_path / "raw", {"train": records})
    told = {"splits": ["train"], "candidates": "next"}
    rows = load(raw, tmp_path / "a", "preference", **told)
    rejected = [(row["turn_index"], row["rejected"][0]["content"]) for row in rows]
    assert rejected == [(1, "不好"), (1, "还行")]
    assert [row["candidate_index"] for row in rows] == [5, 8]
    ranked = load(raw, tmp_path / "a", "ranking", **told)
    assert [row["turn_index"] for row in ranked] == [1]
    report = build(
        "diamante",
        tmp_path / "out",
        data_dir=raw,
        splits=["train"],
        configs=["preference", "ranking"],
        options={"preference": {"candidates": "next"}, "ranking": {"candidates": "next"}},
    )
    notes = report.built.provenance.notes
    assert "train.txt: replies without a usable candidate; no row of ranking (1 times)" in notes


def test_the_random_utterance_is_none_of_the_unwanted() -> None:
    utterances = pa.array(sorted(["甲", "甲", "甲 ", "乙", "丙"]))
    for number in range(20):
        assert random_utterance(utterances, number, {"甲"}) in {"乙", "丙"}
        assert random_utterance(utterances, number, {"甲", "丙"}) == "乙"
        assert random_utterance(utterances, number, {"甲", "乙", "丙"}) is None
    assert random_utterance(pa.array([], pa.string()), 5, set()) is None


def test_a_split_of_one_text_has_no_random_rows(tmp_path: Path) -> None:
    raw = write_lines(tmp_path / "raw", {"train": [dialogue("d", turn("好", "不好"), turn("好"))]})
    rows = load(
        raw,
        tmp_path / "a",
        "preference",
        splits=["train"],
        candidates="next",
        human_random=True,
        model_random=True,
    )
    assert [row["pair"] for row in rows] == [0]
