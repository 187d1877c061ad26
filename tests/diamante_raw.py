"""Invented Diamante raw files for tests, and plain readings of them to compare with.

Nothing here uses the packages under test, except for the sample's bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SPLITS = ("train", "valid", "test")

Record = dict[str, Any]


def write_lines(folder: Path, splits: dict[str, Sequence[Record]]) -> Path:
    """Write records as `<split>.txt` and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, records in splits.items():
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"{split}.txt").write_text("".join(lines), "utf-8")
    return folder


def write_sample(folder: Path) -> Path:
    """Write the packaged sample and return the folder that holds its three files."""
    from diamante.sample import files

    for name, content in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder / "luge_Diamante"


def read_lines(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def turn(utterance: str, *candidates: str, role: str | None = None) -> Record:
    found: Record = {"utterance": utterance, "response_candidates": list(candidates)}
    return found if role is None else {"role": role, **found}


def dialogue(identity: str, *turns: Record) -> Record:
    """Number the speakers of turns that have no role, in turn."""
    spoken = [{"role": f"speaker{1 + k % 2}", **part} for k, part in enumerate(turns)]
    return {"id": identity, "conversation": spoken}


def aligned(split: str, count: int, reading: str, selected: int = 2) -> list[Record]:
    """Make dialogues of ten turns; in each, `selected` replies equal a candidate.

    Every text is unlike all others, so that the shares are known: count × selected of count × 9.
    """
    records = []
    for number in range(count):
        texts = [f"{split}第{number}段的第{k}句话" for k in range(10)]
        proposed = [
            [f"候选{split}{number}之{k}甲", texts[k] if k <= selected else f"不是{number}{k}乙丙丁"]
            for k in range(1, 10)
        ]
        lists = [*proposed, []] if reading == "next" else [[], *proposed]
        turns = [turn(text, *found) for text, found in zip(texts, lists, strict=True)]
        records.append(dialogue(f"dialogue-{number:05d}", *turns))
    return records


def plain_f1(first: str, second: str) -> float:
    """Character-multiset F1, counted one pair at a time."""
    if not first and not second:
        return 0.0
    common = sum((Counter(first) & Counter(second)).values())
    return 2 * common / (len(first) + len(second))


def plain_replies(records: Sequence[Record], reading: str) -> Iterator[Record]:
    """Yield every reply with its context and the candidates it competes with."""
    for record in records:
        turns = record["conversation"]
        for index in range(1, len(turns)):
            carrier = turns[index - 1] if reading == "next" else turns[index]
            yield {
                "id": record["id"],
                "index": index,
                "role": turns[index]["role"],
                "context": [part["utterance"] for part in turns[:index]],
                "context_roles": [part["role"] for part in turns[:index]],
                "reply": turns[index]["utterance"],
                "candidates": carrier["response_candidates"],
            }


def plain_feedback(reply: Record, cut: float) -> tuple[str | None, float | None]:
    """Return the feedback and the similarity to the nearest candidate."""
    text = reply["reply"].strip()
    filled = [c.strip() for c in reply["candidates"] if c.strip()]
    if not filled:
        return None, None
    nearest = max(plain_f1(text, candidate) for candidate in filled)
    if text in filled:
        return "select", nearest
    return ("revise" if nearest >= cut else "rewrite"), nearest


def reference_model_choices(reply: Record) -> set[str]:
    """Return which candidates the reference's rule may draw, one of them at random.

    The rule, in words: drop empty candidates and those that are the reply; order the rest by their
    character F1 with the reply, the least similar first; draw among the first five.
    """
    human = reply["reply"]
    rest = [c for c in reply["candidates"] if c.strip() and c.strip() != human.strip()]
    scored = sorted(rest, key=lambda candidate: plain_f1(human.strip(), candidate.strip()))
    return set(scored[:5])
