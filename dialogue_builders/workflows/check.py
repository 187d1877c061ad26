"""`check`: the contract of a built folder, checked from its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from dialogue_builders.spec.view import TurnKey

MOST_SHOWN = 3
FOREIGN = "does not belong to the folder"
BESIDE = "and readers that go past the card take every row twice"


@dataclass(frozen=True)
class CheckReport:
    """What a check found.

    Attributes:
        built: the folder's facts.
        checked: the names of the rules that were applied, in order.
        problems: one line each; empty where the folder keeps its contract.
    """

    built: BuiltFolder
    checked: tuple[str, ...]
    problems: tuple[str, ...]

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
    features; keys are unique and join; no conversation stands in two splits; a turn says the same
    in every config; label codes are in range; rows and digests are those that the card states; the
    card is fresh; and a folder that was built from the pinned files has the published numbers of
    rows.

    Args:
        folder: made by `build`.

    Returns:
        the problems, one line each.

    Raises:
        FolderError: not a built folder, or an unreadable Parquet file.
    """
    built = open_built_folder(folder)
    problems: list[str] = []
    checked: list[str] = []
    for name, rule in RULES.items():
        found = list(rule(built))
        problems.extend(found)
        checked.append(name)
        # Rows with other features than the declared ones can't be asked what those rules ask; and
        # an older version's folder has to be built again, whatever else may be said of it.
        if built.is_older or (name == "features" and found):
            break
    return CheckReport(built, tuple(checked), tuple(problems))


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


def _ids(built: BuiltFolder, view: str, split: str) -> set[Any]:
    column = built.corpus.view_of(view).id_column
    return {i for batch in built.read(view, split, [column]) for i in batch[column].to_pylist()}


def _keys(built: BuiltFolder, view: str, split: str) -> Iterator[tuple[Any, ...]]:
    key = built.corpus.view_of(view).key
    for batch in built.read(view, split, columns=list(key)):
        yield from zip(*(batch[name].to_pylist() for name in key), strict=True)


def check_keys(built: BuiltFolder) -> Iterator[str]:
    """Keys are unique within a split, and every config speaks of the same conversations."""
    owners: dict[Any, tuple[str, Any]] = {}
    default = built.corpus.default
    for split in built.corpus.splits:
        known: set[Any] | None = None
        if split in built.files.get(default, {}):
            known = _ids(built, default, split)
        for view, splits in built.files.items():
            if split in splits:
                yield from _check_split_keys(built, view, split, known)
        for what, conversation in _conversations(built, split):
            first_split, first = owners.setdefault(what, (split, conversation))
            if first_split != split:
                there = "" if first == conversation else f" (as {first})"
                yield f"{conversation} stands in {first_split}{there} and in {split}"


def _conversations(built: BuiltFolder, split: str) -> Iterator[tuple[Any, Any]]:
    """Yield what tells a split's conversations apart, and their ids; see `Corpus.identities`."""
    default = built.corpus.view_of(built.corpus.default)
    if split in built.files.get(default.name, {}):
        columns = None if built.corpus.conversation_digest else [default.id_column]
        for rows in built.read(default.name, split, columns):
            yield from built.corpus.identities(rows)


def _check_split_keys(
    built: BuiltFolder, view: str, split: str, known: set[Any] | None
) -> Iterator[str]:
    seen: set[tuple[Any, ...]] = set()
    repeated = []
    for key in _keys(built, view, split):
        if key in seen:
            repeated.append(key)
        seen.add(key)
    if repeated:
        shown = ", ".join(map(str, repeated[:MOST_SHOWN]))
        yield f"{view}/{split}: {len(repeated):,} keys stand more than once, such as {shown}"
    stray = set() if known is None else _ids(built, view, split) - known
    if stray:
        shown = ", ".join(sorted(map(str, stray))[:MOST_SHOWN])
        yield f"{view}/{split}: {len(stray):,} conversations are not in the split, such as {shown}"


def check_texts(built: BuiltFolder) -> Iterator[str]:
    """A turn says the same in every config that shows it."""
    for split in built.corpus.splits:
        views = [
            view
            for view, splits in built.files.items()
            if split in splits and built.corpus.view_of(view).turn_texts
        ]
        if len(views) < 2:
            continue
        base, *others = views
        # A digest stands for each text, so that memory does not grow with the words.
        known = {key: hash(text) for key, text in _turn_texts(built, base, split)}
        conversations = {conversation for conversation, _ in known}  # for others see `check_keys`
        for view in others:
            wrong = [
                key
                for key, text in _turn_texts(built, view, split)
                if key[0] in conversations and known.get(key) != hash(text)
            ]
            if wrong:
                shown = ", ".join(f"{name} turn {turn}" for name, turn in wrong[:MOST_SHOWN])
                yield (
                    f"{view}/{split}: {len(wrong):,} turns say something else than in {base}, "
                    f"such as {shown}"
                )


def _turn_texts(built: BuiltFolder, view: str, split: str) -> Iterator[tuple[TurnKey, str]]:
    turn_texts = built.corpus.view_of(view).turn_texts
    assert turn_texts is not None
    for batch in built.read(view, split):
        yield from turn_texts(batch)


def check_labels(built: BuiltFolder) -> Iterator[str]:
    """Label codes are in range; the library itself does not notice others."""
    for view, splits in built.files.items():
        features = built.corpus.view_of(view).features()
        labels = {
            name: len(kind.names) for name, kind in features.items() if hasattr(kind, "names")
        }
        for split in splits if labels else ():
            for batch in built.read(view, split, columns=list(labels)):
                for name, size in labels.items():
                    yield from _check_codes(batch[name], size, f"{view}/{split}: {name}")


def _check_codes(codes: pa.Array, size: int, place: str) -> Iterator[str]:
    bounds = pc.min_max(codes).as_py()
    if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] < size:
        yield f"{place} holds the code {bounds['max']}, but there are {size} labels"


def check_statements(built: BuiltFolder) -> Iterator[str]:
    """Every card states the rows and digests that the files have."""
    import yaml

    actual = front_matter(built)
    for card in card_names(built.corpus).values():
        path = built.path / card
        text = path.read_text("utf-8") if path.is_file() else ""
        stated = yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n")) or {}
        for field, what in (("configs", "files or digests"), ("dataset_info", "rows or features")):
            by_name = {entry.get("config_name"): entry for entry in stated.get(field) or []}
            for entry in actual[field]:
                name = entry["config_name"]
                if by_name.pop(name, None) != entry:
                    yield f"{card} states other {what} for {name} than there are"
            for name in by_name:
                yield f"{card} lists {name} under {field}, but there are no files for it"


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
    """The drawings, where there are any, show what the files hold."""
    if (built.path / FIGURES).is_dir():
        yield from figure_problems(FolderSummary(built).histograms, built.path)


def check_published(built: BuiltFolder) -> Iterator[str]:
    """A folder from the pinned files has the published numbers of rows."""
    if built.provenance.raw != "pinned":
        return
    for view, rows in built.corpus.published_rows.items():
        # What is published speaks of a config as it is by default; an option may change the rows.
        if built.provenance.options.get(view) != built.corpus.view_of(view).option_values({}):
            continue
        for split in built.files.get(view, {}):
            if split in rows and built.rows(view, split) != rows[split]:
                got = built.rows(view, split)
                yield f"{view}/{split} has {got:,} rows, but {rows[split]:,} are published"


RULES: dict[str, Callable[[BuiltFolder], Iterator[str]]] = {
    "files": check_files,
    "features": check_features,
    "keys": check_keys,
    "texts": check_texts,
    "labels": check_labels,
    "stated rows and digests": check_statements,
    "card": check_card,
    "figures": check_figures,
    "published rows": check_published,
}
