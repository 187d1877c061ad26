"""`download`: the pinned raw files, verified before they get their names.

The public function is `dialogue_builders.download`; this module has another name, because a module
of that name would hide the function.

Here it is decided which files are wanted and which of them are missing; `fetching` brings them.
"""

from __future__ import annotations

import logging
import os
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dialogue_builders.corpus import Corpus
from dialogue_builders.errors import DownloadError, FolderError, OptionError, RawFileError
from dialogue_builders.fetching import Progress, fetch_all
from dialogue_builders.sources import Pin, verify_files
from dialogue_builders.transfer import Patience
from dialogue_builders.views import View

logger = logging.getLogger("dialogue_builders")

MIRROR_VARIABLE = "DIALOGUE_BUILDERS_MIRROR"
OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")
LOCK_NAME = ".download.lock"


@dataclass(frozen=True)
class DownloadReport:
    """What a download did.

    Attributes:
        folder: the raw folder, to be given as `data_dir`.
        fetched: paths of the files that were fetched, in the order of the pins.
        already: paths of the files that were right before.
        seconds: the time it took.
    """

    folder: Path
    fetched: tuple[str, ...]
    already: tuple[str, ...]
    seconds: float


def download(
    name: str,
    to: str | Path,
    *,
    configs: Sequence[str] | None = None,
    splits: Sequence[str] | None = None,
    mirror: str | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> DownloadReport:
    """Download a dataset's pinned raw files, and leave alone what is right already.

    Args:
        name: the dataset.
        to: the raw folder; it is made where it is not there.
        configs: fetch what these need only; None for every pinned file.
        splits: fetch the files of these raw splits only; None for all.
        mirror: another base address, below which the files lie by their upstream paths; None for
            that of the environment (`DIALOGUE_BUILDERS_MIRROR`), or upstream's own.
        progress: called as the work goes on.
        patience: how long to wait for a server, in seconds.

    Returns:
        which files were fetched, which were right already, and the time in seconds.

    Raises:
        UnknownNameError, OptionError: a name that does not exist, or an address that is none.
        RawFileError: a dataset or config whose files can't be downloaded; it says how to get them.
        DownloadError: a file that can't be fetched, or is not the pinned one.
        FolderError: the folder can't be written.
    """
    from dialogue_builders.registry import find_corpus

    corpus = find_corpus(name)
    pins = list(corpus.pins.values())
    if configs is not None or splits is not None:
        wanted = corpus.check_splits(tuple(splits)) if splits else corpus.splits
        views = dict.fromkeys(corpus.view_of(config).name for config in configs or ())
        listed = [
            pinned_files(corpus, view, wanted)
            for view in corpus.views
            if view.name in views or (not views and is_downloadable(corpus, view))
        ]
        pins = list(dict.fromkeys(pin for files in listed for _, pin in files))
    return download_files(
        corpus, pins, Path(to).expanduser(), mirror=mirror, progress=progress, patience=patience
    )


def pinned_files(corpus: Corpus, view: View, splits: Sequence[str]) -> list[tuple[str, Pin]]:
    """List what a view reads, as (split or resource, pin), in the order of `RawFolder.files_of`.

    Raises:
        RawFileError: the view needs a file that is not pinned, so that it can't be downloaded.
    """
    splits = [split for split in splits if split in corpus.splits_of(view.name)]
    listed = []
    for name in (view.source, *view.related):
        source = corpus.sources[name]
        pins = {split: source.pins_of(split, corpus.pins) for split in splits}
        enough = any if source.partial else all
        if name not in view.optional and not enough(pins.values()):
            raise _not_downloadable(corpus, view)
        listed += [(split, pin) for split in splits for pin in pins[split]]
    for name in view.resources:
        pin = corpus.pins.get(corpus.resources[name].path)
        if pin is not None:
            listed.append((name, pin))
        elif name not in view.optional and corpus.resources[name].required:
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


def download_files(
    corpus: Corpus,
    pins: Sequence[Pin],
    folder: Path,
    *,
    mirror: str | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
    offline: bool = False,
) -> DownloadReport:
    """Bring the pinned files into a folder; see `download` for arguments and errors.

    Args:
        offline: nothing may be fetched, so that every file has to be there already; also so where
            the environment says it (`HF_HUB_OFFLINE`, `HF_DATASETS_OFFLINE`).

    Raises:
        RawFileError: the corpus's files can't be downloaded; the rest as `download`.
    """
    started = time.perf_counter()
    if corpus.download_url is None:
        raise RawFileError(
            f"the raw files of {corpus.name} can't be downloaded from here",
            next_step=corpus.how_to_get,
        )
    base = base_address(mirror or os.environ.get(MIRROR_VARIABLE) or corpus.download_url)
    wrong = _wrong_files(folder, pins)
    if wrong:
        _require_online(corpus, wrong, folder, offline)
        with _locked(folder):
            wrong = _wrong_files(folder, pins)  # another process may have fetched some meanwhile
            fetch_all(wrong, base, folder, progress or (lambda *_: None), patience or Patience())
    fetched = {pin.path for pin in wrong}
    already = tuple(pin.path for pin in pins if pin.path not in fetched)
    seconds = time.perf_counter() - started
    return DownloadReport(folder, tuple(pin.path for pin in wrong), already, seconds)


def base_address(url: str) -> str:
    """Check a base address and end it with a slash.

    Raises:
        OptionError: it is not of the form `https://host/path` (or `http`).
    """
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise OptionError(
            "the base address of a mirror has to be https://HOST/PATH, without password or query",
            next_step=f"correct --mirror, or the variable {MIRROR_VARIABLE}",
        )
    return url.rstrip("/") + "/"


def _wrong_files(folder: Path, pins: Sequence[Pin]) -> list[Pin]:
    reports = verify_files(folder, pins)
    return [pin for pin, report in zip(pins, reports, strict=True) if report.state != "ok"]


def _require_online(corpus: Corpus, wrong: Sequence[Pin], folder: Path, offline: bool) -> None:
    said = [name for name in OFFLINE_VARIABLES if os.environ.get(name, "").upper() in _TRUE]
    if offline or said:
        raise DownloadError(
            f"{len(wrong)} raw files of {corpus.name} are not in {str(folder)!r}, and this is "
            f"offline mode ({' and '.join(said) or 'datasets.config'})",
            file=wrong[0].path,
            next_step="give the folder of raw files as data_dir; where there is a network, "
            f"`dialogue-builders download {corpus.name} --to DIR` makes one",
        )


_TRUE = frozenset({"1", "ON", "YES", "TRUE"})  # as huggingface_hub reads its variables


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch into a folder."""
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK_NAME)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            logger.warning("waiting for another process that downloads into %s", folder)
            lock.acquire()
    except OSError as error:
        raise FolderError(
            f"cannot write {str(folder)!r}: {error.strerror}", next_step="choose another folder"
        ) from error
    try:
        yield
    finally:
        lock.release()
