"""`head`: dialogues of a built folder, as a person reads them."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from pathlib import Path

from dialogue_builders.cli.terminal import print_dialogue, print_json
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.folder.dialogues import (
    read_conversations,
    read_dialogues,
    resolve_split,
    show_rows,
)


def show_dialogues(
    folder: Path, config: str, split: str, count: int, as_json: bool, knowledge: bool
) -> None:
    """Show the first `count` dialogues of a config's split.

    Args:
        as_json: print the rows as they are; with `knowledge`, the dialogues as they are shown.
        knowledge: show what was read and what else other configs say of each turn too.

    Raises:
        FolderError, UnknownNameError: the folder has no such config or split.
    """
    built = open_built_folder(folder)
    view, own_split = resolve_split(built, config, split)
    if knowledge:
        dialogues = list(islice(read_dialogues(built, view, own_split), count))
        if as_json:
            print_json([asdict(dialogue) for dialogue in dialogues])
            return
        for dialogue in dialogues:
            print_dialogue(dialogue, in_full=True)
        return
    found = list(islice(read_conversations(built, view, own_split), count))
    if as_json:
        print_json([row for rows in found for row in rows])
        return
    with built.explained(view.name):
        for rows in found:
            print_dialogue(show_rows(view, rows))
