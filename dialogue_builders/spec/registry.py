"""Names → corpora, found by entry points: a dataset can live in anybody's package.

A distribution declares its corpora in the entry-point group `dialogue_builders.corpora`, each as
`name = "module:CORPUS"`; ours do the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dialogue_builders.errors import DeclarationError, DialogueBuildersError, unknown_name
from dialogue_builders.spec.corpus import Corpus

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "dialogue_builders.corpora"
OWN_DISTRIBUTION = "dialogue-builders"


def corpus_names() -> tuple[str, ...]:
    """Return the names of all installed corpora: ours first, then those of other packages."""
    return tuple(_entry_points())


def find_corpus(name: str) -> Corpus:
    """Return the corpus of a dataset's name.

    Raises:
        UnknownNameError: there is no such dataset; the nearest name is suggested.
        DeclarationError: two packages claim the name, or the package's declaration is broken.
    """
    entry = _entry_point(name)
    try:
        corpus = entry.load()
    except DialogueBuildersError:
        raise
    # A module that ends the program while it is imported must not end ours.
    except (Exception, SystemExit) as error:
        raise DeclarationError(
            f"the dataset {name} can't be imported from {entry.value} "
            f"({_distribution(entry)}): {type(error).__name__}: {error}",
            next_step="mend or update that package, or uninstall it",
        ) from error
    if not isinstance(corpus, Corpus) or corpus.name != name:
        declared = f"the corpus {corpus.name!r}" if isinstance(corpus, Corpus) else "no Corpus"
        raise DeclarationError(
            f"the entry point {name} of {_distribution(entry)} names {entry.value}, "
            f"which is {declared}",
            next_step=f"let the entry point and the corpus bear one name (group {GROUP})",
        )
    _require_package(corpus, entry)
    return corpus


def plug_in_of(name: str) -> str | None:
    """Return the package that brings a corpus, as `name version`; None for our own and unknown."""
    entries = _entry_points().get(name, ())
    if not entries or _distribution_name(entries[0]) == OWN_DISTRIBUTION:
        return None
    return _distribution(entries[0])


def _require_package(corpus: Corpus, entry: EntryPoint) -> None:
    """Raise a DeclarationError where a corpus's package is not the one that declares it.

    The package's code is part of the cache key; with another's, changed code would serve old rows.
    """
    package = corpus.package_name
    if not f"{entry.module}.".startswith(f"{package}."):
        raise DeclarationError(
            f"is {package!r}, but the corpus is declared in {entry.module}",
            file=f"corpus {corpus.name}",
            field="package",
            next_step="name the package that holds the declaration",
        )


def _entry_point(name: str) -> EntryPoint:
    entries = _entry_points()
    if name not in entries:
        if not entries:
            raise DeclarationError(
                "no dataset is installed: this package's metadata are not there",
                next_step="install it, such as with `pip install -e .` in a checkout",
            )
        raise unknown_name("dataset", name, entries)
    if len(entries[name]) > 1:
        packages = " and ".join(map(_distribution, entries[name]))
        raise DeclarationError(
            f"the dataset {name} is declared by {packages}, so that either could be meant",
            next_step="uninstall one of them, or have it renamed",
        )
    return entries[name][0]


@lru_cache(maxsize=1)
def _entry_points() -> dict[str, tuple[EntryPoint, ...]]:
    """Return name → its entry points; more than one where packages collide."""
    from importlib.metadata import entry_points

    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for entry in sorted(entry_points(group=GROUP), key=_order):
        # A path may list one installation twice; the first one is the one that is imported.
        found.setdefault(entry.name, {}).setdefault((_distribution_name(entry), entry.value), entry)
    return {name: tuple(entries.values()) for name, entries in found.items()}


def _order(entry: EntryPoint) -> tuple[bool, str]:
    """Sort ours before others; within a distribution the order of its metadata is kept."""
    name = _distribution_name(entry)
    return name != OWN_DISTRIBUTION, name


def _distribution_name(entry: EntryPoint) -> str:
    # What a package leaves that was removed by halves has entry points, but may have no name.
    return (entry.dist.name or "").lower().replace("_", "-") if entry.dist else ""


def _distribution(entry: EntryPoint) -> str:
    if entry.dist is None or not entry.dist.name:
        return "an unnamed package"
    return f"{entry.dist.name} {entry.dist.version}"
