"""A folder as older versions laid it: `<config>/<split>-…`, with a card that says so."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import yaml


def as_older_version(folder: Path, place: Path) -> Path:
    """Copy a built folder, move its shards to where older versions laid them, and state that."""
    older = Path(shutil.copytree(folder, place))
    for data in sorted(older.glob("*/data")):
        for shard in data.iterdir():
            shard.rename(data.parent / shard.name)
        data.rmdir()
    for card in older.glob("README*.md"):
        _, front, body = card.read_text("utf-8").split("---\n", 2)
        matter = yaml.safe_load(front)
        for config in matter["configs"]:
            digest = hashlib.sha256()
            for part in config["data_files"]:
                part["path"] = part["path"].replace("/data/", "/")
                for shard in sorted(older.glob(part["path"])):
                    content = hashlib.sha256(shard.read_bytes()).hexdigest()
                    digest.update(f"{shard.relative_to(older).as_posix()} {content}\n".encode())
            config["description"] = f"sha256:{digest.hexdigest()}"
        front = yaml.safe_dump(matter, sort_keys=False, allow_unicode=True)
        # What older cards did not say yet.
        snippet = body[body.index("\n```sql") : body.index("<!-- end: files -->")]
        card.write_text(f"---\n{front}---\n{body.replace(snippet, '')}", "utf-8")
    return older


def lay_both(folder: Path, place: Path) -> Path:
    """Copy a built folder over one of an older version, as an upload that deletes nothing does."""
    both = as_older_version(folder, place)
    shutil.copytree(folder, both, dirs_exist_ok=True)
    return both
