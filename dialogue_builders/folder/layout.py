"""Names and places of the files in a built folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from dialogue_builders.errors import FolderError
from dialogue_builders.spec.corpus import Corpus

CARD_NAME = "README.md"
# Readers that go past the card tell splits apart by this folder's name. In `<config>/` itself they
# would take `valid_freq` and `valid_rare` for two parts of `validation`.
DATA_FOLDER = "data"
# Older versions had no folder of that name.
SHARD_PATH = re.compile(
    rf"(?P<view>[^/]+)/(?P<data>{DATA_FOLDER}/)?"
    r"(?P<split>\w+)-(?P<number>[0-9]{5})-of-(?P<shards>[0-9]{5})\.parquet"
)


@dataclass(frozen=True)
class ShardPath:
    """What a shard's path tells of it.

    Attributes:
        view: its config.
        split: of that config.
        number: its place among the split's shards, from 0.
        shards: how many the split has.
        is_older: whether it lies where older versions laid it, in `<config>/`.
    """

    view: str
    split: str
    number: int
    shards: int
    is_older: bool


def parse_shard_path(path: str, corpus: Corpus) -> ShardPath | None:
    """Read the path of a file, within a folder or repository; None where no build wrote it there.

    Args:
        path: with slashes.
        corpus: it says which views and splits there are.
    """
    match = SHARD_PATH.fullmatch(path)
    if match is None or match["split"] not in corpus.splits:
        return None
    if match["view"] not in (view.name for view in corpus.views):
        return None
    return ShardPath(
        match["view"],
        match["split"],
        int(match["number"]),
        int(match["shards"]),
        is_older=match["data"] is None,
    )


def shard_paths(folder: Path, view: str, split: str, wanted: int, rows: int) -> list[Path]:
    """Return where the shards of a split lie; there are at most as many as rows, and at least one.

    Args:
        wanted: how many shards there should be.
        rows: of the split.
    """
    count = max(1, min(wanted, rows))
    place = folder / view / DATA_FOLDER
    return [place / f"{split}-{k:05d}-of-{count:05d}.parquet" for k in range(count)]


def shard_pattern(path: str) -> str:
    """Return the pattern of a split's files from the path of one of them.

    It never matches those of another shard count.
    """
    return re.sub(r"-[0-9]{5}-of-", "-*-of-", path)


def engine_path(view: str, split: str | None = None) -> str:
    """Return the pattern by which query engines read a split of a view, or (None) all of them."""
    return f"{view}/{DATA_FOLDER}/{'*' if split is None else f'{split}-*'}.parquet"


def require_loadable_path(folder: Path) -> None:
    """Raise a FolderError for a path that `datasets.load_dataset` can't open.

    The library hands paths to fsspec, which takes some characters as a pattern and `::` as a chain
    of addresses: it then finds nothing, or a neighbour's files too.
    """
    path = str(folder.expanduser().resolve())
    unreadable = [sign for sign in ("*", "?", "[", "::") if sign in path]
    if unreadable:
        raise FolderError(
            f"a folder {path!r} can't be loaded by its path: datasets.load_dataset reads "
            f"{' and '.join(map(repr, unreadable))} in it as a pattern",
            next_step="choose another output folder",
        )
