"""The one sink for output: data on standard output, progress and notes on standard error.

People get tables that fit their terminal, programs get JSON (`--json`), pipes get plain text.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dialogue_builders.spec.dialogue import DialogueView, Piece, Reading, Turn

if TYPE_CHECKING:
    from rich.console import Console

# Control characters are shown as their pictures (U+2400…): they are in the data and stay there, but
# a terminal must not act on them.
PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) != "\n"} | {0x7F: 0x2421}


# A pipe has no width of its own: a row of a table and a turn of a dialogue stay on one line each.
PIPE_WIDTH = 100_000


def console(*, stderr: bool = False) -> Console:
    """Return a terminal that never interprets data as markup or cuts it to guess at links."""
    from rich.console import Console

    class PipedConsole(Console):
        """A console that leaves a closed pipe to the command line, which then ends quietly."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    out = PipedConsole(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = PIPE_WIDTH
    return out


def show(renderable: Any) -> None:
    """Print something on standard output; a pipe gets it without the blanks that fill lines up."""
    out = console()
    if out.is_terminal:
        out.print(renderable)
        return
    with out.capture() as captured:
        out.print(renderable)
    # Not `splitlines`, which also cuts at characters that belong to the text.
    lines = captured.get().removesuffix("\n").split("\n")
    put("\n".join(line.rstrip(" ") for line in lines))


def put(text: str) -> None:
    """Write a line of plain text on standard output."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Without a number: click would take one with EPIPE for a failure of the command.
        raise BrokenPipeError from None


def visible(text: str) -> str:
    """Return text whose control characters can be seen instead of being acted upon."""
    return text.translate(PICTURES)


def print_json(value: Any) -> None:
    """Print a value as JSON, Chinese as it is."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: bool = True,
    title: str | None = None,
) -> None:
    """Print a table; with `numbers`, all columns but the first are aligned to the right."""
    from rich import box
    from rich.table import Table

    # Rules are for eyes; a pipe gets the bare columns.
    frame = box.SIMPLE_HEAD if console().is_terminal else None
    table = Table(box=frame, title=title, title_justify="left", pad_edge=False)
    for position, name in enumerate(header):
        right = numbers and position > 0
        table.add_column(name, justify="right" if right else "left", no_wrap=right)
    for row in rows:
        table.add_row(*row)
    show(table)


def print_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and values, the values wrapped beside their names."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(name, value)
    show(grid)


def print_definitions(title: str, terms: Sequence[tuple[str, str, str]]) -> None:
    """Print terms with what is short to say of them beside, and what is long below.

    Args:
        title: of the whole list.
        terms: (name, short, long).
    """
    from rich.padding import Padding
    from rich.text import Text

    show(Text(f"\n{title}", style="bold"))
    for name, short, long in terms:
        show(Padding(Text.assemble((name, "cyan"), "  ", (short, "dim")), (0, 0, 0, 2)))
        if long:
            show(Padding(Text(long), (0, 0, 0, 6)))


def print_text(text: str) -> None:
    """Print a sentence, wrapped between its words."""
    from rich.text import Text

    show(Text(text))


def print_block(title: str, text: str) -> None:
    """Print a text whose lines must stay as they are, such as a citation to be copied."""
    from rich.text import Text

    show(Text(f"\n{title}", style="bold"))
    put(text)


def print_items(title: str, items: Sequence[str]) -> None:
    """Print a list; an item that is too long for its line goes on below its text."""
    from rich.table import Table
    from rich.text import Text

    show(Text(title))
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for item in items:
        grid.add_row("-", Text(item))
    show(grid)


def print_dialogue(dialogue: DialogueView, *, in_full: bool = False) -> None:
    """Print a dialogue as a person reads it: who says what, and what is known of it in grey.

    Args:
        in_full: print what was read, the explanations, and what is shown on demand too.
    """
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    title = Text(visible(dialogue.title))
    # Rules are for eyes; a pipe gets the bare title.
    show(Rule(title, align="left", style="dim") if console().is_terminal else title)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    speakers: dict[str, str] = {}
    for turn in dialogue.turns:
        colours = ("cyan", "yellow", "magenta", "green")
        colour = speakers.setdefault(turn.speaker, colours[len(speakers) % len(colours)])
        grid.add_row(Text(turn.speaker, style=f"bold {colour}"), Text(visible(turn.text)))
        if turn.notes:
            grid.add_row("", Text(visible(turn.notes), style="dim"))
        for line in alternative_lines(turn, in_full=in_full):
            grid.add_row("", Text(visible(line), style="dim"))
    show(grid)
    if in_full:
        for sentence in dialogue.about:
            show(Text(visible(sentence)))
        for reading in dialogue.readings:
            print_reading(reading, dialogue)
    put("")


def alternative_lines(turn: Turn, *, in_full: bool) -> Iterator[str]:
    """Yield a line for each text that could stand in a turn's place."""
    for group in turn.alternatives:
        # Open ones that are measured by the turn's text, such as transcripts, belong to it.
        if not in_full and not group.is_open:
            continue
        if in_full:
            yield f"{group.title}:"
        for label, text, notes, mark in group.items:
            remark = f" ({' · '.join(filter(None, (mark, *notes)))})" if mark or notes else ""
            yield f"{label}: {text}{remark}"


def print_reading(reading: Reading, dialogue: DialogueView) -> None:
    """Print what somebody read: each section, the turns that cite it, and its texts."""
    cited: dict[str, list[str]] = {}
    for number, turn in enumerate(dialogue.turns):
        for identity in turn.cites:
            cited.setdefault(identity, []).append(str(number))
    terms = []
    for section in reading.sections:
        turns = cited.get(section.id, [])
        by = f"turn{'s' * (len(turns) > 1)} {', '.join(turns)}" if turns else ""
        texts = "\n".join(map(piece_in_words, section.pieces))
        terms.append((visible(section.title), by, visible(texts)))
    print_definitions(visible(reading.title), terms)


def piece_in_words(piece: Piece) -> str:
    """Return a text with its kind; where it is not at hand, its id."""
    if piece.text is not None:
        return f"{piece.kind}: {piece.text}"
    return f"{piece.kind}: not at hand" + (f", id {piece.id}" if piece.id else "")


def say(text: str) -> None:
    """Print a note for people on standard error."""
    console(stderr=True).print(text, soft_wrap=True)


@contextmanager
def progress_bar(
    beginning: str = "reading raw files", *, in_bytes: bool = False
) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that shows progress on a terminal's standard error, and nothing elsewhere.

    The bar goes when a step is complete, so that a question can be asked before the next one. A
    total of 0 is an unknown one.
    """
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn

    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount)
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(beginning, total=None)

        def show(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total or None)
            if 0 < total <= done:
                progress.stop()
            else:
                progress.start()

        yield show
