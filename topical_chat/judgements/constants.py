"""Names of the judgements: splits, systems, criteria and labels, in the files' own order."""

from __future__ import annotations

from typing import get_args

from topical_chat.judgements.records import BeginLabel, System
from topical_chat.releases import NAME
from topical_chat.sources import DATA_VERSION

# USR's contexts are from the test split of the frequent entities; BEGIN names its parts itself.
USR_SPLITS = ("test_freq",)
BEGIN_SPLITS = ("dev", "test")
SPLITS = (*USR_SPLITS, *BEGIN_SPLITS)

SYSTEMS: tuple[str, ...] = get_args(System)
SYSTEM_CODES = {name: code for code, name in enumerate(SYSTEMS)}

BEGIN_LABELS: tuple[str, ...] = get_args(BeginLabel)
BEGIN_LABEL_CODES = {name: code for code, name in enumerate(BEGIN_LABELS)}

# Column → the criterion's name in USR's file, and in UniEval's.
CRITERIA = {
    "understandable": ("Understandable", "understandability"),
    "natural": ("Natural", "naturalness"),
    "maintains_context": ("Maintains Context", "coherence"),
    "engaging": ("Engaging", "engagingness"),
    "uses_knowledge": ("Uses Knowledge", "groundedness"),
    "overall": ("Overall", "overall"),
}

# Beside whose dialogues judgements are shown.
CONVERSATION_VIEWS = ("topical_chat/conversations", "topical_chat/utterances")

TCS_1_0, TCS_1_1 = NAME, DATA_VERSION
