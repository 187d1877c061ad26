"""Topical-Chat's names: splits, labels and their order. Each stands here and nowhere else."""

from __future__ import annotations

from typing import get_args

from topical_chat.records import Rating, Sentiment

SPLITS = ("train", "valid_freq", "valid_rare", "test_freq", "test_rare")

SENTIMENTS: tuple[str, ...] = get_args(Sentiment)
RATINGS: tuple[str, ...] = tuple(rating for rating in get_args(Rating) if rating)

SENTIMENT_CODES: dict[str, int] = {name: code for code, name in enumerate(SENTIMENTS)}
# An empty rating means "not rated": null, never a code of its own.
RATING_CODES: dict[str | None, int | None] = {
    "": None,
    None: None,
    **{name: code for code, name in enumerate(RATINGS)},
}
