"""Diamante end to end on its invented sample: three ways to load, six configs, figures, card, commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import pytest
import yaml
from datasets import load_dataset as stock_load_dataset
from diamante_raw import (
    SPLITS,
    plain_feedback,
    plain_replies,
    read_lines,
    write_sample,
)

import dialogue_builders
from dialogue_builders import build, check, load_dataset, statistics
from dialogue_builders.errors import OptionError, RawFileError, UnknownNameError
from dialogue_builders.spec.registry import find_corpus
from dialogue_builders.testing import BuilderContract
from diamante import Diamante

VIEWS = ("conversations", "utterances", "responses", "preference", "ranking", "messages")
FEEDBACK = ("select", "revise", "rewrite")


# Counted by hand in `diamante/sample/dialogues.py`: dialogues; opener and replies; replies; replies
# that have a candidate which may lose (one of the train split's has no candidates at all).
DIALOGUES = dict(zip(SPLITS, (12, 5, 5), strict=True))
UTTERANCES = dict(zip(SPLITS, (103, 42, 43), strict=True))
REPLIES = dict(zip(SPLITS, (91, 37, 38), strict=True))
RANKED = dict(zip(SPLITS, (90, 37, 38), strict=True))


class TestDiamante(BuilderContract):
    NAME = "diamante"
    ROWS = {
        "conversations": DIALOGUES,
        "utterances": UTTERANCES,
        "responses": REPLIES,
        # Every usable candidate; `test_diamante_preference` compares them with a plain rule.
        "preference": dict(zip(SPLITS, (419, 173, 175), strict=True)),
        "ranking": RANKED,
        "messages": DIALOGUES,
        **{split: {split: DIALOGUES[split]} for split in SPLITS},
    }
    KEYS = {
        "conversations": ("id",),
        "utterances": ("conversation_id", "turn_index"),
        "responses": ("conversation_id", "turn_index"),
        "preference": ("conversation_id", "turn_index", "pair", "candidate_index"),
        "ranking": ("conversation_id", "turn_index"),
        "messages": ("conversation_id", "assistant"),
    }


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("raw"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "diamante"
    build("diamante", out, sample=True)
    return out


@pytest.fixture(scope="module")
def records(raw: Path) -> dict[str, list[dict[str, Any]]]:
    return {split: read_lines(raw / f"{split}.txt") for split in SPLITS}


def test_the_sample_has_what_readers_must_survive(
    records: dict[str, list[dict[str, Any]]],
) -> None:
    turns = [t for part in records.values() for r in part for t in r["conversation"]]
    texts = [t["utterance"] for t in turns]
    candidates = [t["response_candidates"] for t in turns]
    assert [len(part) for part in records.values()] == [12, 5, 5]
    assert {len(r["conversation"]) % 2 for part in records.values() for r in part} == {0, 1}
    assert all(7 <= len(r["conversation"]) <= 10 for part in records.values() for r in part)
    assert any("\n" in text for text in texts)
    assert any("\t" in text for text in texts)
    assert any("！" in text for text in texts)
    assert any(ord(character) > 0xFFFF for text in texts for character in text)
    assert any("" in found for found in candidates)
    assert any(len(set(found)) < len(found) for found in candidates)
    middle = [t for part in records.values() for r in part for t in r["conversation"][:-1]]
    assert any(not t["response_candidates"] for t in middle)
    assert max(map(len, candidates)) > 5
    assert records["train"][0]["id"] == records["valid"][0]["id"]  # ids restart
    for split in SPLITS:
        replies = list(plain_replies(records[split], "next"))
        assert sum(bool(reply["candidates"]) for reply in replies) >= 30
        select = sum(plain_feedback(reply, 0.5)[0] == "select" for reply in replies)
        assert 0.15 < select / len(replies) < 0.27


def test_the_default_config_is_conversations(folder: Path, tmp_path: Path) -> None:
    assert Diamante(cache_dir=str(tmp_path)).config.name == "conversations"
    rows = stock_load_dataset(str(folder), split="test", cache_dir=str(tmp_path))
    assert rows.column_names == ["id", "conversation"]


def test_stock_datasets_learns_the_name(raw: Path, tmp_path: Path) -> None:
    dialogue_builders.register()
    try:
        assert datasets.get_dataset_config_names("diamante") == [*VIEWS, *SPLITS]
        rows = datasets.load_dataset(
            "diamante", "valid", data_dir=str(raw), split="valid", cache_dir=str(tmp_path)
        )
        assert len(rows) == 5
    finally:
        dialogue_builders.unregister()


def test_conversations_rebuild_the_source(
    folder: Path, tmp_path: Path, records: dict[str, list[dict[str, Any]]]
) -> None:
    loaded = stock_load_dataset(str(folder), "conversations", cache_dir=str(tmp_path))
    assert {split: loaded[split].to_list() for split in SPLITS} == records


def test_utterances(folder: Path, tmp_path: Path, records: dict[str, list[dict[str, Any]]]) -> None:
    loaded = stock_load_dataset(str(folder), "utterances", cache_dir=str(tmp_path))
    for split in SPLITS:
        assert loaded[split].to_list() == [
            {
                "conversation_id": record["id"],
                "turn_index": index,
                "role": turn["role"],
                "utterance": turn["utterance"],
            }
            for record in records[split]
            for index, turn in enumerate(record["conversation"])
        ]


def test_responses(folder: Path, tmp_path: Path, records: dict[str, list[dict[str, Any]]]) -> None:
    loaded = stock_load_dataset(str(folder), "responses", cache_dir=str(tmp_path))
    for split in SPLITS:
        expected = []
        for reply in plain_replies(records[split], "next"):
            feedback, similarity = plain_feedback(reply, 0.5)
            expected.append(
                {
                    "conversation_id": reply["id"],
                    "turn_index": reply["index"],
                    "role": reply["role"],
                    "history": reply["context"],
                    "response": reply["reply"],
                    "candidates": reply["candidates"],
                    "feedback": None if feedback is None else FEEDBACK.index(feedback),
                    "similarity": similarity,
                }
            )
        assert loaded[split].to_list() == expected


def test_a_reply_that_equals_a_candidate_but_for_white_space_was_selected(
    folder: Path, tmp_path: Path
) -> None:
    rows = stock_load_dataset(str(folder), "responses", split="train", cache_dir=str(tmp_path))
    (row,) = (r for r in rows if r["response"] == "仙人掌：我谢谢你啊。")
    assert " 仙人掌：我谢谢你啊。 " in row["candidates"]
    assert (row["feedback"], row["similarity"]) == (0, 1.0)


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.8, 1.5])
def test_the_cut_is_an_option(
    raw: Path, tmp_path: Path, records: dict[str, list[dict[str, Any]]], cut: float
) -> None:
    rows = load_dataset(
        "diamante",
        "responses",
        data_dir=str(raw),
        split="train",
        cache_dir=str(tmp_path),
        revise_from=cut,
    )
    expected = [plain_feedback(reply, cut)[0] for reply in plain_replies(records["train"], "next")]
    assert [None if c is None else FEEDBACK[c] for c in rows["feedback"]] == expected


def test_options_are_checked(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="revise_from can't be -1"):
        Diamante(config_name="responses", cache_dir=str(tmp_path), revise_from=-1)
    with pytest.raises(OptionError, match="no options"):
        Diamante(config_name="utterances", cache_dir=str(tmp_path), candidates="next")
    with pytest.raises(UnknownNameError, match="no config named 'response'"):
        Diamante(config_name="response", cache_dir=str(tmp_path))


def test_without_raw_files_the_way_to_them_is_told(tmp_path: Path) -> None:
    with pytest.raises(RawFileError, match="no raw folder was given") as caught:
        load_dataset("diamante", "utterances", cache_dir=str(tmp_path))
    for words in ("data set 52", "agreement", "archive", "data_dir", "https://www.luge.ai/"):
        assert words in (caught.value.next_step or "")


def test_statistics_stand_beside_the_published_ones(
    folder: Path, records: dict[str, list[dict[str, Any]]]
) -> None:
    table = statistics(folder)
    rows = {row.name: row for row in table.rows}
    assert table.columns == (*SPLITS, "all")
    assert table.beside
    assert table.differences == []
    everything = {**records, "all": [r for part in records.values() for r in part]}
    for column, part in everything.items():
        texts = [turn["utterance"] for record in part for turn in record["conversation"]]
        kinds = Counter(plain_feedback(r, 0.5)[0] for r in plain_replies(part, "next"))
        known = kinds.total() - kinds[None]
        measured = {name: row.measured[column] for name, row in rows.items()}
        assert measured == {
            "dialogues": len(part),
            "utterances": len(texts),
            "characters per utterance": pytest.approx(sum(map(len, texts)) / len(texts)),
            "replies": len(texts) - len(part),
            "select, %": pytest.approx(100 * kinds["select"] / known),
            "revise, %": pytest.approx(100 * kinds["revise"] / known),
            "rewrite, %": pytest.approx(100 * kinds["rewrite"] / known),
        }
    # The published table: dialogues and utterances add up, and replies are their difference.
    published = {name: row.published for name, row in rows.items()}
    assert list(published["dialogues"].values()) == [5838, 500, 500, 6838]
    assert list(published["utterances"].values()) == [83765, 7166, 7184, 98115]
    assert list(published["replies"].values()) == [77927, 6666, 6684, 91277]
    assert list(published["select, %"].values()) == [18, 19, 19, 18]


def test_statistics_of_a_part(raw: Path, tmp_path: Path) -> None:
    build("diamante", tmp_path / "out", data_dir=raw, configs=["utterances"], splits=["valid"])
    table = statistics(tmp_path / "out")
    assert table.columns == ("valid", "all")
    assert [row.name for row in table.rows] == [
        "dialogues",
        "utterances",
        "characters per utterance",
    ]
    # A total of a part is not the published total.
    assert [list(row.published) for row in table.rows] == [["valid"]] * 3


def test_other_files_than_the_published_are_noted(raw: Path, tmp_path: Path) -> None:
    report = build("diamante", tmp_path / "out", data_dir=raw, configs=["conversations"])
    assert report.built.provenance.raw == "other"
    assert report.built.provenance.notes == (
        "train has 12 rows of conversations, but 5,838 are published: a part, or another version",
        "valid has 5 rows of conversations, but 500 are published: a part, or another version",
        "test has 5 rows of conversations, but 500 are published: a part, or another version",
    )
    assert check(tmp_path / "out").problems == ()


def test_check_and_card(folder: Path) -> None:
    assert check(folder).problems == ()
    card = (folder / "README.md").read_text("utf-8")
    matter = yaml.safe_load(card.split("---\n")[1])
    assert matter["license"] == "other"
    assert matter["license_name"]
    assert matter["license_link"].startswith("https://www.luge.ai/")
    assert matter["language"] == ["zh"]
    assert [entry["config_name"] for entry in matter["configs"]] == [*VIEWS, *SPLITS]
    assert "academic research only" in card
    assert "Built from the invented sample" in card
    assert "| published | 5,838 | 500 | 500 | 6,838 |" in card
    assert "`revise_from=0.5`" in card
    terms = find_corpus("diamante").terms
    assert terms
    assert "academic research only" in terms


def test_the_sample_and_its_files_give_the_same_bytes_also_with_two_processes(
    folder: Path, raw: Path, tmp_path: Path
) -> None:
    build("diamante", tmp_path / "two", data_dir=raw, num_proc=2)
    for file in sorted(folder.rglob("*.parquet")):
        other = tmp_path / "two" / file.relative_to(folder)
        assert other.read_bytes() == file.read_bytes(), file.name


def test_the_engine_names_no_dataset() -> None:
    engine = Path(dialogue_builders.__file__).parent
    for file in engine.rglob("*.py"):
        for line in file.read_text("utf-8").splitlines():
            code = line.split("#")[0]
            assert not (" if " in f" {code}" and ("diamante" in code or "topical" in code)), line
            assert "import diamante" not in code
            assert "from diamante" not in code


def run(*arguments: str, terminal: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the command line, piped or as in a terminal of 80 columns."""
    environment = {**os.environ, "COLUMNS": "80"}
    environment |= {"FORCE_COLOR": "1", "TERM": "xterm"} if terminal else {}
    return subprocess.run(
        [sys.executable, "-m", "diamante", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(dialogue_builders.__file__).parent.parent,
    )


def cells(text: str) -> int:
    """Return the terminal cells of a text: wide characters take two."""
    return sum(
        0
        if unicodedata.combining(character)
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


@pytest.mark.parametrize("config", VIEWS)
def test_head_aligns_chinese(folder: Path, config: str) -> None:
    shown = run("head", str(folder), config, "train", "-n", "1", terminal=True)
    assert shown.returncode == 0, shown.stderr
    assert "饺子" in shown.stdout
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.stdout.splitlines()]
    grid = [line for line in lines if line and "──" not in line]
    # Every line of the grid fills the same number of cells: the columns are aligned.
    assert len({cells(line) for line in grid}) == 1
    assert cells(grid[0]) <= 80


def test_commands(folder: Path, raw: Path) -> None:
    listed = json.loads(run("list", "--json").stdout)
    assert listed["diamante"]["responses"] == {"train": 77927, "valid": 6666, "test": 6684}
    told = run("info", "responses")
    assert "revise_from" in told.stdout
    told = run("info")
    assert "academic research only" in told.stdout
    rows = run("head", str(folder), "messages", "train", "-n", "1", "--json").stdout
    assert "饺子" in rows  # never escaped
    assert json.loads(rows)[0]["messages"][0]["role"] == "user"
    shown = run("stats", str(folder))
    lines = [line.split() for line in shown.stdout.splitlines() if line.strip()]
    assert ["dialogues", "12", "5", "5", "22"] in lines
    assert ["published", "18", "19", "19", "18"] in lines
    verified = run("verify", "--data-dir", str(raw))
    assert verified.returncode == 1
    assert "no pinned files" in verified.stderr
    assert "Next: " in verified.stderr
    assert "Traceback" not in verified.stderr
