"""Every config of a folder compared with the conversations it was derived from, for `check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.dialogue.compare import every_turn, lists_differ, texts_differ
from dialogue_builders.dialogue.turns import number_ranges
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.spec.split_turns import DerivedRows, Flags, Indices, SplitTurns
from dialogue_builders.spec.turn_columns import (
    AGENTS,
    LABELS,
    SOURCES,
    TEXTS,
    WHOLE,
    Derived,
    TurnColumns,
)
from dialogue_builders.spec.view import View
from dialogue_builders.workflows.findings import MOST_SHOWN, Findings
from dialogue_builders.workflows.turn_rows import FlatRows, flat_rows, plain, read_rows, read_turns

CONVERSATIONS, TURNS = "conversations", "turns"
WORDS = {
    TEXTS: "with another text than",
    AGENTS: "with another speaker than",
    LABELS: "with other labels than",
    SOURCES: "with other knowledge sources than",
    WHOLE: "with other facts of the conversation than",
}


def compare_turns(built: BuiltFolder, found: Findings) -> None:
    """Compare all configs of a folder with its conversations, and add what was found."""
    for split in built.corpus.splits:
        views = [
            built.corpus.view_of(name) for name, splits in built.files.items() if split in splits
        ]
        views = [view for view in views if view.turns]
        base = next((view for view in views if _holds_all(view)), None)
        if base is None or len(views) < 2:
            continue
        turns = read_turns(built, base, split)
        if turns is None:
            found.problems.append(
                f"{base.name}/{split}: turns do not stand one after the other, from 0 in each "
                "conversation, so that nothing can be compared with them"
            )
            continue
        for view in views:
            if view is not base and len(turns.ids):
                _Comparison(built, view, split, turns, base.name).run(found)


def _holds_all(view: View) -> bool:
    """Whether a view holds every turn of its conversations, so that others can be compared."""
    assert view.turns is not None
    return view.turns.nested is not None or view.turns.expected is every_turn


class _Comparison:
    """One split of one view, compared with the split's turns."""

    def __init__(
        self, built: BuiltFolder, view: View, split: str, turns: SplitTurns, base: str
    ) -> None:
        assert view.turns is not None
        self.built, self.view, self.split, self.turns, self.base = built, view, split, turns, base
        self.columns: TurnColumns = view.turns
        self.options = built.provenance.options.get(view.name, {})
        self.rules = [*self._of_columns(), *self._derived()]
        self.by_turn = self.columns.turn_index is not None or self.columns.nested is not None
        self.rows = np.zeros(len(turns.index if self.by_turn else turns.lengths), np.int64)
        # Rule and field → in which files which turns (or conversations) break it.
        self.wrong: dict[tuple[str, str], list[tuple[str, Indices]]] = {}
        self.beyond: list[tuple[str, list[str]]] = []

    def _of_columns(self) -> Iterator[Derived]:
        columns, turns = self.columns, self.turns
        for rule, name, other in (
            (TEXTS, columns.text, turns.text),
            (AGENTS, columns.agent, turns.agent),
            *((LABELS, name, name) for name in columns.labels),
        ):
            if name and other in turns.columns:
                yield _same_column(rule, name, other)
        if columns.sources and turns.sources:
            yield _same_lists(SOURCES, columns.sources, turns.sources)
        for name in columns.whole:
            if name in turns.whole:
                yield _same_whole(name)

    def _derived(self) -> Iterator[Derived]:
        for rule in self.view.derived:
            if all(name in self.turns.columns for name in rule.needs):
                yield rule

    def run(self, found: Findings) -> None:
        """Compare all rows, and add what was found."""
        columns = self.columns
        names = tuple(dict.fromkeys(name for rule in self.rules for name in rule.columns))
        if columns.nested:
            wanted = [columns.nested, *(name for name in names if name in columns.whole)]
        else:
            wanted = [*names, *filter(None, [columns.turn_index])]
        wanted = [self.view.id_column, *wanted]
        for path, batch in read_rows(self.built, self.view, self.split, wanted):
            self._compare(path, flat_rows(self.view, batch, names), found)
        found.problems.extend(self._problems())
        found.problems.extend(self._missing(found))

    def _compare(self, path: str, flat: FlatRows, found: Findings) -> None:
        turns = self.turns
        numbers = pc.index_in(plain(flat.ids), value_set=turns.ids)
        conversation = np.asarray(numbers.fill_null(-1), np.int64)
        kept = conversation >= 0  # for others see the rule on keys
        if flat.index is not None:
            inside = (flat.index >= 0) & (flat.index < turns.lengths[conversation])
            strange = np.flatnonzero(kept & ~inside)
            if len(strange):
                ids = flat.ids.take(pa.array(strange)).to_pylist()
                numbers = flat.index[strange].tolist()
                shown = [f"{i} turn {n}" for i, n in zip(ids, numbers, strict=True)]
                self.beyond.append((path, shown))
            kept &= inside
        columns = flat.columns
        if not kept.all():
            conversation = conversation[kept]
            columns = {name: column.filter(pa.array(kept)) for name, column in columns.items()}
        if not len(conversation):
            return
        units = place = turns.starts[conversation]
        if flat.index is None:
            units = conversation
        else:
            units = place = place + flat.index[kept]
        self.rows += np.bincount(units, minlength=len(self.rows))
        rows = DerivedRows(columns, turns, conversation, place, self.options)
        for rule in self.rules:
            for name, flags in rule.wrong(rows).items():
                found.count(name, len(flags))
                if flags.any():
                    key = (name, ", ".join(rule.columns))
                    self.wrong.setdefault(key, []).append((path, units[flags]))

    def _problems(self) -> Iterator[str]:
        place = f"{self.view.name}/{self.split}"
        if self.beyond:
            rows = [(path, row) for path, shown in self.beyond for row in shown]
            shown = ", ".join(f"{row} in {path}" for path, row in rows[:MOST_SHOWN])
            yield (
                f"{place}: turn_index: {len(rows):,} rows speak of turns that are not in "
                f"{self.base}, such as {shown}"
            )
        for (name, field), parts in self.wrong.items():
            files: dict[int, str] = {}
            for path, units in parts:
                for unit in units[: MOST_SHOWN * 100].tolist():
                    files.setdefault(unit, path)
            count = len(np.unique(np.concatenate([units for _, units in parts])))
            shown = self._show(np.array(list(files)[:MOST_SHOWN]), list(files.values()))
            words = WORDS.get(name, f"with other {name} than those that follow from")
            yield (
                f"{place}: {field}: {count:,} {self._unit(count)} {words} {self.base}, "
                f"such as {shown}"
            )

    def _missing(self, found: Findings) -> Iterator[str]:
        place = f"{self.view.name}/{self.split}"
        owner, count = self.turns.conversation, len(self.turns.lengths)
        if self.columns.expected is not None:
            expected = self.columns.expected(self.turns, self.options)
        elif self.columns.unbroken:
            # A turn has as many rows as the next one has, at least.
            expected = np.append(self.rows[1:], 0)
            expected[self.turns.starts[self.turns.lengths > 0][1:] - 1] = 0
        else:
            return
        missing = self.rows < expected
        if self.by_turn:
            found.count(TURNS, int((expected > 0).sum()))
            absent = np.bincount(owner, expected > 0, count) > 0
            absent &= np.bincount(owner, self.rows, count) == 0
            missing &= ~absent[owner]
        else:
            absent, missing = missing, missing[:0]
        if self.columns.expected is not None:
            wanted = np.bincount(owner, expected > 0, count) > 0 if self.by_turn else expected
            found.count(CONVERSATIONS, int((wanted > 0).sum()))
        if absent.any():
            shown = self._ids(np.flatnonzero(absent)[:MOST_SHOWN])
            number = int(absent.sum())
            yield (
                f"{place}: {number:,} conversation{'s' if number != 1 else ''} of {self.base} "
                f"{'are' if number != 1 else 'is'} missing, such as {', '.join(shown)}"
            )
        if missing.any():
            units = np.flatnonzero(missing)
            yield (
                f"{place}: rows are missing for {len(units):,} {self._unit(len(units))} of "
                f"{self.base}, such as {self._show(units[:MOST_SHOWN])}"
            )

    def _unit(self, count: int) -> str:
        return ("turn" if self.by_turn else "conversation") + ("s" if count != 1 else "")

    def _ids(self, conversations: Indices) -> list[str]:
        return [str(i) for i in self.turns.ids.take(pa.array(conversations)).to_pylist()]

    def _show(self, units: Indices, files: list[str] | None = None) -> str:
        if self.by_turn:
            ids = self._ids(self.turns.conversation[units])
            names = [f"{i} turn {n}" for i, n in zip(ids, self.turns.index[units], strict=True)]
        else:
            names = self._ids(units)
        if files is not None:
            names = [f"{name} in {path}" for name, path in zip(names, files, strict=False)]
        return ", ".join(names)


def _same_column(rule: str, name: str, other: str | None) -> Derived:
    def wrong(rows: DerivedRows) -> Mapping[str, Flags]:
        return {rule: texts_differ(rows.columns[name], rows.turns.texts(other), rows.place)}

    return Derived((name,), wrong)


def _same_lists(rule: str, name: str, other: str) -> Derived:
    def wrong(rows: DerivedRows) -> Mapping[str, Flags]:
        lists = rows.turns.lists(other)
        lengths = lists.lengths[rows.place]
        places = number_ranges(lists.starts[rows.place], lengths)
        return {rule: lists_differ(rows.columns[name], lists.texts, lengths, places)}

    return Derived((name,), wrong)


def _same_whole(name: str) -> Derived:
    def wrong(rows: DerivedRows) -> Mapping[str, Flags]:
        texts = rows.turns.whole_texts(name)
        return {WHOLE: texts_differ(rows.columns[name], texts, rows.conversation)}

    return Derived((name,), wrong)
