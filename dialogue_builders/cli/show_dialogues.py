"""`head`: dialogues of a built folder, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from dialogue_builders.cli.terminal import print_dialogue, print_json
from dialogue_builders.errors import FolderError, unknown_name
from dialogue_builders.folder.built import BuiltFolder, open_built_folder
from dialogue_builders.spec.view import DialogueView, View


def show_dialogues(folder: Path, config: str, split: str, count: int, as_json: bool) -> None:
    """Show the first `count` dialogues of a config's split.

    Raises:
        FolderError, UnknownNameError: the folder has no such config or split.
    """
    built = open_built_folder(folder)
    served = built.configs()
    if config not in served:
        built.corpus.config(config)
        raise FolderError(
            f"{str(folder)!r} holds no config {config}; it has {', '.join(served)}",
            next_step="build that config too",
        )
    _, splits = served[config]
    if split not in splits:
        raise unknown_name(f"split of the config {config} in this folder", split, splits)
    view = built.corpus.view_of(config)
    found = list(islice(first_dialogues(built, view, splits[split]), count))
    if as_json:
        print_json([row for rows in found for row in rows])
        return
    with built.explained(view.name):
        for rows in found:
            print_dialogue(view.show(rows) if view.show else plain_rows(rows))


def first_dialogues(
    built: BuiltFolder, view: View, split: str
) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the rows of one conversation after the other."""

    def rows() -> Iterator[Mapping[str, Any]]:
        for batch in built.read(view.name, split):
            for first in range(0, batch.num_rows, 64):
                yield from batch.slice(first, 64).to_pylist()

    if view.show is None:
        yield from ([row] for row in rows())
        return
    for _, group in groupby(rows(), key=lambda row: row[view.id_column]):
        yield list(group)


def plain_rows(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show rows of a view that is no dialogue: each field beside its name."""
    return DialogueView(
        str(next(iter(rows[0].values()))),
        [(name, str(value), "") for row in rows for name, value in row.items()],
    )
