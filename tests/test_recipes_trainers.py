"""docs/recipes/trainers.md: real trainers take the streams as they are, and learn."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from recipes import headings_with_snippets, printed_value, run, run_python, snippets
from tiny_model import save_tiny_model

DOCUMENT = "trainers.md"
SFT = "Supervised fine-tuning with TRL"
DPO = "Preferences: direct preference optimization"
REWARD = "Preferences: a reward model"
LANGUAGE_MODEL = "A language model with transformers alone"
SENTIMENT = "Sentiment of utterances"
RECIPES = [SFT, DPO, REWARD, LANGUAGE_MODEL, SENTIMENT]
NAMED_SPLITS = "Evaluation splits by name"
GROUNDED = "Replies with their knowledge in the prompt"
NULL_RATINGS = "Ratings that are null"
LLAMA_FACTORY = "LLaMA-Factory"
MS_SWIFT = "ms-swift"
OPENAI = "OpenAI fine-tuning"
OTHERS = [NAMED_SPLITS, GROUNDED, NULL_RATINGS, LLAMA_FACTORY, MS_SWIFT, OPENAI]

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
    assert headings_with_snippets(DOCUMENT) == RECIPES + OTHERS


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


@pytest.mark.train
def test_evaluation_splits_are_reported_apart(with_model: Path) -> None:
    (code,) = snippets(DOCUMENT, NAMED_SPLITS)
    frequent, rare = losses_of(code, with_model)
    assert frequent != rare


@pytest.mark.train
def test_replies_are_learnt_with_their_knowledge(with_model: Path) -> None:
    (code,) = snippets(DOCUMENT, GROUNDED)
    losses = printed_value(run_python(code, with_model))
    assert len(losses) == 12
    assert fall(losses) < 0.95


def test_null_ratings_are_left_out_or_ignored(demo: Path) -> None:
    raw = json.loads((demo / "demo/raw/conversations/train.json").read_text("utf-8"))
    ratings = [turn["turn_rating"] for record in raw.values() for turn in record["content"]]
    assert "" in ratings or None in ratings
    count = sum(rating not in ("", None) for rating in ratings)
    (code,) = snippets(DOCUMENT, NULL_RATINGS)
    assert printed_value(run_python(code, demo)) == [count, count]


@pytest.mark.parametrize("heading", [LLAMA_FACTORY, MS_SWIFT, OPENAI])
def test_the_exports_run_as_written(heading: str, demo: Path) -> None:
    for line in snippets(DOCUMENT, heading)[-1].splitlines():
        run(["sh", "-ec", line], demo)
        assert (demo / line.split()[-1]).read_text("utf-8").startswith("{")


def test_llama_factorys_entry_names_what_is_there(demo: Path) -> None:
    entry = json.loads(snippets(DOCUMENT, LLAMA_FACTORY)[0])["topical_chat"]
    folder, config, split = entry["hf_hub_url"], entry["subset"], entry["split"]
    assert list((demo / folder / config / "data").glob(f"{split}-*.parquet"))
