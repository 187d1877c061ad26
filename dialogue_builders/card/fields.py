"""A view's features, field by field: paths, types in words, and what each field is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from dialogue_builders.card.translations import Translator
from dialogue_builders.spec.corpus import Corpus


class Field(NamedTuple):
    """One field: its path as it is shown, its type in words, and what it is."""

    path: str
    type: str
    meaning: str


def fields_of(corpus: Corpus, view: str, translate: Translator) -> list[Field]:
    """Return every field of a view in order, nested ones after the one that holds them.

    A path names a list's entries by `[]`, and neighbours of one shape together in braces, such as
    `{agent_1,agent_2}.topic`.
    """
    features = corpus.view_of(view).features()
    return [
        Field(shown, describe_type(kind, translate), translate(corpus.describe_field(view, path)))
        for shown, path, kind in _walk(dict(features), "", "")
        if not _is_record(kind) or corpus.describe_field(view, path)
    ]


def _walk(features: dict[str, Any], shown: str, path: str) -> Iterator[tuple[str, str, Any]]:
    """Yield (path as shown, path for looking up, feature)."""
    for kind, group in groupby(features.items(), key=lambda pair: _shape(*pair)):
        names = [name for name, _ in group]
        kind = features[names[0]]
        together = names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
        here = f"{shown}{together}"
        # Fields of one shape that stand together mean the same; the first one speaks for them.
        key = f"{path}{names[0]}"
        yield here, key, kind
        inner, depth = _inner(kind)
        if isinstance(inner, dict):
            yield from _walk(inner, f"{here}{'[]' * depth}.", f"{key}.")


def _shape(name: str, kind: Any) -> Any:
    """Return what neighbours must share to be shown together; a plain field stands alone."""
    return repr(kind) if isinstance(kind, dict) else name


def _inner(kind: Any) -> tuple[Any, int]:
    """Return what a feature holds, and in how many lists."""
    depth = 0
    while hasattr(kind, "feature"):
        kind, depth = kind.feature, depth + 1
    return kind, depth


def _is_record(kind: Any) -> bool:
    return isinstance(_inner(kind)[0], dict)


def describe_type(kind: Any, translate: Translator) -> str:
    """Describe a feature's type in words."""
    from datasets import ClassLabel, List, Value

    if isinstance(kind, ClassLabel):
        names = ", ".join(f"{code} {name}" for code, name in enumerate(kind.names))
        return translate("label: {names}", names=names)
    if isinstance(kind, List):
        return translate("list of {kind}", kind=describe_type(kind.feature, translate))
    if isinstance(kind, dict):
        return translate("records")
    return str(kind.dtype) if isinstance(kind, Value) else str(kind)
