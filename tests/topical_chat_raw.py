"""Raw Topical-Chat folders for tests: the invented sample, as it is or changed; the real files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from topical_chat.sample import files

REAL = Path(
    os.environ.get("TOPICAL_CHAT_RAW")
    or Path(__file__).resolve().parents[2] / "shared" / "data" / "Topical-Chat"
)
REAL_SPLITS = ("valid_freq", "test_freq", "test_rare")


def write_raw(folder: Path, *, post_build: bool = False, only: tuple[str, ...] = ()) -> Path:
    """Write the sample as a raw folder; with `only`, no file but those with these beginnings."""
    for name, content in files(post_build).items():
        if not only or name.startswith(only):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return folder


def sample_json(name: str, *, post_build: bool = False) -> Any:
    """Return one file of the sample, as plain JSON."""
    return json.loads(files(post_build)[name])


def change_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file in place."""
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value), "utf-8")


def real_json(name: str) -> Any:
    """Return one real file, as plain JSON."""
    return json.loads((REAL / name).read_bytes())


def built_rows(report: Any, view: str, split: str) -> list[dict[str, Any]]:
    """Return the rows of one split of a built folder, in order, read from its Parquet files."""
    files = sorted((report.folder / view).glob(f"{split}-*.parquet"))
    assert files, f"{view}/{split} was not built"
    return [row for file in files for row in pq.read_table(file).to_pylist()]
