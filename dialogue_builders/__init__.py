"""Dialogue corpora, from their raw files into trainers.

The functions here are the product's public face; the command line only calls them. They are
imported late, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from dialogue_builders.checks import check as check
    from dialogue_builders.distributed import split_by_node as split_by_node
    from dialogue_builders.downloads import download as download
    from dialogue_builders.errors import DialogueBuildersError as DialogueBuildersError
    from dialogue_builders.hub import push as push
    from dialogue_builders.published import statistics as statistics
    from dialogue_builders.registry import load_dataset as load_dataset
    from dialogue_builders.registry import register as register
    from dialogue_builders.registry import unregister as unregister
    from dialogue_builders.repository import build as build
    from dialogue_builders.sample import write_sample as write_sample

# A module must not bear the name of a function here: importing it would hide the function.
_HOMES = {
    "DialogueBuildersError": "errors",
    "build": "repository",
    "check": "checks",
    "download": "downloads",
    "load_dataset": "registry",
    "push": "hub",
    "register": "registry",
    "split_by_node": "distributed",
    "statistics": "published",
    "unregister": "registry",
    "write_sample": "sample",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"dialogue_builders.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
