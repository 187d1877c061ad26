"""Diamante: the builder class, imported when it is first asked for (PEP 562)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diamante.builder import Diamante as Diamante

__all__ = ["Diamante"]


def __getattr__(name: str) -> Any:
    if name == "Diamante":
        from diamante.builder import Diamante

        return Diamante
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
