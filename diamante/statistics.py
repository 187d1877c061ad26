"""Diamante's published table, as counts that add up over batches and splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.corpus import Counts, RowCounter, Statistic
from diamante.labels import FEEDBACK, SPLITS

ALL = (*SPLITS, "all")


def _published(*values: float) -> dict[str, float]:
    return dict(zip(ALL, values, strict=True))


def _ratio(part: str, *whole: str, scale: float = 1.0) -> Callable[[Counts], float | None]:
    """Return how to divide a count by the sum of others; None where those are zero."""

    def compute(counts: Counts) -> float | None:
        total = sum(counts[name] for name in whole)
        return scale * counts[part] / total if total else None

    return compute


def _count(name: str) -> Callable[[Counts], float | None]:
    return lambda counts: counts[name] or None


# Source: the table in the README of Knover's projects/Diamante, and the paper's. Replies are the
# turns after the first: the difference of the two rows before.
STATISTICS = (
    Statistic("dialogues", _count("dialogues"), _published(5838, 500, 500, 6838)),
    Statistic("utterances", _count("utterances"), _published(83765, 7166, 7184, 98115)),
    Statistic(
        "characters per utterance",
        _ratio("characters", "utterances"),
        _published(14.26, 14.20, 14.29, 14.25),
        decimals=2,
    ),
    Statistic("replies", _count("replies"), _published(77927, 6666, 6684, 91277)),
    Statistic("select, %", _ratio("select", *FEEDBACK, scale=100), _published(18, 19, 19, 18)),
    Statistic("revise, %", _ratio("revise", *FEEDBACK, scale=100), _published(41, 40, 40, 41)),
    Statistic("rewrite, %", _ratio("rewrite", *FEEDBACK, scale=100), _published(41, 41, 41, 41)),
)

# Source as above. Nothing is pinned, so these can only stand beside what was measured.
PUBLISHED_ROWS = {
    "conversations": {split: int(STATISTICS[0].published[split]) for split in SPLITS},
    "utterances": {split: int(STATISTICS[1].published[split]) for split in SPLITS},
    "responses": {split: int(STATISTICS[3].published[split]) for split in SPLITS},
}


def _characters(utterances: pa.Array) -> int:
    """Count characters as the published figure does: code points, white space included."""
    return pc.sum(pc.utf8_length(utterances)).as_py() or 0


def count_conversations(rows: pa.RecordBatch) -> Counts:
    """Count dialogues, utterances and characters in rows of `conversations`."""
    utterances = pc.struct_field(rows["conversation"].flatten(), "utterance")
    return Counter(
        dialogues=rows.num_rows, utterances=len(utterances), characters=_characters(utterances)
    )


def count_utterances(rows: pa.RecordBatch) -> Counts:
    """Count dialogues (by their first turns), utterances and characters in rows of `utterances`."""
    return Counter(
        dialogues=pc.sum(pc.equal(rows["turn_index"], 0)).as_py() or 0,
        utterances=rows.num_rows,
        characters=_characters(rows["utterance"]),
    )


def count_feedback(rows: pa.RecordBatch) -> Counts:
    """Count replies, and how their humans arrived at them, in rows of `responses`."""
    counts = Counter(replies=rows.num_rows)
    counts.update(FEEDBACK[code] for code in rows["feedback"].drop_null().to_pylist())
    return counts


COUNTERS = (
    {
        "conversations": RowCounter(count_conversations, ("conversation.list.element.utterance",)),
        "utterances": RowCounter(count_utterances, ("turn_index", "utterance")),
    },
    {"responses": RowCounter(count_feedback, ("feedback",))},
)
