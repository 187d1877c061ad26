"""Write raw files that are shaped like Diamante's at full scale, from characters drawn at random.

    python scripts/make_diamante_raw.py OUT [--times N] [--reading next|same] [--seed S]

Nothing in them is language, let alone the corpus: they serve benchmarks and tests that need the
real size (6,838 dialogues, 98,115 utterances, seven candidates each) and the real proportions.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

# Split → dialogues and utterances. Source: the table in the README of Knover's projects/Diamante.
FULL_SCALE = {"train": (5838, 83765), "valid": (500, 7166), "test": (500, 7184)}
CANDIDATES = 7
# The share of replies that were selected and revised; the rest were rewritten. Source as above.
SELECTED, REVISED = 0.18, 0.41
FEWEST_TURNS = 10

# Three thousand of the basic ideographs, drawn by a Zipf-like law: few are frequent, most are rare.
CHARACTERS = [chr(0x4E00 + 7 * k) for k in range(3000)]
WEIGHTS = list(accumulate(1 / (k + 8) for k in range(len(CHARACTERS))))


class TextSource:
    """Random texts, reproducible by their seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._stock = ""
        self._used = 0

    def characters(self, count: int) -> str:
        """Return `count` characters; they are drawn in large lots, which is quicker."""
        if self._used + count > len(self._stock):
            drawn = self._random.choices(CHARACTERS, cum_weights=WEIGHTS, k=200_000)
            self._stock, self._used = "".join(drawn), 0
        self._used += count
        return self._stock[self._used - count : self._used]

    def utterance(self) -> str:
        """Return a text of 3 to 25 characters and a full stop, 14.25 on average with it."""
        short = self._random.random() < 0.147
        length = self._random.randint(3, 9) if short else self._random.randint(4, 25)
        return self.characters(length) + "。"

    def revision(self, text: str) -> str:
        """Return the text with about a third of its characters replaced."""
        changed = list(text)
        for place in self._random.sample(range(len(text)), max(1, len(text) // 3)):
            changed[place] = self.characters(1)
        return "".join(changed)

    def candidates(self, reply: str) -> list[str]:
        """Return seven candidates, of which one may be the reply itself or its first draft."""
        found = [self.utterance() for _ in range(CANDIDATES)]
        kind = self._random.random()
        place = self._random.randrange(CANDIDATES)
        if kind < SELECTED:
            found[place] = reply
        elif kind < SELECTED + REVISED:
            found[place] = self.revision(reply)
        return found

    def lengths(self, dialogues: int, utterances: int) -> list[int]:
        """Share utterances out to dialogues: at least ten each, and exactly so many in all."""
        turns = [FEWEST_TURNS] * dialogues
        for _ in range(utterances - FEWEST_TURNS * dialogues):
            turns[self._random.randrange(dialogues)] += 1
        return turns


def make_records(
    dialogues: int, utterances: int, *, reading: str = "next", seed: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield the raw records of one split.

    Args:
        dialogues, utterances: how many there are in all; at least ten utterances per dialogue.
        reading: `next`: a turn's candidates compete with the turn after it; `same`: with itself.
        seed: the same seed gives the same records.
    """
    source = TextSource(seed)
    for number, length in enumerate(source.lengths(dialogues, utterances)):
        texts = [source.utterance() for _ in range(length)]
        proposed = [source.candidates(reply) for reply in texts[1:]]
        aligned = [*proposed, []] if reading == "next" else [[], *proposed]
        turns = [
            {"role": f"speaker{1 + k % 2}", "utterance": text, "response_candidates": candidates}
            for k, (text, candidates) in enumerate(zip(texts, aligned, strict=True))
        ]
        yield {"id": f"dialogue-{number:05d}", "conversation": turns}


def write_raw(folder: Path, *, times: int = 1, reading: str = "next", seed: int = 0) -> int:
    """Write `train.txt`, `valid.txt` and `test.txt`; return their bytes.

    Args:
        folder: where to write; made where it is missing.
        times: how many times the full scale.
        reading, seed: as for `make_records`; every split has texts of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for place, (split, (dialogues, utterances)) in enumerate(FULL_SCALE.items()):
        records = make_records(
            dialogues * times, utterances * times, reading=reading, seed=3 * seed + place
        )
        path = folder / f"{split}.txt"
        with path.open("w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        written += path.stat().st_size
    return written


def main() -> None:
    """Write the files that the command line asks for."""
    parser = argparse.ArgumentParser(description="Write Diamante-shaped raw files at full scale.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--times", type=int, default=1, help="how many times the full scale")
    parser.add_argument("--reading", choices=("next", "same"), default="next")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    size = write_raw(wanted.out, times=wanted.times, reading=wanted.reading, seed=wanted.seed)
    print(f"{wanted.out}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
