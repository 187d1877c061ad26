"""Pen Pals, declared: the one object that the entry point names."""

from __future__ import annotations

import json
from collections.abc import Mapping

from dialogue_builders.spec import Corpus, RawSource, RecordType
from pen_pals.records import Friendship
from pen_pals.views import CONVERSATIONS, UTTERANCES

# split → friendship → its town, and its letters in turn: the host writes first.
SAMPLE = {
    "train": {
        "harbour": ("Aran", ["Is the ferry back?", "Since Monday.", "Then I'll come."]),
        "orchard": ("Lund", ["The pears are ripe.", "Keep me one, and one for the road."]),
    },
    "test": {"lighthouse": ("Skagen", ["Who keeps the light now?", "A clock does. 🕰"])},
}


def sample() -> Mapping[str, bytes]:
    """Return the invented sample as raw files: path → bytes."""
    files = {}
    for split, friendships in SAMPLE.items():
        records = {}
        for name, (town, texts) in friendships.items():
            writers = ("host", "guest")
            letters = [{"writer": writers[n % 2], "text": text} for n, text in enumerate(texts)]
            records[name] = {"town": town, "letters": letters}
        files[f"letters/{split}.json"] = json.dumps(records, ensure_ascii=False, indent=2).encode()
    return files


CORPUS = Corpus(
    name="pen_pals",
    title="Pen Pals",
    summary="invented letters between a host and a guest",
    version="1.0.0",
    splits=("train", "test"),
    views=(CONVERSATIONS, UTTERANCES),
    default="conversations",
    sources={
        "letters": RawSource("letters", RecordType("friendship", Friendship), ("letters/{split}",))
    },
    upstream="invented for this package",
    license="cc0-1.0",
    license_note="invented, and free for any use",
    languages=("en",),
    task_categories=("text-generation",),
    tags=("dialogue",),
    homepage="https://example.org/pen-pals",
    citation="",
    sample=sample,
    how_to_get="there is nothing but the sample: build it with --sample",
    fields={
        "conversation_id": "the friendship's name; it joins the configs",
        "turn_index": "the letter's place in the friendship, from 0",
        "town": "where the host lives",
        "writer": "`host` or `guest`",
        "text": "the letter as it was written",
    },
)
