"""Write a split of a built folder as one file of JSON lines, which is whole or absent."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dialogue_builders.errors import FolderError, OptionError
from dialogue_builders.export.formats import (
    FORMATS,
    Format,
    Layout,
    find_format,
    leaves_out_opening,
)
from dialogue_builders.export.shapes import (
    REPLY,
    Row,
    Shape,
    chats_of,
    require_texts,
    shape_of,
    turns_fault,
)
from dialogue_builders.folder.built import BuiltFolder, open_built_folder
from dialogue_builders.folder.dialogues import resolve_split
from dialogue_builders.folder.staging import explain_os_errors, sync
from dialogue_builders.spec.view import View

ENTRIES = "dataset_info.json"
# Rows become Python objects a few at a time, so that memory stays that of a row group.
ROWS_AT_ONCE = 64


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote.

    Attributes:
        out: the file; None for a stream that was given.
        rows: its lines.
        entry: what LLaMA-Factory's `dataset_info.json` says of the file; empty for other formats.
        openings_left_out: replies whose history begins with a turn of the assistant's, which has
            no place among pairs.
        restrictions: why the rows may not simply be published.
    """

    out: Path | None
    rows: int
    entry: dict[str, Any]
    openings_left_out: int
    restrictions: tuple[str, ...]


def export_split(
    folder: str | Path,
    config: str,
    split: str,
    *,
    format: str,
    out: str | Path | IO[str],
    overwrite: bool = False,
) -> ExportReport:
    """Write one split of a built folder's config for a program that wants another shape.

    Args:
        folder: the built folder.
        config: the config's name; an alias is one too.
        split: the name of its split.
        format: `openai`, `llama-factory` or `ms-swift`.
        out: the file to make, or a text stream to write to. With `llama-factory` a file gets its
            entry, by the file's name without its ending, in the `dataset_info.json` beside it;
            other entries stay.
        overwrite: replace a file that is there already.

    Returns:
        what was written, and what is to be known of it.

    Raises:
        UnknownNameError, FolderError: the folder has no such config or split, the file can't be
            written, or a row can't be trained on.
        OptionError: the format can't take the config.
    """
    built = open_built_folder(folder)
    wanted = find_format(format)
    view, raw_split = resolve_split(built, config, split)
    schema = view.features().arrow_schema
    shape = shape_of(schema)
    layout = wanted.layout(shape)
    if layout is None or shape is None:
        raise _cannot_take(built, wanted, config)
    if not built.rows(view.name, raw_split):
        raise FolderError(
            f"the split {split} of the config {config} holds no rows to train on",
            next_step="choose another split",
        )
    writer = _Writer(wanted, shape, layout, view)
    with built.explained(view.name):
        rows = _rows(built, view, raw_split, shape)
        if isinstance(out, (str, Path)):
            path: Path | None = Path(os.path.abspath(Path(out).expanduser()))
            assert path is not None
            entry = {**layout.entry, "file_name": path.name} if layout.entry else {}
            with explain_os_errors(path), _staged(path, overwrite, entry) as file:
                writer.write(rows, file)
        else:
            path, entry = None, dict(layout.entry)
            writer.write(rows, out)
    return ExportReport(path, writer.rows, entry, writer.openings_left_out, built.restrictions)


def _cannot_take(built: BuiltFolder, wanted: Format, config: str) -> OptionError:
    """Make the error for a config that a format can't take; it names what can."""
    shapes = {
        name: shape_of(built.corpus.view_of(name).features().arrow_schema)
        for name in built.configs()
    }
    taken = [name for name, shape in shapes.items() if wanted.layout(shape)]
    others = [each.name for each in FORMATS if each.layout(shapes[config])]
    steps = [f"with {wanted.name}, export {' or '.join(taken)}"] if taken else []
    steps += [f"{config} can be exported as {' or '.join(others)}"] if others else []
    return OptionError(
        f"{wanted.title} has no form for rows of the config {config}: it takes rows that are "
        f"{' or '.join(f'a {name}' for name in wanted.layouts)}, by their columns",
        next_step="; ".join(steps) or "build a config such as messages",
    )


def _rows(built: BuiltFolder, view: View, split: str, shape: Shape) -> Iterator[Row]:
    columns = list(dict.fromkeys([*view.key, *shape.columns]))
    for batch in built.read(view.name, split, columns):
        for first in range(0, batch.num_rows, ROWS_AT_ONCE):
            yield from batch.slice(first, ROWS_AT_ONCE).to_pylist()


class _Writer:
    """Turns rows into lines, and counts what it meets."""

    def __init__(self, wanted: Format, shape: Shape, layout: Layout, view: View) -> None:
        self.wanted, self.shape, self.layout, self.view = wanted, shape, layout, view
        self.rows = 0
        self.openings_left_out = 0

    def write(self, rows: Iterator[Row], file: IO[str]) -> None:
        """Write a line for each row.

        Raises:
            FolderError: a row can't be trained on.
        """
        for row in rows:
            self._require_trainable(row)
            self.openings_left_out += self.shape is REPLY and leaves_out_opening(row)
            file.write(json.dumps(self.layout.line(row), ensure_ascii=False) + "\n")
            self.rows += 1

    def _require_trainable(self, row: Row) -> None:
        def place() -> str:
            return ", ".join(str(row[column]) for column in self.view.key)

        require_texts(row, self.shape, place)
        for chat in chats_of(row, self.shape):
            fault = turns_fault(chat, strict=self.wanted.strict)
            if fault:
                raise FolderError(
                    f"{fault}, so {self.wanted.title} would drop it",
                    record=place(),
                    next_step="build the config with its default options, whose chats all begin "
                    "with the user, alternate, and end with the assistant",
                )


@contextmanager
def _staged(out: Path, overwrite: bool, entry: dict[str, Any]) -> Iterator[IO[str]]:
    """Give a file that is put at its place, with its entry beside it, when the block ends well."""
    _require_free(out, overwrite)
    out.parent.mkdir(parents=True, exist_ok=True)
    entries = _with_entry(out, entry) if entry else None
    with _temporary(out) as (file, put):
        yield file
        file.flush()
        if entries is None:
            put()
            return
        with _temporary(out.parent / ENTRIES) as (listing, put_listing):
            listing.write(json.dumps(entries, ensure_ascii=False, indent=2) + "\n")
            listing.flush()
            put()
            put_listing()


@contextmanager
def _temporary(out: Path) -> Iterator[tuple[IO[str], Callable[[], None]]]:
    """Give a file beside its place, and what puts it there; without that, nothing is left."""
    temporary = out.parent / f".{out.name}.exporting-{secrets.token_hex(4)}"

    def put() -> None:
        sync(temporary)
        os.replace(temporary, out)
        sync(out.parent)

    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            yield file, put
    finally:
        temporary.unlink(missing_ok=True)


def _require_free(out: Path, overwrite: bool) -> None:
    """Raise a FolderError where something is at the output's place that may not be replaced."""
    if not os.path.lexists(out):
        return
    if not out.is_file():
        raise FolderError(f"{str(out)!r} is no file", next_step="choose another path")
    if not overwrite:
        raise FolderError(
            f"{str(out)!r} exists already", next_step="choose another path, or add --overwrite"
        )


def _with_entry(out: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of the `dataset_info.json` beside the output, with the output's.

    Raises:
        FolderError: that file is none of LLaMA-Factory's, or its entry of that name is another's.
    """
    listing = out.parent / ENTRIES
    if out == listing:
        raise FolderError(
            f"{ENTRIES} is the list of LLaMA-Factory's files", next_step="choose another name"
        )
    try:
        entries = json.loads(listing.read_text("utf-8")) if listing.exists() else {}
    except ValueError:
        entries = None
    if not isinstance(entries, dict):
        raise FolderError(
            f"{str(listing)!r} is not a JSON object, so no entry can be added",
            next_step="choose a folder of its own, or mend that file",
        )
    there = entries.get(out.stem)
    if there is not None and (not isinstance(there, dict) or there.get("file_name") != out.name):
        raise FolderError(
            f"{str(listing)!r} has an entry {out.stem!r} already, for something else",
            next_step="choose another name for the file",
        )
    return {**entries, out.stem: entry}
