"""Words are counted as `str.split` counts them, over all of Unicode and at every edge."""

from __future__ import annotations

import pyarrow as pa
import pytest

from topical_chat.statistics import count_words

EDGES = [
    "",
    " ",
    "a",
    " a",
    "a ",
    " a  b ",
    "\t",
    "a\vb",
    "a\u3000b",
    "\u3000",
    "caf\u00e9 x",
    "\u00a0a",
    "",
    "ab",
]


def test_every_character_splits_as_in_python() -> None:
    texts = [f"a{chr(c)}b {chr(c)}" for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    assert count_words(pa.array(texts)) == sum(len(text.split()) for text in texts)


@pytest.mark.parametrize("start", range(len(EDGES)))
def test_texts_do_not_run_into_each_other(start: int) -> None:
    for stop in range(start, len(EDGES) + 1):
        part = EDGES[start:stop]
        expected = sum(len(text.split()) for text in part)
        assert count_words(pa.array(part, pa.string())) == expected
        # A slice shares its buffers with what lies around it.
        assert count_words(pa.array(EDGES).slice(start, stop - start)) == expected


def test_the_total_is_that_of_each_text() -> None:
    for text in EDGES:
        assert count_words(pa.array([text])) == len(text.split()), repr(text)
