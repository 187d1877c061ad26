"""A dialogue as a person reads it: what `View.show` makes, for the terminal and for a page alike.

All of it is text and order; how it looks is the business of whoever draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

Rows = Sequence[Mapping[str, Any]]
Comparison = Literal["", "words", "characters"]


class Label(NamedTuple):
    """A short word about a turn or a dialogue.

    Attributes:
        name: what it tells, such as `sentiment`; empty for a remark that needs no name.
        value: what is so.
        is_facet: whether dialogues are filtered by it.
    """

    name: str
    value: str
    is_facet: bool = False


class Alternative(NamedTuple):
    """A text that could stand in a turn's place.

    Attributes:
        label: whose it is, or which.
        text: what it says.
        notes: what is known of it, such as scores.
        mark: why it stands out among the others, such as `chosen`; empty where it does not.
    """

    label: str
    text: str
    notes: tuple[str, ...] = ()
    mark: str = ""


@dataclass(frozen=True)
class Alternatives:
    """Texts of one kind that could stand in a turn's place.

    Attributes:
        title: what they are.
        items: in their order.
        compare: whether it is marked where they differ from the turn's text, and in which units.
        is_open: whether they are shown at once, and not on demand.
    """

    title: str
    items: Sequence[Alternative]
    compare: Comparison = ""
    is_open: bool = False


class Piece(NamedTuple):
    """One text to read.

    Attributes:
        kind: what it is, such as `fun fact`.
        text: None where it is not at hand.
        id: by which it can be found where it is not; None where it has none.
    """

    kind: str
    text: str | None
    id: str | None = None


@dataclass(frozen=True)
class Section:
    """A part of what was read; turns cite it by its id."""

    id: str
    title: str
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class Reading:
    """What somebody had before them while they talked."""

    title: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Turn:
    """One turn.

    Attributes:
        speaker: who says it.
        text: what is said.
        labels: what is known of it, in the order in which it is told.
        cites: ids of the sections that it is said to come from.
        alternatives: what could stand in its place.
    """

    speaker: str
    text: str
    labels: Sequence[Label] = ()
    cites: Sequence[str] = ()
    alternatives: Sequence[Alternatives] = ()

    @property
    def notes(self) -> str:
        """The labels' values on one line."""
        return " · ".join(label.value for label in self.labels)


@dataclass(frozen=True)
class DialogueView:
    """One dialogue.

    Attributes:
        id: the conversation's, or what else names it within its split.
        turns: in order; a turn's number is its place, from 0.
        labels: what is known of the whole.
        about: sentences that explain it.
        readings: what the speakers had read.
    """

    id: str
    turns: Sequence[Turn]
    labels: Sequence[Label] = ()
    about: Sequence[str] = ()
    readings: Sequence[Reading] = ()

    @property
    def title(self) -> str:
        """The id and the labels on one line."""
        labels = (f"{label.name} {label.value}".strip() for label in self.labels)
        return " · ".join((self.id, *labels))

    def with_alternatives(self, found: Mapping[int, Sequence[Alternatives]]) -> DialogueView:
        """Return the dialogue with more alternatives at some turns.

        Args:
            found: the turn's number → what is added; what has the same title is replaced. Numbers
                of turns that the dialogue does not have are passed over.
        """
        return replace(
            self, turns=[_with(turn, found.get(n, ())) for n, turn in enumerate(self.turns)]
        )


def _with(turn: Turn, added: Sequence[Alternatives]) -> Turn:
    titles = {group.title for group in added}
    kept = [group for group in turn.alternatives if group.title not in titles]
    return replace(turn, alternatives=[*kept, *added]) if added else turn


@dataclass(frozen=True)
class Annotation:
    """How a view's rows are shown beside the dialogues of other views.

    Attributes:
        add: (dialogue, the rows that belong to it) → the dialogue with what they say.
        to: the views whose dialogues these are; of another corpus as `corpus/view`.
        join_column: the column that holds the dialogue's id.
    """

    add: Callable[[DialogueView, Rows], DialogueView]
    to: tuple[str, ...]
    join_column: str = "conversation_id"
