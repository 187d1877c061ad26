"""`build`: raw files → a folder that is a Hub dataset repository, whole or absent."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import Any

from dialogue_builders.card.figures import require_figures
from dialogue_builders.card.write import describe_folder
from dialogue_builders.errors import OptionError, RawFileError, unknown_name
from dialogue_builders.folder.built import BuiltFolder, is_built_folder
from dialogue_builders.folder.layout import DATA_FOLDER, require_loadable_path, shard_paths
from dialogue_builders.folder.provenance import Provenance
from dialogue_builders.folder.restrictions import restrictions_of
from dialogue_builders.folder.shards import generate_shards, worker_pool
from dialogue_builders.folder.staging import staged_folder
from dialogue_builders.progress import Progress, no_progress
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.resolved_view import ResolvedView, resolve_view
from dialogue_builders.raw.split_reader import SplitReader, survey_splits
from dialogue_builders.spec.batch import Notes
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import find_corpus, plug_in_of
from dialogue_builders.spec.view import Alias, View
from dialogue_builders.workflows.sample import write_sample

_Readers = dict[str, dict[str, SplitReader]]


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Attributes:
        folder: the finished folder.
        built: its facts: files, rows, sizes.
        seconds: the time it took.
    """

    folder: Path
    built: BuiltFolder
    seconds: float


@dataclass(frozen=True)
class _Request:
    """A build's request, checked.

    Attributes:
        corpus: what is built.
        views: which configs.
        splits: which raw splits.
        options: view → its options' values.
        shards: Parquet files per split; None for what the corpus says.
        num_proc: processes.
    """

    corpus: Corpus
    views: Sequence[View]
    splits: Sequence[str]
    options: Mapping[str, Mapping[str, Any]]
    shards: int | None
    num_proc: int

    def splits_of(self, view: View) -> list[str]:
        """Return the raw splits of a view that are wanted."""
        return [split for split in self.corpus.splits_of(view.name) if split in self.splits]

    def shards_of(self, split: str) -> int:
        """Return how many Parquet files a split shall have."""
        return self.shards or self.corpus.shards.get(split, 1)


def build(
    name: str,
    out: str | Path,
    *,
    data_dir: str | Path | None = None,
    sample: bool = False,
    configs: Sequence[str] | None = None,
    splits: Sequence[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    shards: int | None = None,
    num_proc: int | None = None,
    overwrite: bool = False,
    figures: bool = False,
    progress: Progress | None = None,
) -> BuildReport:
    """Build a dataset's folder: Parquet files and a card, ready to be loaded by path or pushed.

    Args:
        name: the dataset.
        out: the folder to make. It appears whole, or not at all.
        data_dir: the folder of raw files.
        sample: build from the invented sample instead.
        configs: which ones; an alias stands for the config behind it. None for all.
        splits: which raw splits, to build a part on purpose. None for all.
        options: config → option → value.
        shards: Parquet files per split; None for what the corpus declares (`Corpus.shards`).
        num_proc: processes; the bytes do not depend on it. A script that wants more than one needs
            the usual `if __name__ == "__main__":`.
        overwrite: replace a built folder that is already there, in one step.
        figures: draw the card's histograms too; needs the extra `figures`.
        progress: called as the work goes on.

    Returns:
        what was built, and the time in seconds.

    Raises:
        UnknownNameError, OptionError: a name or value that does not exist or fit; figures are
            wanted, and matplotlib is not installed.
        RawFileError, RecordError: raw files that are missing or unreadable.
        FolderError: the output can't be written, or could not be loaded by its path.
    """
    started = time.perf_counter()
    request = _check_request(find_corpus(name), configs, splits, options, shards, num_proc)
    if sample == (data_dir is not None):
        raise OptionError(
            "a build takes either a raw folder or the sample",
            next_step="give data_dir (--data-dir), or sample=True (--sample)",
        )
    require_loadable_path(Path(out))
    if figures:
        require_figures()
    with ExitStack() as stack:
        if sample:
            data_dir = stack.enter_context(tempfile.TemporaryDirectory())
            write_sample(name, data_dir)
        folder = RawFolder.open(request.corpus, data_dir)
        resolved, left_out = _resolve_views(request, folder, everything=configs is None)
        target = Path(out)
        # The raw files are looked at before the output is touched: their faults come first.
        readers, evidence = _survey_views(request, resolved)
        staging = staged_folder(target, overwrite=overwrite, is_ours=is_built_folder)
        with staging as place:
            tolerated = _generate_views(request, readers, place, progress or no_progress)
            notes = (*left_out, *evidence, *tolerated)
            # What was invented may be published, whatever the files that it imitates hold.
            restricted = () if sample else restrictions_of(place, folder.corpus)
            provenance = _provenance(request, resolved, notes, restricted, sample=sample)
            built = describe_folder(place, folder.corpus, provenance, figures=figures)
    finished = BuiltFolder(target, built.corpus, built.provenance, built.files)
    return BuildReport(target, finished, time.perf_counter() - started)


def _check_request(
    corpus: Corpus,
    configs: Sequence[str] | None,
    splits: Sequence[str] | None,
    options: Mapping[str, Mapping[str, Any]] | None,
    shards: int | None,
    num_proc: int | None,
) -> _Request:
    """Check a build's request; see `build` for the errors."""
    wanted = {corpus.view_of(config).name for config in configs or corpus.config_names}
    views = [view for view in corpus.views if view.name in wanted]
    for config in options or {}:
        if isinstance(corpus.config(config), Alias):
            raise OptionError(
                f"{config} is another name for some splits of {corpus.view_of(config).name}",
                next_step=f"give the option to {corpus.view_of(config).name}",
            )
        if config not in wanted:
            raise unknown_name("config in this build", config, [view.name for view in views])
    for label, number in (("shards", shards), ("num_proc", num_proc)):
        if number is not None and number < 1:
            raise OptionError(f"{label} can't be {number}", next_step="give a number of at least 1")
    splits = corpus.check_splits(tuple(splits)) if splits else corpus.splits
    for view in [view for view in views if not set(splits) & set(corpus.splits_of(view.name))]:
        if configs is not None:
            raise OptionError(
                f"the config {view.name} has none of the splits {', '.join(splits)}",
                next_step=f"it has {', '.join(corpus.splits_of(view.name))}",
            )
        views.remove(view)
    return _Request(
        corpus,
        views,
        splits,
        {view.name: view.option_values((options or {}).get(view.name, {})) for view in views},
        shards,
        num_proc or 1,
    )


def _resolve_views(
    request: _Request, folder: RawFolder, *, everything: bool
) -> tuple[list[ResolvedView], tuple[str, ...]]:
    """Look every view's files up; what has none is left out, if no config was named.

    Returns:
        the views that can be built, and one line for each config, or splits of a config, left out.
    """
    resolved: list[ResolvedView] = []
    missing: dict[str, RawFileError] = {}
    for view in request.views:
        try:
            resolved.append(resolve_view(folder, view, request.splits_of(view)))
        except RawFileError as error:
            missing[view.name] = error
    # Without the default config the folder is not the corpus's: that is no build of a part.
    if missing and (not everything or request.corpus.default in missing or not resolved):
        raise missing.get(request.corpus.default) or next(iter(missing.values()))
    left_out = [
        f"the config {name} was left out: {error.problem}" for name, error in missing.items()
    ]
    left_out += [
        f"the config {each.view.name} has no {', '.join(each.absent)}: there is no raw file for it"
        for each in resolved
        if each.absent
    ]
    return resolved, tuple(left_out)


def _survey_views(
    request: _Request, resolved: Sequence[ResolvedView]
) -> tuple[_Readers, tuple[str, ...]]:
    """Let every view look at its splits; return the readers and what the views have found."""
    readers: _Readers = {}
    evidence: list[str] = []
    for each in resolved:
        own = each.readers(request.options[each.view.name])
        evidence.extend(survey_splits(each.view, own))
        readers[each.view.name] = own
    # A line of evidence that several configs share is told once.
    return readers, tuple(dict.fromkeys(evidence))


def _generate_views(
    request: _Request, readers: _Readers, folder: Path, progress: Progress
) -> tuple[str, ...]:
    """Write every Parquet file of the build; return one line for each thing that was tolerated."""
    met: dict[str, Notes] = {}
    work = [(view, split) for view, own in readers.items() for split in own]
    spill_folder = folder / ".spill"
    spill_folder.mkdir()
    with worker_pool(request.num_proc) as pool:
        for done, (view, split) in enumerate(work):
            progress(f"{view}/{split}", done, len(work))
            (folder / view / DATA_FOLDER).mkdir(parents=True, exist_ok=True)
            reader = readers[view][split]
            _, tolerated = generate_shards(
                reader,
                reader.view.features().arrow_schema,
                partial(shard_paths, folder, view, split, request.shards_of(split)),
                spill_folder,
                pool,
                request.num_proc,
            )
            met[view] = met.get(view, Counter()) + tolerated
    progress("card", len(work), len(work))
    spill_folder.rmdir()
    # Several configs meet the same oddity in the same files; it is told once.
    notes: Notes = reduce(or_, met.values(), Counter())
    return tuple(f"{note} ({count:,} times)" for note, count in sorted(notes.items()))


def _provenance(
    request: _Request,
    resolved: Sequence[ResolvedView],
    notes: tuple[str, ...],
    restricted: tuple[str, ...],
    *,
    sample: bool,
) -> Provenance:
    """Say where the folder comes from."""
    pinned = all(each.is_pinned for each in resolved)
    return Provenance(
        dataset=request.corpus.name,
        version=request.corpus.version,
        raw="sample" if sample else "pinned" if pinned else "other",
        splits=tuple(request.splits),
        options={each.view.name: request.options[each.view.name] for each in resolved},
        notes=(*notes, *restricted),
        restricted=restricted,
        absent={each.view.name: list(each.absent) for each in resolved if each.absent},
        plug_in=plug_in_of(request.corpus.name),
        release=resolved[0].folder.release,
    )
