"""The turns of a batch of two-party dialogues, laid out flat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dialogue_builders.spec import list_column

Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass
class FlatTurns:
    """All turns of a batch, one after the other.

    Attributes:
        ids: per dialogue its id.
        lengths: per dialogue the number of its turns.
        speakers, texts: per turn who says what.
        speakers_in_order: the names of the first and the second speaker.
    """

    ids: Sequence[str]
    lengths: Sequence[int]
    speakers: Sequence[str]
    texts: Sequence[str]
    speakers_in_order: tuple[str, str]

    @property
    def second_speaker(self) -> str:
        """The second speaker's name."""
        return self.speakers_in_order[1]

    @cached_property
    def dialogue(self) -> Indices:
        """Per turn the number of its dialogue within the batch."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def index(self) -> Indices:
        """Per turn its number within its dialogue, from 0."""
        lengths = np.asarray(self.lengths, np.int64)
        starts = np.cumsum(lengths) - lengths
        return np.arange(len(self.texts)) - np.repeat(starts, lengths)

    @cached_property
    def is_last(self) -> Flags:
        """Per turn whether nothing follows it in its dialogue."""
        return np.append(self.index[1:] == 0, True)[: len(self.texts)]

    @cached_property
    def replies(self) -> Indices:
        """The places of the turns that reply to another one: all but each dialogue's first."""
        return np.flatnonzero(self.index > 0)

    @cached_property
    def is_second_speaker(self) -> Flags:
        """Per turn whether the second speaker says it."""
        second = self.second_speaker
        return np.fromiter((speaker == second for speaker in self.speakers), np.bool_)

    @cached_property
    def text_array(self) -> pa.Array:
        """The texts as an Arrow array, from which they are repeated without Python objects."""
        return pa.array(self.texts, pa.string())

    def keys(self, places: Indices | None = None) -> dict[str, pa.Array]:
        """Return the columns `conversation_id` and `turn_index` of some turns; None for all."""
        dialogue = self.dialogue if places is None else self.dialogue[places]
        index = self.index if places is None else self.index[places]
        return {
            "conversation_id": pa.array(self.ids, pa.string()).take(pa.array(dialogue)),
            "turn_index": pa.array(index, pa.int32()),
        }

    def histories(self, replies: Indices, most: int = 0) -> pa.Array:
        """Return for each reply the texts of the turns before it, in order.

        Args:
            replies: the replies' places among the turns.
            most: how many of the last turns to give; 0 for all.
        """
        lengths = self.index[replies]
        if most:
            lengths = np.minimum(lengths, most)
        texts = self.text_array.take(pa.array(number_ranges(replies - lengths, lengths)))
        return list_column(texts, lengths.tolist())


def number_ranges(starts: Indices, lengths: Indices) -> Indices:
    """Return the numbers start, start + 1, … of each length, one run after the other."""
    before = np.cumsum(lengths) - lengths
    numbers: Indices = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return numbers
