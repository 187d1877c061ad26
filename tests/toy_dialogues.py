"""A third dataset, as small as can be: what the engine offers beyond the first two configs.

It has an option, a related source, a resource and a look at the whole split, and it lives in tests only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dialogue_builders.spec import (
    Batch,
    Columns,
    Corpus,
    Option,
    Options,
    RawSource,
    RecordType,
    Resource,
    SplitFacts,
    View,
)


class Talk(msgspec.Struct, forbid_unknown_fields=True):
    lines: list[str]


class Place(msgspec.Struct, forbid_unknown_fields=True):
    town: str


def features() -> Any:
    from datasets import Features, Value

    text = Value("string")
    return Features(
        {"id": text, "text": text, "town": text, "colour": text, "longest": Value("int32")}
    )


def longest_line(batches: Iterable[Batch], options: Options) -> SplitFacts:
    longest = max(len(line) for batch in batches for talk in batch.records for line in talk.lines)
    return SplitFacts(longest, (f"the longest line has {longest} characters",))


def columns(batch: Batch, options: Options) -> Columns:
    towns = batch.lookups["places"]
    joined = [options["joint"].join(talk.lines) for talk in batch.records]
    return {
        "id": list(batch.ids),
        "text": [text.upper() if options["loud"] else text for text in joined],
        "town": [place and place.town for place in towns],
        "colour": [batch.resources["colours"].get(identity) for identity in batch.ids],
        "longest": [batch.split_facts] * len(batch.ids),
    }


TALKS = View(
    name="talks",
    summary="a row per talk",
    source="talks",
    features=features,
    columns=columns,
    key=("id",),
    id_column="id",
    turns=None,
    options=(
        Option("loud", False, "whether to shout"),
        Option("joint", " / ", "what stands between two lines", choices=(" / ", " ")),
        Option("most", 0, "a number", minimum=0),
        Option("share", 0.5, "a fraction", minimum=0),
    ),
    lookups=("places",),
    resources=("colours",),
    survey=longest_line,
)

CORPUS = Corpus(
    name="toy_dialogues",
    title="Toy",
    summary="invented",
    version="1.0.0",
    splits=("train", "test"),
    views=(TALKS,),
    default="talks",
    sources={
        "talks": RawSource("talks", RecordType("talk", Talk), ("talks/{split}",)),
        "places": RawSource("places", RecordType("place", Place), ("places/{split}",)),
    },
    resources={"colours": Resource("colours", "colours.json", json.loads)},
    upstream="nowhere",
    license="other",
    license_note="none",
    license_link="https://example.org",
    license_name="invented",
    languages=("en",),
    homepage="https://example.org",
    citation="",
    sample=dict,
    how_to_get="make it up",
    fields=dict.fromkeys(("id", "text", "town", "colour", "longest"), "invented"),
)


def write_raw(folder: Path, splits: Iterable[str] = CORPUS.splits) -> Path:
    """Write raw files: three talks per split, one of them without a place."""
    for split in splits:
        ids = [f"{split}-{n}" for n in range(3)]
        talks = {i: {"lines": ["hello", "x" * (n + 6)]} for n, i in enumerate(ids)}
        places = {i: {"town": f"town of {i}"} for i in reversed(ids[1:])}
        for kind, records in (("talks", talks), ("places", places)):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            (folder / kind / f"{split}.json").write_text(json.dumps(records, indent=2))
    (folder / "colours.json").write_text(json.dumps({"train-0": "green"}))
    return folder


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the engine know the toy, as an installed package with an entry point would."""
    from dialogue_builders.card import render
    from dialogue_builders.spec import registry

    known = registry._entry_points()
    entry = EntryPoint("toy_dialogues", "toy_dialogues:CORPUS", registry.GROUP)
    monkeypatch.setattr(registry, "_entry_points", lambda: {**known, entry.name: (entry,)})
    text = "# Toy\n\n<!-- computed: origin -->\n<!-- end: origin -->\n"
    monkeypatch.setattr(render, "card_template", lambda corpus, language="en": text)
