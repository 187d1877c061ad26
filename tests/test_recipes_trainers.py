"""docs/recipes/trainers.md: real trainers take the streams as they are, and learn."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from recipes import headings_with_snippets, printed_value, run_python, snippets
from tiny_model import save_tiny_model

DOCUMENT = "trainers.md"
SFT = "Supervised fine-tuning with TRL"
DPO = "Preferences: direct preference optimization"
REWARD = "Preferences: a reward model"
LANGUAGE_MODEL = "A language model with transformers alone"
SENTIMENT = "Sentiment of utterances"
RECIPES = [SFT, DPO, REWARD, LANGUAGE_MODEL, SENTIMENT]

# The recipes that train on more rows than they have steps for.
PREFERENCES = [DPO, REWARD]

SENTIMENTS = [
    "Curious to dive deeper",
    "Neutral",
    "Surprised",
    "Happy",
    "Sad",
    "Disgusted",
    "Angry",
    "Fearful",
]


@pytest.fixture(scope="module")
def with_model(demo: Path) -> Path:
    save_tiny_model(demo / "demo", demo / "my-model")
    return demo


def test_every_snippet_is_tested() -> None:
    assert headings_with_snippets(DOCUMENT) == RECIPES


def losses_of(code: str, folder: Path) -> list[float]:
    assert "streaming=True" in code
    assert ".map(" not in code
    losses: list[float] = printed_value(run_python(code, folder))
    assert all(math.isfinite(loss) for loss in losses)
    return losses


def fall(losses: list[float]) -> float:
    """Return the mean of the last quarter over that of the first."""
    quarter = len(losses) // 4
    return sum(losses[-quarter:]) / sum(losses[:quarter])


@pytest.mark.train
@pytest.mark.parametrize("heading", RECIPES)
def test_a_trainer_takes_the_stream(heading: str, with_model: Path) -> None:
    (code,) = snippets(DOCUMENT, heading)
    losses = losses_of(code, with_model)
    assert len(losses) == (30 if heading == SENTIMENT else 12)
    # The demo's few conversations come again and again, so they have to be learnt by heart.
    assert heading in PREFERENCES or fall(losses) < 0.9


@pytest.mark.train
@pytest.mark.parametrize("heading", PREFERENCES)
def test_a_trainer_learns_a_few_preferences_by_heart(heading: str, with_model: Path) -> None:
    (code,) = snippets(DOCUMENT, heading)
    few = code.replace("streaming=True\n    )", "streaming=True\n    ).take(4)")
    assert few != code
    losses = losses_of(few, with_model)
    assert fall(losses) < 0.5


@pytest.mark.train
def test_the_models_config_has_the_names_of_the_labels(with_model: Path) -> None:
    (code,) = snippets(DOCUMENT, SENTIMENT)
    run_python(code.replace("max_steps=30", "max_steps=1"), with_model)
    config = json.loads((with_model / "out/sentiment/config.json").read_text())
    assert config["id2label"] == {str(code): name for code, name in enumerate(SENTIMENTS)}
    assert config["label2id"] == {name: code for code, name in enumerate(SENTIMENTS)}
