"""Which release raw files are of, told by their content: their names are the same in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from dialogue_builders.errors import RawFileError
from dialogue_builders.hashing import git_blob_id
from dialogue_builders.spec.corpus import Corpus

# Everywhere here a corpus is the declared one, which knows all releases.


def releases_of(corpus: Corpus, path: str, git_blob: str | None) -> tuple[str, ...]:
    """Return the releases in which the file of an upstream path has this content."""
    pinned = corpus.pins_by_release.items()
    return tuple(n for n, pins in pinned if path in pins and pins[path].git_blob == git_blob)


def distinctive_paths(corpus: Corpus) -> list[str]:
    """Return the upstream paths whose content is another in each release, in the pins' order."""
    if not corpus.releases:
        return []
    return [path for path in corpus.pins if _is_distinctive(corpus, path)]


def recognise_release(corpus: Corpus, located: Mapping[str, Path]) -> str | None:
    """Return the release that the files of a folder are of; None where no content tells.

    A file of another size than every release's is of none, and need not be read. Where no size is
    known, a file is read only if no other file tells.

    Args:
        located: upstream's path → the file, for some of the distinctive paths.

    Raises:
        RawFileError: the files are of more than one release.
    """
    sized: dict[str, str] = {}
    unsized: dict[str, Path] = {}
    for path, file in located.items():
        sizes = {pins[path].size for pins in corpus.pins_by_release.values() if path in pins}
        try:
            if None in sizes:
                unsized[path] = file
            elif file.stat().st_size in sizes:
                sized[path] = git_blob_id(file)
        except OSError:
            continue  # whoever needs the file says what is wrong with it
    found = one_release(corpus, sized)
    if found is None:
        try:
            found = one_release(corpus, {p: git_blob_id(f) for p, f in unsized.items()})
        except OSError:
            return None
    return found


def one_release(corpus: Corpus, files: Mapping[str, str]) -> str | None:
    """Return the release that some files are of; None where no content tells.

    Args:
        files: upstream's path → Git blob id.

    Raises:
        RawFileError: one file is of one release, and another file of another.
    """
    first: dict[str, str] = {}
    for path, git_blob in files.items():
        releases = releases_of(corpus, path, git_blob)
        # What several releases share says nothing; neither does a file that is of none.
        if len(releases) == 1 and _is_distinctive(corpus, path):
            first.setdefault(releases[0], path)
    if len(first) > 1:
        raise mixed_releases(corpus, first)
    return next(iter(first), None)


def mixed_releases(corpus: Corpus, found: Mapping[str, str]) -> RawFileError:
    """Make the error for a folder of several releases.

    Args:
        found: release → the upstream path of a file that is of it.
    """
    shown = ", ".join(f"{path} is of {release}" for release, path in found.items())
    return RawFileError(
        f"the raw folder holds files of more than one release: {shown}",
        next_step="give each release a folder of its own; `dialogue-builders verify "
        f"{corpus.name} --data-dir DIR` tells the release of every file",
    )


def _is_distinctive(corpus: Corpus, path: str) -> bool:
    blobs: Iterable[str] = [p[path].git_blob for p in corpus.pins_by_release.values() if path in p]
    return len(set(blobs)) > 1
