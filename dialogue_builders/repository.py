"""`build`: raw files → a folder that is a Hub dataset repository, whole or absent."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from dialogue_builders.built_folder import (
    BuiltFolder,
    Provenance,
    is_built_folder,
)
from dialogue_builders.card_files import describe_folder
from dialogue_builders.corpus import Corpus
from dialogue_builders.errors import OptionError, unknown_name
from dialogue_builders.figures import require_figures
from dialogue_builders.output_folder import staged_folder
from dialogue_builders.raw_folder import RawFolder
from dialogue_builders.records import Notes
from dialogue_builders.registry import find_corpus
from dialogue_builders.sample import write_sample
from dialogue_builders.shards import generate_shards, worker_pool
from dialogue_builders.split_reader import SplitReader, prepare_splits
from dialogue_builders.views import Alias, View

# A train split of 8,628 conversations in 16 shards gives shards of the evaluation splits' size.
TRAIN_SHARDS = 16

_Readers = dict[tuple[str, str], SplitReader]
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


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
class _Plan:
    """A build's request, checked."""

    corpus: Corpus
    views: Sequence[View]
    splits: Sequence[str]
    options: Mapping[str, Mapping[str, Any]]
    shards: int | None
    num_proc: int
    absent: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def splits_of(self, view: View) -> list[str]:
        splits = [split for split in self.corpus.splits_of(view.name) if split in self.splits]
        return [split for split in splits if split not in self.absent.get(view.name, ())]

    def splits_by_source(self, raw: RawFolder) -> dict[str, list[str]]:
        """Return every source that is read → the splits that are read of it, in order."""
        needed: dict[str, set[str]] = {}
        for view in self.views:
            needed.setdefault(raw.main_source(view), set()).update(self.splits_of(view))
        return {
            source: [split for split in self.corpus.splits if split in splits]
            for source, splits in needed.items()
        }


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
        shards: Parquet files per split; None for 16 for `train` and 1 for the others.
        num_proc: processes; the bytes do not depend on it. A script that wants more than one needs
            the usual `if __name__ == "__main__":`.
        overwrite: replace a built folder that is already there, in one step.
        figures: draw the card's distributions too; needs the extra `figures`.
        progress: called as the work goes on.

    Returns:
        what was built, and the time in seconds.

    Raises:
        UnknownNameError, OptionError: a name or value that does not exist or fit; figures are
            wanted, and matplotlib is not installed.
        RawFileError, RecordError: raw files that are missing or unreadable.
        FolderError: the output can't be written.
    """
    started = time.perf_counter()
    plan = _make_plan(find_corpus(name), configs, splits, options, shards, num_proc)
    if sample == (data_dir is not None):
        raise OptionError(
            "a build takes either a raw folder or the sample",
            next_step="give data_dir (--data-dir), or sample=True (--sample)",
        )
    if figures:
        require_figures()
    with ExitStack() as stack:
        if sample:
            data_dir = stack.enter_context(tempfile.TemporaryDirectory())
            write_sample(name, data_dir)
        raw = RawFolder.open(plan.corpus, data_dir)
        plan, left_out = _buildable(plan, raw, everything=configs is None)
        target = Path(out)
        # The raw files are looked at before the output is touched: their faults come first.
        for source, needed in plan.splits_by_source(raw).items():
            raw.require_no_overlap(source, needed)
        readers, evidence = _prepare_views(plan, raw)
        staging = staged_folder(target, overwrite=overwrite, is_ours=is_built_folder)
        with staging as folder:
            tolerated = _generate_views(plan, readers, folder, progress or (lambda *_: None))
            notes = (*left_out, *evidence, *tolerated)
            built = _write_card(plan, raw, folder, notes, sample=sample, figures=figures)
    finished = BuiltFolder(target, built.corpus, built.provenance, built.files)
    return BuildReport(target, finished, time.perf_counter() - started)


def _make_plan(
    corpus: Corpus,
    configs: Sequence[str] | None,
    splits: Sequence[str] | None,
    options: Mapping[str, Mapping[str, Any]] | None,
    shards: int | None,
    num_proc: int | None,
) -> _Plan:
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
    return _Plan(
        corpus,
        views,
        splits,
        {view.name: view.option_values((options or {}).get(view.name, {})) for view in views},
        shards,
        num_proc or 1,
    )


def _buildable(plan: _Plan, raw: RawFolder, *, everything: bool) -> tuple[_Plan, tuple[str, ...]]:
    """Leave out what has no raw files: splits of a partial source; configs, if none was named.

    Returns:
        the plan for the rest, and one line for each config, or splits of a config, left out.
    """
    if not everything:
        return _without_absent_splits(plan, raw)
    missing = {view.name: raw.missing_for(view, plan.splits_of(view)) for view in plan.views}
    views = [view for view in plan.views if missing[view.name] is None]
    if not views or plan.corpus.default not in (view.name for view in views):
        return plan, ()  # the error of what is missing then comes from the build itself
    left_out = tuple(
        f"the config {name} was left out: {problem}" for name, problem in missing.items() if problem
    )
    options = {view.name: plan.options[view.name] for view in views}
    plan, absent = _without_absent_splits(replace(plan, views=views, options=options), raw)
    return plan, left_out + absent


def _without_absent_splits(plan: _Plan, raw: RawFolder) -> tuple[_Plan, tuple[str, ...]]:
    """Leave out the splits for which a partial source has no file."""
    absent: dict[str, list[str]] = {}
    for view in plan.views:
        there = raw.splits_there(view, plan.splits_of(view))
        if missing := [split for split in plan.splits_of(view) if split not in there]:
            absent[view.name] = missing
    lines = tuple(
        f"the config {view} has no {', '.join(splits)}: there is no raw file for it"
        for view, splits in absent.items()
    )
    return replace(plan, absent=absent), lines


def _prepare_views(plan: _Plan, raw: RawFolder) -> tuple[_Readers, tuple[str, ...]]:
    """Let every view look at its splits; return the readers and what the views have found."""
    readers: _Readers = {}
    evidence: list[str] = []
    for view in plan.views:
        own = {s: raw.reader(view, s, plan.options[view.name]) for s in plan.splits_of(view)}
        evidence.extend(prepare_splits(view, own))
        readers.update({(view.name, split): reader for split, reader in own.items()})
    # A line of evidence that several configs share is told once.
    return readers, tuple(dict.fromkeys(evidence))


def _generate_views(
    plan: _Plan, readers: _Readers, folder: Path, progress: Progress
) -> tuple[str, ...]:
    """Write every Parquet file of the build; return one line for each thing that was tolerated."""
    met: dict[str, Notes] = {}
    work = [(view, split) for view in plan.views for split in plan.splits_of(view)]
    spill_folder = folder / ".spill"
    spill_folder.mkdir()
    with worker_pool(plan.num_proc) as pool:
        for done, (view, split) in enumerate(work):
            progress(f"{view.name}/{split}", done, len(work))
            (folder / view.name).mkdir(exist_ok=True)
            shards = plan.shards or (TRAIN_SHARDS if split == "train" else 1)

            def paths(
                rows: int, view: View = view, split: str = split, shards: int = shards
            ) -> list[Path]:
                count = max(1, min(shards, rows))
                place = folder / view.name
                return [place / f"{split}-{k:05d}-of-{count:05d}.parquet" for k in range(count)]

            _, found = generate_shards(
                readers[view.name, split],
                view.features().arrow_schema,
                paths,
                spill_folder,
                pool,
                plan.num_proc,
            )
            met[view.name] = met.get(view.name, Counter()) + found
    progress("card", len(work), len(work))
    spill_folder.rmdir()
    # Several configs meet the same oddity in the same files; it is told once.
    notes: Notes = reduce(or_, met.values(), Counter())
    return tuple(f"{note} ({count:,} times)" for note, count in sorted(notes.items()))


def _write_card(
    plan: _Plan,
    raw: RawFolder,
    folder: Path,
    notes: tuple[str, ...],
    *,
    sample: bool,
    figures: bool,
) -> BuiltFolder:
    """Say where the folder comes from, and write what describes it."""
    pinned = all(raw.is_pinned(view, plan.splits_of(view)) for view in plan.views)
    restricted = {
        reason for view in plan.views for reason in raw.restrictions(view, plan.splits_of(view))
    }
    provenance = Provenance(
        dataset=plan.corpus.name,
        version=plan.corpus.version,
        raw="sample" if sample else "pinned" if pinned else "other",
        splits=tuple(plan.splits),
        options=plan.options,
        notes=(*notes, *sorted(restricted)),
        restricted=tuple(sorted(restricted)),
        absent=plan.absent,
    )
    return describe_folder(folder, plan.corpus, provenance, figures=figures)
