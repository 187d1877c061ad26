"""The drawings: readable on light and dark, the same bytes for the same counts, true of the files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import dialogue_builders
from dialogue_builders.card import figures
from dialogue_builders.card.blocks import FolderSummary
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.folder.histograms import Histogram
from dialogue_builders.spec.counting import HistogramSpec, Threshold
from dialogue_builders.spec.registry import corpus_names, find_corpus

pytest.importorskip("matplotlib")

NAMES = {
    "topical_chat": ["cited_knowledge", "sentiments", "turn_ratings", "turns_per_conversation"],
    "diamante": ["similarity", "turns_per_conversation"],
}


@pytest.fixture(scope="module", params=NAMES)
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("drawn") / request.param
    return dialogue_builders.build(request.param, out, sample=True, figures=True).folder


def test_no_dataset_is_left_out() -> None:
    assert {name for name in corpus_names() if find_corpus(name).histograms} == set(NAMES)


def test_every_figure_is_there_twice_and_in_both_cards(drawn: Path) -> None:
    expected = [f"{name}.{kind}" for name in NAMES[drawn.name] for kind in ("png", "svg")]
    assert sorted(path.name for path in (drawn / "figures").iterdir()) == expected
    for card in ("README.md", "README.zh.md"):
        text = (drawn / card).read_text("utf-8")
        for name in NAMES[drawn.name]:
            assert f"](figures/{name}.png)](figures/{name}.svg " in text
    assert dialogue_builders.check(drawn).problems == ()


def test_a_figure_is_told_in_words(drawn: Path) -> None:
    english, chinese = ((drawn / name).read_text("utf-8") for name in ("README.md", "README.zh.md"))
    if drawn.name == "diamante":
        assert (
            "[![Similarity of replies to their nearest candidate by split (line plot). " in english
        )
        assert "; revise from at 0.5.](figures/similarity.png)" in english
        assert "；修改的下限在 0.5 处。](figures/similarity.png)" in chinese
    else:
        # 14 of the 50 invented training turns are happy: more than of any other mood.
        assert "[![Sentiments by split (dot plot). train: most often Happy (28.0 %); " in english
        assert "[![各划分的情绪分布（点图）。train：最常见为 Happy（28.0%）；" in chinese


def test_a_folder_without_figures_names_none(sample_folder: Path) -> None:
    assert "figures/" not in (sample_folder / "README.md").read_text("utf-8").split("---\n", 2)[2]


def test_the_same_counts_give_the_same_bytes(drawn: Path, tmp_path: Path) -> None:
    facts = FolderSummary(open_built_folder(drawn))
    for path in figures.draw_figures(facts.histograms, tmp_path):
        assert path.read_bytes() == (drawn / path.relative_to(tmp_path)).read_bytes()


def test_no_date_and_no_version_is_written(drawn: Path) -> None:
    for path in (drawn / "figures").glob("*.svg"):
        text = path.read_text("utf-8")
        assert "dc:date" not in text
        assert "Matplotlib v" not in text
        assert "<dc:title>" in text


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("background", figures.BACKGROUNDS)
def test_everything_stands_out_from_light_and_dark(background: str) -> None:
    """WCAG 2: at least 3:1 for what is drawn; for text, the most that both sides can have."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert min(contrast(colour, background) for colour in figures.COLOURS) >= 3
    assert contrast(figures.INK, background) >= 4.2
    assert len(set(figures.MARKS)) == len(set(figures.COLOURS)) == len(figures.MARKS)


def test_the_background_is_transparent(drawn: Path) -> None:
    from matplotlib.image import imread

    for path in (drawn / "figures").glob("*.png"):
        pixels: Any = imread(path)
        assert pixels.shape[2] == 4
        assert pixels[0, 0, 3] == 0
        assert pixels[:, :, 3].max() == 1


def test_a_figure_of_other_counts_is_found(drawn: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(drawn, tmp_path / "copy"))
    figure = folder / "figures" / f"{NAMES[drawn.name][0]}.svg"
    other = folder / "figures" / f"{NAMES[drawn.name][1]}.svg"
    shutil.copy(other, figure)
    (folder / "figures" / "mine.png").write_bytes(b"x")
    assert dialogue_builders.check(folder).problems == (
        f"figures/{figure.name} is not fresh: it was drawn from other counts",
        "figures/mine.png is no drawing of this dataset",
    )


def test_stock_loading_does_not_mind_figures(drawn: Path) -> None:
    import datasets

    rows = datasets.load_dataset(
        str(drawn), "utterances", split="test" if drawn.name == "diamante" else "test_rare"
    )
    assert rows.num_rows > 0


def test_without_matplotlib_nothing_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        dialogue_builders.DialogueBuildersError, match=r"pip install 'dialogue-builders\[figures\]'"
    ):
        dialogue_builders.build("topical_chat", tmp_path / "out", sample=True, figures=True)
    assert list(tmp_path.iterdir()) == []


NUMBERS = HistogramSpec(
    "n", "Numbers", "number", "things", {}, step=0.5, threshold=Threshold("v", "o", "cut")
)


def test_quantiles_and_shares() -> None:
    found = Histogram(NUMBERS, (0.0, 0.5, 1.0, 1.5), {"a": (1, 0, 2, 1), "b": (0, 0, 0, 3)}, 0.5)
    assert found.shares("a") == [25, 0, 50, 25]
    assert [found.quantile("a", part) for part in (0, 0.25, 0.5, 0.75, 1)] == [0, 0, 1, 1, 1.5]
    assert found.quantile("b", 0) == 1.5
    assert found.most("a") == (1.0, 50)
    other = Histogram(NUMBERS, found.categories, {**found.counts, "b": (0, 0, 1, 2)}, 0.5)
    assert other.digest != found.digest
