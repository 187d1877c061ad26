"""Output in encodings that can't say every character: what can be said is, the rest is escaped."""

from __future__ import annotations

import codecs
import io
import sys

ESCAPE = "dialogue_builders.escape"


def say_what_can_be_said() -> None:
    """Have standard output and standard error escape what their encoding lacks.

    Python would end with a UnicodeEncodeError: for Chinese in ASCII, and for the bytes of a file's
    name that is not UTF-8.
    """
    codecs.register_error(ESCAPE, escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPE)


def escape(error: UnicodeError) -> tuple[str, int]:
    r"""Write characters as JSON does, `\u4f60`, so that JSON stays JSON in every encoding."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (units[place : place + 2].hex() for place in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end
