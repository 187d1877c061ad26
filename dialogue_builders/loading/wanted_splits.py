"""Which splits a `split=` asks for, in each of the forms that the `datasets` library takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from datasets.splits import NamedSplit, SplitDict, SplitInfo

from dialogue_builders.errors import OptionError, unknown_name

_PART = re.compile(r"\s*(\w+(?:\.\w+)*)\s*(\[[^\]]*\])?\s*(\([^)]*\))?\s*")


def wanted_splits(split: Any, known: Collection[str], config: str) -> list[str] | None:
    """Return the splits that a `split=` needs, in the order of the known ones; None for all.

    Args:
        split: as `datasets.load_dataset` takes it: a name, slices, sums, `ReadInstruction`,
            `datasets.Split`, or a list or dictionary of these.
        known: the config's splits.
        config: how a message calls the config.

    Raises:
        UnknownNameError: a split that the config does not have.
        OptionError: not of a form that the library reads.
    """
    names = set(_names(split, known))
    for name in names:
        if name != "all" and name not in known:
            raise unknown_name(f"split of the config {config}", name, known)
    if not names or "all" in names or names == set(known):
        return None
    return [name for name in known if name in names]


def require_streamable(split: Any) -> None:
    """Raise an OptionError for what a stream can't give: it doesn't know its rows' number."""
    advice = "stream the split whole and cut it: .skip(n) and .take(n)"
    if isinstance(split, list | tuple | dict):
        raise OptionError(
            f"a stream is of one split or a sum of splits, not of {split!r}",
            next_step="leave split out and take the splits from what is returned",
        )
    if split is not None and "[" in str(split):
        raise OptionError(f"a stream can't be cut by split={str(split)!r}", next_step=advice)


def _names(split: Any, known: Collection[str]) -> Iterator[str]:
    if split is None:
        return
    if isinstance(split, dict):
        split = list(split.values())
    if isinstance(split, list | tuple):
        for part in split:
            yield from _names(part, known)
        return
    if not isinstance(split, NamedSplit) and hasattr(split, "get_read_instruction"):
        yield from _merged_names(split, known)
        return
    for part in str(split).split("+"):
        match = _PART.fullmatch(part)
        if match is None:
            raise OptionError(
                f"split can't be {str(split)!r}",
                next_step="give a name, a slice such as 'train[:10%]', or a sum of them",
            )
        yield match[1]


def _merged_names(split: Any, known: Collection[str]) -> Iterator[str]:
    """Yield the names in a sum of `datasets.Split`."""
    infos = SplitDict({name: SplitInfo(name) for name in known})
    try:
        sliced = split.get_read_instruction(infos).get_list_sliced_split_info()
    except (KeyError, TypeError):  # a name in it is unknown; the library says nothing better
        raise OptionError(
            f"split can't be {split!r}", next_step=f"add splits of these: {', '.join(known)}"
        ) from None
    yield from (part.split_info.name for part in sliced)
