"""What a dataset declares: its corpus, views, sources, record types and counts.

This is the public place for everything that a dataset's package needs of the engine, besides the
shared tools in `dialogue_builders.dialogue`. See docs/adding_a_dataset.md.
"""

from dialogue_builders.errors import RawFileError
from dialogue_builders.spec.batch import Batch, Notes
from dialogue_builders.spec.columns import list_column, offsets, string_lists, struct_column
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.counting import (
    Counts,
    HistogramSpec,
    RowCounter,
    RowCounters,
    Statistic,
    Threshold,
    count_lengths,
    count_of,
    count_pairs,
    count_values,
    published_values,
    ratio,
)
from dialogue_builders.spec.dialogue import (
    Alternative,
    Alternatives,
    Annotation,
    DialogueView,
    Label,
    Piece,
    Reading,
    Rows,
    Section,
    Turn,
)
from dialogue_builders.spec.record_type import RecordType
from dialogue_builders.spec.release import Release
from dialogue_builders.spec.restriction import Restriction, any_row, any_text
from dialogue_builders.spec.source import EXTENSIONS, FormatName, Pin, RawSource, Resource
from dialogue_builders.spec.split_turns import (
    DerivedRows,
    Flags,
    Indices,
    Lists,
    SplitTurns,
    Texts,
    list_lengths,
)
from dialogue_builders.spec.turn_columns import Derived, RowRule, TurnColumns
from dialogue_builders.spec.view import (
    Alias,
    Columns,
    Option,
    Options,
    SplitFacts,
    View,
    split_aliases,
)

__all__ = [
    "EXTENSIONS",
    "Alias",
    "Alternative",
    "Alternatives",
    "Annotation",
    "Batch",
    "Columns",
    "Corpus",
    "Counts",
    "Derived",
    "DerivedRows",
    "DialogueView",
    "Flags",
    "FormatName",
    "HistogramSpec",
    "Indices",
    "Label",
    "Lists",
    "Notes",
    "Option",
    "Options",
    "Piece",
    "Pin",
    "RawFileError",
    "RawSource",
    "Reading",
    "RecordType",
    "Release",
    "Resource",
    "Restriction",
    "RowCounter",
    "RowCounters",
    "RowRule",
    "Rows",
    "Section",
    "SplitFacts",
    "SplitTurns",
    "Statistic",
    "Texts",
    "Threshold",
    "Turn",
    "TurnColumns",
    "TurnKey",
    "View",
    "any_row",
    "any_text",
    "count_lengths",
    "count_of",
    "count_pairs",
    "count_values",
    "list_column",
    "list_lengths",
    "offsets",
    "published_values",
    "ratio",
    "split_aliases",
    "string_lists",
    "struct_column",
]
