"""The command line. It parses, calls the engine's public functions, and shows what they return.

Exit codes: 0 done; 1 a known error, told in one short message; 2 wrong usage; 130 interrupted.
Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from dialogue_builders._version import __version__
from dialogue_builders.cli.encoding import say_what_can_be_said
from dialogue_builders.errors import CheckError, DialogueBuildersError, OptionError

Command = Callable[..., Any]


class CommandGroup(click.Group):
    """A group that keeps its commands' order and turns known errors into one message."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they are defined."""
        return list(self.commands)

    def main(self, *arguments: Any, **keywords: Any) -> Any:
        """Run a command; a known error becomes a message and an exit code."""
        say_what_can_be_said()
        try:
            # Click's own handling turns Ctrl-C into exit code 1; ours is the shell's 130.
            result = super().main(*arguments, **{**keywords, "standalone_mode": False})
            sys.exit(result if isinstance(result, int) else 0)
        except DialogueBuildersError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(1)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted; nothing was left behind.", err=True)
            sys.exit(130)
        except BrokenPipeError:
            # The reader of a pipe has gone; Python must not complain once more when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="dialogue-builders")
def main() -> None:
    """Dialogue corpora: from raw files to datasets that load, stream and push."""


def complete_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete a dataset's name in the shell."""
    from dialogue_builders.spec.registry import corpus_names

    return [name for name in corpus_names() if name.startswith(incomplete)]


name_argument = click.argument("name", shell_complete=complete_names)
folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
data_dir_option = partial(
    click.option,
    "--data-dir",
    type=click.Path(path_type=Path),
    help="The folder of raw files, or their zip or tar archive.",
)


@main.command("list")
@json_option
@click.pass_context
def list_command(context: click.Context, as_json: bool) -> None:
    """Show the datasets with their configs, splits and published rows."""
    from dialogue_builders.cli.show import list_datasets

    list_datasets(context.obj, as_json)


@main.command()
@name_argument
@click.argument("config", required=False)
@json_option
def info(name: str, config: str | None, as_json: bool) -> None:
    """Show a dataset's (or one config's) features, options, license, citation and sources."""
    from dialogue_builders.cli.show import show_info

    show_info(name, config, as_json)


@main.command()
@name_argument
@click.option("--to", required=True, type=click.Path(path_type=Path), help="The raw folder.")
@click.option("--config", "configs", multiple=True, help="Only what it needs (repeatable).")
@click.option("--split", "splits", multiple=True, help="Only this split's files (repeatable).")
@click.option(
    "--mirror", metavar="URL", help="Another base address.  [env: DIALOGUE_BUILDERS_MIRROR]"
)
@click.option("--release", help="Another release of the files, as `info NAME` lists them.")
@json_option
def download(
    name: str,
    to: Path,
    configs: tuple[str, ...],
    splits: tuple[str, ...],
    mirror: str | None,
    release: str | None,
    as_json: bool,
) -> int:
    """Fetch the pinned raw files, verified; nothing is fetched that is already right."""
    from dialogue_builders.cli.show import show_download
    from dialogue_builders.cli.terminal import progress_bar
    from dialogue_builders.fetch.download import download as run

    try:
        with progress_bar("asking the server") as progress:
            report = run(
                name,
                to,
                configs=configs or None,
                splits=splits or None,
                mirror=mirror,
                release=release,
                progress=progress,
            )
    except KeyboardInterrupt:
        click.echo("Interrupted; the same command goes on where it stopped.", err=True)
        return 130
    show_download(report, as_json)
    return 0


@main.command()
@name_argument
@data_dir_option(required=True)
@json_option
def verify(name: str, data_dir: Path, as_json: bool) -> int:
    """Compare raw files with their pins: ok, missing or differs (exit 1 unless all are ok)."""
    from dialogue_builders.cli.show import show_verification

    return show_verification(name, data_dir, as_json)


@main.command()
@name_argument
@data_dir_option()
@click.option("--sample", is_flag=True, help="Build from the invented sample.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to make.")
@click.option("--config", "configs", multiple=True, help="Build this config only (repeatable).")
@click.option("--split", "splits", multiple=True, help="Build this split only (repeatable).")
@click.option(
    "--option", "options", multiple=True, metavar="CONFIG.NAME=VALUE", help="Set a config's option."
)
@click.option(
    "--shards", type=int, help="Parquet files per split.  [default: as the dataset declares]"
)
@click.option("--num-proc", type=int, help="Processes to use.  [default: 1]")
@click.option("--overwrite", is_flag=True, help="Replace a built folder that is there already.")
@click.option("--figures", is_flag=True, help="Draw the card's figures too (needs matplotlib).")
@json_option
def build(
    name: str,
    data_dir: Path | None,
    sample: bool,
    out: Path,
    configs: tuple[str, ...],
    splits: tuple[str, ...],
    options: tuple[str, ...],
    shards: int | None,
    num_proc: int | None,
    overwrite: bool,
    figures: bool,
    as_json: bool,
) -> None:
    """Build a folder of Parquet files and a card from raw files."""
    from dialogue_builders.cli.show import show_build
    from dialogue_builders.cli.terminal import progress_bar
    from dialogue_builders.workflows.build import build as run

    with progress_bar() as progress:
        report = run(
            name,
            out,
            data_dir=data_dir,
            sample=sample,
            configs=configs or None,
            splits=splits or None,
            options=parse_options(options),
            shards=shards,
            num_proc=num_proc,
            overwrite=overwrite,
            figures=figures,
            progress=progress,
        )
    show_build(report, as_json)


def parse_options(texts: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Read `CONFIG.NAME=VALUE` texts.

    Raises:
        OptionError: a text of another form, or the same option given twice.
    """
    options: dict[str, dict[str, str]] = {}
    for text in texts:
        config, dot, rest = text.partition(".")
        name, equals, value = rest.partition("=")
        if not (config and dot and name and equals):
            raise OptionError(
                f"--option {text!r} is not of the form CONFIG.NAME=VALUE",
                next_step="such as --option responses.history_turns=4",
            )
        if name in options.setdefault(config, {}):
            raise OptionError(f"--option {config}.{name} is given twice", next_step="give it once")
        options[config][name] = value
    return options


@main.command()
@folder_argument
@json_option
def stats(folder: Path, as_json: bool) -> None:
    """Recompute the source's published table from a built folder."""
    from dialogue_builders.cli.show import show_statistics
    from dialogue_builders.folder.statistics import statistics

    show_statistics(statistics(folder), as_json)


@main.command()
@folder_argument
@json_option
def check(folder: Path, as_json: bool) -> int:
    """Check a built folder against its contract (exit code 1 where it breaks it)."""
    from dialogue_builders.cli.show import show_check
    from dialogue_builders.workflows.check import check as run

    return show_check(run(folder), as_json)


@main.command()
@folder_argument
@click.argument("config")
@click.argument("split")
@click.option(
    "-n",
    "count",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How many dialogues.",
)
@click.option("--knowledge", is_flag=True, help="Show what was read, and all else that is joined.")
@json_option
def head(folder: Path, config: str, split: str, count: int, knowledge: bool, as_json: bool) -> None:
    """Show the first dialogues of a config's split as a person reads them."""
    from dialogue_builders.cli.show_dialogues import show_dialogues

    show_dialogues(folder, config, split, count, as_json, knowledge)


@main.command()
@folder_argument
@click.argument("config", required=False)
@click.argument("split", required=False)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The page to write.")
@click.option("-n", "count", type=click.IntRange(min=1), help="The first so many of each split.")
@click.option("--conversation", "conversations", multiple=True, help="This one (repeatable).")
@click.option(
    "--with",
    "beside",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A built folder whose rows belong to these dialogues, such as judgements (repeatable).",
)
@click.option("--accept-terms", is_flag=True, help="Write what may not simply be published too.")
@json_option
def view(folder: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Write dialogues as one self-contained page, beside what the speakers had read."""
    from dialogue_builders.cli.show import show_view
    from dialogue_builders.page.write import view as run

    show_view(run(folder, out, **options), as_json)


@main.command()
@folder_argument
@click.argument("config")
@click.argument("split")
@click.option(
    "--format", required=True, help="What will read it: openai, llama-factory or ms-swift."
)
@click.option(
    "--out", required=True, metavar="FILE", help="The file to make; `-` for standard output."
)
@click.option("--overwrite", is_flag=True, help="Replace a file that is there already.")
def export(folder: Path, config: str, split: str, **options: Any) -> None:
    """Write a split as JSON lines: openai, llama-factory or ms-swift; the file is whole or absent.

    Where a trainer takes the folder itself, its recipe shows how, and nothing has to be exported.
    """
    from dialogue_builders.cli.show_export import show_export

    show_export(folder, config, split, **options)


@main.command()
@folder_argument
@click.argument("repo_id")
@click.option("--private/--public", default=None, help="Create the repository as such.")
@click.option("--accept-terms", is_flag=True, help="Publish content under restrictive terms.")
@click.option("--revision", help="The branch to push to.  [default: main]")
@click.option("--create-pr", is_flag=True, help="Open a pull request instead.")
@click.option("--commit-message", "--message", "message", help="The commit's title.")
@click.option("--tag", help="A tag to put on the commit.")
@click.option("--dry-run", is_flag=True, help="Show the plan and touch nothing.")
@click.option("--yes", is_flag=True, help="Create and delete without asking.")
@json_option
def push(folder: Path, repo_id: str, as_json: bool, **options: Any) -> None:
    """Push a built folder to the Hub in one commit, and prove it."""
    from dialogue_builders.cli.show_push import PlanReview, confirm_deletion, show_push
    from dialogue_builders.cli.terminal import progress_bar, say
    from dialogue_builders.hub.push import push as run

    # `hf upload` has them the other way round.
    if not folder.exists() and Path(repo_id).is_dir():
        folder, repo_id = Path(repo_id), str(folder)
    # A person can be asked only where both ends are a terminal.
    at_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    confirm = confirm_deletion if at_terminal else None
    review = PlanReview(repo_id, asks=at_terminal and not options["yes"], as_json=as_json)
    try:
        with progress_bar(in_bytes=True) as progress:
            report = run(
                folder, repo_id, confirm=confirm, review=review, progress=progress, **options
            )
    except KeyboardInterrupt:
        say("The repository holds its old or its new state; run the same command to finish.")
        raise
    show_push(report, as_json, has_shown_plan=review.has_shown)


def command_line_of(name: str) -> click.Group:
    """Return the same command line with a dataset's name filled in, for `python -m NAME`."""
    bound = copy.copy(main)
    bound.name = f"python -m {name}"
    bound.commands = {}
    for title, command in main.commands.items():
        command = copy.copy(command)
        if any(parameter.name == "name" for parameter in command.params):
            command.params = [p for p in command.params if p.name != "name"]
            command.callback = partial(_callback(command), name=name)
        bound.commands[title] = command
    bound.context_settings = {**main.context_settings, "obj": name}
    return bound


def _callback(command: click.Command) -> Command:
    if command.callback is None:
        raise CheckError(f"the command {command.name} does nothing")
    return command.callback
