"""`GeneratingBuilder`: raw files → Arrow, as a builder of the `datasets` library.

`builder_classes` derives one from each corpus. The builder sets the cache key (raw content, code
version, options), the dataset's name and the version by itself.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa
from datasets import (
    ArrowBasedBuilder,
    BuilderConfig,
    DatasetInfo,
    IterableDataset,
    IterableDatasetDict,
    SplitGenerator,
    Version,
)
from datasets.builder import Key
from datasets.exceptions import DatasetGenerationError

from dialogue_builders.errors import DialogueBuildersError, OptionError, RawFileError, unknown_name
from dialogue_builders.fetch.download import download_files
from dialogue_builders.fetch.pinned import is_downloadable, pinned_files
from dialogue_builders.loading.cache import named_cache_faults
from dialogue_builders.loading.wanted_splits import require_streamable, wanted_splits
from dialogue_builders.progress import Progress
from dialogue_builders.raw.fingerprint import fingerprint
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.ranges import RecordRange
from dialogue_builders.raw.resolved_view import resolve_view
from dialogue_builders.raw.split_reader import SplitReader, survey_splits
from dialogue_builders.spec.batch import Notes
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.view import View

logger = logging.getLogger("dialogue_builders")


def log_notes(notes: Notes) -> None:
    """Tell what was met and tolerated, with how often."""
    for note, count in notes.items():
        logger.warning("%s (%s times)", note, f"{count:,}")


@contextmanager
def download_bar(name: str) -> Iterator[Progress]:
    """Show a download's progress as the library shows its own; it hides all bars or none."""
    from datasets.utils.tqdm import tqdm

    bars: list[Any] = []  # none where nothing has to be fetched

    def progress(what: str, done: int, total: int) -> None:
        if not bars:
            bars.append(tqdm(desc=f"Downloading {name}", unit="file", total=total, leave=False))
        bars[0].set_postfix_str(what, refresh=False)
        bars[0].update(done - bars[0].n)

    try:
        yield progress
    finally:
        for bar in bars:
            bar.close()


@dataclass(eq=False)
class ViewConfig(BuilderConfig):  # type: ignore[misc]
    """One config of a corpus; each option of its view is an attribute too.

    Attributes:
        splits: build these splits only; None for all.
        release: the release that the raw files are of; None for any that a folder holds, and for
            the default one where nothing is given.
    """

    splits: Sequence[str] | None = None
    release: str | None = None


class GeneratingBuilder(ArrowBasedBuilder):  # type: ignore[misc]
    """Base of all builders; a subclass sets `CORPUS` and nothing else.

    Args are those of `datasets.DatasetBuilder`. `data_dir` is the raw folder; without it the pinned
    files are downloaded into the library's cache once rows are wanted. Options of the config
    and `splits` (build a part on purpose) are given by name, and so is `release`, where upstream
    has several; of raw files it is told by their content. `data_files` is an error, and `hash`
    and `dataset_name` are set by the builder itself.

    Raises:
        UnknownNameError, OptionError: a config, split or option that does not exist or fit.
        RawFileError, RecordError: raw files that are missing or unreadable.
    """

    CORPUS: ClassVar[Corpus]
    BUILDER_CONFIG_CLASS = ViewConfig

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        corpus = cls.CORPUS
        corpus.require_described_fields()
        cls.DEFAULT_CONFIG_NAME = corpus.default
        cls.BUILDER_CONFIGS = []
        for name in corpus.config_names:
            config = ViewConfig(
                name=name, version=Version(corpus.version), description=corpus.config(name).summary
            )
            for option in corpus.view_of(name).options:
                setattr(config, option.name, option.default)
            cls.BUILDER_CONFIGS.append(config)

    def __init__(
        self,
        cache_dir: str | None = None,
        dataset_name: str | None = None,
        config_name: str | None = None,
        hash: str | None = None,
        **keywords: Any,
    ) -> None:
        # The library makes the cache's path inside this call, after the config: see below.
        with named_cache_faults():
            super().__init__(
                cache_dir=cache_dir,
                dataset_name=self.CORPUS.name,
                config_name=config_name,
                **keywords,
            )

    def _relative_data_dir(self, with_version: bool = True, with_hash: bool = True) -> str:
        """As the library's, in a folder that no name of a dataset leads to.

        A stock process that knows no builder of ours falls back on the newest entry that its cache
        holds under the name that it was given, also where the raw files have changed since then.
        No repository may have `--` in its name.
        """
        path: str = super()._relative_data_dir(with_version, with_hash)
        return f"dialogue_builders--{path}"

    def _create_builder_config(
        self,
        config_name: str | None = None,
        custom_features: Any = None,
        config_id: str | None = None,
        **config_kwargs: Any,
    ) -> tuple[BuilderConfig, str]:
        """Make the config as the library does, after checking names and values in our words."""
        corpus = self.CORPUS
        name = config_name or corpus.default
        view = corpus.view_of(name)
        if config_kwargs.pop("data_files", None) is not None:
            raise OptionError(
                f"{corpus.name} takes no data_files: its splits are found by their names",
                next_step="give the raw folder as data_dir",
            )
        own = {"data_dir", "splits", "release", "version", "description"}
        given = {k: v for k, v in config_kwargs.items() if k not in own and v is not None}
        config_kwargs.update(view.option_values(given) if given else {})
        config, config_id = super()._create_builder_config(
            config_name=name, custom_features=custom_features, config_id=config_id, **config_kwargs
        )
        self._options = view.option_values({o.name: getattr(config, o.name) for o in view.options})
        self._splits = self._chosen_splits(config)
        self._readers: dict[str, SplitReader] = {}
        release = config.release
        corpus = corpus.of_release(release)
        if config.data_dir is not None:
            self._splits, self.hash = self._open_raw_folder(
                view, config.data_dir, release, self._splits
            )
        elif is_downloadable(corpus, view):
            # Nothing is fetched before rows are wanted; what will be fetched is known by its pins.
            self.hash = self._pinned_fingerprint(corpus, view, self._splits)
        return config, config_id

    def _pinned_fingerprint(self, corpus: Corpus, view: View, splits: Mapping[str, str]) -> str:
        """Return what `_open_raw_folder` will return once the pinned files are downloaded."""
        pinned = pinned_files(corpus, view, list(splits.values()))
        return fingerprint(corpus, view, ((n, p.path, p.git_blob) for n, p in pinned))

    def _chosen_splits(self, config: BuilderConfig) -> dict[str, str]:
        """Return the config's split names → raw split names, for the splits that are wanted."""
        splits = self.CORPUS.splits_of(config.name)
        wanted = getattr(config, "splits", None)
        if wanted is None:
            return splits
        wanted = [wanted] if isinstance(wanted, str) else list(wanted)
        for split in wanted:
            if split not in splits:
                raise unknown_name(f"split of the config {config.name}", split, splits)
        return {name: raw for name, raw in splits.items() if name in wanted}

    def _open_raw_folder(
        self, view: View, data_dir: str, release: str | None, splits: Mapping[str, str]
    ) -> tuple[dict[str, str], str]:
        """Scan the raw files; return the splits that have some, and what the cache key needs."""
        folder = RawFolder.open(self.CORPUS, data_dir, release)
        resolved = resolve_view(folder, view, list(splits.values()))
        if resolved.absent:
            logger.warning("%s has no %s: no raw file", view.name, ", ".join(resolved.absent))
        readers = resolved.readers(self._options)
        for reader in readers.values():
            log_notes(reader.notes)
        self._readers.update(readers)
        return {name: raw for name, raw in splits.items() if raw in readers}, resolved.fingerprint

    def _info(self) -> DatasetInfo:
        corpus = self.CORPUS
        return DatasetInfo(
            description=corpus.summary,
            features=corpus.view_of(self.config.name).features(),
            homepage=corpus.homepage,
            license=corpus.license,
            citation=corpus.citation,
            version=Version(corpus.version),
        )

    def _split_generators(self, dl_manager: Any) -> list[SplitGenerator]:
        """Name the splits in their order; the list of ranges is the axis of shards."""
        readers = {raw: self._readers[raw] for raw in self._splits.values() if raw in self._readers}
        # What a view learns from whole splits is learnt here, once, and then travels with the
        # readers to every process. It is a choice made for the user, so it is told unasked.
        for line in survey_splits(self.CORPUS.view_of(self.config.name), readers):
            logger.warning("%s", line)
        return [
            SplitGenerator(
                name=split,
                gen_kwargs={"ranges": list(readers[raw].ranges) if raw in readers else []},
            )
            for split, raw in self._splits.items()
        ]

    def _generate_tables(self, ranges: list[RecordRange]) -> Iterator[tuple[Key, pa.Table]]:
        if not ranges:
            return
        reader = self._readers[ranges[0].split]
        notes: Notes = Counter()
        rows = reader.rows(ranges, self.info.features.arrow_schema, notes)
        for number, (place, batch) in enumerate(rows):
            yield Key(place, number), pa.Table.from_batches([batch])
        log_notes(notes)

    def _prepare_split_single(self, *arguments: Any, **keywords: Any) -> Iterator[Any]:
        """As the library's, but an error of ours is not hidden behind a general one."""
        try:
            yield from super()._prepare_split_single(*arguments, **keywords)
        except DatasetGenerationError as error:
            if isinstance(error.__cause__, DialogueBuildersError):
                raise error.__cause__ from None
            raise

    def _require_raw_files(self, splits: Mapping[str, str]) -> None:
        """Without a raw folder, bring the pinned files of splits into the library's cache."""
        if self.config.data_dir is not None or all(raw in self._readers for raw in splits.values()):
            return
        corpus = self.CORPUS.of_release(self.config.release)
        view = corpus.view_of(self.config.name)
        if corpus.download_url is None:
            corpus.require_raw_folder(None)
        files = pinned_files(corpus, view, list(splits.values()))
        folder = Path(self._cache_downloaded_dir) / corpus.name
        if corpus is not self.CORPUS:  # each release has its own, under the same names
            folder = folder.with_name(f"{corpus.name}-{corpus.release}")
        with download_bar(corpus.name) as progress:
            download_files(
                corpus,
                list(dict.fromkeys(pin for _, pin in files)),
                folder,
                progress=progress,
                offline=datasets.config.HF_HUB_OFFLINE,
            )
        kept, content = self._open_raw_folder(view, str(folder), corpus.release, splits)
        if content != self._pinned_fingerprint(corpus, view, splits):
            raise RawFileError(
                f"the folder {str(folder)!r} holds other files besides the pinned ones",
                next_step="remove that folder; it is fetched anew",
            )
        self._splits = {n: raw for n, raw in self._splits.items() if n in kept or n not in splits}

    def _download_and_prepare(self, *arguments: Any, **keywords: Any) -> None:
        """As the library's: called only where the rows are not in its cache yet."""
        self._require_raw_files(self._splits)
        super()._download_and_prepare(*arguments, **keywords)

    def download_and_prepare(self, *arguments: Any, **keywords: Any) -> None:
        """As the library's; without a raw folder it downloads, or raises what is to be done."""
        if self.hash is None:
            self._require_raw_files(self._splits)
        with named_cache_faults():
            super().download_and_prepare(*arguments, **keywords)

    def as_streaming_dataset(
        self, split: Any = None, base_path: str | None = None
    ) -> IterableDataset | IterableDatasetDict:
        """As `datasets.DatasetBuilder.as_streaming_dataset`, straight from the raw files.

        Without a raw folder, only the files of the splits that are wanted are downloaded.

        Raises:
            UnknownNameError, OptionError: a split that does not exist, or a slice.
        """
        require_streamable(split)
        wanted = wanted_splits(split, self._splits, self.config.name) or list(self._splits)
        self._require_raw_files({name: self._splits[name] for name in wanted})
        # The library asks for all splits' shards and then takes those that are wanted.
        whole = self._splits
        self._splits = {name: raw for name, raw in whole.items() if name in wanted}
        try:
            return super().as_streaming_dataset(split, base_path)
        finally:
            self._splits = whole
