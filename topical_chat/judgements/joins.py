"""Where in Topical-Chat a judged response belongs: found by letters and digits alone.

The judgements carry no ids, and their texts were lower-cased and tokenised. So what is looked up is
a digest of a text's letters and digits. `join_table` holds the places, worked out from the real
files by `scripts/join_judgements.py`; what is there at two places is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple


class Place(NamedTuple):
    """The turn that a response was judged in place of.

    Attributes:
        conversation_id, turn_index: which turn.
        split_in_tcs_1_1: the evaluation split of TCS-1.1 that has the conversation; None where
            none of them has.
    """

    conversation_id: str
    turn_index: int
    split_in_tcs_1_1: str | None


def place_in_words(row: Mapping[str, Any]) -> str:
    """Return where the judged response of a row belongs, for people."""
    if row["conversation_id"] is None:
        return "not joined"
    return f"{row['conversation_id']} turn {row['turn_index']} of {row['release']}"


def letters_and_digits(text: str) -> str:
    """Return what a change of case, spacing or punctuation leaves of a text."""
    return "".join(character for character in text.lower() if character.isalnum())


def text_digest(*texts: str) -> str:
    """Return a digest of some texts' letters and digits: 16 hexadecimal digits."""
    key = "\n".join(map(letters_and_digits, texts))
    return blake2b(key.encode(), digest_size=8).hexdigest()
