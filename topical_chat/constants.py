"""Topical-Chat's names: splits, labels and their order. Each stands here and nowhere else."""

from __future__ import annotations

from typing import get_args

from topical_chat.records import Rating, Sentiment

SPLITS = ("train", "valid_freq", "valid_rare", "test_freq", "test_rare")

SENTIMENTS: tuple[str, ...] = get_args(Sentiment)
RATINGS: tuple[str, ...] = tuple(rating for rating in get_args(Rating) if rating)

# How a turn without a rating is shown.
UNRATED = "unrated"

CONFIGURATIONS = {
    "A": "Configuration A: both partners read the same introductions and article; each has fun "
    "facts of their own",
    "B": "Configuration B: both partners read the same fun facts and article; agent_2 has only "
    "summaries of the introductions",
    "C": "Configuration C: both partners read the same introductions and fun facts; there is no "
    "article",
    "D": "Configuration D: both partners read the same introductions, fun facts and article",
}

SENTIMENT_CODES: dict[str, int] = {name: code for code, name in enumerate(SENTIMENTS)}
# An empty rating means "not rated": null, never a code of its own.
RATING_CODES: dict[str | None, int | None] = {
    "": None,
    None: None,
    **{name: code for code, name in enumerate(RATINGS)},
}
