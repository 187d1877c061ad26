"""What `check` proves of a row by itself: similarity, feedback, sides and ranks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.compare import any_in_list, lists_differ, message_part
from dialogue_builders.dialogue.turns import number_ranges
from dialogue_builders.spec import Options, RowRule, Texts, list_lengths
from diamante.check_candidates import trimmed
from diamante.constants import REVISE, REWRITE, SELECT


def outside_of_similarity(rows: pa.RecordBatch, options: Options) -> pa.Array:
    """Return which similarities lie outside of 0 to 1."""
    similarity = rows["similarity"]
    inside = pc.and_(pc.greater_equal(similarity, 0.0), pc.less_equal(similarity, 1.0))
    return pc.invert(inside)


def other_feedback(rows: pa.RecordBatch, options: Options) -> pa.Array:
    """Return which rows have another feedback than candidates and similarity make."""
    response = trimmed(rows["response"].cast(pa.string()))
    candidates, similarity = rows["candidates"], rows["similarity"]
    lengths = list_lengths(candidates)
    owner = np.repeat(np.arange(len(rows)), lengths)
    proposed = trimmed(candidates.flatten().cast(pa.string()))
    equal = pc.equal(response.take(pa.array(owner)), proposed).fill_null(False)
    # An empty candidate does not compete.
    equal = np.asarray(pc.and_(equal, pc.not_equal(proposed, "")), np.bool_)
    is_near = pc.greater_equal(similarity, options.get("revise_from", 0.5))
    expected = pc.if_else(
        pa.array(any_in_list(equal, lengths)), SELECT, pc.if_else(is_near, REVISE, REWRITE)
    )
    expected = pc.if_else(similarity.is_valid(), expected, -1)
    wrong = pc.not_equal(rows["feedback"].fill_null(-1), expected)
    without = pc.and_(similarity.is_null(), rows["feedback"].is_null())
    return pc.if_else(without, None, wrong)


def equal_sides(rows: pa.RecordBatch, options: Options) -> pa.Array:
    """Return which pairs have the same text on both sides."""
    sides = [rows["chosen"], rows["rejected"]]
    single = np.logical_and(*(list_lengths(side) == 1 for side in sides))
    left, right = (
        message_part(side.filter(pa.array(single)), "content").flatten().cast(pa.string())
        for side in sides
    )
    equal = np.zeros(len(rows), np.bool_)
    equal[single] = np.asarray(pc.equal(trimmed(left), trimmed(right)).fill_null(True))
    return pa.array(equal)


def other_ranks(rows: pa.RecordBatch, options: Options) -> pa.Array:
    """Return which rows have other ranks than 1 to the number of their completions."""
    lengths = list_lengths(rows["completions"])
    ranks = Texts(pa.array(np.arange(1, lengths.max(initial=0) + 1), pa.int32()))
    places = number_ranges(np.zeros(len(lengths), np.int64), lengths)
    return pa.array(lists_differ(rows["ranks"], ranks, lengths, places))


def equal_completions(rows: pa.RecordBatch, options: Options) -> pa.Array:
    """Return which rows have a completion twice."""
    completions = rows["completions"]
    lengths = list_lengths(completions)
    texts = trimmed(completions.flatten().cast(pa.string())).dictionary_encode()
    numbers = np.asarray(texts.indices.fill_null(-1), np.int64)
    keys = np.repeat(np.arange(len(rows)), lengths) * (len(texts.dictionary) + 1) + numbers + 1
    _, owners = np.unique(keys), np.unique(keys) // (len(texts.dictionary) + 1)
    return pa.array(np.bincount(owners, minlength=len(rows)) < lengths)


SIMILARITY = RowRule(
    "similarity",
    "have a similarity outside of 0 to 1",
    ("similarity",),
    outside_of_similarity,
)
FEEDBACK_RULE = RowRule(
    "feedback",
    "have another feedback than their candidates and similarity make",
    ("response", "candidates", "similarity", "feedback"),
    other_feedback,
)
CHOSEN_IS_NOT_REJECTED = RowRule(
    "chosen and rejected", "have the same text on both sides", ("chosen", "rejected"), equal_sides
)
RANKS = RowRule(
    "ranks", "have ranks that are not 1, 2, 3 in order", ("completions", "ranks"), other_ranks
)
COMPLETIONS_DIFFER = RowRule(
    "different completions", "have a completion twice", ("completions",), equal_completions
)
