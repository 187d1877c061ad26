"""The figures of the real evaluation splits, and whole rows against a plain reimplementation.

Source of the figures: counted from the files by hand, apart from this package; see the issue.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import REAL_SPLITS
from topical_chat_raw import built_rows, read_json

import dialogue_builders

# Counted by a script of its own over the raw JSON: conversations that end with agent_1.
ENDS_WITH_USER = {"valid_freq": 401, "test_freq": 376, "test_rare": 388}

pytestmark = pytest.mark.real_data

# Columns: valid_freq, test_freq, test_rare.
FIGURES: dict[str, tuple[float, float, float]] = {
    "conversations": (539, 539, 539),
    "utterances": (11681, 11760, 11770),
    "turns per conversation": (21.6716, 21.8182, 21.8367),
    # 229,647 words in test_rare: 19.51121, where the list of figures prints 19.5113.
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
    "rated Excellent": (5557, 6011, 5779),
    "rated Good": (5201, 4725, 5063),
    "rated Passable": (735, 761, 605),
    "rated Not Good": (108, 119, 71),
    "rated Poor": (51, 32, 27),
    "rated None": (29, 112, 225),
    "conversation unrated by agent_1": (1, 1, 2),
    "conversation unrated by agent_2": (0, 0, 0),
    "FS1": (3712, 3797, 3516),
    "FS2": (3092, 3188, 3119),
    "FS3": (2786, 2286, 2690),
    "AS1": (712, 1307, 750),
    "AS2": (269, 390, 289),
    "AS3": (219, 324, 233),
    "AS4": (172, 241, 197),
    "Personal Knowledge": (3136, 3143, 3056),
    "AS cited under config C": (0, 0, 0),
    "responses": (11142, 11221, 11231),
    "messages with outer white space": (1752, 1699, 1569),
    "messages with a newline": (71, 40, 47),
    "entities": (14, 36, 162),
    "fact slots": (15718, 15960, 15757),
    "distinct facts": (126, 290, 1251),
    "repeated facts": (0, 1, 9),
    "sections without Wikipedia text": (0, 0, 0),
    "entities without topic": (0, 0, 0),
}
AGENTS, SECTIONS = ("agent_1", "agent_2"), ("FS1", "FS2", "FS3")
WIKI = ("shortened_wiki_lead_section", "summarized_wiki_lead_section")


def measure_conversations(rows: list[Any]) -> dict[str, float]:
    turns = [turn for row in rows for turn in row["content"]]
    lengths = [len(row["content"]) for row in rows]
    counts = Counter(f"config {row['config']}" for row in rows)
    for turn in turns:
        counts.update([turn["agent"], turn["sentiment"], f"rated {turn['turn_rating']}"])
        counts.update(turn["knowledge_source"])
    texts = [turn["message"] for turn in turns]
    return {
        **counts,
        "conversations": len(rows),
        "utterances": len(turns),
        "turns per conversation": len(turns) / len(rows),
        "words per utterance": sum(len(text.split()) for text in texts) / len(texts),
        "shortest": min(lengths),
        "longest": max(lengths),
        "odd": sum(length % 2 for length in lengths),
        "messages with outer white space": sum(text != text.strip() for text in texts),
        "messages with a newline": sum("\n" in text for text in texts),
        "AS cited under config C": sum(
            source.startswith("AS")
            for row in rows
            if row["config"] == "C"
            for turn in row["content"]
            for source in turn["knowledge_source"]
        ),
        **{
            f"conversation unrated by {agent}": sum(
                row["conversation_rating"][agent] is None for row in rows
            )
            for agent in AGENTS
        },
    }


def measure_reading_sets(rows: list[Any]) -> dict[str, float]:
    sections = [row[agent][name] for row in rows for agent in AGENTS for name in SECTIONS]
    facts = [section["fun_fact_ids"] for section in sections]
    return {
        "entities": len({section["entity"] for section in sections}),
        "fact slots": sum(map(len, facts)),
        "distinct facts": len({fact for ids in facts for fact in ids}),
        "repeated facts": sum(len(ids) - len(set(ids)) for ids in facts),
        "sections without Wikipedia text": sum(
            (section[WIKI[0]] is None) == (section[WIKI[1]] is None) for section in sections
        ),
        "entities without topic": sum(section["topic"] is None for section in sections),
    }


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_figures(real_folder: Path, split: str) -> None:
    measured = {
        **measure_conversations(built_rows(real_folder, "conversations", split)),
        **measure_reading_sets(built_rows(real_folder, "reading_sets", split)),
        "responses": len(built_rows(real_folder, "responses", split)),
    }
    column = REAL_SPLITS.index(split)
    expected = {name: values[column] for name, values in FIGURES.items()}
    got = {name: round(measured.get(name, 0), 4) for name in FIGURES}
    assert got == expected


def test_empty_transcripts(real_folder: Path) -> None:
    rows = built_rows(real_folder, "asr_actual", "test_freq")
    assert len({row["conversation_id"] for row in rows}) == 40
    assert len(rows) == 880
    empty = [row[name] == "" for row in rows for name in ("hypothesis_a", "hypothesis_b")]
    assert sum(empty) == 3


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_reading_sets_are_those_of_the_files(
    real_folder: Path, real_data: Path, split: str
) -> None:
    wiki = {
        kind: {number: text for text, number in texts.items()}
        for kind, texts in read_json(real_data / "src/wiki/wiki.json").items()
    }
    topics = read_json(real_data / "src/entity_to_topic.json")
    source = read_json(real_data / f"reading_sets/pre-build/{split}.json")
    rows = built_rows(real_folder, "reading_sets", split)
    assert [row["conversation_id"] for row in rows] == list(source)
    for row in rows:
        record = source[row["conversation_id"]]
        assert row["config"] == record["config"]
        assert row["article"]["url"] == record["article_url"]
        for agent in AGENTS:
            for name, section in record[agent].items():
                got = row[agent][name]
                assert got["entity"] == section["entity"]
                assert got["topic"] == topics[section["entity"]]
                assert got["fun_fact_ids"] == section["fun_facts"]
                assert got["fun_facts"] == [None] * len(section["fun_facts"])
                for kind in WIKI:
                    expected = wiki[kind][section[kind]] if kind in section else None
                    assert got[kind] == expected


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_responses_are_those_of_the_files(real_folder: Path, real_data: Path, split: str) -> None:
    conversations = read_json(real_data / f"conversations/{split}.json")
    sets = read_json(real_data / f"reading_sets/pre-build/{split}.json")
    rows = iter(built_rows(real_folder, "responses", split))
    for identity, record in conversations.items():
        texts = [turn["message"] for turn in record["content"]]
        for index in range(1, len(texts)):
            row, turn = next(rows), record["content"][index]
            assert (row["conversation_id"], row["turn_index"]) == (identity, index)
            assert row["history"] == texts[:index]
            assert row["response"] == texts[index]
            expected: list[tuple[str, str | None]] = []
            for source in turn["knowledge_source"]:
                if source.startswith("FS"):
                    section = sets[identity][turn["agent"]][source]
                    number = section.get(WIKI[0]) or section[WIKI[1]]
                    expected.append((source, str(number)))
                    expected += [(source, fact) for fact in section["fun_facts"]]
                elif source != "Personal Knowledge":
                    expected.append((source, sets[identity]["article_url"]))
            assert [(piece["source"], piece["id"]) for piece in row["knowledge"]] == expected
    assert next(rows, None) is None


@pytest.mark.parametrize("split", REAL_SPLITS)
def test_chats_alternate_and_lose_their_ends_only(
    real_folder: Path, real_data: Path, split: str
) -> None:
    source = read_json(real_data / f"conversations/{split}.json")
    cut = Counter[bool]()
    for row in built_rows(real_folder, "messages", split):
        roles = [message["role"] for message in row["messages"]]
        assert (roles[0], roles[-1]) == ("user", "assistant")
        assert all(one != other for one, other in pairwise(roles))
        texts = [turn["message"] for turn in source[row["conversation_id"]]["content"]]
        # agent_1 opens every real conversation, and nobody speaks twice in a row.
        ends_with_user = source[row["conversation_id"]]["content"][-1]["agent"] == "agent_1"
        kept = texts[: len(texts) - ends_with_user]
        assert [message["content"] for message in row["messages"]] == kept
        cut[ends_with_user] += 1
    assert cut.total() == len(source)
    assert cut[True] == ENDS_WITH_USER[split]


def test_the_folder_keeps_its_contract(real_folder: Path) -> None:
    checked = dialogue_builders.check(real_folder)
    assert checked.problems == ()
    provenance = checked.built.provenance
    assert provenance.raw == "pinned"
    assert provenance.absent == {"asr_actual": ["test_rare"]}
    # 15718 + 15960 + 15757 fact slots, each of them without its text.
    assert any("fun fact" in n and "(47,435 times)" in n for n in provenance.notes)
