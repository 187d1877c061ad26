"""Merge a card with the one that a repository has: ours is renewed, what others wrote stays.

- Front matter: our keys are replaced, others are kept. `configs` and `dataset_info` are lists by
  config: our configs are replaced, others are kept after them.
- Prose that nobody edited is replaced by the new one. Edited prose is kept, and only its computed
  blocks are renewed; a block that it lacks is added at its end.
- A card without any of our blocks is somebody else's: its text is kept below ours.

Merging a second time changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from dialogue_builders.card.render import dump_yaml
from dialogue_builders.card.text import (
    BLOCK,
    KEPT,
    CardText,
    computed_blocks,
    is_edited,
    parse_card,
    prose_digest,
)
from dialogue_builders.errors import PushError

BY_CONFIG = ("configs", "dataset_info")
# They belong to `license`, and go with it where a new license does without them.
COMPANIONS_OF_LICENSE = ("license_name", "license_link")


def merge_cards(
    ours: str, theirs: str, *, name: str, own_configs: Collection[str]
) -> tuple[str, tuple[str, ...]]:
    """Return the card that a push writes, and one line for each thing worth telling about it.

    Args:
        ours: the built folder's card.
        theirs: the repository's card.
        name: the card's file name, for messages.
        own_configs: all configs of the corpus; the repository's entries for them are replaced.

    Raises:
        PushError: the repository's front matter can't be read, so that it can't be kept.
    """
    new, old = parse_card(ours), parse_card(theirs)
    notes: list[str] = []
    yaml = _merge_front_matter(new.yaml, old.yaml, name, own_configs, notes)
    body, kept = _merge_bodies(new, old, name, notes)
    return CardText(yaml, body, kept).to_text(), tuple(notes)


def _merge_front_matter(
    new: str, old: str, name: str, own_configs: Collection[str], notes: list[str]
) -> str:
    ours, theirs = _parse(new, name), _parse(old, name)
    merged = dict(ours)
    for key in BY_CONFIG:
        foreign = _foreign_entries(theirs.get(key), own_configs)
        if foreign and any("default" in entry for entry in ours.get(key, ())):
            foreign = [_without_default(entry, name, notes) for entry in foreign]
        if foreign:
            merged[key] = [*ours.get(key, ()), *foreign]
    dropped = COMPANIONS_OF_LICENSE if "license" in ours else ()
    for key, value in theirs.items():
        if key not in merged and key not in BY_CONFIG and key not in dropped:
            merged[key] = value
    # Untouched, it stays as it was rendered, byte by byte.
    return new if merged == ours else dump_yaml(merged)


def _parse(front_matter: str, name: str) -> dict[str, Any]:
    import yaml

    try:
        values = yaml.safe_load(front_matter) or {}
    except yaml.YAMLError as error:
        # A parser's message spans many lines; its first one says what is wrong.
        values = str(error).split("\n")[0]
    if isinstance(values, dict):
        return values
    raise PushError(
        f"the repository's front matter can't be read: {values}",
        file=name,
        next_step="mend it (or remove it) in the repository; then push again",
    )


def _foreign_entries(entries: Any, own_configs: Collection[str]) -> list[dict[str, Any]]:
    """Return the entries of configs that are not ours; a lone entry may stand without a list."""
    listed = entries if isinstance(entries, list) else [entries]
    return [
        entry
        for entry in listed
        if isinstance(entry, dict) and entry.get("config_name", "default") not in own_configs
    ]


def _without_default(entry: Mapping[str, Any], name: str, notes: list[str]) -> dict[str, Any]:
    """Take the mark of the default config away: a repository with two of them does not load."""
    if entry.get("default"):
        notes.append(f"{name}: {entry.get('config_name')} is no longer the default config")
    return {key: value for key, value in entry.items() if key != "default"}


def _merge_bodies(new: CardText, old: CardText, name: str, notes: list[str]) -> tuple[str, str]:
    """Return the merged body and the kept text."""
    blocks = computed_blocks(new.body)
    if not computed_blocks(old.body):
        foreign = old.body.strip()
        if not foreign:
            return new.body, old.kept or new.kept
        notes.append(f"{name}: the text that was there is kept below the new one")
        body = new.body.rstrip("\n") + "\n\n"
        return body, f"{KEPT}\n## What this page said before\n\n{foreign}\n{old.kept}"
    if not is_edited(old.body) or prose_digest(old.body) == prose_digest(new.body):
        # The empty line before kept text belongs to the merge, not to the rendered card.
        gap = "\n" if old.kept else ""
        return new.body.rstrip("\n") + "\n" + gap, old.kept or new.kept
    notes.append(f"{name}: its text was edited in the repository and stays; its tables are renewed")
    body = BLOCK.sub(lambda match: _renewed(match, blocks), old.body)
    missing = [block for block in blocks if block not in computed_blocks(old.body)]
    for block in missing:
        content = f"<!-- computed: {block} -->\n{blocks[block]}<!-- end: {block} -->"
        body = f"{body.rstrip()}\n\n{content}\n" + ("\n" if old.kept else "")
    return body, old.kept


def _renewed(match: re.Match[str], blocks: Mapping[str, str]) -> str:
    """Return a block with its new content; one that is no longer computed stays as it is."""
    return match["start"] + blocks.get(match["name"], match["content"]) + match["end"]
