"""`check`: the contract of a built folder, checked from its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.card.blocks import FolderSummary
from dialogue_builders.card.figures import figure_problems
from dialogue_builders.card.render import card_names, front_matter, render_cards
from dialogue_builders.card.text import computed_blocks
from dialogue_builders.errors import CheckError
from dialogue_builders.folder.built import BuiltFolder, open_built_folder
from dialogue_builders.folder.inventory import FIGURES, belongs, list_files
from dialogue_builders.folder.layout import DATA_FOLDER, parse_shard_path
from dialogue_builders.memory import system_allocator
from dialogue_builders.spec.view import View
from dialogue_builders.workflows.check_keys import check_keys
from dialogue_builders.workflows.compare_turns import compare_turns
from dialogue_builders.workflows.findings import MOST_SHOWN, Findings
from dialogue_builders.workflows.row_rules import apply_row_rules

LICENSE = ("license", "license_name", "license_link")
FOREIGN = "does not belong to the folder"
BESIDE = "and readers that go past the card take every row twice"


@dataclass(frozen=True)
class CheckReport:
    """What a check found.

    Attributes:
        built: the folder's facts.
        checked: the names of the rules that compared something, in order.
        problems: one line each; empty where the folder keeps its contract.
        compared: rule → how many rows it compared, for those of the rules that compare rows.
    """

    built: BuiltFolder
    checked: tuple[str, ...]
    problems: tuple[str, ...]
    compared: Mapping[str, int]

    @property
    def next_step(self) -> str:
        """What to do about the problems."""
        if all(problem.endswith(FOREIGN) for problem in self.problems):
            return "move away what does not belong to the folder; then try again"
        if all(problem.endswith(BESIDE) for problem in self.problems):
            return "delete the files of the older version; then try again"
        return "build the folder again"

    def require(self) -> None:
        """Raise a CheckError that lists the problems, where there are any."""
        if self.problems:
            raise CheckError(
                f"{str(self.built.path)!r} breaks its contract:\n- " + "\n- ".join(self.problems),
                next_step=self.next_step,
            )


def check(folder: str | Path) -> CheckReport:
    """Check a built folder against its contract.

    The rules: no file is foreign or missing; all shards and splits of a config have the declared
    features; keys are unique and join; no conversation stands in two splits; label codes are in
    range; rows and digests are those that the card states, and the license is the corpus's; the
    card is fresh; a folder that was built from the pinned files has the published numbers of rows.
    Every config is compared with the conversations: none of them, and no turn that has to have a
    row, is missing; texts, speakers, labels and knowledge sources are the same; and rows keep the
    rules of their own that the dataset declares.

    Args:
        folder: made by `build`.

    Returns:
        the problems, one line each. A rule for which the folder holds nothing is not listed.

    Raises:
        FolderError: not a built folder, or an unreadable Parquet file.
    """
    with system_allocator():
        return _check(open_built_folder(folder))


def _check(built: BuiltFolder) -> CheckReport:
    checked: list[str] = []
    problems: list[str] = []
    for name, rule in RULES.items():
        if rule.applies(built):
            stray = list(rule.check(built))
            checked.append(name)
            problems.extend(stray)
            # Rows with other features than the declared ones can't be asked what the other rules
            # ask; and an older version's folder has to be built again, whatever else may be said.
            if built.is_older or (name == "features" and stray):
                return CheckReport(built, tuple(checked), tuple(problems), {})
    found = Findings()
    compare_turns(built, found)
    apply_row_rules(built, found)
    problems.extend(found.problems)
    return CheckReport(built, (*checked, *found.compared), tuple(problems), found.compared)


def check_files(built: BuiltFolder) -> Iterator[str]:
    """No file is foreign, and every split has all of its shards."""
    yield from _check_layout(built)
    for name in list_files(built.path, built.corpus):
        if not belongs(name, built.corpus):
            yield f"{name} {FOREIGN}"
    for view, splits in built.files.items():
        for split, shards in splits.items():
            parsed = [parse_shard_path(file.path, built.corpus) for file in shards]
            counts = {shard.shards for shard in parsed if shard}
            if counts != {len(shards)}:
                yield f"{view}/{split} has {len(shards)} shards, but its file names say {counts}"
        options = built.provenance.options
        if view not in options:
            yield f"the card does not tell with which options {view} was built"
    for view in built.provenance.options:
        absent = built.provenance.absent.get(view, ())
        for split in built.provenance.splits:
            if split in built.corpus.splits_of(view) and split not in (
                *absent,
                *built.files.get(view, {}),
            ):
                yield f"{view}/{split} is missing"


def _check_layout(built: BuiltFolder) -> Iterator[str]:
    if built.is_older:
        yield (
            f"an older version made the folder: its files lie in <config>/, not in "
            f"<config>/{DATA_FOLDER}/, and readers that go past the card merge splits there; "
            "build the folder again"
        )
    elif built.older:
        shown = ", ".join(built.older[:MOST_SHOWN])
        count = len(built.older)
        found = (
            "1 file of an older version lies"
            if count == 1
            else f"{count:,} files of an older version lie"
        )
        yield (
            f"{found} beside those of this one ({shown}{', …' if count > MOST_SHOWN else ''}), "
            f"{BESIDE}"
        )


def check_features(built: BuiltFolder) -> Iterator[str]:
    """Every shard has the features that the config declares."""
    for view in built.files:
        for path in built.stray_features(view):
            yield f"{path} has other features than the config {view} declares"


def check_labels(built: BuiltFolder) -> Iterator[str]:
    """Label codes are in range; the library itself does not notice others."""
    for view, splits in built.files.items():
        labels = _label_counts(built.corpus.view_of(view))
        for split in splits if labels else ():
            for batch in built.read(view, split, columns=list(labels)):
                for name, size in labels.items():
                    yield from _check_codes(batch[name], size, f"{view}/{split}: {name}")


def _label_counts(view: View) -> dict[str, int]:
    features = view.features()
    return {name: len(kind.names) for name, kind in features.items() if hasattr(kind, "names")}


def _check_codes(codes: pa.Array, size: int, place: str) -> Iterator[str]:
    bounds = pc.min_max(codes).as_py()
    if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] < size:
        yield f"{place} holds the code {bounds['max']}, but there are {size} labels"


def _stated(card: Path) -> Mapping[str, Any]:
    """Read a card's front matter; empty where there is no card."""
    import yaml

    text = card.read_text("utf-8") if card.is_file() else ""
    return yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n")) or {}


def check_statements(built: BuiltFolder) -> Iterator[str]:
    """Every card states the rows and digests that the files have."""
    actual = front_matter(built)
    for card in card_names(built.corpus).values():
        stated = _stated(built.path / card)
        for field, what in (("configs", "files or digests"), ("dataset_info", "rows or features")):
            by_name = {entry.get("config_name"): entry for entry in stated.get(field) or []}
            for entry in actual[field]:
                name = entry["config_name"]
                if by_name.pop(name, None) != entry:
                    yield f"{card} states other {what} for {name} than there are"
            for name in by_name:
                yield f"{card} lists {name} under {field}, but there are no files for it"


def check_license(built: BuiltFolder) -> Iterator[str]:
    """Every card's front matter has the license of the corpus."""
    actual = front_matter(built)
    expected = {name: actual.get(name) for name in LICENSE}
    for card in card_names(built.corpus).values():
        stated = _stated(built.path / card)
        for name, value in expected.items():
            if stated.get(name) != value:
                yield f"{card} states {stated.get(name)!r} as {name}, but the corpus's is {value!r}"


def check_card(built: BuiltFolder) -> Iterator[str]:
    """The computed blocks of every card are those of the files; prose around them is anybody's."""
    for name, card in render_cards(FolderSummary(built)).items():
        path = built.path / name
        if not path.is_file():
            yield f"{name} is missing: the card in one of its languages"
            continue
        stated, fresh = computed_blocks(path.read_text("utf-8")), computed_blocks(card)
        stale = [block for block in {**fresh, **stated} if stated.get(block) != fresh.get(block)]
        if stale:
            yield (
                f"{name} is not fresh: its computed blocks are not those of the files "
                f"({', '.join(stale)})"
            )


def check_figures(built: BuiltFolder) -> Iterator[str]:
    """The drawings show what the files hold."""
    yield from figure_problems(FolderSummary(built).histograms, built.path)


def check_published(built: BuiltFolder) -> Iterator[str]:
    """A folder from the pinned files has the published numbers of rows."""
    for view, split, published in _published(built):
        got = built.rows(view, split)
        if got != published:
            yield f"{view}/{split} has {got:,} rows, but {published:,} are published"


def _published(built: BuiltFolder) -> Iterator[tuple[str, str, int]]:
    """Yield view, split and published number of rows of what the folder holds."""
    for view, rows in built.corpus.published_rows.items():
        # What is published speaks of a config as it is by default; an option may change the rows.
        if built.provenance.options.get(view) == built.corpus.view_of(view).option_values({}):
            for split in built.files.get(view, {}):
                if split in rows:
                    yield view, split, rows[split]


def _always(built: BuiltFolder) -> bool:
    return True


def _has_labels(built: BuiltFolder) -> bool:
    return any(_label_counts(built.corpus.view_of(view)) for view in built.files)


def _has_current_cards(built: BuiltFolder) -> bool:
    return not built.is_older  # its cards say what that version said; `check_files` says what to do


def _has_figures(built: BuiltFolder) -> bool:
    return (built.path / FIGURES).is_dir()


def _is_published(built: BuiltFolder) -> bool:
    """Whether a number of rows is published for what the folder holds."""
    return built.provenance.raw == "pinned" and any(_published(built))


class Rule(NamedTuple):
    """A rule on the folder as a whole.

    Attributes:
        check: yields the problems.
        applies: whether the folder holds anything that the rule speaks of.
    """

    check: Callable[[BuiltFolder], Iterator[str]]
    applies: Callable[[BuiltFolder], bool] = _always


# What holds of rows is declared by the views; see `compare_turns` and `row_rules`.
RULES = {
    "files": Rule(check_files),
    "features": Rule(check_features),
    "keys": Rule(check_keys),
    "labels": Rule(check_labels, _has_labels),
    "stated rows and digests": Rule(check_statements),
    "license": Rule(check_license),
    "card": Rule(check_card, _has_current_cards),
    "figures": Rule(check_figures, _has_figures),
    "published rows": Rule(check_published, _is_published),
}
