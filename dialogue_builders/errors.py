"""Errors as part of the interface: what is wrong, where it is, what to do next.

Every known fault is a `DialogueBuildersError`. The command line prints it as one short message and
exits with 1; a library user catches the one root class.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class DialogueBuildersError(Exception):
    """The root of all known faults.

    Args:
        problem: what is wrong, one sentence without its place.
        file: the file's name relative to the folder that the user gave.
        record: the id (or number) of the record inside that file.
        field: the field's path inside the record, such as `content[3].sentiment`.
        next_step: what the reader can do about it.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        record: str | None = None,
        field: str | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.file = file
        self.record = record
        self.field = field
        self.next_step = next_step

    @property
    def place(self) -> str:
        """Where the fault lies, from the file down to the field; may be empty."""
        parts = [
            self.file,
            self.record and f"record {self.record}",
            self.field and f"field {self.field}",
        ]
        return ", ".join(part for part in parts if part)

    def __str__(self) -> str:
        text = f"{self.place}: {self.problem}" if self.place else self.problem
        return f"{text}\nNext: {self.next_step}" if self.next_step else text

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions pickle by their positional arguments only; the keywords have to cross
        # process borders too, or a worker's error would lose its place.
        return _rebuild, (type(self), self.problem, self.__dict__)


def _rebuild(
    kind: type[DialogueBuildersError], problem: str, state: dict[str, Any]
) -> DialogueBuildersError:
    error = kind(problem)
    error.__dict__.update(state)
    return error


class RawFileError(DialogueBuildersError):
    """A raw file as a whole: absent, not JSON, truncated, of another shape, changed while read."""


class DownloadError(RawFileError):
    """A raw file that can't be fetched, or that arrives as another file than the pinned one."""


class RecordError(DialogueBuildersError):
    """One record of a raw file: a missing field, a wrong type, an unknown label, a repeated id."""


class UnknownNameError(DialogueBuildersError, ValueError):
    """A name that does not exist: of a dataset, config, split or option.

    It is a `ValueError` too, because that is what stock `datasets` raises for such a name.
    """


class OptionError(DialogueBuildersError, ValueError):
    """An option's value that can't be used, or options that contradict each other."""


class DeclarationError(DialogueBuildersError, ValueError):
    """A corpus (or a part of it) whose declaration contradicts itself or lacks something."""


class FolderError(DialogueBuildersError):
    """An output folder that can't be written, or a built folder that can't be read."""


class CheckError(DialogueBuildersError):
    """A built folder that breaks its contract."""


class PushError(DialogueBuildersError):
    """A push that is refused, could not be finished, or whose result could not be proven."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, or None where none is near."""
    import difflib

    matches = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None


def unknown_name(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Make the error for a name that is not among the known ones, with the nearest as a hint.

    Args:
        what: the kind of name, such as `config` or `split`.
        name: what was asked for.
        known: all names that would have been right, in their own order.
    """
    names = list(known)
    hint = nearest(str(name), names)
    return UnknownNameError(
        f"there is no {what} named {str(name)!r}; known: {', '.join(names)}",
        next_step=f"did you mean {hint!r}?" if hint else "choose one of those",
    )
