"""Raw Topical-Chat folders for tests: the invented sample, as it is or changed on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from topical_chat.sample import files


def write_raw(folder: Path, *, post_build: bool = False, only: tuple[str, ...] = ()) -> Path:
    """Write the sample as a raw folder; with `only`, no file but those with these beginnings."""
    for name, content in files(post_build).items():
        if not only or name.startswith(only):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return folder


def put_post_build_in_place_of_pre_build(raw: Path) -> None:
    """Lay post-build reading sets where pre-build ones usually lie, as people do."""
    for file in sorted((raw / "reading_sets/post-build").iterdir()):
        file.replace(raw / "reading_sets/pre-build" / file.name)
    (raw / "reading_sets/post-build").rmdir()


def sample_json(name: str, *, post_build: bool = False) -> Any:
    """Return one file of the sample, as plain JSON."""
    return json.loads(files(post_build)[name])


def change_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file in place."""
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value), "utf-8")


def read_json(path: Path) -> Any:
    """Return a raw file, as plain JSON."""
    return json.loads(path.read_bytes())


def built_rows(built: Any, view: str, split: str) -> list[dict[str, Any]]:
    """Return the rows of one split, in order, read from the Parquet files of a folder.

    `built` is the folder, or the report of the build that made it.
    """
    folder: Path = getattr(built, "folder", built)
    files = sorted((folder / view / "data").glob(f"{split}-*.parquet"))
    assert files, f"{view}/{split} was not built"
    return [row for file in files for row in pq.read_table(file).to_pylist()]
