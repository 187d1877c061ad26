"""Names and places of the files in a built folder."""

from __future__ import annotations

import re
from pathlib import Path

CARD_NAME = "README.md"
SHARD_NAME = re.compile(r"(?P<split>\w+)-(?P<shard>\d{5})-of-(?P<shards>\d{5})\.parquet")


def shard_paths(folder: Path, view: str, split: str, wanted: int, rows: int) -> list[Path]:
    """Return where the shards of a split lie; there are at most as many as rows, and at least one.

    Args:
        wanted: how many shards there should be.
        rows: of the split.
    """
    count = max(1, min(wanted, rows))
    return [folder / view / f"{split}-{k:05d}-of-{count:05d}.parquet" for k in range(count)]


def shard_pattern(view: str, split: str, shards: int) -> str:
    """Return the pattern of one split's files; it never matches those of another shard count."""
    return f"{view}/{split}-*-of-{shards:05d}.parquet"
