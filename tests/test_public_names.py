"""The public face: every name is there, nothing heavy comes with it, and editors can follow it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dialogue_builders
from dialogue_builders import errors

ROOT = Path(__file__).resolve().parent.parent

# What a program calls, and what it then holds in its hands; written out by hand.
RETURNED = {
    "build": "BuildReport",
    "check": "CheckReport",
    "download": "DownloadReport",
    "export_split": "ExportReport",
    "push": "PushReport",
    "statistics": "StatisticsTable",
    "view": "ViewReport",
}
OTHERS = {
    "__version__",
    "ShardsWarning",
    "StatisticRow",
    "load_dataset",
    "register",
    "split_by_node",
    "unregister",
    "write_sample",
}


def error_names() -> set[str]:
    """Every class of errors.py, so that a new one can't be forgotten."""
    return {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.DialogueBuildersError)
    }


def modules_after(code: str) -> set[str]:
    """Run code in a fresh interpreter and return what is then imported."""
    answer = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(answer.stdout.split())


def test_exactly_the_intended_names_are_public() -> None:
    assert len(error_names()) == 10
    wanted = {*RETURNED, *RETURNED.values(), *OTHERS, *error_names()}
    assert set(dialogue_builders.__all__) == wanted
    assert len(dialogue_builders.__all__) == len(wanted)
    assert dir(dialogue_builders) == sorted(wanted)


@pytest.mark.parametrize("name", dialogue_builders.__all__)
def test_a_public_name_is_the_thing_itself(name: str) -> None:
    """No module hides a function of its name, and nothing is re-exported under another one."""
    value = getattr(dialogue_builders, name)
    assert not inspect.ismodule(value)
    if name != "__version__":
        assert value.__name__ == name
        assert value.__module__.startswith("dialogue_builders.")
        assert value.__doc__


def test_every_name_is_declared_for_editors_too() -> None:
    """What is imported late is invisible to an editor unless it is imported for types."""
    import ast

    tree = ast.parse(Path(dialogue_builders.__file__ or "").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert declared == {
        name: f"dialogue_builders.{home}.{name}" for name, home in dialogue_builders._HOMES.items()
    }


@pytest.mark.parametrize(("function", "returned"), RETURNED.items())
def test_a_function_says_that_it_returns_a_public_type(function: str, returned: str) -> None:
    call: Callable[..., Any] = getattr(dialogue_builders, function)
    assert inspect.signature(call).return_annotation == returned


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'buld'"):
        dialogue_builders.buld  # noqa: B018
    assert not hasattr(dialogue_builders, "cli_main")


def test_importing_brings_nothing_heavy() -> None:
    heavy = {"datasets", "pyarrow", "rich", "click", "msgspec", "numpy", "huggingface_hub"}
    found = modules_after("import dialogue_builders")
    assert "dialogue_builders" in found
    assert found & heavy == set()


def test_catching_an_error_brings_nothing_heavy() -> None:
    """A program that only names the errors pays for their one small module."""
    found = modules_after("from dialogue_builders import DialogueBuildersError, PushError")
    ours = {name for name in found if name.startswith("dialogue_builders")}
    assert ours == {"dialogue_builders", "dialogue_builders._version", "dialogue_builders.errors"}


def test_the_functions_themselves_bring_neither_rich_nor_click() -> None:
    code = "import dialogue_builders as d\nfor name in d.__all__: getattr(d, name)"
    assert not modules_after(code) & {"dialogue_builders.cli", "rich", "click"}


def test_load_dataset_tells_what_it_returns() -> None:
    """By `split` and `streaming`, as the four types of the library."""
    returned = {}
    for overload in typing.get_overloads(dialogue_builders.load_dataset):
        parameters = inspect.signature(overload).parameters
        if "streaming" in parameters:
            key = parameters["split"].annotation, parameters["streaming"].annotation
            returned[key] = inspect.signature(overload).return_annotation
    assert returned == {
        ("str", "Literal[False]"): "Dataset",
        ("str", "Literal[True]"): "IterableDataset",
        ("None", "Literal[False]"): "DatasetDict",
        ("None", "Literal[True]"): "IterableDatasetDict",
    }
