"""Topical-Chat: the builders' contract on the sample, and the published figures on real data.

The sample's figures were counted by hand from `topical_chat/sample/conversations.py`, the real ones
by an independent program; neither comes from this package.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dialogue_builders.testing import BuilderContract

SPLITS = ("train", "valid_freq", "valid_rare", "test_freq", "test_rare")
CONVERSATIONS = dict(zip(SPLITS, (8, 3, 3, 3, 3), strict=True))
UTTERANCES = dict(zip(SPLITS, (50, 15, 18, 17, 19), strict=True))


class TestTopicalChat(BuilderContract):
    NAME = "topical_chat"
    ROWS = {
        "conversations": CONVERSATIONS,
        "utterances": UTTERANCES,
        "reading_sets": CONVERSATIONS,
        "responses": dict(zip(SPLITS, (42, 12, 15, 14, 16), strict=True)),
        "messages": CONVERSATIONS,
        "asr_actual": {"test_freq": 13, "test_rare": 11},
        # Two files of 19 turns in test_rare, one in train and in valid_freq.
        "asr_synthetic": {"train": 50, "valid_freq": 15, "test_rare": 38},
        "enriched": {"test_rare": 11},
        **{split: {split: CONVERSATIONS[split]} for split in SPLITS},
        "freq": {"train": 8, "validation": 3, "test": 3},
        "rare": {"train": 8, "validation": 3, "test": 3},
    }
    KEYS = {
        "conversations": ("conversation_id",),
        "utterances": ("conversation_id", "turn_index"),
        "reading_sets": ("conversation_id",),
        "responses": ("conversation_id", "turn_index"),
        "messages": ("conversation_id", "assistant"),
        "asr_actual": ("conversation_id", "turn_index"),
        "asr_synthetic": ("conversation_id", "turn_index", "target_wer", "seed"),
        "enriched": ("conversation_id", "turn_index"),
    }


def test_an_alias_shows_the_split_that_it_names(sample_folder: Path) -> None:
    import datasets

    def ids(config: str, split: str) -> list[str]:
        rows = datasets.load_dataset(str(sample_folder), config, split=split)
        return list(rows["conversation_id"])

    for part in ("freq", "rare"):
        assert ids(part, "validation") == ids("conversations", f"valid_{part}")
        assert ids(part, "test") == ids("conversations", f"test_{part}")
        assert ids(part, "train") == ids("train", "train")
    assert ids("freq", "test") != ids("rare", "test")


def test_text_is_untouched(sample_folder: Path) -> None:
    """Odd white space, an emoji, a repeated message and agents that do not alternate all survive."""
    import datasets

    splits = datasets.load_dataset(str(sample_folder), "utterances")
    turns = [row for rows in splits.values() for row in rows]
    messages = [turn["message"] for turn in turns]
    for character, count in {"\v": 1, "\u3000": 1, "\n": 1, "\t": 2}.items():
        assert sum(character in message for message in messages) == count, repr(character)
    assert sum(message != message.strip() for message in messages) == 5
    assert any(ord(character) > 0xFFFF for message in messages for character in message)
    broken = [t["agent"] for t in turns if t["conversation_id"].startswith("t_3b9e60d4")]
    assert broken == ["agent_1", "agent_1", "agent_2", "agent_1", "agent_2", "agent_2", "agent_1"]


def test_an_empty_rating_is_null_and_every_other_has_its_code(sample_folder: Path) -> None:
    import datasets

    rows = datasets.load_dataset(str(sample_folder), "utterances", split="train")
    assert rows.features["turn_rating"].names == [
        *("Poor", "Not Good", "Passable", "Good", "Excellent"),
    ]
    codes = list(rows["turn_rating"])
    counts = {code: codes.count(code) for code in (None, 0, 1, 2, 3, 4)}
    assert counts == {None: 5, 0: 1, 1: 1, 2: 6, 3: 24, 4: 13}
    ratings = datasets.load_dataset(str(sample_folder), "conversations", split="test_rare")
    assert [row["agent_1"] for row in ratings["conversation_rating"]].count(None) == 1
    assert [row["agent_2"] for row in ratings["conversation_rating"]].count(None) == 0


@pytest.mark.parametrize(
    ("split", "config", "turns"),
    [("test_rare", "DBA", (6, 5, 8)), ("valid_freq", "ABD", (5, 4, 6))],
)
def test_configurations_and_lengths_of_the_sample(
    split: str, config: str, turns: tuple[int, ...], sample_folder: Path
) -> None:
    import datasets

    rows = datasets.load_dataset(str(sample_folder), "conversations", split=split)
    assert "".join(rows["config"]) == config
    assert tuple(len(content) for content in rows["content"]) == turns
