"""The generator of full-scale raw files: its counts, proportions and determinism."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import pytest
from diamante_raw import plain_feedback, plain_replies

SCRIPT = Path(__file__).parent.parent / "scripts" / "make_diamante_raw.py"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_diamante_raw", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_scale_is_the_published_one(generator: ModuleType) -> None:
    dialogues, utterances = zip(*generator.FULL_SCALE.values(), strict=True)
    assert (sum(dialogues), sum(utterances)) == (6838, 98115)


@pytest.mark.parametrize("reading", ["next", "same"])
def test_records(generator: ModuleType, reading: str) -> None:
    records = list(generator.make_records(60, 900, reading=reading, seed=1))
    turns = [turn for record in records for turn in record["conversation"]]
    assert (len(records), len(turns)) == (60, 900)
    assert len({record["id"] for record in records}) == 60
    replies = list(plain_replies(records, reading))
    assert {len(reply["candidates"]) for reply in replies} == {7}
    shares = [plain_feedback(reply, 0.5)[0] for reply in replies]
    assert 0.13 < shares.count("select") / len(shares) < 0.23
    assert 0.33 < shares.count("revise") / len(shares) < 0.50
    characters = sum(len(turn["utterance"]) for turn in turns) / len(turns)
    assert 13.5 < characters < 15.0
    again = generator.make_records(60, 900, reading=reading, seed=1)
    assert list(itertools.islice(again, 5)) == records[:5]
