"""What is counted over the judgements: system means, agreement, labels, UniEval's correlations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import sqrt

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.spec import Counts, RowCounter, Statistic, count_of, count_values
from topical_chat.judgements.constants import BEGIN_LABELS, CRITERIA, SYSTEMS

# USR's paper, the column "Overall" of its table of systems.
PUBLISHED_OVERALL = dict(zip(SYSTEMS, (4.25, 2.76, 2.40, 2.29, 2.39, 4.78), strict=True))

# The README of UniEval's folder `reproduce`, the column "Pearson" of dialogue's turn level.
PUBLISHED_PEARSON = dict(
    zip(CRITERIA, (0.380038, 0.443666, 0.595143, 0.55651, 0.536209, 0.632796), strict=True)
)


def system_mean(criterion: str, system: str) -> Callable[[Counts], float | None]:
    """Return how to compute the mean of all scores that a system got under a criterion."""

    def compute(counts: Counts) -> float | None:
        scores = counts["scores", criterion, system]
        return counts["sum", criterion, system] / scores if scores else None

    return compute


def pearson(criterion: str) -> Callable[[Counts], float | None]:
    """Return how to correlate UniEval's predictions with the mean scores, over all responses."""

    def compute(counts: Counts) -> float | None:
        names = ("n", "x", "y", "xx", "yy", "xy")
        n, x, y, xx, yy, xy = (counts[name, criterion] for name in names)
        if not n or n * xx <= x * x or n * yy <= y * y:
            return None
        return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y))

    return compute


def title(criterion: str) -> str:
    """Return a criterion's name as USR's file has it."""
    return CRITERIA[criterion][0]


# Source: the tables named above where a value is published; every other value is counted only.
STATISTICS = (
    Statistic("judged responses", count_of("responses"), {"test_freq": 360}),
    *(
        Statistic(
            f"{title(criterion)}: {system}",
            system_mean(criterion, system),
            {"test_freq": PUBLISHED_OVERALL[system]} if criterion == "overall" else {},
            decimals=2,
        )
        for criterion in CRITERIA
        for system in SYSTEMS
    ),
    *(
        Statistic(f"{title(c)}: all annotators agree", count_of(f"agreed, {c}"), {})
        for c in CRITERIA
    ),
    *(
        Statistic(
            f"{title(criterion)}: UniEval's Pearson correlation",
            pearson(criterion),
            {"test_freq": PUBLISHED_PEARSON[criterion]},
            decimals=6,
        )
        for criterion in CRITERIA
    ),
    *(Statistic(label, count_of(label), {}) for label in BEGIN_LABELS),
)

# USR's paper: 60 contexts with six responses each. BEGIN's development set was counted.
PUBLISHED_ROWS = {"usr": {"test_freq": 360}, "begin": {"dev": 383}}


def count_usr(rows: pa.RecordBatch) -> Counts:
    """Count scores by system, agreement, and the sums behind correlations, in rows of `usr`."""
    counts: Counts = Counter(responses=rows.num_rows)
    systems = [SYSTEMS[code] for code in rows["system"].to_pylist()]
    for criterion in CRITERIA:
        scores = rows[criterion].to_pylist()
        predicted = pc.struct_field(rows["unieval"], criterion).to_pylist()
        for system, given, prediction in zip(systems, scores, predicted, strict=True):
            counts["sum", criterion, system] += sum(given)
            counts["scores", criterion, system] += len(given)
            counts[f"agreed, {criterion}"] += len(set(given)) == 1
            if prediction is not None and given:
                _add_pair(counts, criterion, prediction, sum(given) / len(given))
    return counts


def _add_pair(counts: Counts, criterion: str, x: float, y: float) -> None:
    values = {"n": 1, "x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y}
    for name, value in values.items():
        counts[name, criterion] += value  # type: ignore[assignment]


def count_begin(rows: pa.RecordBatch) -> Counts:
    """Count labels in rows of `begin`."""
    return Counter(responses=rows.num_rows) + count_values(rows["begin_label"], BEGIN_LABELS)


COUNTERS = (
    {
        "usr": RowCounter(
            (
                "system",
                *(f"{criterion}.list.element" for criterion in CRITERIA),
                *(f"unieval.{criterion}" for criterion in CRITERIA),
            ),
            count_usr,
        )
    },
    {"begin": RowCounter(("begin_label",), count_begin)},
)
