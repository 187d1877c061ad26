"""The real raw files: every figure here was counted by an independent program, not by this package."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import pytest
from conftest import REAL_SPLITS

import dialogue_builders

pytestmark = pytest.mark.real_data

# valid_freq, test_freq, test_rare
FIGURES: dict[str, tuple[float, float, float]] = {
    "conversations": (539, 539, 539),
    "utterances": (11681, 11760, 11770),
    "turns per conversation": (21.6716, 21.8182, 21.8367),
    "words per utterance": (19.8187, 19.5635, 19.5112),
    "shortest": (20, 20, 20),
    "longest": (35, 33, 51),
    "odd": (401, 376, 388),
    "agent_1": (6041, 6068, 6079),
    "agent_2": (5640, 5692, 5691),
    "config A": (127, 79, 127),
    "config B": (133, 80, 141),
    "config C": (129, 89, 137),
    "config D": (150, 291, 134),
    "Curious to dive deeper": (5027, 5542, 4869),
    "Neutral": (2521, 2842, 2520),
    "Surprised": (2030, 1435, 2060),
    "Happy": (1670, 1585, 2073),
    "Sad": (159, 121, 110),
    "Disgusted": (136, 139, 61),
    "Angry": (105, 63, 42),
    "Fearful": (33, 33, 35),
    "Excellent": (5557, 6011, 5779),
    "Good": (5201, 4725, 5063),
    "Passable": (735, 761, 605),
    "Not Good": (108, 119, 71),
    "Poor": (51, 32, 27),
    "unrated": (29, 112, 225),
    "agent_1 conversation unrated": (1, 1, 2),
    "agent_2 conversation unrated": (0, 0, 0),
    "FS1": (3712, 3797, 3516),
    "FS2": (3092, 3188, 3119),
    "FS3": (2786, 2286, 2690),
    "AS1": (712, 1307, 750),
    "AS2": (269, 390, 289),
    "AS3": (219, 324, 233),
    "AS4": (172, 241, 197),
    "Personal Knowledge": (3136, 3143, 3056),
    "outer white space": (1752, 1699, 1569),
    "newline": (71, 40, 47),
}


def count_conversations(rows: Any) -> Counter[str]:
    """Count a split of `conversations` in plain Python."""
    counts: Counter[str] = Counter()
    lengths = [len(row["content"]) for row in rows]
    counts.update({"shortest": min(lengths), "longest": max(lengths)})
    for row in rows:
        counts[f"config {row['config']}"] += 1
        counts["odd"] += len(row["content"]) % 2
        for agent, rating in row["conversation_rating"].items():
            counts[f"{agent} conversation unrated"] += rating is None
        for turn in row["content"]:
            counts[turn["agent"]] += 1
            counts[turn["sentiment"]] += 1
            counts[turn["turn_rating"] or "unrated"] += 1
            counts.update(turn["knowledge_source"])
            counts["words"] += len(turn["message"].split())
            counts["outer white space"] += turn["message"] != turn["message"].strip()
            counts["newline"] += "\n" in turn["message"]
    counts["conversations"], counts["utterances"] = len(rows), sum(lengths)
    return counts


def count_utterances(rows: Any) -> Counter[str]:
    """Count a split of `utterances` in plain Python, by the names of its labels."""
    counts: Counter[str] = Counter()
    sentiments, ratings = (rows.features[name].names for name in ("sentiment", "turn_rating"))
    for row in rows:
        counts[row["agent"]] += 1
        counts[sentiments[row["sentiment"]]] += 1
        code = row["turn_rating"]
        counts["unrated" if code is None else ratings[code]] += 1
        counts.update(row["knowledge_source"])
        counts["outer white space"] += row["message"] != row["message"].strip()
        counts["newline"] += "\n" in row["message"]
    counts["utterances"] = len(rows)
    return counts


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_every_figure_of_conversations(split: str, real_folder: Path) -> None:
    counts = count_conversations(
        datasets.load_dataset(str(real_folder), "conversations", split=split)
    )
    figures: dict[str, float] = dict(counts)
    figures["turns per conversation"] = counts["utterances"] / counts["conversations"]
    figures["words per utterance"] = counts["words"] / counts["utterances"]
    column = REAL_SPLITS.index(split)
    expected = {name: values[column] for name, values in FIGURES.items()}
    assert {name: figures[name] for name in FIGURES} == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_every_figure_of_utterances(split: str, real_folder: Path) -> None:
    counts = count_utterances(datasets.load_dataset(str(real_folder), "utterances", split=split))
    column = REAL_SPLITS.index(split)
    assert counts == {name: FIGURES[name][column] for name in counts}
    assert len(counts) == 27  # 2 agents, 8 moods, 6 ratings, 8 sources, 2 white spaces, the total


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_conversations_are_lossless(split: str, real_folder: Path, real_data: Path) -> None:
    """The source's JSON, rebuilt from the Parquet files, equals the raw file."""
    rebuilt = {}
    for row in datasets.load_dataset(str(real_folder), "conversations", split=split):
        content = [{**turn, "turn_rating": turn["turn_rating"] or ""} for turn in row["content"]]
        ratings = {agent: rating or "" for agent, rating in row["conversation_rating"].items()}
        rebuilt[row["conversation_id"]] = {
            "article_url": row["article_url"],
            "config": row["config"],
            "content": content,
            "conversation_rating": ratings,
        }
    raw = json.loads((real_data / "conversations" / f"{split}.json").read_bytes())
    assert rebuilt == raw
    assert list(rebuilt) == list(raw)


def test_statistics_recompute_the_published_table(real_folder: Path) -> None:
    table = dialogue_builders.statistics(real_folder)
    assert list(table.columns) == [*REAL_SPLITS, "all"]
    rows = {row.name: row for row in table.rows}
    for name in ("conversations", "utterances", "turns per conversation", "words per utterance"):
        measured = [rows[name].measured[split] for split in REAL_SPLITS]
        assert measured == pytest.approx(list(FIGURES[name]), abs=6e-5), name
    # By hand: 35211 = 11681 + 11760 + 11770; 35211 / 1617 = 21.7755.
    assert rows["utterances"].measured["all"] == 35211
    assert round(rows["turns per conversation"].measured["all"], 4) == 21.7755
    # By hand, from the printed table: 21.6716 is printed as 21.6, 19.5635 as 19.5.
    assert [line.split(":")[0] for line in table.differences] == [
        "turns per conversation, valid_freq",
        "words per utterance, test_freq",
    ]


def test_the_folder_says_that_its_files_were_pinned(real_folder: Path) -> None:
    assert dialogue_builders.check(real_folder).problems == ()
    card = (real_folder / "README.md").read_text("utf-8")
    assert "Only these splits were built: valid_freq, test_freq, test_rare." in card
    assert '"raw": "pinned"' in card


@pytest.mark.parametrize("door", ["name", "class"])
def test_the_raw_doors_give_the_folder_rows(
    door: str, real_data: Path, real_folder: Path, tmp_path: Path
) -> None:
    expected = datasets.load_dataset(str(real_folder), "utterances")
    common = {"data_dir": str(real_data), "splits": list(REAL_SPLITS), "cache_dir": str(tmp_path)}
    if door == "name":
        got = dialogue_builders.load_dataset("topical_chat", "utterances", **common)
    else:
        from topical_chat import TopicalChat

        builder = TopicalChat(config_name="utterances", **common)
        builder.download_and_prepare()
        got = builder.as_dataset()
    for split in REAL_SPLITS:
        assert got[split].features == expected[split].features
        assert got[split].to_list() == expected[split].to_list()
