"""docs/recipes/evaluation.md: judged conversations are left out, and a model judges responses."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from recipes import headings_with_snippets, printed_value, run_python, snippets
from test_judgements import FIGURES

DOCUMENT = "evaluation.md"
DATASETS = "Leaving them out with datasets"
DUCKDB = "Leaving them out with DuckDB"
POLARS = "Leaving them out with Polars"
JUDGE = "Scoring with a judge model"

# The sample: 50 turns in train, and one judged conversation of five turns among them.
TURNS = [50, 45]


def test_every_snippet_is_tested() -> None:
    assert headings_with_snippets(DOCUMENT) == [DATASETS, DUCKDB, POLARS, JUDGE]


def test_the_document_gives_the_cards_figures() -> None:
    text = (Path(__file__).parent.parent / "docs" / "recipes" / DOCUMENT).read_text("utf-8")
    for name in ("evaluation conversations of TCS-1.0", "contexts"):
        assert f"{FIGURES[name]:,}" in text
    assert f"{FIGURES['of these in an evaluation split of TCS-1.1']} are in one" in text
    assert f"{FIGURES['contexts in no evaluation split of TCS-1.1']} are in none" in text


def left(heading: str, demo: Path) -> Any:
    (code,) = snippets(DOCUMENT, heading)
    return printed_value(run_python(code, demo))


def test_the_expected_turns_by_hand(demo: Path) -> None:
    """From the raw files of the demo, and the one judged conversation that is in train."""
    records = json.loads((demo / "demo/raw/conversations/train.json").read_text("utf-8"))
    everything = {identity: len(record["content"]) for identity, record in records.items()}
    judged = everything.pop("t_1f4ad6c8-0b97-4e53-8c2d-e95b7a306f41")
    assert [sum(everything.values()) + judged, sum(everything.values())] == TURNS


def test_datasets_leaves_out_judged_conversations(demo: Path) -> None:
    assert left(DATASETS, demo) == TURNS


@pytest.mark.engines
@pytest.mark.parametrize("heading", [DUCKDB, POLARS])
def test_an_engine_leaves_out_judged_conversations(heading: str, demo: Path) -> None:
    assert left(heading, demo) == TURNS


@pytest.mark.train
def test_a_model_judges_the_responses(demo: Path) -> None:
    """Against scores that are computed here from the model's own probabilities, in 32 bits."""
    from tiny_model import save_tiny_model

    save_tiny_model(demo / "demo", demo / "my-model")
    found = left(JUDGE, demo)
    assert list(found) == [
        "understandable",
        "natural",
        "maintains_context",
        "engaging",
        "uses_knowledge",
        "overall",
    ]
    assert all(-1 <= value <= 1 for value in found.values())
    assert found["overall"] == pytest.approx(overall_by_hand(demo), abs=1e-4)


def overall_by_hand(demo: Path) -> float:
    import datasets
    import numpy as np
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(demo / "my-model")
    model = AutoModelForCausalLM.from_pretrained(demo / "my-model").eval()
    rows = datasets.load_dataset(
        str(demo / "demo/topical_chat_judgements"), "usr", split="test_freq"
    )
    judge = []
    for row in rows:
        lines = ["Conversation:", *row["context"], f"Fact: {row['fact'] or 'none'}"]
        lines.append(f"Response: {row['response']}")
        lines.append("How good is the response, all in all? Answer with one number from 1 to 5.")
        ids = tokenizer(f"<|user|>{chr(10).join(lines)}<|end|><|assistant|>", return_tensors="pt")
        with torch.no_grad():
            chances = torch.softmax(model(input_ids=ids["input_ids"]).logits[0, -1], -1)
        given = [float(chances[tokenizer.convert_tokens_to_ids(str(n))]) for n in range(1, 6)]
        judge.append(sum(n * p for n, p in enumerate(given, start=1)) / sum(given))
    people = [mean(scores) for scores in rows["overall"]]
    return float(np.corrcoef(judge, people)[0, 1])
