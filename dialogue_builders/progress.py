"""How work that takes a while tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is (0: not known)."""


def no_progress(what: str, done: int, total: int) -> None:
    """Tell nobody."""
