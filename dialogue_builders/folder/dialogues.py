"""The dialogues of a built folder, as a person reads them, with what other configs say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from dialogue_builders.errors import FolderError, unknown_name
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.spec.dialogue import DialogueView, Label, Rows, Turn
from dialogue_builders.spec.view import View

# So many rows at a time become Python objects; a chat or a reading set is large.
ROWS_AT_A_TIME = 64

Annotate = Callable[[DialogueView], DialogueView]


def resolve_split(built: BuiltFolder, config: str, split: str) -> tuple[View, str]:
    """Return the view that a config's split is read from, and that view's name for the split.

    Raises:
        FolderError, UnknownNameError: the folder has no such config or split.
    """
    served = built.configs()
    if config not in served:
        built.corpus.config(config)
        raise FolderError(
            f"{str(built.path)!r} holds no config {config}; it has {', '.join(served)}",
            next_step="build that config too",
        )
    _, splits = served[config]
    if split not in splits:
        raise unknown_name(f"split of the config {config} in this folder", split, splits)
    return built.corpus.view_of(config), splits[split]


def read_conversations(built: BuiltFolder, view: View, split: str) -> Iterator[Rows]:
    """Yield the rows of one conversation after the other; a row each where a view shows nothing."""

    def rows() -> Iterator[Mapping[str, Any]]:
        for batch in built.read(view.name, split):
            for first in range(0, batch.num_rows, ROWS_AT_A_TIME):
                yield from batch.slice(first, ROWS_AT_A_TIME).to_pylist()

    if view.show is None:
        yield from ([row] for row in rows())
        return
    for _, group in groupby(rows(), key=lambda row: row[view.id_column]):
        yield list(group)


def show_rows(view: View, rows: Rows) -> DialogueView:
    """Return the dialogue that the rows of one conversation make."""
    return view.show(rows) if view.show else plain_rows(rows)


def plain_rows(rows: Rows) -> DialogueView:
    """Show rows of a view that is no dialogue: each field beside its name."""
    return DialogueView(
        str(next(iter(rows[0].values()))),
        [Turn(name, str(value)) for row in rows for name, value in row.items()],
    )


def read_dialogues(
    built: BuiltFolder, view: View, split: str, beside: Sequence[BuiltFolder] = ()
) -> Iterator[DialogueView]:
    """Yield the dialogues of a split, with what other configs say of them.

    Args:
        split: by the view's own name for it.
        beside: more folders whose rows are shown beside the dialogues.

    Raises:
        FolderError: a folder of `beside` has nothing to show here.
    """
    annotate = find_annotations(built, view, split, beside)
    for rows in read_conversations(built, view, split):
        with built.explained(view.name):
            dialogue = annotate(show_rows(view, rows))
        yield dialogue


def find_annotations(
    built: BuiltFolder, view: View, split: str, beside: Sequence[BuiltFolder] = ()
) -> Annotate:
    """Return a function that adds to a dialogue what other configs say of it.

    Raises:
        FolderError: a folder of `beside` has nothing to show here.
    """
    found = list(_of_folder(built, built, view, split))
    for other in beside:
        of_other = list(_of_folder(other, built, view, split))
        if not of_other:
            raise FolderError(
                f"{str(other.path)!r} holds nothing that is shown beside {view.name} of "
                f"{built.corpus.name}",
                next_step="leave it out, or build the configs that belong to these dialogues",
            )
        found += of_other

    def annotate(dialogue: DialogueView) -> DialogueView:
        for add in found:
            dialogue = add(dialogue)
        return dialogue

    return annotate


def _of_folder(
    folder: BuiltFolder, shown: BuiltFolder, view: View, split: str
) -> Iterator[Annotate]:
    """Yield the annotations of one folder for a view of `shown`."""
    is_own = folder.corpus.name == shown.corpus.name
    target = view.name if is_own else f"{shown.corpus.name}/{view.name}"
    for other in folder.corpus.views:
        if other.annotation is None or target not in other.annotation.to:
            continue
        # Keys join within a split; another corpus has splits of its own.
        splits = [s for s in folder.files.get(other.name, {}) if s == split or not is_own]
        if splits:
            yield _annotation(folder, other, splits)


def _annotation(folder: BuiltFolder, view: View, splits: Sequence[str]) -> Annotate:
    annotation = view.annotation
    assert annotation is not None
    batches = (batch for split in splits for batch in folder.read(view.name, split))
    joined = JoinedRows(batches, annotation.join_column)

    def annotate(dialogue: DialogueView) -> DialogueView:
        rows = joined.of(dialogue.id)
        return annotation.add(dialogue, rows) if rows else dialogue

    return annotate


class JoinedRows:
    """Rows by a column's value. They stay in Arrow's memory until they are asked for."""

    def __init__(self, batches: Iterator[pa.RecordBatch], column: str) -> None:
        self._batches = list(batches)
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, batch in enumerate(self._batches):
            for row, value in enumerate(batch[column].to_pylist()):
                if value is not None:
                    self._places.setdefault(value, []).append((number, row))

    def of(self, value: str) -> Rows:
        """Return the rows that have a value in the column, in their order."""
        places = self._places.get(value, ())
        return [self._batches[number].slice(row, 1).to_pylist()[0] for number, row in places]


def facets(dialogue: DialogueView) -> list[Label]:
    """Return by what a dialogue is filtered: its own labels' and its turns', each once."""
    every = [*dialogue.labels, *(label for turn in dialogue.turns for label in turn.labels)]
    return list(dict.fromkeys(label for label in every if label.is_facet))
