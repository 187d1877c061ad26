"""What a view declares for `check`: where its rows hold turns, and what has to be true of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from dialogue_builders.spec.split_turns import DerivedRows, Flags, Indices, SplitTurns

TEXTS, AGENTS, LABELS = "texts", "agents", "labels of turns"
SOURCES, WHOLE = "knowledge sources", "facts of conversations"
"""The names of the rules that `TurnColumns` gives rise to."""

Expected = Callable[[SplitTurns, Mapping[str, Any]], Indices]
"""(turns, options) → the least number of rows for each turn; for each conversation where the view's
rows are conversations."""


@dataclass(frozen=True)
class TurnColumns:
    """Which columns of a view hold what the conversations hold too.

    A view that names the same things under names of its own says which they are. Labels, `others`
    and `whole` bear the same names everywhere. A label may be a ClassLabel here and text there.

    Attributes:
        nested: the column that holds the turns as a list of structs, whose fields the names below
            then are; None where a row is a turn or a conversation.
        turn_index: the column with a turn's number in its conversation, from 0; None where a row is
            a conversation.
        text: what is said.
        agent: who says it.
        labels: annotations of the turn.
        sources: the list of its knowledge sources.
        others: more fields of a turn, for the rules of `View.derived`.
        whole: columns of the whole conversation.
        expected: how many rows there are at least; None where only some conversations have rows.
        unbroken: whether a conversation that has rows has them for all turns before its last one
            with rows; asked where `expected` is None.
    """

    nested: str | None = None
    turn_index: str | None = "turn_index"
    text: str | None = None
    agent: str | None = None
    labels: tuple[str, ...] = ()
    sources: str | None = None
    others: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    expected: Expected | None = None
    unbroken: bool = False

    @property
    def of_turns(self) -> tuple[str, ...]:
        """The columns (or fields of `nested`) that speak of a turn."""
        single = (self.text, self.agent, self.sources)
        return (*filter(None, single), *self.labels, *self.others)


@dataclass(frozen=True)
class Derived:
    """A rule on rows of a view that are derived from the split's turns in another way.

    Attributes:
        columns: what it reads.
        wrong: rows → rule → which rows break it. A rule that compared nothing is left out.
        needs: fields of the turns, without which there is nothing to compare with.
    """

    columns: tuple[str, ...]
    wrong: Callable[[DerivedRows], Mapping[str, Flags]]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowRule:
    """A rule on a view's own rows, which needs no other config.

    Attributes:
        name: of the rule, as `check` lists it.
        problem: what is said of rows that break it, such as "have the ranks in another order".
        columns: what it reads.
        wrong: (rows, options) → which rows break it; null for a row with nothing to look at.
            Strings may come as dictionary arrays.
    """

    name: str
    problem: str
    columns: tuple[str, ...]
    wrong: Callable[[pa.RecordBatch, Mapping[str, Any]], pa.Array]
