"""Raw sources: where their files may lie, which records they hold, and which are pinned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from dialogue_builders.errors import DeclarationError
from dialogue_builders.spec.record_type import RecordType

EXTENSIONS = (".json", ".jsonl", ".json.gz", ".jsonl.gz")

FormatName = Literal[
    "pair_lines",
    "id_field_lines",
    "single_key_lines",
    "object_by_id",
    "record_lines",
    "json_list",
    "tab_separated",
]
"""How records lie in a raw file; see `dialogue_builders.raw.formats` for each."""

KEYED_FORMATS: tuple[FormatName, ...] = (
    "pair_lines",
    "id_field_lines",
    "single_key_lines",
    "object_by_id",
)
"""Formats in which each record's id stands outside of it, or in its field `conversation_id`."""


@dataclass(frozen=True)
class Pin:
    """The identity of one upstream file at the pinned commit.

    Attributes:
        path: relative to the upstream repository.
        git_blob: its Git blob id (SHA-1, 40 hexadecimal digits).
        size: bytes, where known.
        sha256: of the content, where it was computed from the file itself.
        base_url: the address below which its path lies, where that is not the corpus's
            `download_url`: a corpus may gather files of several repositories.
    """

    path: str
    git_blob: str
    size: int | None = None
    sha256: str | None = None
    base_url: str | None = None


@dataclass(frozen=True)
class Resource:
    """One raw file that is read as a whole, such as a look-up table.

    Attributes:
        name: how a view asks for it.
        path: relative to the raw folder.
        load: its bytes → what a view gets; importable by name. It may raise `RawFileError`.
        required: whether a view can't do without it.
        spared_by: a source, and whether one of its records can do without the file: where all can,
            it is not required.
    """

    name: str
    path: str
    load: Callable[[bytes], Any]
    required: bool = True
    spared_by: tuple[str, Callable[[Any], bool]] | None = None


@dataclass(frozen=True)
class RawSource:
    """One kind of raw file, and where it may lie in a raw folder.

    Attributes:
        name: how a view asks for it.
        record_type: the type of its records.
        path_templates: paths without extension, in the order of preference for messages; `{split}`
            stands for the split's name, `{split_path}` for the same with slashes for underscores.
            Any of the extensions may follow, or a folder of such files. A `*` in the last part
            stands for any text; the split then has a file for each of them.
        extensions: how the files' names may end; the first is upstream's own.
        formats: those that the source takes; None for all keyed formats, or `record_lines` where
            the records are not keyed. A file's format is recognised by its content.
        first_match_wins: whether the first template that is filled wins; else two are an error.
        may_lack_splits: whether some of the splits may have no file; a config then has the others.
        one_shard_per_file: whether each file of a split speaks of the same conversations once more.
            A file is then never cut, so that one file is one shard of a stream.

    Raises:
        DeclarationError: no template, or a format that its records can't lie in.
    """

    name: str
    record_type: RecordType
    path_templates: tuple[str, ...]
    extensions: tuple[str, ...] = EXTENSIONS
    formats: tuple[FormatName, ...] | None = None
    first_match_wins: bool = False
    may_lack_splits: bool = False
    one_shard_per_file: bool = False

    def __post_init__(self) -> None:
        if not self.path_templates:
            raise self._error(
                "path_templates", "is empty", "say where the files may lie, such as '{split}'"
            )
        for name in self.accepted_formats:
            if (name in KEYED_FORMATS) != self.record_type.keyed:
                are = "are" if self.record_type.keyed else "are not"
                raise self._error(
                    "formats",
                    f"names {name}, but the records {are} keyed",
                    "choose among " + ", ".join(KEYED_FORMATS)
                    if self.record_type.keyed
                    else "choose record_lines, json_list or tab_separated",
                )

    def _error(self, field_name: str, problem: str, next_step: str) -> DeclarationError:
        return DeclarationError(
            problem, file=f"raw source {self.name}", field=field_name, next_step=next_step
        )

    @property
    def accepted_formats(self) -> tuple[FormatName, ...]:
        """The formats that the source takes, in the order in which they are tried."""
        if self.formats is not None:
            return self.formats
        return KEYED_FORMATS if self.record_type.keyed else ("record_lines",)

    def upstream_path(self, split: str) -> str:
        """Return the path under which upstream keeps this file; it may hold a `*`."""
        template = self.path_templates[-1 if self.first_match_wins else 0]
        return fill_template(template, split) + self.extensions[0]

    def pins_of(self, split: str, pins: Mapping[str, Pin]) -> list[Pin]:
        """Return the pinned upstream files of a split, in the order of their paths."""
        pattern = self.upstream_path(split)
        return [pins[path] for path in sorted(pins) if fnmatchcase(path, pattern)]


def fill_template(template: str, split: str) -> str:
    """Fill a split's name into a path template."""
    return template.format(split=split, split_path=split.replace("_", "/"))
