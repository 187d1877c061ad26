"""`download`: the pinned raw files, verified before they get their names.

Here it is decided which files are wanted and which of them are missing; `verified` brings them.
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

from dialogue_builders.errors import DownloadError, FolderError, OptionError, RawFileError
from dialogue_builders.fetch.pinned import is_downloadable, pinned_files
from dialogue_builders.fetch.verified import fetch_all
from dialogue_builders.progress import Progress, no_progress
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.verify import verify_files
from dialogue_builders.retry import RetryPolicy
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import find_corpus
from dialogue_builders.spec.source import Pin

logger = logging.getLogger("dialogue_builders")


MIRROR_VARIABLE = "DIALOGUE_BUILDERS_MIRROR"


OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")


LOCK_NAME = ".download.lock"
# A mirror that asks for more than a minute is not worth waiting for: a download resumes anyway.
DOWNLOAD_POLICY = RetryPolicy(tries=6, longest_wait=60.0, longest_request=60.0)


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
    release: str | None = None,
    progress: Progress | None = None,
    policy: RetryPolicy | None = None,
) -> DownloadReport:
    """Download a dataset's pinned raw files, and leave alone what is right already.

    Args:
        name: the dataset.
        to: the raw folder; it is made where it is not there.
        configs: fetch what these need only; None for every pinned file.
        splits: fetch the files of these raw splits only; None for all.
        mirror: another base address, below which the files lie by their upstream paths; None for
            that of the environment (`DIALOGUE_BUILDERS_MIRROR`), or upstream's own.
        release: which release of the files; None for the default one.
        progress: called as the work goes on.
        policy: how often and how patiently to try again.

    Returns:
        which files were fetched, which were right already, and the time in seconds.

    Raises:
        UnknownNameError, OptionError: a name that does not exist, or an address that is none.
        RawFileError: a dataset or config whose files can't be downloaded; it says how to get them.
            Or the folder holds another release's files.
        DownloadError: a file that can't be fetched, or is not the pinned one.
        FolderError: the folder can't be written.
    """
    declared = find_corpus(name)
    corpus = declared.of_release(release)
    folder = Path(to).expanduser()
    if folder.is_dir() and declared.releases:
        # They bear the same names: one release would be fetched over the other.
        RawFolder.open(declared, folder, corpus.release, enter=False)
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
    return download_files(corpus, pins, folder, mirror=mirror, progress=progress, policy=policy)


def download_files(
    corpus: Corpus,
    pins: Sequence[Pin],
    folder: Path,
    *,
    mirror: str | None = None,
    progress: Progress | None = None,
    policy: RetryPolicy | None = None,
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
    mirror = mirror or os.environ.get(MIRROR_VARIABLE)
    bases = {pin: base_address(mirror or pin.base_url or corpus.download_url) for pin in pins}
    wrong = _wrong_files(folder, pins)
    if wrong:
        _require_online(corpus, wrong, folder, offline)
        with _locked(folder):
            wrong = _wrong_files(folder, pins)  # another process may have fetched some meanwhile
            fetch_all(
                wrong,
                bases,
                folder,
                progress or no_progress,
                policy or DOWNLOAD_POLICY,
                mirrored=mirror is not None,
            )
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
        path = folder / LOCK_NAME
        if path.is_symlink():
            path.unlink()  # whoever takes a lock empties the file
        lock = FileLock(path)
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
