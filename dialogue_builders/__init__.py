"""Dialogue corpora, from their raw files into trainers.

The functions here are the product's public face; the command line only calls them. Beside them
stands what they return and raise, so that a program needs no name from any other module. All are
imported late, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dialogue_builders._version import __version__

if TYPE_CHECKING:
    from dialogue_builders.errors import CheckError as CheckError
    from dialogue_builders.errors import DeclarationError as DeclarationError
    from dialogue_builders.errors import DialogueBuildersError as DialogueBuildersError
    from dialogue_builders.errors import DownloadError as DownloadError
    from dialogue_builders.errors import FolderError as FolderError
    from dialogue_builders.errors import OptionError as OptionError
    from dialogue_builders.errors import PushError as PushError
    from dialogue_builders.errors import RawFileError as RawFileError
    from dialogue_builders.errors import RecordError as RecordError
    from dialogue_builders.errors import UnknownNameError as UnknownNameError
    from dialogue_builders.export.write import ExportReport as ExportReport
    from dialogue_builders.export.write import export_split as export_split
    from dialogue_builders.fetch.download import DownloadReport as DownloadReport
    from dialogue_builders.fetch.download import download as download
    from dialogue_builders.folder.statistics import StatisticRow as StatisticRow
    from dialogue_builders.folder.statistics import StatisticsTable as StatisticsTable
    from dialogue_builders.folder.statistics import statistics as statistics
    from dialogue_builders.hub.push import push as push
    from dialogue_builders.hub.report import PushReport as PushReport
    from dialogue_builders.loading.distributed import ShardsWarning as ShardsWarning
    from dialogue_builders.loading.distributed import split_by_node as split_by_node
    from dialogue_builders.loading.load import load_dataset as load_dataset
    from dialogue_builders.loading.register import register as register
    from dialogue_builders.loading.register import unregister as unregister
    from dialogue_builders.page.write import ViewReport as ViewReport
    from dialogue_builders.page.write import view as view
    from dialogue_builders.workflows.build import BuildReport as BuildReport
    from dialogue_builders.workflows.build import build as build
    from dialogue_builders.workflows.check import CheckReport as CheckReport
    from dialogue_builders.workflows.check import check as check
    from dialogue_builders.workflows.sample import write_sample as write_sample

# A module must not bear the name of a function here: importing it would hide the function.
_HOMES = {
    "BuildReport": "workflows.build",
    "CheckError": "errors",
    "CheckReport": "workflows.check",
    "DeclarationError": "errors",
    "DialogueBuildersError": "errors",
    "DownloadError": "errors",
    "DownloadReport": "fetch.download",
    "ExportReport": "export.write",
    "FolderError": "errors",
    "OptionError": "errors",
    "PushError": "errors",
    "PushReport": "hub.report",
    "RawFileError": "errors",
    "RecordError": "errors",
    "ShardsWarning": "loading.distributed",
    "StatisticRow": "folder.statistics",
    "StatisticsTable": "folder.statistics",
    "UnknownNameError": "errors",
    "ViewReport": "page.write",
    "build": "workflows.build",
    "check": "workflows.check",
    "download": "fetch.download",
    "export_split": "export.write",
    "load_dataset": "loading.load",
    "push": "hub.push",
    "register": "loading.register",
    "split_by_node": "loading.distributed",
    "statistics": "folder.statistics",
    "unregister": "loading.register",
    "view": "page.write",
    "write_sample": "workflows.sample",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"dialogue_builders.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
