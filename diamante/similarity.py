"""How alike two texts are: the F1 of their character multisets, for many pairs at once.

F1 = 2 × (characters in common, each as often as both texts have it) ÷ (length of both together).
The reference code (Knover's projects/Diamante) measures candidates in the same way. Text is taken
as it is given: a white space counts as any other character.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

# Pairs are compared in lots of this many, sorted by length, so that a lot fits in the cache and
# little of it is padding.
LOT = 2048
# Comparing all characters with all others is quadratic; beyond this length counting is quicker.
# Counts of characters then fit into one byte.
LONG = 255
# Paddings are no characters, and the two differ, so that they never match. Code points below these
# two fit into 16 bits, which halves the work; texts with others (an emoji) take 32.
NARROW_PADDING, WIDE_PADDING = 0xFFFE, 0x110000

Integers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.unsignedinteger]


class Texts:
    """Texts with their code points in one array.

    Attributes:
        texts: as they were given.
        lengths: of each text, in characters.
        is_narrow: whether all code points fit into 16 bits, beside the paddings.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.lengths: Integers = np.fromiter(map(len, texts), np.int64, len(texts))
        # Behind the last text stands enough to read a whole column from its last character on.
        joined = "".join(texts) + "\0" * LONG
        codes: Codes = np.frombuffer(joined.encode("utf-16-le"), np.uint16)
        self.is_narrow = len(codes) == len(joined) and bool(codes.max() < NARROW_PADDING)
        if not self.is_narrow:
            codes = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
        self._codes = codes
        self._starts = np.cumsum(self.lengths) - self.lengths

    def matrix(self, which: Integers, height: int, padding: int) -> Codes:
        """Return the code points of some texts, a column for each, padded below to one height."""
        rows = sliding_window_view(self._codes, height)[self._starts[which]]
        width = np.uint16 if padding < WIDE_PADDING else np.uint32
        codes: Codes = np.ascontiguousarray(rows.T, dtype=width)
        lengths = np.minimum(self.lengths[which], LONG).astype(np.uint8)
        np.copyto(codes, padding, where=np.arange(height, dtype=np.uint8)[:, None] >= lengths)
        return codes


def character_f1(
    left: Texts, lefts: Sequence[Integers], right: Texts, rights: Integers
) -> list[npt.NDArray[np.float64]]:
    """Return the character F1 of texts with one or more others each.

    Args:
        left, right: two tables of texts.
        lefts, rights: which texts make the pairs: each array of `lefts` has, for every text of
            `rights`, the one to compare it with. Comparing with several at once is cheaper.

    Returns:
        for each array of `lefts` one number per pair, from 0 (nothing in common) to 1 (the same
        characters, in any order); 0 where both texts are empty.
    """
    longest = np.maximum.reduce([right.lengths[rights], *(left.lengths[which] for which in lefts)])
    # Numbers of 16 bits are sorted by counting, which is quick.
    order = np.argsort(np.minimum(longest, LONG + 1).astype(np.int16), kind="stable")
    short = int(np.searchsorted(longest[order], LONG, side="right"))
    padding = NARROW_PADDING if left.is_narrow and right.is_narrow else WIDE_PADDING
    # A text of the left is met again and again, so they are laid out once.
    tallest = int(np.clip(left.lengths.max(initial=0), 1, LONG))
    left_codes = left.matrix(np.arange(len(left.texts)), tallest, padding + 1)
    shared = [np.zeros(len(rights), np.int64) for _ in lefts]
    for begin in range(0, short, LOT):
        lot = order[begin : min(begin + LOT, short)]
        height = max(1, int(longest[lot[-1]]))
        codes = right.matrix(rights[lot], height, padding)
        before = _occurrences_before(codes)
        for which, counts in zip(lefts, shared, strict=True):
            others = left_codes[:height].take(which[lot], axis=1)
            counts[lot] = _shared_characters(others, codes, before)
    for place in order[short:]:
        characters = Counter(right.texts[rights[place]])
        for which, counts in zip(lefts, shared, strict=True):
            counts[place] = (Counter(left.texts[which[place]]) & characters).total()
    return [
        2 * counts / np.maximum(left.lengths[which] + right.lengths[rights], 1)
        for which, counts in zip(lefts, shared, strict=True)
    ]


def _occurrences_before(codes: Codes) -> npt.NDArray[np.uint8]:
    """Count for each character how often it stands further up in its column."""
    before = np.zeros(codes.shape, np.uint8)
    for distance in range(1, len(codes)):
        before[distance:] += (codes[distance:] == codes[:-distance]).view(np.uint8)
    return before


def _shared_characters(left: Codes, right: Codes, before: npt.NDArray[np.uint8]) -> Integers:
    """Count for each pair of columns the characters that both have, each as often as both have it.

    A character of `right` counts when `left` has more of it than `right` has had further up.
    """
    in_left = np.zeros(right.shape, np.uint8)
    equal = np.empty(right.shape, np.bool_)
    for row in left:
        np.equal(right, row, out=equal)
        in_left += equal.view(np.uint8)
    counts: Integers = np.count_nonzero(before < in_left, axis=0)
    return counts
