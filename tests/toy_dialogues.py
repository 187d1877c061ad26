"""A third dataset, as small as can be: what the engine offers beyond the first two configs.

It has an option, a related source, a resource and a look at the whole split, and it lives in tests only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from dialogue_builders.corpus import Corpus
from dialogue_builders.record_faults import RecordKind
from dialogue_builders.records import Batch
from dialogue_builders.sources import RawSource, Resource
from dialogue_builders.views import Columns, Option, Options, Prepared, View


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


def longest_line(batches: Iterable[Batch], options: Options) -> Prepared:
    longest = max(len(line) for batch in batches for talk in batch.records for line in talk.lines)
    return Prepared(longest, (f"the longest line has {longest} characters",))


def columns(batch: Batch, options: Options) -> Columns:
    towns = batch.related["places"]
    joined = [options["joint"].join(talk.lines) for talk in batch.records]
    return {
        "id": list(batch.ids),
        "text": [text.upper() if options["loud"] else text for text in joined],
        "town": [place and place.town for place in towns],
        "colour": [batch.resources["colours"].get(identity) for identity in batch.ids],
        "longest": [batch.prepared] * len(batch.ids),
    }


TALKS = View(
    name="talks",
    summary="a row per talk",
    source="talks",
    features=features,
    columns=columns,
    key=("id",),
    options=(
        Option("loud", False, "whether to shout"),
        Option("joint", " / ", "what stands between two lines", choices=(" / ", " ")),
        Option("most", 0, "a number", minimum=0),
        Option("share", 0.5, "a fraction", minimum=0),
    ),
    related=("places",),
    resources=("colours",),
    prepare=longest_line,
)

CORPUS = Corpus(
    name="toy_dialogues",
    title="Toy",
    summary="invented",
    version="1.0.0",
    splits=("train", "test"),
    views=(TALKS,),
    aliases=(),
    default="talks",
    sources={
        "talks": RawSource("talks", RecordKind("talk", Talk), ("talks/{split}",)),
        "places": RawSource("places", RecordKind("place", Place), ("places/{split}",)),
    },
    resources={"colours": Resource("colours", "colours.json", json.loads)},
    pins={},
    upstream="nowhere",
    licence="other",
    licence_note="none",
    licence_link="https://example.org",
    extra={"license_name": "invented"},
    languages=("en",),
    task_categories=(),
    tags=(),
    homepage="https://example.org",
    paper="",
    citation="",
    sample=dict,
    counters=(),
    statistics=(),
    published_rows={},
    how_to_get="make it up",
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
    """Make the engine know the toy, as one line in the registry would."""
    from dialogue_builders import card, registry
    from dialogue_builders.builder import GeneratingBuilder

    class ToyDialogues(GeneratingBuilder):
        CORPUS = CORPUS

    ToyDialogues.__module__ = "toy_dialogues.builder"
    for name, value in (("corpus", CORPUS), ("builder", ToyDialogues)):
        module = ModuleType(f"toy_dialogues.{name}")
        setattr(module, "CORPUS" if name == "corpus" else "ToyDialogues", value)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "DATASETS", (*registry.DATASETS, "toy_dialogues"))
    text = "# Toy\n\n<!-- computed: origin -->\n<!-- end: origin -->\n"
    monkeypatch.setattr(card, "card_template", lambda corpus, language="en": text)
