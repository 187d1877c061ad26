"""What the card counts beyond the published table, and `--figures` draws."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.distributions import (
    Distribution,
    Mark,
    Tally,
    Tallying,
    tally_lengths,
    tally_of,
)
from diamante.responses import RESPONSES, REVISE_FROM

STEP = 0.05


def turns_of_conversations(rows: pa.RecordBatch) -> Tally:
    """Count dialogues by their number of turns, in rows of `conversations`."""
    return tally_of(pc.list_value_length(rows["conversation"]))


def turns_of_utterances(rows: pa.RecordBatch) -> Tally:
    """Count dialogues by their number of turns, in rows of `utterances`."""
    return tally_lengths(rows["turn_index"])


def similarities(rows: pa.RecordBatch) -> Tally:
    """Count replies by their similarity to the nearest candidate, in whole steps downwards.

    So 0.5 stands for 0.5 up to, but not including, 0.55; and 1 for the same characters.
    """
    values = rows["similarity"].drop_null().to_numpy()
    # A fraction such as 0.15 may lie a hair below three steps; it still belongs to the third.
    steps = np.floor(values / STEP + 1e-9).astype(np.int64)
    return Counter(steps.tolist())


LENGTHS = Distribution(
    name="turns_per_conversation",
    title="Length of the dialogues",
    axis="turns per dialogue",
    counted="dialogues",
    views={
        "conversations": Tallying(("conversation.list.element.role",), turns_of_conversations),
        "utterances": Tallying(("turn_index",), turns_of_utterances),
    },
)
SIMILARITY = Distribution(
    name="similarity",
    title="Similarity of replies to their nearest candidate",
    axis=f"character F1, in steps of {STEP:g} downwards",
    counted="replies",
    views={"responses": Tallying(("similarity",), similarities)},
    step=STEP,
    mark=Mark(RESPONSES.name, REVISE_FROM.name, "revise from"),
)

DISTRIBUTIONS = (LENGTHS, SIMILARITY)
