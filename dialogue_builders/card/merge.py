"""Merge a card with the one that a repository has: ours is renewed, what others wrote stays.

- Front matter: our keys are replaced, others are kept as they are written (`1.10`, `no`, repeated
  keys, comments). `configs` and `dataset_info` are lists by config: our configs are replaced,
  others are kept after them. Nothing is ever made into values, so that none is rewritten, and
  aliases stay aliases, however much they stand for.
- Prose that nobody edited is replaced by the new one. Edited prose is kept, and only its computed
  blocks are renewed; a block that it lacks is added at its end.
- A card without any of our blocks is somebody else's: its text is kept below ours.

Merging a second time changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node

BY_CONFIG = ("configs", "dataset_info")
# They belong to `license`, and go with it where a new license does without them.
COMPANIONS_OF_LICENSE = ("license_name", "license_link")
MAPPING, LIST, STRING = (f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str"))
TRUE = ("true", "yes", "on")


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
    from yaml.nodes import ScalarNode, SequenceNode

    ours, theirs = _compose(new, name), _compose(old, name)
    head = list(ours.value)
    own = {_text(key): value for key, value in head}
    has_default = any(_get(entry, "default") for entry in _entries(own.get("configs")))
    joined = False
    for key in BY_CONFIG:
        foreign = _foreign_entries(_get(theirs, key), own_configs)
        if has_default and key == "configs":
            foreign = [_without_default(entry, name, notes) for entry in foreign]
        if foreign:
            listed = SequenceNode(LIST, [*_entries(own.get(key)), *foreign], flow_style=False)
            head = [(node, listed if _text(node) == key else value) for node, value in head]
            if key not in own:
                head.append((ScalarNode(STRING, key), listed))
            joined = True
    dropped = {*own, *BY_CONFIG, *(COMPANIONS_OF_LICENSE if "license" in own else ())}
    kept = [pair for pair in theirs.value if _text(pair[0]) not in dropped]
    if not joined and not kept:
        # Untouched, it stays as it was rendered, byte by byte.
        return new
    whole = _dump([*head, *kept], name)
    written = (_dump(head, name) if joined else new) + _source(old, theirs, kept)
    # As it was written, unless a part of it needs another one that has gone.
    try:
        same = _dump(_compose(written, name).value, name) == whole
    except PushError:
        same = False
    return written if same else whole


def _compose(front_matter: str, name: str) -> MappingNode:
    """Read front matter as far as its form: nothing is made into values."""
    import yaml
    from yaml.nodes import MappingNode

    found: object
    try:
        found = yaml.compose(front_matter, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        # A parser's message spans many lines; its first one says what is wrong.
        found = str(error).split("\n")[0]
    except RecursionError:
        found = "it is nested too deeply"
    if found is None:
        return MappingNode(MAPPING, [], flow_style=False)
    if isinstance(found, MappingNode):
        return found
    raise PushError(
        "the repository's front matter can't be read: "
        + (found if isinstance(found, str) else "it is no mapping of keys"),
        file=name,
        next_step="mend it (or remove it) in the repository; then push again",
    )


def _dump(pairs: list[tuple[Node, Node]], name: str) -> str:
    """Write nodes: scalars in the form that they have, and what is shared once."""
    import yaml
    from yaml.nodes import MappingNode

    node = MappingNode(MAPPING, pairs, flow_style=False)
    try:
        text: str = yaml.serialize(node, Dumper=yaml.SafeDumper, allow_unicode=True, width=100)
    except RecursionError:
        raise PushError(
            "the repository's front matter can't be kept: it is nested too deeply",
            file=name,
            next_step="mend it (or remove it) in the repository; then push again",
        ) from None
    return text


def _source(text: str, root: MappingNode, kept: list[tuple[Node, Node]]) -> str:
    """Return the lines of some keys as they are written, with the comments directly above them."""
    lines = text.splitlines(keepends=True)
    starts = []
    for key, _ in root.value:
        start = int(key.start_mark.line)
        while start and lines[start - 1].startswith("#"):
            start -= 1
        starts.append(start)
    ends = [*starts[1:], len(lines)]
    chosen = {id(key) for key, _ in kept}
    parts = [
        "".join(lines[start:end])
        for (key, _), start, end in zip(root.value, starts, ends, strict=True)
        if id(key) in chosen
    ]
    return "".join(part if part.endswith("\n") else part + "\n" for part in parts)


def _text(node: Node | None) -> str | None:
    """Return a scalar as it is written; None for everything else."""
    from yaml.nodes import ScalarNode

    return str(node.value) if isinstance(node, ScalarNode) else None


def _get(node: Node | None, key: str) -> Node | None:
    """Return a mapping's value; the last one where the key is repeated, as all readers do."""
    from yaml.nodes import MappingNode

    pairs = node.value if isinstance(node, MappingNode) else []
    found: list[Node] = [value for name, value in pairs if _text(name) == key]
    return found[-1] if found else None


def _entries(node: Node | None) -> list[Node]:
    """Return the entries of a list by config; a lone entry may stand without a list."""
    from yaml.nodes import SequenceNode

    if node is None:
        return []
    return list(node.value) if isinstance(node, SequenceNode) else [node]


def _foreign_entries(node: Node | None, own_configs: Collection[str]) -> list[Node]:
    """Return the entries of configs that are not ours."""
    from yaml.nodes import MappingNode

    return [
        entry
        for entry in _entries(node)
        if isinstance(entry, MappingNode)
        and (_text(_get(entry, "config_name")) or "default") not in own_configs
    ]


def _without_default(entry: Node, name: str, notes: list[str]) -> Node:
    """Take the mark of the default config away: a repository with two of them does not load."""
    from yaml.nodes import MappingNode

    marked = _text(_get(entry, "default"))
    if marked is None or not isinstance(entry, MappingNode):
        return entry
    if marked.lower() in TRUE:
        notes.append(f"{name}: {_text(_get(entry, 'config_name'))} is no longer the default config")
    pairs = [pair for pair in entry.value if _text(pair[0]) != "default"]
    return MappingNode(MAPPING, pairs, flow_style=entry.flow_style)


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
