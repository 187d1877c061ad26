"""Rows of a built folder compared with the turns they were derived from, in Arrow columns.

Tools for `View.derived`. Rules are functions of a module and `partial`s of them, since views go to
other processes. Strings are best read as dictionary arrays: then each text of a row group
is compared once, however often it stands in histories and prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.chat import CHAT_ROLES, JOINT
from dialogue_builders.dialogue.turns import number_ranges
from dialogue_builders.spec import (
    Derived,
    DerivedRows,
    Flags,
    Indices,
    SplitTurns,
    Texts,
    list_lengths,
)
from dialogue_builders.spec.turn_columns import AGENTS, TEXTS

ROLES = Texts(CHAT_ROLES)


def texts_differ(actual: pa.Array, expected: Texts, places: Indices) -> Flags:
    """Return for each value whether it is another one than that at its place; nulls are equal."""
    if not pa.types.is_dictionary(actual.type):
        return _values_differ(actual, expected.values.take(pa.array(places)))
    codes = np.asarray(actual.indices.fill_null(-1), np.int64)
    # Of each text in the dictionary one occurrence is compared; the others by their numbers.
    one_place = np.full(len(actual.dictionary), -1)
    present = codes >= 0
    one_place[codes[present]] = places[present]
    used = np.flatnonzero(one_place >= 0)
    known = np.zeros(len(one_place), np.bool_)
    known[used] = ~_values_differ(
        actual.dictionary.take(pa.array(used)), expected.values.take(pa.array(one_place[used]))
    )
    wrong: Flags = expected.ids[places] != -1
    wrong[present] = expected.ids[places[present]] != expected.ids[one_place[codes[present]]]
    unsure = np.flatnonzero(present)[~known[codes[present]]]
    wrong[unsure] = _values_differ(
        actual.dictionary.take(pa.array(codes[unsure])),
        expected.values.take(pa.array(places[unsure])),
    )
    return wrong


def _values_differ(left: pa.Array, right: pa.Array) -> Flags:
    left = left.cast(right.type)
    if left.equals(right):
        return np.zeros(len(left), np.bool_)
    nulls = pc.not_equal(left.is_null(), right.is_null())
    differ = pc.or_(pc.not_equal(left, right).fill_null(False), nulls)
    return np.asarray(differ, np.bool_)


def lists_differ(actual: pa.Array, expected: Texts, lengths: Indices, places: Indices) -> Flags:
    """Return for each list whether it holds other values than it should; an absent one is empty.

    Args:
        lengths: of each list.
        places: of the values of all lists, one after the other.
    """
    wrong: Flags = list_lengths(actual) != lengths
    if wrong.any():
        same = np.flatnonzero(~wrong)
        starts = np.cumsum(lengths) - lengths
        places = places[number_ranges(starts[same], lengths[same])]
        actual, lengths = actual.take(pa.array(same)), lengths[same]
    else:
        same = np.arange(len(wrong))
    wrong[same] = any_in_list(texts_differ(actual.flatten(), expected, places), lengths)
    return wrong


def any_in_list(flags: Flags, lengths: Indices) -> Flags:
    """Return for each list whether one of its values is flagged."""
    if not flags.any():
        return np.zeros(len(lengths), np.bool_)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    flagged: Flags = np.bincount(owner[flags], minlength=len(lengths)) > 0
    return flagged


def message_part(messages: pa.Array, name: str) -> pa.Array:
    """Return the roles, or the contents, of lists of messages, as lists."""
    values = pc.struct_field(messages.flatten(), name)
    lengths = list_lengths(messages)
    return pa.ListArray.from_arrays(pa.array(np.append(0, np.cumsum(lengths)), pa.int32()), values)


def messages_differ(
    messages: pa.Array, expected: Texts, lengths: Indices, places: Indices, is_assistant: Flags
) -> Mapping[str, Flags]:
    """Compare lists of messages: their contents, and who says them."""
    contents, roles = message_part(messages, "content"), message_part(messages, "role")
    return {
        TEXTS: lists_differ(contents, expected, lengths, places),
        AGENTS: lists_differ(roles, ROLES, lengths, is_assistant.astype(np.int64)),
    }


def every_turn(turns: SplitTurns, options: Mapping[str, Any]) -> Indices:
    """Say that every turn has a row; for `TurnColumns.expected`."""
    return np.ones(len(turns.index), np.int64)


def every_reply(turns: SplitTurns, options: Mapping[str, Any]) -> Indices:
    """Say that every turn has a row but for the first one of each conversation."""
    return (turns.index > 0).astype(np.int64)


def every_conversation(turns: SplitTurns, options: Mapping[str, Any]) -> Indices:
    """Say that every conversation has a row."""
    return np.ones(len(turns.lengths), np.int64)


def same_history(column: str = "history", most: str | None = None) -> Derived:
    """Return the rule that a column lists the texts of the turns before a row's own.

    Args:
        most: the view's option that says how many of the last ones; 0 for all.
    """

    return Derived((column,), partial(_history_differs, column=column, most=most))


def _history_differs(rows: DerivedRows, column: str, most: str | None) -> Mapping[str, Flags]:
    turns = rows.turns
    lengths = turns.index[rows.place]
    if most and rows.options.get(most):
        lengths = np.minimum(lengths, rows.options[most])
    places = number_ranges(rows.place - lengths, lengths)
    texts = turns.texts(turns.text)
    return {TEXTS: lists_differ(rows.columns[column], texts, lengths, places)}


class Spoken:
    """A split's turns as messages: neighbouring turns of one speaker are joined.

    Attributes:
        texts: per turn its text behind those of the turns before it that the same speaker said in
            a row.
        agent: per turn the number of its speaker.
        names: the speakers' names, by number.
        ends: per turn whether it ends a message.
        end_places: the turns that do.
    """

    def __init__(self, turns: SplitTurns) -> None:
        agents = turns.columns[turns.agent or ""].dictionary_encode()
        self.agent: Indices = np.asarray(agents.indices.fill_null(-1), np.int64)
        self.names = agents.dictionary.to_pylist()
        conversation = turns.conversation
        goes_on = (self.agent[1:] == self.agent[:-1]) & (conversation[1:] == conversation[:-1])
        self.ends: Flags = ~np.append(goes_on, False)[: len(self.agent)]
        self.end_places: Indices = np.flatnonzero(self.ends)
        self.texts = Texts(_joined(turns.columns[turns.text or ""], np.flatnonzero(~self.ends)))


def _joined(texts: pa.Array, going_on: Indices) -> pa.Array:
    joined: dict[int, str] = {}
    for place in going_on.tolist():
        before = joined.get(place, texts[place].as_py())
        joined[place + 1] = f"{before}{JOINT}{texts[place + 1].as_py()}"
    mask = np.zeros(len(texts), np.bool_)
    mask[list(joined)] = True
    values = pa.array([joined[place] for place in sorted(joined)], texts.type)
    return pc.replace_with_mask(texts, pa.array(mask), values)


def spoken(turns: SplitTurns) -> Spoken:
    """Return a split's turns as messages, made once."""
    return turns.once("spoken", Spoken)


class _Chat:
    """Which turns end the messages of each conversation's chat with one speaker as assistant."""

    def __init__(self, turns: SplitTurns, said: Spoken, assistant: int) -> None:
        self.is_assistant: Flags = said.agent == assistant
        count = len(turns.lengths)
        places, conversation = np.arange(len(said.agent)), turns.conversation
        users, answers = places[~self.is_assistant], places[self.is_assistant]
        first, last = np.full(count, len(places)), np.full(count, -1)
        first[conversation[users[::-1]]] = users[::-1]
        last[conversation[answers]] = answers
        kept = said.ends & (places >= first[conversation]) & (places <= last[conversation])
        self.places: Indices = np.flatnonzero(kept)
        self.lengths: Indices = np.bincount(conversation[self.places], minlength=count)
        self.starts: Indices = np.cumsum(self.lengths) - self.lengths


def _chat(turns: SplitTurns, assistant: int) -> _Chat:
    key = ("chat", assistant)
    return turns.once(key, lambda split: _Chat(split, spoken(split), assistant))


def same_chat(messages: str = "messages", assistant: str = "assistant") -> Derived:
    """Return the rule that rows are the chats that `dialogue.chat.chat_columns` makes."""

    rule = partial(_chat_differs, messages=messages, assistant=assistant)
    return Derived((messages, assistant), rule)


def _chat_differs(rows: DerivedRows, messages: str, assistant: str) -> Mapping[str, Flags]:
    found: dict[str, Flags] = {}
    names = rows.columns[assistant].cast(pa.string())
    said = spoken(rows.turns)
    unknown = np.ones(len(names), np.bool_)
    for number, name in enumerate(said.names):
        chosen = np.flatnonzero(np.asarray(pc.equal(names, name).fill_null(False)))
        unknown[chosen] = False
        chat, conversation = _chat(rows.turns, number), rows.conversation[chosen]
        lengths = chat.lengths[conversation]
        places = chat.places[number_ranges(chat.starts[conversation], lengths)]
        column = rows.columns[messages].take(pa.array(chosen))
        differ = messages_differ(column, said.texts, lengths, places, chat.is_assistant[places])
        for rule, flags in differ.items():
            found.setdefault(rule, np.zeros(len(names), np.bool_))[chosen] = flags
    if unknown.any():
        found[AGENTS] = found.get(AGENTS, np.zeros(len(names), np.bool_)) | unknown
    return found


def every_chat(option: str = "assistant", both: str = "both") -> Callable[..., Indices]:
    """Return what says how many chats each conversation has; for `TurnColumns.expected`."""

    return partial(_count_chats, option=option, both=both)


def _count_chats(turns: SplitTurns, options: Mapping[str, Any], option: str, both: str) -> Indices:
    said, chosen = spoken(turns), options.get(option)
    counts = np.zeros(len(turns.lengths), np.int64)
    last = said.agent[np.maximum(turns.starts + turns.lengths - 1, 0)]
    for number, name in enumerate(said.names):
        has_chat = _chat(turns, number).lengths > 0
        if chosen in (name, both):
            counts += has_chat
        elif chosen not in said.names:  # whoever speaks last
            counts += has_chat & (last == number)
    return counts


def same_prompt(column: str = "prompt", user_first: Callable[..., bool] | None = None) -> Derived:
    """Return the rule that a column is what was said before a reply, as `dialogue.chat.prompts`.

    Args:
        user_first: options → whether prompts begin and end with the user; by default they do.
    """

    rule = partial(_prompt_differs, column=column, user_first=user_first)
    return Derived((column,), rule)


def _prompt_differs(
    rows: DerivedRows, column: str, user_first: Callable[..., bool] | None
) -> Mapping[str, Flags]:
    said, replies = spoken(rows.turns), rows.place
    first = np.searchsorted(said.end_places, replies - rows.turns.index[replies])
    lengths = np.searchsorted(said.end_places, replies - 1) - first + 1
    if user_first is None or user_first(rows.options):
        opens = np.minimum(said.end_places[first], replies - 1)
        assistant_opens = said.agent[opens] == said.agent[replies]
        first, lengths = first + assistant_opens, lengths - assistant_opens
    # A row of a first turn has no prompt, whatever it says.
    lengths = np.where(rows.turns.index[replies] > 0, np.maximum(lengths, 0), 0)
    places = said.end_places[number_ranges(first, lengths)]
    filled = lengths > 0
    places[np.cumsum(lengths)[filled] - 1] = replies[filled] - 1
    is_assistant = said.agent[places] == np.repeat(said.agent[replies], lengths)
    return messages_differ(rows.columns[column], said.texts, lengths, places, is_assistant)
