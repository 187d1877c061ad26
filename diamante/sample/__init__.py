"""An invented sample of Diamante in the raw format: `luge_Diamante/{train,valid,test}.txt`.

It is what tests, examples and a first try without any download run on. The dialogues stand in
`dialogues`; here they become files. As in the documented line, a turn's candidates are
proposals for the turn after it, and ids restart in each split.
"""

from __future__ import annotations

import json
from typing import Any

from diamante.constants import ROLES
from diamante.sample.dialogues import DIALOGUES, Reply, SampleDialogue

FOLDER = "luge_Diamante"


def files() -> dict[str, bytes]:
    """Relative path to content of every file: UTF-8, one JSON object per line, Chinese as it is."""
    return {
        f"{FOLDER}/{split}.txt": "".join(
            json.dumps(record(dialogue, number), ensure_ascii=False) + "\n"
            for number, dialogue in enumerate(dialogues)
        ).encode()
        for split, dialogues in DIALOGUES.items()
    }


def record(dialogue: SampleDialogue, number: int) -> dict[str, Any]:
    """Return the raw record of a dialogue, the `number`-th of its split."""
    utterances = [dialogue.opener, *(reply.text for reply in dialogue.replies)]
    proposed = [
        candidates(reply, dialogue.proposals, number + place)
        for place, reply in enumerate(dialogue.replies)
    ]
    return {
        "id": f"dialogue-{number:05d}",
        "conversation": [
            {"role": ROLES[place % 2], "utterance": text, "response_candidates": found}
            for place, (text, found) in enumerate(zip(utterances, [*proposed, []], strict=True))
        ],
    }


def candidates(reply: Reply, proposals: tuple[str, ...], turn: int) -> list[str]:
    """Return what a model proposed for a reply: three to seven texts, in an order of its own.

    Args:
        turn: any number; it decides how many proposals there are, and which.
    """
    if reply.exactly is not None:
        return list(reply.exactly)
    count = min(3 + turn * 3 % 5, len(proposals))
    found = [proposals[(turn + place) % len(proposals)] for place in range(count)]
    origin = reply.text if reply.selected else reply.draft
    if origin is not None:
        found[turn % count] = origin
    return found
