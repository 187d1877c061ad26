"""The real raw files: every figure here was counted by an independent program, not by this package."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import pytest
from conftest import REAL_SPLITS
from test_topical_chat_figures import FIGURES

import dialogue_builders

pytestmark = pytest.mark.real_data


def count_utterances(rows: Any) -> Counter[str]:
    """Count a split of `utterances` in plain Python, by the names of its labels."""
    counts: Counter[str] = Counter()
    sentiments, ratings = (rows.features[name].names for name in ("sentiment", "turn_rating"))
    for row in rows:
        counts[row["agent"]] += 1
        counts[sentiments[row["sentiment"]]] += 1
        code = row["turn_rating"]
        counts[f"rated {None if code is None else ratings[code]}"] += 1
        counts.update(row["knowledge_source"])
        counts["messages with outer white space"] += row["message"] != row["message"].strip()
        counts["messages with a newline"] += "\n" in row["message"]
    counts["utterances"] = len(rows)
    return counts


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


@pytest.mark.parametrize("way", ["name", "class"])
def test_loading_raw_files_gives_the_folder_rows(
    way: str, real_data: Path, real_folder: Path, tmp_path: Path
) -> None:
    expected = datasets.load_dataset(str(real_folder), "utterances")
    common = {"data_dir": str(real_data), "splits": list(REAL_SPLITS), "cache_dir": str(tmp_path)}
    if way == "name":
        got = dialogue_builders.load_dataset("topical_chat", "utterances", **common)
    else:
        from topical_chat import TopicalChat

        builder = TopicalChat(config_name="utterances", **common)
        builder.download_and_prepare()
        got = builder.as_dataset()
    for split in REAL_SPLITS:
        assert got[split].features == expected[split].features
        assert got[split].to_list() == expected[split].to_list()


# Published work on knowledge-grounded responses; valid_rare (8,997 and 8,217) is not at hand.
@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"minimum_earlier_turns": 5}, (8986, 9065, 9075)),
        ({"personal_knowledge": False}, (8183, 8227, 8301)),
    ],
)
def test_the_row_filters_of_published_work(
    options: dict[str, Any], rows: tuple[int, ...], real_data: Path, tmp_path: Path
) -> None:
    built = dialogue_builders.build(
        "topical_chat",
        tmp_path / "out",
        data_dir=real_data,
        configs=["responses"],
        splits=REAL_SPLITS,
        options={"responses": options},
    ).built
    assert tuple(built.rows("responses", split) for split in REAL_SPLITS) == rows
    # What is left out is counted: all responses are 11,142, 11,221 and 11,231.
    (note,) = [note for note in built.provenance.notes if "left out" in note]
    assert f"({sum((11142, 11221, 11231)) - sum(rows):,} times)" in note
    assert dialogue_builders.check(built.path).problems == ()
