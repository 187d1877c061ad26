"""Turns as chat messages (role and content), in the form that trainers take.

Neighbouring turns of one speaker become one message, joined by a newline: chat templates want roles
that alternate. One rule holds for every chat: it begins with the user and ends with the assistant.
Where a message is joined, its last turn stands for it, and carries the joined text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dialogue_builders.dialogue.turns import Flags, FlatTurns, Indices, number_ranges
from dialogue_builders.spec import (
    Columns,
    DialogueView,
    Label,
    Notes,
    Option,
    Turn,
    list_column,
    struct_column,
)

JOINT = "\n"
# The order of these two is that of False and True for "the assistant says it".
CHAT_ROLES = pa.array(["user", "assistant"], pa.string())

LAST, BOTH = "last", "both"

OPENING = "chat: a turn of the assistant before the user's first one; left out"
CLOSING = "chat: a turn of the user after the assistant's last one; left out"
NO_CHAT = "chat: a conversation in which the assistant never answers the user; no row"
CHAT_NOTES_ZH = {
    OPENING: "聊天：首个 user 轮之前的 assistant 轮；略去",
    CLOSING: "聊天：最后一个 assistant 轮之后的 user 轮；略去",
    NO_CHAT: "聊天：assistant 从未回应 user 的对话；没有对应的行",
}
"""The notes of `chat_columns` in Chinese, for a corpus's `translations`."""


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


def assistant_option(speakers: tuple[str, str]) -> Option:
    """Return the option of a chat view that says whose turns are the assistant's.

    Args:
        speakers: the names of the first and the second speaker; by default the second answers.
    """
    return Option(
        "assistant",
        speakers[1],
        "whose turns are the assistant's: one speaker's, those of whoever speaks last, or both "
        "speakers' in turn, a row for each",
        (*speakers, LAST, BOTH),
    )


def chat_features() -> dict[str, Any]:
    """Return the features of a chat view: a row per conversation, two with `assistant=both`."""
    from datasets import List, Value

    text = Value("string")
    return {"conversation_id": text, "assistant": text, "messages": List(message_feature())}


def chat_columns(turns: FlatTurns, assistant: str, notes: Notes) -> Columns:
    """Return chats: each begins with the user, ends with the assistant, and roles alternate.

    Args:
        turns: of a batch.
        assistant: a value of `assistant_option`.
        notes: where it is counted what is left out at either end, and which dialogues have no row.
    """
    second_answers = [_second_answers(turns, choice) for choice in _choices(turns, assistant)]
    made = [_chats(turns, flags) for flags in second_answers]
    # Conversation by conversation, and in each of them speaker by speaker.
    order = np.arange(len(made) * len(turns.lengths)).reshape(len(made), -1).T.ravel()
    lengths, openings, closings, second = (
        np.concatenate(column)[order]
        for column in zip(
            *(
                (c.lengths, c.opening, c.closing, s)
                for c, s in zip(made, second_answers, strict=True)
            ),
            strict=True,
        )
    )
    kept = np.flatnonzero(lengths)
    counts = {
        NO_CHAT: len(lengths) - len(kept),
        OPENING: int(openings[kept].sum()),
        CLOSING: int(closings[kept].sum()),
    }
    notes.update(+Counter(counts))
    messages = pa.concat_arrays([each.messages for each in made])
    return {
        "conversation_id": pa.array(turns.ids, pa.string()).take(pa.array(kept // len(made))),
        "assistant": pa.array(turns.speakers_in_order).take(pa.array(second[kept].astype(np.int8))),
        "messages": messages.take(pa.array(order[kept])),
    }


def show_chats(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the chat rows of one conversation."""
    turns = [
        Turn(
            message["role"],
            message["content"],
            [] if number else [Label("", f"assistant: {row['assistant']}")],
        )
        for row in rows
        for number, message in enumerate(row["messages"])
    ]
    return DialogueView(rows[0]["conversation_id"], turns)


def _choices(turns: FlatTurns, assistant: str) -> Sequence[str]:
    return turns.speakers_in_order if assistant == BOTH else (assistant,)


def _second_answers(turns: FlatTurns, assistant: str) -> Flags:
    """Return for each dialogue whether the second speaker is the assistant."""
    count = len(turns.lengths)
    if assistant != LAST:
        return np.full(count, assistant == turns.second_speaker)
    last = np.zeros(count, np.bool_)
    last[turns.dialogue[turns.is_last]] = turns.is_second_speaker[turns.is_last]
    return last


@dataclass(frozen=True)
class _Chats:
    """The dialogues of a batch as chats.

    Attributes:
        messages: a list of messages per dialogue; empty where the assistant never answers.
        lengths: per dialogue the number of its messages.
        opening, closing: per dialogue the turns that are left out: what the assistant says before
            the user says anything, and what the user says after the assistant's last turn.
    """

    messages: pa.Array
    lengths: Indices
    opening: Indices
    closing: Indices


def _chats(turns: FlatTurns, second_answers: Flags) -> _Chats:
    texts, ends = joined_texts(turns)
    count = len(turns.lengths)
    is_assistant = turns.is_second_speaker == second_answers[turns.dialogue]
    # Turns before a dialogue's first one of the user have seen none of them yet.
    seen = np.cumsum(~is_assistant)
    before = np.concatenate(([0], seen))[np.arange(len(seen)) - turns.index]
    opened = seen > before
    # Turns after a dialogue's last one of the assistant have seen all of them.
    said = np.cumsum(is_assistant)
    until_here = said - is_assistant
    all_of = np.bincount(turns.dialogue, is_assistant, count).astype(np.int64)
    first = np.concatenate(([0], said))[np.arange(len(said)) - turns.index]
    answered = until_here - first < all_of[turns.dialogue]
    kept = np.flatnonzero(ends & opened & answered)
    lengths = np.bincount(turns.dialogue[kept], minlength=count)
    messages = message_lists(
        pa.array(texts, pa.string()), kept, is_assistant[kept], lengths.tolist()
    )
    return _Chats(
        messages,
        lengths,
        opening=np.bincount(turns.dialogue[~opened], minlength=count),
        closing=np.bincount(turns.dialogue[~answered], minlength=count),
    )


@dataclass(frozen=True)
class Prompts:
    """What was said before some replies, as messages.

    Attributes:
        messages: a list of messages per reply.
        keep: the replies' numbers; without those whose prompt would break the rule.
        cut: of how many of them the assistant's opening is left out.
    """

    messages: pa.Array
    keep: Indices
    cut: int


def prompts(turns: FlatTurns, replies: Indices, *, user_first: bool) -> Prompts:
    """Return what was said before each reply, as messages relative to the replying speaker.

    The one who replies is the assistant, whichever speaker that is; the other one is the user.

    Args:
        replies: the replies' places among the batch's turns; repetitions are allowed.
        user_first: a prompt begins and ends with the user. What the assistant says before that is
            left out of it; where the user says nothing before, or the assistant spoke last, the
            reply has no prompt. Without it a prompt is the whole dialogue, as it is.
    """
    second = turns.is_second_speaker
    keep = np.arange(len(replies))
    if user_first:
        # The user spoke last, so that the user says something.
        keep = np.flatnonzero(second[replies - 1] != second[replies])
        replies = replies[keep]
    texts, ends = joined_texts(turns)
    end_places = np.flatnonzero(ends)
    first_turns = replies - turns.index[replies]
    # Messages that end before the last turn of the history; that turn always ends one more.
    first = np.searchsorted(end_places, first_turns)
    lengths = np.searchsorted(end_places, replies - 1) - first + 1
    cut = 0
    if user_first:
        opens = np.minimum(end_places[first], replies - 1)
        assistant_opens = second[opens] == second[replies]
        first, lengths = first + assistant_opens, lengths - assistant_opens
        cut = int(assistant_opens.sum())
    places = end_places[number_ranges(first, lengths)]
    places[np.cumsum(lengths) - 1] = replies - 1
    is_assistant = second[places] == np.repeat(second[replies], lengths)
    messages = message_lists(pa.array(texts, pa.string()), places, is_assistant, lengths.tolist())
    return Prompts(messages, keep, cut)
