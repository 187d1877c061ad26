"""Diamante's names: splits, labels and their order. Each stands here and nowhere else."""

from __future__ import annotations

SPLITS = ("train", "valid", "test")

ROLES = ("speaker1", "speaker2")

# How the human arrived at a reply: took a candidate, changed one, or wrote a new one.
FEEDBACK = ("select", "revise", "rewrite")
SELECT, REVISE, REWRITE = range(len(FEEDBACK))

# The two sides of a preference, the better one first.
PAIRS = ("human_model", "human_random", "model_random")
HUMAN_MODEL, HUMAN_RANDOM, MODEL_RANDOM = range(len(PAIRS))

# Which turn a turn's candidates compete with: the next one, or the turn itself.
READINGS = ("next", "same")

# What candidates are called where it is not known which turn they compete with.
CARRIED = "candidates as the file has them"
