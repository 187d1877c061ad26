"""The cache key: what the rows of a view depend on besides its options.

That is the content of the raw files, and the code that can reach rows: the engine's declarations,
raw reading, shared dialogue tools and builder, and the dataset's own package, at all levels. A card
or the terminal is not part of it, so that working on those keeps everybody's cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import plug_in_of
from dialogue_builders.spec.view import View

ENGINE_CODE = (
    "dialogue_builders.spec",
    "dialogue_builders.raw",
    "dialogue_builders.dialogue",
    "dialogue_builders.loading.builder",
)


def fingerprint(corpus: Corpus, view: View, files: Iterable[Iterable[str]]) -> str:
    """Return a digest of code and raw content: 64 hexadecimal digits (SHA-256).

    Args:
        files: of each file that is read (split or resource, path, Git blob id).
    """
    release = corpus.release or ""
    head = f"{corpus.name} {corpus.version} {release} {view.name} {code_fingerprint(corpus)}"
    digest = hashlib.sha256(head.encode())
    for file in files:
        digest.update(f"\n{' '.join(file)}".encode())
    return digest.hexdigest()


def code_fingerprint(corpus: Corpus) -> str:
    """Return a digest of the code that can reach rows, and the plug-in's name and version."""
    packages = (*ENGINE_CODE, corpus.package_name)
    return " ".join((plug_in_of(corpus.name) or "", *map(package_fingerprint, packages)))


@lru_cache(maxsize=16)
def package_fingerprint(package: str) -> str:
    """Return a digest of a package's source files: 16 hexadecimal digits.

    Args:
        package: its import name; one that can't be found (of a corpus that was made in place)
            stands for itself.
    """
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:  # of the package around it
        return package
    # A folder without an __init__.py can be imported too, and has no origin.
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    if spec is None or (spec.origin is None and not folders):
        return package
    files = [(file, folder) for folder in folders for file in sorted(folder.rglob("*.py"))]
    if not folders:
        origin = Path(spec.origin or "")
        files = [(origin, origin.parent)]
    digest = hashlib.sha256()
    for file, folder in files:
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
