"""Which pinned files a view needs."""

from __future__ import annotations

from collections.abc import Sequence

from dialogue_builders.errors import RawFileError
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.source import Pin
from dialogue_builders.spec.view import View


def pinned_files(corpus: Corpus, view: View, splits: Sequence[str]) -> list[tuple[str, Pin]]:
    """List what a view reads, as (split or resource, pin), in the order of `ResolvedView.files`.

    Raises:
        RawFileError: the view needs a file that is not pinned, so that it can't be downloaded.
    """
    splits = [split for split in splits if split in corpus.splits_of(view.name)]
    listed = []
    for name in (view.source, *view.lookups):
        source = corpus.sources[name]
        pins = {split: source.pins_of(split, corpus.pins) for split in splits}
        enough = any if source.may_lack_splits else all
        if name not in view.optional_inputs and not enough(pins.values()):
            raise _not_downloadable(corpus, view)
        listed += [(split, pin) for split in splits for pin in pins[split]]
    for name in view.resources:
        pin = corpus.pins.get(corpus.resources[name].path)
        if pin is not None:
            listed.append((name, pin))
        elif name not in view.optional_inputs and corpus.resources[name].required:
            raise _not_downloadable(corpus, view)
    return listed


def is_downloadable(corpus: Corpus, view: View) -> bool:
    """Whether the raw files of a view can be downloaded."""
    try:
        return corpus.download_url is not None and bool(pinned_files(corpus, view, corpus.splits))
    except RawFileError:
        return False


def _not_downloadable(corpus: Corpus, view: View) -> RawFileError:
    return RawFileError(
        f"the raw files of {corpus.name}'s config {view.name} can't be downloaded from here",
        next_step=corpus.how_to_get,
    )
