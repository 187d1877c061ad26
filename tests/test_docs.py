"""The documents: their snippets run, their links lead somewhere, and nothing public is undocumented."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import dialogue_builders
from dialogue_builders import errors
from dialogue_builders.card.render import card_template
from dialogue_builders.card.translations import LANGUAGES
from dialogue_builders.cli.main import main
from dialogue_builders.loading.builder_classes import find_builder_class
from dialogue_builders.spec.registry import corpus_names, find_corpus

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
REFERENCE = (ROOT / "docs" / "command_line.md").read_text("utf-8")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "dataset_cards/*.md")
    for path in ROOT.glob(pattern)
)


# --- what is shown runs --------------------------------------------------------------------------


# A thread of Arrow may abort a process that has streamed and ends; see docs/recipes/streaming.md.
FAREWELL = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code + FAREWELL],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def run_shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    ours = f"{sys.executable} -m dialogue_builders"
    line = re.sub(r"^dialogue-builders\b", ours, line)
    return subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_readme_has_its_three_ways_to_load() -> None:
    assert len(PYTHON.findall(README)) == 3


@pytest.mark.parametrize("number", range(len(PYTHON.findall(README))))
def test_a_snippet_of_the_readme_runs_as_written(number: int, demo: Path) -> None:
    answer = run_python(PYTHON.findall(README)[number], demo)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip()


def test_the_readmes_commands_run_as_written(tmp_path: Path) -> None:
    """Those of the section on the command line; the others need what isn't here, and are parsed."""
    (block,) = SHELL.findall(README.partition("\n## The command line\n")[2].partition("\n## ")[0])
    lines = block.splitlines()
    assert [line.split()[1] for line in lines] == ["build", "check", "stats", "head", "view"]
    for line in lines:
        answer = run_shell(line, tmp_path)
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout.strip()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_that_is_shown_exists(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    for block in SHELL.findall(text):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["dialogue-builders"]:
                command = main.commands[words[1]]
                with click.Context(command, resilient_parsing=False) as context:
                    command.parse_args(context, words[2:])


@pytest.mark.parametrize("name", corpus_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cards_snippets_run(name: str, language: str, tmp_path: Path) -> None:
    dialogue_builders.build(name, tmp_path / "built", sample=True)
    snippets = PYTHON.findall(card_template(find_corpus(name), language))
    assert len(snippets) == 4
    assert all('"path/or/name"' in snippet for snippet in snippets)
    # One process for all of them, each in a namespace of its own.
    code = f"for snippet in {[s.replace('path/or/name', 'built') for s in snippets]!r}: exec(snippet, {{}})"
    answer = run_python(code, tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert len(answer.stdout.splitlines()) >= 4


# --- the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(main.commands))
def test_every_command_and_option_is_documented(name: str) -> None:
    command = main.commands[name]
    assert command.help
    (section,) = re.findall(rf"^## `{name}`\n(.*?)(?=^## )", REFERENCE, re.DOTALL | re.MULTILINE)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert re.search(rf"[`,] ?{option}\b", section), option
        else:
            (meaning,) = re.findall(
                rf"^\| `{parameter.human_readable_name}` \| (.*) \|$", section, re.MULTILINE
            )
            assert meaning
    assert f"`{name}`" in README.partition("\n## The command line\n")[2].partition("\n## ")[0]


# --- links ---------------------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """The anchors that GitHub and the Hub give to headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: str) -> None:
    path = ROOT / document
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)[^)]*\)", text):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file) if file else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text("utf-8")), link


def test_the_changelog_and_the_citation_speak_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == dialogue_builders.__version__
    assert citation["license"] == "Apache-2.0"
    stated = {reference["doi"] for reference in citation["references"]}
    assert all(any(doi in find_corpus(name).citation for doi in stated) for name in corpus_names())
    assert f"\n## {dialogue_builders.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


# --- docstrings ----------------------------------------------------------------------------------

# A dataset's package may lie inside of another's.
PACKAGES = tuple(
    dict.fromkeys(
        ["dialogue_builders", *(find_corpus(n).package_name.split(".")[0] for n in corpus_names())]
    )
)


def public_functions() -> Iterator[tuple[str, Any]]:
    """What users import: the package's functions, and the builder classes with their methods."""
    for name in dialogue_builders.__all__:
        value = getattr(dialogue_builders, name)
        if inspect.isfunction(value):
            yield name, value
    for dataset in corpus_names():
        builder = find_builder_class(dataset)
        package = import_module(find_corpus(dataset).package_name)
        assert package.__all__ == [builder.__name__]
        yield builder.__name__, builder
        for attribute, value in vars(builder.__mro__[1]).items():
            if inspect.isfunction(value) and not attribute.startswith("_"):
                yield f"{builder.__name__}.{attribute}", value


PUBLIC = dict(public_functions())


def sections(text: str) -> dict[str, str]:
    """Google's sections of a docstring; the summary is under an empty name."""
    parts = re.split(r"^(Args|Returns|Raises|Attributes|Yields):$", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_documented(name: str) -> None:
    """Every parameter is named, a result is described, and so is every error of ours that is raised."""
    value = PUBLIC[name]
    text = inspect.getdoc(value)
    assert text, name
    if inspect.isclass(value) or "." in name:
        return
    stated = sections(text)
    signature = inspect.signature(value)
    described = stated.get("Args", "") + (
        stated[""] if "Parameters are those of" in stated[""] else ""
    )
    if "Parameters are those of" not in stated[""]:
        for parameter in signature.parameters:
            assert re.search(rf"\b{parameter}\b", described), f"{name}: {parameter}"
    if signature.return_annotation not in ("None", None):
        assert stated.get("Returns", "").strip() or text.startswith("Return "), name
    assert_errors_are_stated(value, stated.get("Raises", ""), name)


def assert_errors_are_stated(function: Any, stated: str, name: str) -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            error = ast.unparse(node.exc.func)
            kind = getattr(errors, error, None)
            if kind is not None:
                bases = {base.__name__ for base in kind.__mro__[:-2]}
                assert bases & set(re.findall(r"\w+Error", stated)), f"{name} raises {error}"


def all_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text("utf-8")).body:
                methods = node.body if isinstance(node, ast.ClassDef) else [node]
                for function in methods:
                    if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                        yield f"{package}/{path.name}: {function.name}", function


FUNCTIONS = dict(all_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_raises_our_errors_says_so(name: str) -> None:
    function = FUNCTIONS[name]
    raised = {
        ast.unparse(node.exc.func)
        for node in ast.walk(function)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
    }
    ours = {error for error in raised if hasattr(errors, error)}
    text = ast.get_docstring(function) or ""
    if ours and not re.search(r"\b[Rr]aise an? \w+Error ", text):
        assert "Raises:" in text, f"raises {ours}"


def test_every_module_and_class_says_what_it_is() -> None:
    silent = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            nodes = [tree, *(n for n in tree.body if isinstance(n, ast.ClassDef))]
            silent += [
                f"{path.name}: {getattr(n, 'name', '')}" for n in nodes if not ast.get_docstring(n)
            ]
    assert silent == []


@pytest.mark.parametrize("name", corpus_names())
def test_every_view_says_its_shape_its_units_and_its_source(name: str) -> None:
    """Fields are described elsewhere (test_cards); here: rows, options, and where figures are from."""
    corpus = find_corpus(name)
    for view in corpus.views:
        assert re.match(r"an? (row|chat) per ", view.summary), view.name
        assert (view.features.__doc__ or "").startswith("One row per "), view.name
        assert (view.columns.__doc__ or "").startswith("Return "), view.name
        for option in view.options:
            assert option.summary, f"{view.name}.{option.name}"
    package = ROOT.joinpath(*corpus.package_name.split("."))
    statistics = (package / "statistics.py").read_text("utf-8")
    assert re.search(
        r"# Source: .*\nSTATISTICS = |# Source: (.*\n# .*)+\nSTATISTICS = ", statistics
    )
    assert "Source" in (import_module(f"{corpus.package_name}.sources").__doc__ or "")
