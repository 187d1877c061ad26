"""A split's turns in Arrow columns, as its conversations hold them: what `check` compares with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Texts:
    """Values that rows are compared with; a place names one of them.

    Attributes:
        values: strings as a rule.
    """

    values: pa.Array

    @cached_property
    def ids(self) -> Indices:
        """Per value a number that equal values share; -1 for null."""
        codes = self.values.dictionary_encode().indices
        return np.asarray(codes.fill_null(-1), np.int64)


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of values, one for each turn.

    Attributes:
        lengths, starts: of each list.
        texts: of all lists, one after the other.
    """

    lengths: Indices
    starts: Indices
    texts: Texts


@dataclass(frozen=True, eq=False)
class SplitTurns:
    """All turns of a split, one after the other.

    Attributes:
        ids: per conversation its id.
        lengths: per conversation the number of its turns.
        columns: per turn, by name: what `TurnColumns` names.
        whole: per conversation, by name: what `TurnColumns.whole` names.
        text, agent, sources: the names in `columns` of what they say; None where there is none.
    """

    ids: pa.Array
    lengths: Indices
    columns: Mapping[str, pa.Array]
    whole: Mapping[str, pa.Array]
    text: str | None = None
    agent: str | None = None
    sources: str | None = None
    _results: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def starts(self) -> Indices:
        """Per conversation the place of its first turn."""
        starts: Indices = np.cumsum(self.lengths) - self.lengths
        return starts

    @cached_property
    def conversation(self) -> Indices:
        """Per turn the number of its conversation."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def index(self) -> Indices:
        """Per turn its number within its conversation, from 0."""
        index: Indices = np.arange(len(self.conversation)) - self.starts[self.conversation]
        return index

    def texts(self, name: str | None) -> Texts:
        """Return the values of a column of the turns."""
        return self.once(name, lambda turns: Texts(turns.columns[cast(str, name)]))

    def whole_texts(self, name: str) -> Texts:
        """Return the values of a column of the conversations."""
        return self.once(("whole", name), lambda turns: Texts(turns.whole[name]))

    def lists(self, name: str | None) -> Lists:
        """Return the values of a column that holds lists; an absent list is empty."""
        return self.once(("lists", name), lambda turns: _lists(turns.columns[cast(str, name)]))

    def once(self, key: Any, work: Callable[[SplitTurns], Result]) -> Result:
        """Return what some work makes of the split, done once for all batches of all views."""
        if key not in self._results:
            self._results[key] = work(self)
        return cast(Result, self._results[key])


def _lists(column: pa.Array) -> Lists:
    lengths = list_lengths(column)
    return Lists(lengths, np.cumsum(lengths) - lengths, Texts(column.flatten()))


def list_lengths(column: pa.Array) -> Indices:
    """Return the length of each list, 0 for an absent one."""
    return np.asarray(column.value_lengths().fill_null(0), np.int64)


@dataclass(frozen=True, eq=False)
class DerivedRows:
    """Rows of a view, and what they are derived from.

    Attributes:
        columns: the columns that were asked for, by name; strings may be dictionary arrays.
        turns: of the split.
        conversation: per row the number of its conversation.
        place: per row the place of its turn; of the conversation's first turn for a view whose rows
            are conversations.
        options: with which the view was built.
    """

    columns: Mapping[str, pa.Array]
    turns: SplitTurns
    conversation: Indices
    place: Indices
    options: Mapping[str, Any]
