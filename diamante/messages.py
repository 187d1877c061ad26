"""Turns as chat messages (role and content), in the form that trainers take.

Neighbouring turns of one speaker become one message, joined by a newline: chat templates want roles
that alternate. Where a message is joined, its last turn stands for it, and carries the joined text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dialogue_builders.arrow import list_column, struct_column
from diamante.turns import Indices, Turns

# The order of these two is that of False and True for "the assistant says it".
CHAT_ROLES = pa.array(["user", "assistant"], pa.string())


def message_feature() -> dict[str, Any]:
    """Return the feature of one message."""
    from datasets import Value

    return {"role": Value("string"), "content": Value("string")}


def joined_texts(turns: Turns) -> tuple[list[str], npt.NDArray[np.bool_]]:
    """Join neighbouring turns of one speaker.

    Returns:
        per turn its text behind those of the turns before it that the same speaker said in a row;
        and per turn whether the same speaker does not go on, so that it ends a message.
    """
    second = turns.is_second_speaker
    ends = turns.is_last | (second != np.append(second[1:], False)[: len(second)])
    texts = list(turns.utterances)
    for place in np.flatnonzero(~ends).tolist():
        texts[place + 1] = f"{texts[place]}\n{texts[place + 1]}"
    return texts, ends


def ranges(starts: Indices, lengths: Indices) -> Indices:
    """Return the numbers start, start + 1, … of each length, one run after the other."""
    before = np.cumsum(lengths) - lengths
    numbers: Indices = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return numbers


def message_lists(
    texts: pa.Array, places: Indices, is_assistant: npt.NDArray[np.bool_], lengths: Indices
) -> pa.Array:
    """Return lists of messages.

    Args:
        texts: of all turns.
        places: the turn of each message, list after list.
        is_assistant: of each message, who says it.
        lengths: of each list.
    """
    messages = struct_column(
        {
            "role": CHAT_ROLES.take(pa.array(is_assistant.astype(np.int8))),
            "content": texts.take(pa.array(places)),
        }
    )
    return list_column(messages, lengths.tolist())


def dialogue_messages(turns: Turns) -> tuple[pa.Array, int]:
    """Return each dialogue as messages, speaker1 being the user and coming first.

    Returns:
        a list of messages per dialogue, and the number of turns that were left out because the
        assistant says them before the user says anything.
    """
    texts, ends = joined_texts(turns)
    second = turns.is_second_speaker
    # Turns before a dialogue's first one of speaker1 have seen none of them yet.
    seen = np.cumsum(~second)
    before = np.concatenate(([0], seen))[np.arange(len(second)) - turns.index]
    opened = seen > before
    kept = np.flatnonzero(ends & opened)
    lengths = np.bincount(turns.dialogue[kept], minlength=len(turns.lengths))
    messages = message_lists(pa.array(texts, pa.string()), kept, second[kept], lengths)
    return messages, int(np.count_nonzero(~opened))


def prompts(turns: Turns, replies: Indices, *, user_first: bool) -> tuple[pa.Array, Indices]:
    """Return what was said before each reply, as messages relative to the replying speaker.

    The one who replies is the assistant, whichever speaker that is; the other one is the user.

    Args:
        replies: the replies' places among the batch's turns; repetitions are allowed.
        user_first: leave out what the assistant says before the user says anything.

    Returns:
        a list of messages per reply, and per reply how many messages it has (with `user_first`
        there may be none).
    """
    texts, ends = joined_texts(turns)
    end_places = np.flatnonzero(ends)
    first_turns = replies - turns.index[replies]
    # Messages that end before the last turn of the history; that turn always ends one more.
    first = np.searchsorted(end_places, first_turns)
    lengths = np.searchsorted(end_places, replies - 1) - first + 1
    second = turns.is_second_speaker
    if user_first:
        opens = np.minimum(end_places[first], replies - 1)
        is_assistant = second[opens] == second[replies]
        first, lengths = first + is_assistant, lengths - is_assistant
    places = end_places[ranges(first, lengths)]
    filled = lengths > 0
    places[np.cumsum(lengths)[filled] - 1] = replies[filled] - 1
    is_assistant = second[places] == np.repeat(second[replies], lengths)
    return message_lists(pa.array(texts, pa.string()), places, is_assistant, lengths), lengths
