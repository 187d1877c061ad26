"""Pages that `view` wrote, taken apart; and dialogues that want to be more than text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

from dialogue_builders.page.pack import Entry, PageFrame, render_page
from dialogue_builders.spec import DialogueView, Label, Piece, Reading, Section, Turn

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "--><!-- {{data}} {{script}} &lt;b&gt; &amp;",
    "right to left \u202e override \u2066 isolate",
    "NUL \0 bell \a escape \x1b[31m",
    "w" * 5_000,
    "\u2028 line \u2029 paragraph \v tab",
)


def content(page: Path) -> dict[str, Any]:
    """Return what a page's script reads."""
    (data,) = re.findall(r'id="data">([^<]*)</script>', page.read_text("utf-8"))
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(data)))
    return found


def write_hostile_page(path: Path) -> Path:
    """Write a page each of whose texts is hostile."""
    frame = PageFrame(f"Hostile {HOSTILE[0]}", HOSTILE, HOSTILE[:1], "en", {})
    turns = [Turn(HOSTILE[n % 2], t, [Label(t, t, True)], [t]) for n, t in enumerate(HOSTILE)]
    sections = [
        Section(text, text, [Piece(text, text), Piece(text, None, text)]) for text in HOSTILE
    ]
    dialogue = DialogueView(
        HOSTILE[0],
        turns,
        [Label(t, t, True) for t in HOSTILE],
        HOSTILE,
        [Reading(HOSTILE[1], sections)],
    )
    path.write_text(render_page(frame, [Entry("test", dialogue)]), "utf-8")
    return path


def write_long_page(path: Path, turns: int) -> Path:
    """Write a page of one dialogue of very many turns."""
    frame = PageFrame("Long", (), (), "en", {})
    dialogue = DialogueView(
        "long", [Turn(f"speaker{n % 2}", f"turn number {n}") for n in range(turns)]
    )
    path.write_text(render_page(frame, [Entry("test", dialogue)]), "utf-8")
    return path
