"""Turns as chat messages (role and content), in the form that trainers take.

Neighbouring turns of one speaker become one message, joined by a newline: chat templates want roles
that alternate. Where a message is joined, its last turn stands for it, and carries the joined text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dialogue_builders.dialogue.turns import Flags, FlatTurns, Indices, number_ranges
from dialogue_builders.spec import list_column, struct_column

JOINT = "\n"
# The order of these two is that of False and True for "the assistant says it".
CHAT_ROLES = pa.array(["user", "assistant"], pa.string())


def message_feature() -> dict[str, Any]:
    """Return the feature of one message."""
    from datasets import Value

    return {"role": Value("string"), "content": Value("string")}


def joined_texts(turns: FlatTurns) -> tuple[list[str], Flags]:
    """Join neighbouring turns of one speaker.

    Returns:
        per turn its text behind those of the turns before it that the same speaker said in a row;
        and per turn whether the same speaker does not go on, so that it ends a message.
    """
    second = turns.is_second_speaker
    ends = turns.is_last | (second != np.append(second[1:], False)[: len(second)])
    texts = list(turns.texts)
    for place in np.flatnonzero(~ends).tolist():
        texts[place + 1] = f"{texts[place]}{JOINT}{texts[place + 1]}"
    return texts, ends


def message_lists(
    texts: pa.Array, places: Indices, is_assistant: Flags, lengths: Sequence[int]
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
    return list_column(messages, lengths)


def assistant_messages(texts: pa.Array) -> pa.Array:
    """Return for each text a list of one message, the assistant's."""
    role = CHAT_ROLES.take(pa.array(np.ones(len(texts), np.int8)))
    return list_column(struct_column({"role": role, "content": texts}), [1] * len(texts))


@dataclass(frozen=True)
class Chats:
    """The dialogues of a batch as chats.

    Attributes:
        messages: a list of messages per dialogue; empty where the user says nothing.
        lengths: per dialogue the number of its messages.
        opening: per dialogue the turns that are left out because the assistant says them before the
            user says anything.
    """

    messages: pa.Array
    lengths: Indices
    opening: Indices


def chats(turns: FlatTurns, *, second_is_assistant: bool = True) -> Chats:
    """Return each dialogue as a chat that begins with the user and whose roles alternate."""
    texts, ends = joined_texts(turns)
    is_assistant = turns.is_second_speaker == second_is_assistant
    # Turns before a dialogue's first one of the user have seen none of them yet.
    seen = np.cumsum(~is_assistant)
    before = np.concatenate(([0], seen))[np.arange(len(seen)) - turns.index]
    opened = seen > before
    kept = np.flatnonzero(ends & opened)
    count = len(turns.lengths)
    lengths = np.bincount(turns.dialogue[kept], minlength=count)
    opening = np.bincount(turns.dialogue[~opened], minlength=count)
    messages = message_lists(
        pa.array(texts, pa.string()), kept, is_assistant[kept], lengths.tolist()
    )
    return Chats(messages, lengths, opening)


def prompts(turns: FlatTurns, replies: Indices, *, user_first: bool) -> tuple[pa.Array, Indices]:
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
        assistant_opens = second[opens] == second[replies]
        first, lengths = first + assistant_opens, lengths - assistant_opens
    places = end_places[number_ranges(first, lengths)]
    filled = lengths > 0
    places[np.cumsum(lengths)[filled] - 1] = replies[filled] - 1
    is_assistant = second[places] == np.repeat(second[replies], lengths)
    messages = message_lists(pa.array(texts, pa.string()), places, is_assistant, lengths.tolist())
    return messages, lengths
