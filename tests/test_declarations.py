"""Declarations: each check fires for exactly its fault, and says the object, the field, the remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import toy_dialogues
from toy_dialogues import CORPUS, TALKS, Talk

from dialogue_builders import DeclarationError
from dialogue_builders.loading.builder_classes import builder_class
from dialogue_builders.spec import (
    Alias,
    HistogramSpec,
    Option,
    Pin,
    RawSource,
    RecordType,
    Release,
    Resource,
    RowCounter,
    Statistic,
    Threshold,
    View,
)
from dialogue_builders.spec.registry import find_corpus

SOURCE = CORPUS.sources["talks"]
PLAIN = RecordType("talk", Talk, keyed=False)
GIVE = "give it: the Hub asks for it"


class Outline(msgspec.Struct):
    lines: Any = None


def corpus(**changes: Any) -> Callable[[], Any]:
    return lambda: replace(CORPUS, **changes)


def with_view(**changes: Any) -> Callable[[], Any]:
    return lambda: replace(CORPUS, views=(replace(TALKS, **changes),))


def with_alias(name: str, view: str, splits: dict[str, str]) -> Callable[[], Any]:
    return lambda: replace(CORPUS, aliases=(Alias(name, "invented", view, splits),))


def view(**changes: Any) -> Callable[[], Any]:
    return lambda: replace(TALKS, **changes)


def source(**changes: Any) -> Callable[[], Any]:
    return lambda: replace(SOURCE, **changes)


def record_type(**changes: Any) -> Callable[[], Any]:
    return lambda: replace(SOURCE.record_type, **changes)


COUNT = RowCounter(("id",), lambda rows: Counter())


def counting(view_name: str) -> HistogramSpec:
    return HistogramSpec("lengths", "invented", "length", "talks", {view_name: COUNT})


TOY = "corpus toy_dialogues"
# what is declared → the object, the field, a part of the problem, a part of the remedy
CORPUS_FAULTS: dict[str, tuple[Callable[[], Any], str, str, str, str]] = {
    "name": (corpus(name="toy-x"), "corpus toy-x", "name", "'toy-x'", "letters, digits and und"),
    "version of two numbers": (corpus(version="1.0"), TOY, "version", "'1.0'", "such as 1.0.0"),
    "version with a letter": (corpus(version="1.0.0a"), TOY, "version", "'1.0.0a'", "three numb"),
    "no splits": (corpus(splits=()), TOY, "splits", "is empty", "at least one"),
    "no views": (corpus(views=()), TOY, "views", "is empty", "at least one"),
    "split twice": (
        corpus(splits=("train", "test", "train")),
        TOY,
        "splits",
        "'train' twice",
        "re",
    ),
    "view twice": (corpus(views=(TALKS, TALKS)), TOY, "views and aliases", "'talks' twice", "ren"),
    "alias like a view": (
        with_alias("talks", "talks", {"train": "train"}),
        TOY,
        "views and aliases",
        "'talks' twice",
        "rename one",
    ),
    "default": (corpus(default="talk"), TOY, "default", "config 'talk'", "did you mean 'talks'?"),
    "default, far": (corpus(default="x"), TOY, "default", "config 'x'", "declare that config too"),
    "license name": (corpus(license_name=None), TOY, "license_name", "is 'other'", GIVE),
    "license link": (corpus(license_link=None), TOY, "license_link", "is 'other'", GIVE),
    "pins": (
        corpus(pins={"a": Pin("a", "0" * 40)}, upstream_is_public=False),
        TOY,
        "pins",
        "not public",
        "upstream_is_public=True",
    ),
    "key of sources": (
        corpus(sources={"talks": SOURCE, "places": replace(SOURCE, name="towns")}),
        TOY,
        "sources",
        "has towns under the name places",
        "one name for both",
    ),
    "key of resources": (
        corpus(resources={"colours": Resource("colors", "colours.json", bytes.decode)}),
        TOY,
        "resources",
        "has colors under the name colours",
        "one name for both",
    ),
    "view's source": (
        with_view(source="talk"),
        TOY,
        "views.talks.source",
        "raw source 'talk'",
        "did you mean 'talks'?",
    ),
    "view's look-up": (
        with_view(lookups=("place",)),
        TOY,
        "views.talks.source",
        "raw source 'place'",
        "did you mean 'places'?",
    ),
    "view's fallback": (
        with_view(fallback_source="zzz"),
        TOY,
        "views.talks.source",
        "raw source 'zzz'",
        "declare that raw source too",
    ),
    "view's resource": (
        with_view(resources=("colour",)),
        TOY,
        "views.talks.resources",
        "resource 'colour'",
        "did you mean 'colours'?",
    ),
    "view's split": (
        with_view(splits=("trian",)),
        TOY,
        "views.talks.splits",
        "split 'trian'",
        "did you mean 'train'?",
    ),
    "alias's view": (
        with_alias("first", "tolks", {"train": "train"}),
        TOY,
        "aliases.first.view",
        "view 'tolks'",
        "did you mean 'talks'?",
    ),
    "alias's split": (
        with_alias("first", "talks", {"train": "trains"}),
        TOY,
        "aliases.first.splits",
        "split 'trains'",
        "did you mean 'train'?",
    ),
    "alias's split that the view lacks": (
        lambda: replace(
            CORPUS,
            views=(replace(TALKS, splits=("train",)),),
            aliases=(Alias("first", "invented", "talks", {"test": "test"}),),
        ),
        TOY,
        "aliases.first.splits",
        "split 'test'",
        "declare that split too",
    ),
    "counters": (corpus(counters=({"talk": COUNT},)), TOY, "counters", "view 'talk'", "'talks'?"),
    "histogram": (
        corpus(histograms=(counting("talk"),)),
        TOY,
        "histograms.lengths",
        "view 'talk'",
        "did you mean 'talks'?",
    ),
    "histogram's threshold": (
        lambda: replace(
            CORPUS,
            histograms=(
                replace(counting("talks"), threshold=Threshold("talk", "most", "invented")),
            ),
        ),
        TOY,
        "histograms.lengths",
        "view 'talk'",
        "did you mean 'talks'?",
    ),
    "histogram's option": (
        lambda: replace(
            CORPUS,
            histograms=(
                replace(counting("talks"), threshold=Threshold("talks", "shar", "invented")),
            ),
        ),
        TOY,
        "histograms.lengths",
        "option 'shar'",
        "did you mean 'share'?",
    ),
    "published rows": (
        corpus(published_rows={"talk": {"train": 1}}),
        TOY,
        "published_rows",
        "view 'talk'",
        "did you mean 'talks'?",
    ),
    "release without a name for the pinned one": (
        corpus(releases=(Release("1.0", "elsewhere", {}),)),
        TOY,
        "release",
        "is missing",
        "name the one that is pinned",
    ),
    "release twice": (
        corpus(release="1.1", releases=(Release("1.1", "elsewhere", {}),)),
        TOY,
        "releases",
        "holds the name '1.1' twice",
        "rename one of the two",
    ),
    "split of shards": (
        corpus(shards={"tran": 2}),
        TOY,
        "shards",
        "split 'tran'",
        "did you mean 'train'?",
    ),
    "no shards": (
        corpus(shards={"train": 0}),
        TOY,
        "shards",
        "a number below 1",
        "number of files",
    ),
    "statistics without counters": (
        corpus(statistics=(Statistic("rows", lambda counts: 1.0, {}),)),
        TOY,
        "counters",
        "there are statistics",
        "say how rows are counted",
    ),
}
CORPUS_FAULTS |= {
    f"empty {name}": (corpus(**{name: ""}), TOY, name, "is empty", "say it in a few words")
    for name in ("title", "summary", "upstream", "license", "license_note", "how_to_get")
}

PART_FAULTS: dict[str, tuple[Callable[[], Any], str, str, str, str]] = {
    "id column": (
        view(id_column="conversation_id"),
        "view talks",
        "id_column",
        "conversation_id, which is not a column of the key ('id',)",
        "name the column of the key",
    ),
    "optional inputs": (
        view(optional_inputs=("wiki",)),
        "view talks",
        "optional_inputs",
        "names wiki, which is neither",
        "add it to lookups or resources",
    ),
    "agreement": (
        view(survey=None, check_agreement=lambda facts: None),
        "view talks",
        "check_agreement",
        "without a survey",
        "give a survey too",
    ),
    "option twice": (
        view(options=(Option("loud", False, "x"), Option("loud", True, "y"))),
        "view talks",
        "options",
        "names an option twice",
        "leave one of them",
    ),
    "no template": (
        source(path_templates=()),
        "raw source talks",
        "path_templates",
        "is empty",
        "such as '{split}'",
    ),
    "format without ids": (
        source(formats=("object_by_id", "json_list")),
        "raw source talks",
        "formats",
        "names json_list, but the records are keyed",
        "choose among pair_lines, id_field_lines, single_key_lines, object_by_id",
    ),
    "format with ids": (
        source(record_type=PLAIN, formats=("pair_lines",)),
        "raw source talks",
        "formats",
        "names pair_lines, but the records are not keyed",
        "choose record_lines, json_list or tab_separated",
    ),
    "scan type alone": (
        record_type(keyed=False, scan_type=Outline),
        "record type talk",
        "identity",
        "only one of scan_type and identity",
        "give both, or neither",
    ),
    "identity alone": (
        record_type(keyed=False, identity=lambda outline: ("", None)),
        "record type talk",
        "identity",
        "only one of scan_type and identity",
        "give both, or neither",
    ),
    "identity of keyed records": (
        record_type(scan_type=Outline, identity=lambda outline: ("", None)),
        "record type talk",
        "identity",
        "their ids stand outside",
        "set keyed=False",
    ),
}
FAULTS = {**CORPUS_FAULTS, **PART_FAULTS}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_object_field_and_remedy(fault: str) -> None:
    declare, place, field, problem, remedy = FAULTS[fault]
    with pytest.raises(DeclarationError) as caught:
        declare()
    error = caught.value
    assert error.file == place
    assert error.field == field
    assert problem in error.problem
    assert remedy in (error.next_step or "")
    # What a person reads has all of it.
    text = str(error)
    assert text.startswith(f"{place}, field {field}: ")
    assert text.endswith(f"\nNext: {error.next_step}")
    # Whoever builds a corpus by code may catch what Python itself raises for such a value.
    assert isinstance(error, ValueError)


def test_the_toy_is_without_fault_and_so_are_its_fair_variations() -> None:
    """A check that refuses more than its fault would make the tests above worthless."""
    replace(CORPUS)
    replace(CORPUS, version="10.20.30", shards={"train": 1})
    replace(CORPUS, license="mit", license_name=None, license_link=None)
    replace(CORPUS, pins={"a": Pin("a", "0" * 40)})
    replace(CORPUS, upstream_is_public=False)
    replace(CORPUS, aliases=(Alias("first", "invented", "talks", {"only": "train"}),))
    replace(CORPUS, histograms=(counting("talks"),), counters=({"talks": COUNT},))
    threshold = Threshold("talks", "share", "invented")
    replace(CORPUS, histograms=(replace(counting("talks"), threshold=threshold),))
    replace(TALKS, optional_inputs=("places", "colours"))
    replace(TALKS, check_agreement=lambda facts: None)
    replace(TALKS, key=("town", "id"))
    replace(SOURCE, formats=("single_key_lines",))
    replace(SOURCE, record_type=PLAIN, formats=("tab_separated", "json_list", "record_lines"))
    replace(SOURCE.record_type, keyed=False, scan_type=Outline, identity=lambda o: ("", None))


def test_the_formats_that_are_meant_where_none_is_named() -> None:
    keyed = RawSource("talks", SOURCE.record_type, ("{split}",))
    assert keyed.accepted_formats == (
        "pair_lines",
        "id_field_lines",
        "single_key_lines",
        "object_by_id",
    )
    assert replace(keyed, record_type=PLAIN).accepted_formats == ("record_lines",)


def test_a_field_without_a_description_is_told_when_the_class_is_made() -> None:
    """Not before: a view's features need the `datasets` library, and listing names must not."""
    fields = {name: text for name, text in CORPUS.fields.items() if name != "town"}
    silent = replace(CORPUS, fields=fields)
    with pytest.raises(DeclarationError) as caught:
        builder_class(silent)
    assert str(caught.value) == (
        "corpus toy_dialogues, field fields: says nothing of the field town of talks\n"
        "Next: describe it as talks.town, as town, or by its last name"
    )
    for name in ("talks.town", "town"):
        assert builder_class(replace(silent, fields={**fields, name: "invented"}))


def nested() -> Any:
    from datasets import Features, List, Value

    text = Value("string")
    return Features({"id": text, "turns": List({"text": text, "facts": List({"text": text})})})


def test_a_field_inside_of_a_list_needs_a_description_too() -> None:
    deep = replace(TALKS, features=nested)

    def declare(*names: str) -> View:
        silent = replace(CORPUS, views=(deep,), fields=dict.fromkeys(("id", *names), "invented"))
        silent.require_described_fields()
        return deep

    with pytest.raises(DeclarationError, match=r"the field turns\.facts\.text of talks"):
        declare("turns.text")
    with pytest.raises(DeclarationError, match=r"the field turns\.text of talks"):
        declare("talks.turns.facts.text")
    declare("turns.text", "talks.turns.facts.text")
    declare("text")


def test_a_class_is_made_once_for_each_corpus() -> None:
    assert builder_class(CORPUS) is builder_class(CORPUS)
    assert builder_class(replace(CORPUS)) is not builder_class(CORPUS)


@pytest.mark.parametrize("package", ["elsewhere", "toy", "json"])
def test_a_package_that_does_not_hold_the_declaration_is_refused(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code is part of the cache key: with another's, changed code would serve old rows."""
    toy_dialogues.install(monkeypatch)
    assert find_corpus("toy_dialogues") is CORPUS
    monkeypatch.setattr(toy_dialogues, "CORPUS", replace(CORPUS, package=package))
    with pytest.raises(
        DeclarationError, match=f"is '{package}', but the corpus is declared in toy_dialogues"
    ) as caught:
        find_corpus("toy_dialogues")
    assert (caught.value.file, caught.value.field) == ("corpus toy_dialogues", "package")
