"""Topical-Chat: the builder class, imported when it is first asked for (PEP 562)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topical_chat.builder import TopicalChat as TopicalChat

__all__ = ["TopicalChat"]


def __getattr__(name: str) -> Any:
    if name == "TopicalChat":
        from topical_chat.builder import TopicalChat

        return TopicalChat
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
