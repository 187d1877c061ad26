"""Load a dataset by its name."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal, overload

from dialogue_builders.errors import OptionError
from dialogue_builders.loading.register import refuse_hub_parameters
from dialogue_builders.spec.registry import corpus_names, find_corpus

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict, IterableDataset, IterableDatasetDict

logger = logging.getLogger("dialogue_builders")


@overload
def load_dataset(
    path: str,
    name: str | None = None,
    data_dir: str | None = None,
    *,
    split: str,
    streaming: Literal[False] = False,
    **parameters: Any,
) -> Dataset: ...


@overload
def load_dataset(
    path: str,
    name: str | None = None,
    data_dir: str | None = None,
    *,
    split: str,
    streaming: Literal[True],
    **parameters: Any,
) -> IterableDataset: ...


@overload
def load_dataset(
    path: str,
    name: str | None = None,
    data_dir: str | None = None,
    *,
    split: None = None,
    streaming: Literal[False] = False,
    **parameters: Any,
) -> DatasetDict: ...


@overload
def load_dataset(
    path: str,
    name: str | None = None,
    data_dir: str | None = None,
    *,
    split: None = None,
    streaming: Literal[True],
    **parameters: Any,
) -> IterableDatasetDict: ...


# Whatever else `datasets.load_dataset` takes, such as a list of splits.
@overload
def load_dataset(path: str, *arguments: Any, **parameters: Any) -> Any: ...


def load_dataset(
    path: str,
    name: str | None = None,
    data_dir: str | None = None,
    data_files: Any = None,
    split: Any = None,
    cache_dir: str | None = None,
    features: Any = None,
    download_config: Any = None,
    download_mode: Any = None,
    verification_mode: Any = None,
    keep_in_memory: bool | None = None,
    save_infos: bool = False,
    revision: Any = None,
    token: bool | str | None = None,
    streaming: bool = False,
    num_proc: int | None = None,
    storage_options: dict[str, Any] | None = None,
    **config_kwargs: Any,
) -> Any:
    """Load one of our datasets by its name; a drop-in for `datasets.load_dataset`.

    Parameters are those of `datasets.load_dataset` (version 5.2), and any other path is passed on
    to it. For our names `data_dir` is the folder of raw files, and options of the config are given
    by name, as are `splits=[…]` to build a part of the corpus, and `release="…"` where upstream has
    several (a folder's own is told by its files). A `split` asks for what it needs and no more: the
    raw files of other splits may be absent, and the part has a cache entry of its own. Without
    `data_dir` the pinned files that it needs are downloaded and verified, once, into the library's
    cache.

    Returns:
        a `Dataset` or `DatasetDict`; with `streaming=True` an `IterableDataset` or
        `IterableDatasetDict`. Rows and features are those that `info NAME CONFIG` shows.

    Raises:
        UnknownNameError, OptionError: a config, split or option that does not exist or fit;
            `revision` or `data_files` for one of our names.
        RawFileError, RecordError: raw files that are missing or unreadable.
        DownloadError: raw files that can't be downloaded, or may not be in offline mode.
    """
    import datasets

    if path not in corpus_names():
        return datasets.load_dataset(
            path,
            name=name,
            data_dir=data_dir,
            data_files=data_files,
            split=split,
            cache_dir=cache_dir,
            features=features,
            download_config=download_config,
            download_mode=download_mode,
            verification_mode=verification_mode,
            keep_in_memory=keep_in_memory,
            save_infos=save_infos,
            revision=revision,
            token=token,
            streaming=streaming,
            num_proc=num_proc,
            storage_options=storage_options,
            **config_kwargs,
        )
    refuse_hub_parameters(path, revision=revision, data_files=data_files)
    # As the library does: said and left out, so that old calls go on working.
    if config_kwargs.pop("trust_remote_code", None):
        logger.warning("trust_remote_code is not needed for %s, and left out", path)
    if streaming and num_proc is not None:
        raise OptionError(
            "num_proc has no meaning together with streaming=True",
            next_step="leave it out; a DataLoader with several workers reads a stream in parallel",
        )
    from dialogue_builders.loading.builder_classes import find_builder_class
    from dialogue_builders.loading.wanted_splits import wanted_splits

    if config_kwargs.get("splits") is None:
        corpus = find_corpus(path)
        config = name or corpus.default
        config_kwargs["splits"] = wanted_splits(split, corpus.splits_of(config), config)
    builder = find_builder_class(path)(
        cache_dir=cache_dir,
        config_name=name,
        data_dir=data_dir,
        features=features,
        token=token,
        storage_options=storage_options,
        **config_kwargs,
    )
    if streaming:
        return builder.as_streaming_dataset(split=split)
    builder.download_and_prepare(
        download_config=download_config,
        download_mode=download_mode,
        verification_mode=verification_mode,
        num_proc=num_proc,
        storage_options=storage_options,
    )
    if keep_in_memory is None:
        keep_in_memory = datasets.utils.info_utils.is_small_dataset(builder.info.dataset_size)
    return builder.as_dataset(split=split, in_memory=keep_in_memory)
