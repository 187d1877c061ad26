"""Views: how raw records become the columns of one config.

A view is data plus one pure function from a batch of records to columns. Everything else (files,
processes, shards, Parquet, cards) is the engine's, and the engine never asks which dataset it
serves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dialogue_builders.errors import DeclarationError, OptionError, RecordError, unknown_name
from dialogue_builders.spec.batch import Batch
from dialogue_builders.spec.dialogue import Annotation, DialogueView
from dialogue_builders.spec.restriction import Restriction
from dialogue_builders.spec.turn_columns import Derived, RowRule, TurnColumns

if TYPE_CHECKING:
    from datasets import Features

Options = Mapping[str, Any]
Columns = Mapping[str, Any]


@dataclass(frozen=True)
class Option:
    """A setting of one config.

    Attributes:
        name: as it is written in code and on the command line.
        default: its value where nothing is said; it also fixes the type.
        summary: one line for people.
        choices: the allowed values, where they are few.
        minimum: the smallest allowed number.
    """

    name: str
    default: str | int | float | bool
    summary: str
    choices: tuple[str | int, ...] = ()
    minimum: float | None = None

    def check(self, value: Any) -> Any:
        """Return the value in the option's own type.

        Accepts the text form too, as the command line gives it.

        Raises:
            OptionError: the value is of another type or out of range.
        """
        kind = type(self.default)
        try:
            if kind is bool and isinstance(value, str):
                value = {"true": True, "false": False}[value.lower()]
            elif isinstance(value, str) and kind in (int, float):
                value = kind(value)
        except (ValueError, KeyError):
            raise self._refuse(value) from None
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise self._refuse(value)
        if (self.choices and value not in self.choices) or (
            self.minimum is not None and float(value) < self.minimum
        ):
            raise self._refuse(value)
        return value

    def _refuse(self, value: Any) -> OptionError:
        wanted = f"one of {', '.join(map(str, self.choices))}" if self.choices else ""
        if not wanted:
            wanted = {int: "a whole number", float: "a number", bool: "true or false"}.get(
                type(self.default), "text"
            )
        if self.minimum is not None:
            wanted += f" of at least {self.minimum:g}"
        return OptionError(
            f"the option {self.name} can't be {value!r}",
            next_step=f"give {wanted}; the default is {self.default!r}",
        )


@dataclass(frozen=True)
class SplitFacts:
    """What a view learnt from a whole split before its first row.

    Attributes:
        value: given to the view as `Batch.split_facts`; picklable.
        notes: lines for the log and the card, such as the evidence for a choice.
    """

    value: Any
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """One config that has bytes of its own.

    Attributes:
        name: the config's name.
        summary: one line for people.
        source: the name of the raw source whose records it reads.
        features: makes the `datasets.Features`; called late, so that `datasets` is imported late.
        columns: the pure function (batch, options) → columns, equally long; a column is a list or
            an Arrow array. It must be importable by name, so that it can be sent to any process.
        key: the columns that name a row within a split.
        turns: which columns hold what the conversations hold too: `check` compares them. None for a
            view whose rows belong to no turn and no conversation of the corpus.
        id_column: the column of `key` that holds the conversation's id.
        options: the config's settings.
        splits: the splits it has; None for all of the corpus.
        fallback_source: a source whose records are read where the raw folder has no file of
            `source`.
        lookups: raw sources that are looked up by a record's id; see `Batch.lookups`.
        resources: whole files that the view needs; see `Batch.resources`.
        optional_inputs: those of `lookups` and `resources` that the view can do without.
        survey: a pure function (all batches of the split, options) → `SplitFacts`, for what can
            only be known from a whole split. It too must be importable by name.
        check_agreement: a look at the facts of several splits; it raises a `DialogueBuildersError`
            where they contradict each other.
        show: makes a dialogue to be read from the rows of one conversation.
        annotation: how its rows are shown beside the dialogues of other views.
        restrictions: what of its rows may not be published. A build records what it finds in them,
            and a push looks again.
        derived: what else in the rows is derived from the conversations' turns, for `check`.
        row_rules: what has to be true of each row by itself, for `check`.

    Raises:
        DeclarationError: fields that contradict each other.
    """

    name: str
    summary: str
    source: str
    features: Callable[[], Features]
    columns: Callable[[Batch, Options], Columns]
    key: tuple[str, ...]
    turns: TurnColumns | None
    id_column: str = "conversation_id"
    options: tuple[Option, ...] = ()
    splits: tuple[str, ...] | None = None
    fallback_source: str | None = None
    lookups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    optional_inputs: tuple[str, ...] = ()
    survey: Callable[[Iterable[Batch], Options], SplitFacts] | None = None
    check_agreement: Callable[[Mapping[str, SplitFacts]], None] | None = None
    show: Callable[[Sequence[Mapping[str, Any]]], DialogueView] | None = None
    annotation: Annotation | None = None
    restrictions: tuple[Restriction, ...] = ()
    derived: tuple[Derived, ...] = ()
    row_rules: tuple[RowRule, ...] = ()

    def __post_init__(self) -> None:
        if self.id_column not in self.key:
            raise self._error(
                "id_column",
                f"is {self.id_column}, which is not a column of the key {self.key}",
                "name the column of the key that holds the conversation's id",
            )
        for name in self.optional_inputs:
            if name not in (*self.lookups, *self.resources):
                raise self._error(
                    "optional_inputs",
                    f"names {name}, which is neither a look-up nor a resource of the view",
                    "add it to lookups or resources, or leave it out",
                )
        if self.derived and self.turns is None:
            raise self._error(
                "derived", "needs to know of which turn a row speaks", "declare turns too"
            )
        if self.check_agreement is not None and self.survey is None:
            raise self._error(
                "check_agreement", "has no facts to look at without a survey", "give a survey too"
            )
        names = [option.name for option in self.options]
        if len(set(names)) < len(names):
            raise self._error("options", "names an option twice", "leave one of them")

    def _error(self, field: str, problem: str, next_step: str) -> DeclarationError:
        return DeclarationError(problem, file=f"view {self.name}", field=field, next_step=next_step)

    @property
    def required_lookups(self) -> list[str]:
        """The look-ups that the view can't do without."""
        return [name for name in self.lookups if name not in self.optional_inputs]

    def option_values(self, given: Options) -> dict[str, Any]:
        """Return every option's value: what was given, checked, and the defaults for the rest.

        Raises:
            UnknownNameError: an option that the config does not have.
            OptionError: a value that can't be used.
        """
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                if not known:
                    raise OptionError(f"the config {self.name} has no options, so no {name!r}")
                raise unknown_name(f"option of the config {self.name}", name, known)
        return {
            name: option.check(given.get(name, option.default)) for name, option in known.items()
        }


@dataclass(frozen=True)
class Alias:
    """A config without bytes of its own: some splits of a view, under names of its own.

    Attributes:
        name: the config's name.
        summary: one line for people.
        view: the name of the view whose files it shows.
        splits: its split names → the view's split names, in order.
    """

    name: str
    summary: str
    view: str
    splits: Mapping[str, str]


def split_aliases(view: str, splits: Sequence[str]) -> tuple[Alias, ...]:
    """Return an alias for each split: a config of the split's own name with only that split."""
    return tuple(
        Alias(split, f"the {view} of {split} alone", view, {split: split}) for split in splits
    )


def record_batch(view: View, batch: Batch, options: Options, schema: pa.Schema) -> pa.RecordBatch:
    """Run a view on a batch and give its columns the config's Arrow types.

    Args:
        schema: the Arrow schema of the view's features.

    Returns:
        rows in the order of the records; a view decides how many rows a record gives.
    """
    columns = view.columns(batch, options)
    arrays = []
    for field in schema:
        column = columns[field.name]
        if not isinstance(column, pa.Array):
            arrays.append(_typed(column, field, columns[view.id_column], batch))
        else:
            arrays.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _typed(values: Sequence[Any], field: pa.Field, ids: Sequence[Any], batch: Batch) -> pa.Array:
    """Make a column's array.

    Args:
        ids: the conversation of each row, for errors.

    Raises:
        RecordError: a number that the column's type can't hold.
    """
    try:
        return pa.array(values, type=field.type)
    except (pa.ArrowInvalid, OverflowError) as error:
        for identity, value in zip(ids, values, strict=True):
            try:
                pa.array([value], type=field.type)
            except (pa.ArrowInvalid, OverflowError):
                raise RecordError(
                    f"holds a number that does not fit the column's type: {error}",
                    file=batch.file_name,
                    record=str(identity) or None,
                    field=field.name,
                    next_step="correct the number in the raw file, or fetch it again",
                ) from error
        raise
