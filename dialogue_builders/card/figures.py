"""Drawings of a folder's histograms, as SVG and PNG; needs the extra `figures` (matplotlib).

They are transparent, and every colour stands out from white and from near-black alike, because a
card is read on both. Series differ by their marks too, not by colour alone. The same counts give
the same bytes with the same matplotlib, and each file names the counts that it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dialogue_builders.errors import OptionError
from dialogue_builders.folder.histograms import Histogram
from dialogue_builders.folder.inventory import FIGURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# At least 3:1 against both backgrounds for what is drawn, 4.2:1 for what is written; a test counts.
BACKGROUNDS = ("#ffffff", "#0b0f19")
INK = "#757a83"
COLOURS = ("#3b7ddd", "#d0661a", "#1f9254", "#a855d8", "#d13d74", "#8a7a1d")
MARKS = ("o", "s", "^", "D", "v", "P")
FORMATS = ("svg", "png")
WIDTH_INCHES = 8.0
DOTS_PER_INCH = 144
# Beyond this part of all counts a tail of numbers is not drawn; the axis says that it goes on.
SHOWN_PART = 0.99

STYLE: Any = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.family": "DejaVu Sans",  # matplotlib brings it along, so that every machine has it
    "font.size": 12,
    "grid.color": INK,
    "grid.alpha": 0.35,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "svg.fonttype": "path",
    "svg.hashsalt": "dialogue-builders",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def require_figures() -> None:
    """Raise an OptionError where nothing can be drawn, before any other work is done."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise OptionError(
            "figures need matplotlib, which is not installed",
            next_step="pip install 'dialogue-builders[figures]', or leave --figures out",
        ) from None


def draw_figures(histograms: Sequence[Histogram], folder: Path) -> list[Path]:
    """Draw histograms into a built folder.

    Args:
        histograms: what to draw; see `Corpus.histograms`.
        folder: the files go to `figures/<name>.svg` and `figures/<name>.png` below it.

    Returns:
        the files, in order.

    Raises:
        OptionError: matplotlib is not installed.
    """
    require_figures()
    place = folder / FIGURES
    if histograms:
        place.mkdir(exist_ok=True)
    return [path for histogram in histograms for path in _save(histogram, place)]


def figure_problems(histograms: Sequence[Histogram], folder: Path) -> Iterator[str]:
    """Yield a line for each drawing in a folder that does not show the folder's counts."""
    for histogram in histograms:
        for kind in FORMATS:
            path = folder / FIGURES / f"{histogram.spec.name}.{kind}"
            if path.is_file() and _description(histogram).encode() not in path.read_bytes():
                name = path.relative_to(folder).as_posix()
                yield f"{name} is not fresh: it was drawn from other counts"
    known = {f"{histogram.spec.name}.{kind}" for histogram in histograms for kind in FORMATS}
    for path in sorted((folder / FIGURES).glob("*")):
        if path.name not in known:
            yield f"{FIGURES}/{path.name} is no drawing of this dataset"


def _description(histogram: Histogram) -> str:
    return f"counts {histogram.digest}"


def _save(histogram: Histogram, place: Path) -> Iterator[Path]:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    named = bool(histogram.spec.categories)
    height = 1.6 + 0.42 * len(histogram.categories) if named else 4.2
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, height))
        figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.1)
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        (_draw_dots if named else _draw_lines)(axes, histogram)
        axes.set_title(_title(histogram), loc="left", fontsize=14, fontweight="bold", pad=34)
        axes.legend(
            handlelength=1.0 if named else 2.0,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=len(histogram.counts) + 1,
            handletextpad=0.5,
            columnspacing=1.2,
            borderaxespad=0.2,
        )
        for kind in FORMATS:
            path = place / f"{histogram.spec.name}.{kind}"
            # No dates and no versions: the same counts give the same bytes.
            blank = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
            metadata = {"Title": _title(histogram), "Description": _description(histogram), **blank}
            figure.savefig(path, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
            yield path


def _title(histogram: Histogram) -> str:
    return f"{histogram.spec.title} by {histogram.spec.series or 'split'}"


def _styles(histogram: Histogram) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, series in enumerate(histogram.counts):
        colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
        yield series, {"color": colour, "marker": mark, "label": series}


def _draw_dots(axes: Axes, histogram: Histogram) -> None:
    """A row for each category, a dot for each series; dots of one row stand a little apart."""
    rows = range(len(histogram.categories))
    for number, (series, style) in enumerate(_styles(histogram)):
        offset = (number - (len(histogram.counts) - 1) / 2) * 0.13
        places = [row + offset for row in rows]
        # A dot at zero is drawn whole, over the axis.
        dots: dict[str, Any] = {"linestyle": "none", "markersize": 7, "clip_on": False, "zorder": 3}
        axes.plot(histogram.shares(series), places, **dots, **style)
    axes.set_yticks(list(rows), [str(name) for name in histogram.categories])
    axes.set_ylim(len(histogram.categories) - 0.5, -0.5)
    most = max(max(histogram.shares(series)) for series in histogram.counts)
    axes.set_xlim(0, most * 1.04)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0, pad=9)
    axes.set_xlabel(f"share of {histogram.spec.counted} in %")


def _draw_lines(axes: Axes, histogram: Histogram) -> None:
    """A line for each series over the numbers; a thin tail is cut, and the axis says so."""
    shown = max(histogram.quantile(series, SHOWN_PART) for series in histogram.counts)
    numbers = [number for number in histogram.categories if number <= shown]
    for series, style in _styles(histogram):
        axes.plot(numbers, histogram.shares(series)[: len(numbers)], markersize=5, **style)
    label = histogram.spec.axis
    if len(numbers) < len(histogram.categories):
        label += f" (few go on to {histogram.categories[-1]:g})"
    axes.set_xlabel(label)
    axes.set_ylabel(f"share of {histogram.spec.counted} in %")
    most = max(max(histogram.shares(series)) for series in histogram.counts)
    axes.set_ylim(0, most * 1.06)
    axes.grid(axis="y")
    if histogram.spec.threshold and histogram.threshold is not None:
        label = f"{histogram.spec.threshold.label} {histogram.threshold:g}"
        axes.axvline(histogram.threshold, color=INK, linestyle="--", label=label)
