"""Documents of the project that are computed from its code, so that they cannot drift from it.

`scripts/render_cards.py` writes them and, with `--check`, compares them. The cards in
`dataset_cards/` are filled from the invented sample, to be read and reviewed; a build fills them
again for its own folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click

from dialogue_builders.card.blocks import FolderSummary, sample_examples, table
from dialogue_builders.card.render import card_names, fill_blocks
from dialogue_builders.card.text import BLOCK
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.spec.corpus import Corpus

HEADER = "<!-- Written by scripts/render_cards.py; edit the code's help texts instead. -->"

ARGUMENTS = {
    "name": "The dataset; `list` shows which there are.",
    "config": "The config; `info NAME` lists a dataset's.",
    "split": "The split, by the config's own name for it.",
    "folder": "A built folder.",
    "repo_id": "The repository on the Hub: `organisation/name`.",
}


def card_sources(built: BuiltFolder) -> dict[str, str]:
    """Return the texts of `dataset_cards/` for a corpus: file name → text.

    Args:
        built: a folder of the corpus, built from the sample.

    Returns:
        the prose as it stands, its blocks filled from the folder; sizes of files are left out,
        because they depend on the version of the library that wrote them.
    """
    corpus = built.corpus
    names = {
        language: name.replace("README", corpus.name)
        for language, name in card_names(corpus).items()
    }
    facts = FolderSummary(built)
    special = {"examples": f"{sample_examples(built)}\n", "files": ""}
    return {
        name: replace_blocks(fill_blocks(facts, language, names), special)
        for language, name in names.items()
    }


def replace_blocks(text: str, contents: dict[str, str]) -> str:
    """Return a text with the contents of some computed blocks replaced; others stay."""

    def fill(match: re.Match[str]) -> str:
        return match["start"] + contents.get(match["name"], match["content"]) + match["end"]

    return BLOCK.sub(fill, text)


def configs_reference(corpora: Iterable[Corpus]) -> str:
    """Return a table of all configs for each corpus: what a row is, and the options."""
    parts = []
    for corpus in corpora:
        splits = ", ".join(f"`{split}`" for split in corpus.splits)
        rows = []
        for view in corpus.views:
            only = f" (only {', '.join(view.splits)})" if view.splits else ""
            options = ", ".join(f"`{option.name}`" for option in view.options)
            rows.append((f"`{view.name}`", f"{view.summary}{only}", options))
        parts += [
            f"**`{corpus.name}`**: {corpus.summary}. Splits: {splits}.",
            table(("config", "what a row is", "options"), rows, numbers=False),
        ]
        if corpus.aliases:
            parts.append(f"Other names for rows that are there already: {_aliases(corpus)}.")
    return "\n\n".join(parts) + "\n"


def _aliases(corpus: Corpus) -> str:
    """List a corpus's aliases, with their splits where those are not the name itself."""
    return ", ".join(
        f"`{alias.name}`"
        + ("" if list(alias.splits) == [alias.name] else f" ({', '.join(alias.splits)})")
        for alias in corpus.aliases
    )


def command_line_reference(main: click.Group) -> str:
    """Return the reference of a command line: every command with its arguments and options."""
    context = click.Context(main, info_name="dialogue-builders")
    parts = [HEADER, "# The command line", main.help or "", _EXIT_CODES]
    for name in main.list_commands(context):
        command = main.commands[name]
        inner = click.Context(command, info_name=name, parent=context)
        parts.extend(_command(command, inner))
    return "\n\n".join([*parts, _COMPLETION]) + "\n"


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## `{command.name}`"
    yield _plain(command.help or "")
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    rows = [_parameter(parameter) for parameter in command.params]
    yield table(("parameter", "what it does"), rows, numbers=False)


def _parameter(parameter: click.Parameter) -> tuple[str, str]:
    """Describe an argument or option in the same way with every version of click.

    Raises:
        KeyError: an argument that `ARGUMENTS` does not describe.
    """
    if not isinstance(parameter, click.Option):
        name = str(parameter.name)
        return f"`{parameter.metavar or name.upper()}`", ARGUMENTS[name]
    notes = ["Required."] if parameter.required else []
    if parameter.show_default and parameter.default is not None:
        notes.append(f"Default: {parameter.default}.")
    metavar = parameter.metavar or parameter.type.name.split()[0].upper()
    value = "" if parameter.is_flag else f" {metavar}"
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return f"`{names}{value}`", " ".join([_plain(parameter.help or ""), *notes]).strip()


def _plain(text: str) -> str:
    """Return a help text on one line, safe inside of a table."""
    return " ".join(text.split()).replace("|", "\\|")


_EXIT_CODES = """\
Data goes to standard output, progress and notes to standard error; `--json` prints data for \
programs. The exit code is 0 when the work is done, 1 for a known error (one short message with \
the next step, never a traceback), 2 for wrong usage, and 130 after Ctrl-C. \
`python -m NAME` is the same command line with the dataset's name filled in."""

_COMPLETION = """\
## Completion in the shell

Commands, options and names of datasets complete with the Tab key after one line in the shell's \
start-up file:

```sh
eval "$(_DIALOGUE_BUILDERS_COMPLETE=bash_source dialogue-builders)"        # ~/.bashrc
eval "$(_DIALOGUE_BUILDERS_COMPLETE=zsh_source dialogue-builders)"         # ~/.zshrc
_DIALOGUE_BUILDERS_COMPLETE=fish_source dialogue-builders | source  # config.fish
```"""
