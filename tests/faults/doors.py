"""Every door that raw files come in by: each gives rows, or one of our errors."""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
from raw_kinds import RawKind, Rows

import dialogue_builders
from dialogue_builders import DialogueBuildersError
from dialogue_builders.cli.main import main

_numbers = itertools.count()


class CommandError(Exception):
    """What the command line says when it ends with an error."""


Refusal = DialogueBuildersError | CommandError
Door = Callable[[RawKind, Path, Path], Rows]


def read_folder(kind: RawKind, folder: Path) -> Rows:
    """Read what was built with a reader that isn't ours."""
    files = sorted((folder / kind.config / "data").glob(f"{kind.split}-*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def by_build(kind: RawKind, raw: Path, place: Path) -> Rows:
    dialogue_builders.build(
        kind.corpus, place / "out", data_dir=raw, configs=[kind.config], splits=[kind.split]
    )
    return read_folder(kind, place / "out")


def by_command(kind: RawKind, raw: Path, place: Path) -> Rows:
    """The command in this process: an exception that it does not catch is a traceback."""
    arguments = ["build", kind.corpus, "--data-dir", str(raw), "--out", str(place / "out")]
    arguments += ["--config", kind.config, "--split", kind.split]
    said = io.StringIO()
    code: Any = 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            main(arguments, prog_name="dialogue-builders")
        except SystemExit as end:
            code = end.code
    if code:
        raise CommandError(said.getvalue())
    return read_folder(kind, place / "out")


def by_name(kind: RawKind, raw: Path, place: Path) -> Rows:
    found = dialogue_builders.load_dataset(
        kind.corpus,
        kind.config,
        split=kind.split,
        data_dir=str(raw),
        cache_dir=str(place / "cache"),
    )
    return plain(found)


def by_stream(kind: RawKind, raw: Path, place: Path) -> Rows:
    found = dialogue_builders.load_dataset(
        kind.corpus, kind.config, split=kind.split, data_dir=str(raw), streaming=True
    )
    return plain(found)


def by_registration(kind: RawKind, raw: Path, place: Path) -> Rows:
    dialogue_builders.register()
    try:
        found = datasets.load_dataset(
            kind.corpus,
            kind.config,
            split=kind.split,
            splits=[kind.split],  # the stock library prepares every split
            data_dir=str(raw),
            cache_dir=str(place / "cache"),
        )
    finally:
        dialogue_builders.unregister()
    return plain(found)


def plain(found: Any) -> Rows:
    """Return the rows of a dataset or a stream."""
    return [dict(row) for row in found]


DOORS: dict[str, Door] = {
    "build": by_build,
    "command": by_command,
    "name": by_name,
    "stream": by_stream,
    "registration": by_registration,
}


def enter(door: str, kind: RawKind, raw: Path, place: Path) -> Rows | Refusal:
    """Return the rows or the refusal; any other exception is a finding, and goes on."""
    place = place / f"{door}-{next(_numbers)}"
    place.mkdir()
    try:
        rows = DOORS[door](kind, raw, place)
    except (DialogueBuildersError, CommandError) as refusal:
        assert not list(place.rglob("*.parquet")), "something partial stayed"
        assert not list(place.rglob("*.arrow")), "something partial stayed"
        assert not (place / "out").exists(), "something partial stayed"
        return refusal
    return rows
