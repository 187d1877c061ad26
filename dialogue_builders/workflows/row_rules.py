"""What has to be true of each row by itself, as its view declares it, for `check`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.spec.turn_columns import RowRule
from dialogue_builders.spec.view import View
from dialogue_builders.workflows.findings import MOST_SHOWN, Findings
from dialogue_builders.workflows.turn_rows import read_rows


def apply_row_rules(built: BuiltFolder, found: Findings) -> None:
    """Apply the rules that each view declares to its rows, and add what was found."""
    for name, splits in built.files.items():
        view = built.corpus.view_of(name)
        for split in splits if view.row_rules else ():
            _apply(built, view, split, found)


def _apply(built: BuiltFolder, view: View, split: str, found: Findings) -> None:
    options = built.provenance.options.get(view.name, {})
    names = [*view.key, *(name for rule in view.row_rules for name in rule.columns)]
    wrong: dict[RowRule, int] = {}
    shown: dict[RowRule, list[str]] = {}
    for path, batch in read_rows(built, view, split, names):
        for rule in view.row_rules:
            flags = rule.wrong(batch, options)
            found.count(rule.name, len(flags) - flags.null_count)
            places = np.flatnonzero(np.asarray(flags.fill_null(False)))
            wrong[rule] = wrong.get(rule, 0) + len(places)
            examples = shown.setdefault(rule, [])
            for place in places[: MOST_SHOWN - len(examples)].tolist():
                examples.append(f"{_key(view, batch, place)} in {path}")
    for rule, count in wrong.items():
        if count:
            found.problems.append(
                f"{view.name}/{split}: {', '.join(rule.columns)}: {count:,} "
                f"row{'s' if count != 1 else ''} {rule.problem}, such as {', '.join(shown[rule])}"
            )


def _key(view: View, batch: pa.RecordBatch, place: int) -> str:
    values = {name: batch[name][place].as_py() for name in view.key}
    rest = (f"{name} {value}" for name, value in values.items() if name != view.id_column)
    return " ".join([str(values[view.id_column]), *rest])
