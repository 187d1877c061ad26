"""`export`: a file's or a stream's rows, and what is to be known of them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from dialogue_builders.cli.terminal import print_text, say
from dialogue_builders.export.write import ENTRIES, ExportReport, export_split


def show_export(
    folder: Path, config: str, split: str, *, format: str, out: str, overwrite: bool
) -> None:
    """Export a split to a file, or to standard output where `out` is `-`."""
    if out == "-":
        _export_to_standard_output(folder, config, split, format)
        return
    report = export_split(folder, config, split, format=format, out=out, overwrite=overwrite)
    assert report.out is not None
    print_text(f"{report.rows:,} rows in {report.out}")
    if report.entry:
        print_text(f"entry {report.out.stem!r} in {report.out.parent / ENTRIES}")
    _say_what_is_to_be_known(report)


def _export_to_standard_output(folder: Path, config: str, split: str, format: str) -> None:
    """Write the rows, and nothing else, to standard output, in UTF-8 whatever the locale is."""
    sys.stdout.flush()
    stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        report = export_split(folder, config, split, format=format, out=stream)
        stream.flush()
    except BrokenPipeError:
        # Without a number: click would take one with EPIPE for a failure of the command.
        raise BrokenPipeError from None
    finally:
        stream.detach()
    _say_what_is_to_be_known(report)


def _say_what_is_to_be_known(report: ExportReport) -> None:
    if report.openings_left_out:
        say(
            f"{report.openings_left_out:,} histories begin with a turn of the one who replies; "
            "it has no place among pairs, and is left out"
        )
    for reason in report.restrictions:
        say(f"Not to be published: {reason}")
