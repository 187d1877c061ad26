"""What a page holds: dialogues as compressed JSON, in a document that allows only itself."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, NamedTuple

from dialogue_builders.folder.dialogues import facets
from dialogue_builders.spec.dialogue import (
    Alternatives,
    DialogueView,
    Label,
    Reading,
    Section,
    Turn,
)

GENERATOR = '<meta name="generator" content="dialogue-builders view">'
"""By this line a page is recognised as one of ours."""

ABSENT = -1


class Entry(NamedTuple):
    """A dialogue on a page.

    Attributes:
        split: which it is of.
        dialogue: what is shown.
        page: the address of the page that has all of it; None where it is this one.
    """

    split: str
    dialogue: DialogueView
    page: str | None = None


@dataclass(frozen=True)
class PageFrame:
    """What all pages of one call have in common.

    Attributes:
        title: of the page.
        source: what it shows and where that comes from, for the line below the title.
        restrictions: why it may not simply be published.
        language: of the interface, where the address does not ask for another one.
        words: the declaration's texts in Chinese.
    """

    title: str
    source: Sequence[str]
    restrictions: Sequence[str]
    language: str
    words: Mapping[str, str]


class Table:
    """Values that stand on a page once, and are meant by their number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any, value: Any = None) -> int:
        """Return a value's number; a new one gets the next."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.values)
            self.values.append(key if value is None else value)
        return found


@dataclass
class Packer:
    """Dialogues as JSON. Texts that many share, such as introductions, are kept once."""

    strings: Table = field(default_factory=Table)
    labels: Table = field(default_factory=Table)
    sections: Table = field(default_factory=Table)
    readings: Table = field(default_factory=Table)
    dialogues: list[Any] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Add a dialogue. For one on another page, its first turn is enough."""
        dialogue = entry.dialogue
        is_here = entry.page is None
        turns = dialogue.turns if is_here else dialogue.turns[:1]
        self.dialogues.append(
            [
                dialogue.id,
                entry.split,
                self._labels(dialogue.labels),
                [self.strings.number(sentence) for sentence in dialogue.about],
                [self._turn(turn, is_here) for turn in turns],
                [self._reading(reading) for reading in dialogue.readings] if is_here else [],
                entry.page,
                len(dialogue.turns),
                self._labels(facets(dialogue)),
            ]
        )

    def _labels(self, labels: Sequence[Label]) -> list[int]:
        return [self.labels.number((label.name, label.value)) for label in labels]

    def _turn(self, turn: Turn, is_here: bool) -> list[Any]:
        return [
            self.strings.number(turn.speaker),
            turn.text,
            self._labels(turn.labels) if is_here else [],
            [self.strings.number(section) for section in turn.cites] if is_here else [],
            [_alternatives(group) for group in turn.alternatives] if is_here else [],
        ]

    def _reading(self, reading: Reading) -> int:
        sections = tuple(self._section(section) for section in reading.sections)
        value = (self.strings.number(reading.title), sections)
        return self.readings.number(value)

    def _section(self, section: Section) -> int:
        pieces = tuple(
            (
                self.strings.number(piece.kind),
                self._optional(piece.text),
                # Where the text is there, nobody asks for its id.
                self._optional(piece.id if piece.text is None else None),
            )
            for piece in section.pieces
        )
        value = (self.strings.number(section.id), self.strings.number(section.title), pieces)
        return self.sections.number(value)

    def _optional(self, text: str | None) -> int:
        return ABSENT if text is None else self.strings.number(text)

    def content(self, frame: PageFrame) -> dict[str, Any]:
        """Return all that the page's script reads."""
        return {
            "source": frame.source,
            "restrictions": frame.restrictions,
            "language": frame.language,
            "words": frame.words,
            "isIndex": any(dialogue[6] is not None for dialogue in self.dialogues),
            "strings": self.strings.values,
            "labels": self.labels.values,
            "sections": self.sections.values,
            "readings": self.readings.values,
            "dialogues": self.dialogues,
        }


def _alternatives(group: Alternatives) -> list[Any]:
    return [group.title, group.compare, int(group.is_open), [list(item) for item in group.items]]


def render_page(frame: PageFrame, entries: Sequence[Entry]) -> str:
    """Return a page of some dialogues. The same ones give the same bytes."""
    packer = Packer()
    for entry in entries:
        packer.add(entry)
    return render_document(frame, packer)


def render_document(frame: PageFrame, packer: Packer) -> str:
    """Return a page of what was packed."""
    content = json.dumps(packer.content(frame), ensure_ascii=False, separators=(",", ":"))
    style, script = _resource("page.css"), _resource("page.js")
    # A policy that comes with the page: no request at all, and no code but these two by their hash.
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {
        "title": html.escape(frame.title),
        "policy": policy,
        "style": style,
        "script": script,
        "data": base64.b64encode(gzip.compress(content.encode(), 9, mtime=0)).decode(),
    }
    # In one pass, so that no value is taken for a part of the template.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], _resource("template.html"))


def _resource(name: str) -> str:
    return files("dialogue_builders.page").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
