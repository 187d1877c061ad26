"""Words, counted as the published table counts them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# By byte: whether an ASCII character belongs to a word, as `str.isspace` tells it.
IS_WORD_BYTE = np.array([not chr(code).isspace() for code in range(128)] + [True] * 128)


def count_words(messages: pa.Array) -> int:
    """Count words as the published figure does: runs between white space, as `str.split` sees it.

    Args:
        messages: a column of strings without nulls.
    """
    is_ascii = pc.string_is_ascii(messages)
    plain, other = messages.filter(is_ascii), messages.filter(pc.invert(is_ascii))
    # Splitting makes a string of every word; where a character is a byte, looking is enough.
    words = pc.list_value_length(pc.utf8_split_whitespace(pc.utf8_trim_whitespace(other)))
    # A message of nothing but white space splits into one empty part, which is no word.
    blank = pc.equal(pc.utf8_trim_whitespace(other), "")
    return _count_ascii_words(plain) + (pc.sum(pc.if_else(blank, 0, words)).as_py() or 0)


def _count_ascii_words(messages: pa.Array) -> int:
    """Count the bytes that begin a word: behind white space, or at a text's start."""
    if not len(messages):
        return 0
    _, offset_buffer, text_buffer = messages.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32)[messages.offset :][: len(messages) + 1]
    if offsets[0] == offsets[-1]:
        return 0
    text = np.frombuffer(text_buffer, np.uint8)[offsets[0] : offsets[-1]]
    filled = IS_WORD_BYTE[text]
    starts = filled.copy()
    starts[1:] &= ~filled[:-1]
    firsts = (offsets[:-1] - offsets[0])[np.diff(offsets) > 0]
    starts[firsts] = filled[firsts]
    return int(np.count_nonzero(starts))
