"""The character F1 of many pairs at once, against counting one pair at a time."""

from __future__ import annotations

import random

import numpy as np
import pytest
from diamante_raw import plain_f1

from diamante.similarity import LONG, Texts, character_f1


def f1(left: list[str], right: list[str]) -> list[float]:
    every = np.arange(len(right))
    return character_f1(Texts(left), [every], Texts(right), every)[0].tolist()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("好的", "好的", 1.0),
        ("好的", "的好", 1.0),  # a multiset has no order
        ("好好好", "好", 2 * 1 / 4),
        ("好", "好好好", 2 * 1 / 4),
        ("好好学习", "学习好", 2 * 3 / 7),
        ("天气", "吃饭", 0.0),
        ("", "吃饭", 0.0),
        ("", "", 0.0),
        ("a b", "ab", 2 * 2 / 5),  # white space counts
        ("😂😂哈", "😂哈", 2 * 2 / 5),
        ("\0好", "好\0", 1.0),
        ("\uffff\ufffe", "\ufffe好", 2 * 1 / 4),  # as code points of 16 bits they could be paddings
    ],
)
def test_known_pairs(first: str, second: str, expected: float) -> None:
    assert f1([first], [second]) == [expected]


@pytest.mark.parametrize("alphabet", ["好的吗呢吧啊", "好的吗\U0001f602\U00020000"])
def test_random_pairs_equal_plain_counting(alphabet: str) -> None:
    drawn = random.Random(7)
    lengths = [0, 1, 2, 3, 9, 17, LONG - 1, LONG, LONG + 1, 700]

    def text() -> str:
        return "".join(drawn.choices(alphabet, k=drawn.choice(lengths)))

    left = [text() for _ in range(5000)]
    right = [text() for _ in range(5000)]
    assert f1(left, right) == [plain_f1(a, b) for a, b in zip(left, right, strict=True)]


def test_a_repeated_character_is_counted_beyond_one_byte() -> None:
    assert f1(["好" * 255], ["好" * 255]) == [1.0]
    assert f1(["好" * 600], ["好" * 300]) == [2 * 300 / 900]


def test_several_lefts_at_once() -> None:
    left, right = Texts(["好的", "不好", "好"]), Texts(["好的", "好"])
    first, second = character_f1(
        left, [np.array([0, 0]), np.array([1, 2])], right, np.array([0, 1])
    )
    assert first.tolist() == [1.0, 2 / 3]
    assert second.tolist() == [0.5, 1.0]


def test_no_pairs() -> None:
    assert f1([], []) == []
