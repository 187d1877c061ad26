"""What lies in a built folder: the one list by which it is checked and pushed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dialogue_builders.folder.layout import CARD_NAME, DATA_FOLDER, parse_shard_path
from dialogue_builders.spec.corpus import Corpus

FIGURES = "figures"
LICENSE_NAMES = ("LICENSE", "LICENSE.md", "LICENSE.txt")
# What the tools that carry a folder keep in it for themselves: `hf download --local-dir`, and Git.
# It is neither checked, nor pushed, nor deleted. `.gitattributes` is the Hub's own: it says which
# files are stored as large ones.
BOOKKEEPING = (".cache/huggingface", ".git", ".gitattributes")
TRANSLATED_CARD = re.compile(r"README\.[a-z]{2,3}(-\w+)?\.md")


def list_files(folder: Path, corpus: Corpus) -> list[str]:
    """List every file of a folder by its path within it, with slashes, in order.

    Bookkeeping of others is left out. A link to a folder is followed only where a build itself puts
    a folder; any other one is listed as it is, and so are broken links.
    """
    places = {FIGURES}
    for view in corpus.views:
        places.update((view.name, f"{view.name}/{DATA_FOLDER}"))

    def walk(place: Path, prefix: str) -> Iterator[str]:
        for path in sorted(place.iterdir()):
            name = f"{prefix}{path.name}"
            if name in BOOKKEEPING:
                continue
            if path.is_dir() and (name in places or not path.is_symlink()):
                yield from walk(path, f"{name}/")
            else:
                yield name

    return sorted(walk(folder, ""))


def belongs(name: str, corpus: Corpus) -> bool:
    """Whether a file may lie in the folder: a shard, a card, a drawing or a licence, in its place.

    What merely resembles one of them elsewhere does not.
    """
    if name in (CARD_NAME, *LICENSE_NAMES) or TRANSLATED_CARD.fullmatch(name):
        return True
    shard = parse_shard_path(name, corpus)
    if shard is not None:
        return shard.split in corpus.splits_of(shard.view)
    place, _, drawing = name.partition("/")
    return place == FIGURES and drawing != "" and "/" not in drawing
