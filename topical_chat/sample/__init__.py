"""An invented sample of the Topical-Chat corpus, byte for byte in upstream's layout and format.

It is what tests, examples and a first try without any download run on: twenty conversations over
the five splits, their reading sets, the two lookup files, a few of the ASR files, and a piece of
Enriched Topical-Chat. Nothing in it comes from the real corpus. The conversations stand in
`conversations`, the knowledge in `reading_sets`; here they become files.

Two kinds of files were not at hand when this was written, and follow what is known of them: the
synthetic ASR files are laid out like the actual ones, and the enriched file like the conversations.
"""

import json
import re
from itertools import count
from typing import Any

from topical_chat.sample.conversations import CONVERSATIONS, Conversation
from topical_chat.sample.reading_sets import (
    SHORTENED,
    SUMMARIZED,
    agent_section,
    article,
    entity_to_topic,
    reading_sets,
    wiki,
)

POST_BUILD_SPLITS = ("valid_rare", "test_rare")

# Split, and the conversations of it that were "read aloud"; as upstream, not in the split's order.
ACTUAL_ASR = (("test_freq", (2, 0)), ("test_rare", (1, 0)))
EMPTY_TRANSCRIPT = ("t_90eb5f3c-6d24-4a17-b8e9-f3c1076ad85b", 2, "message_asr_B")

# Folder, split, word error rate, seed.
SYNTHETIC_ASR = (
    ("train", "train", "0.1", 1),
    ("test/rare", "test_rare", "0.1", 0),
    ("test/rare", "test_rare", "0.1", 1),
    ("valid/freq", "valid_freq", "0.3", 2),
)

MISHEARD = {
    "article": "particle",
    "bicycle": "by cycle",
    "ferry": "fairy",
    "heron": "herring",
    "hurdy": "hardy",
    "kite": "kit",
    "leek": "leak",
    "leeks": "leaks",
    "lens": "lands",
    "lighthouse": "light house",
    "soup": "soap",
    "spoon": "spool",
    "wheel": "will",
}

Pointer = tuple[float, str, str, str | int]
"""Score, data source, section, and the quoted sentence (or the index of the fun fact)."""

EnrichedTurn = tuple[Pointer, tuple[tuple[str, Pointer], ...]]
"""The pointer of the whole turn; then dialogue act and pointer of each of its segments."""

_KITE = "Kite flying is the sport of holding one end of a string while the wind has an opinion"
_FOUND = "A family in Quillby has found a telescope in its attic."
_SWEEP = "The instrument was made by a chimney sweep."
_WHEEL = "A hurdy-gurdy makes its sound with a wheel."
_HIRED = "The village council of Ennow has hired a hurdy-gurdy player for its meetings."
_LOUDER = "The longer a speech, the louder she plays."
_NEIGHBOURS = "A village council is a small group of neighbours"
_STRINGS = "A hurdy-gurdy is an instrument with strings"

ENRICHED: dict[str, tuple[EnrichedTurn, ...]] = {
    "t_8e36a0b7-c9d1-4f58-a02e-4b7c91f5e6d3": (
        (
            (0.61, "fun_facts", "FS1", 0),
            (
                ("PropQ", (0.27, "wiki", "FS1", _KITE)),
                ("Statement", (0.74, "fun_facts", "FS1", 0)),
            ),
        ),
        (
            (0.35, "fun_facts", "FS1", 0),
            (
                ("PropQ", (0.48, "fun_facts", "FS1", 0)),
                ("Statement", (0.19, "fun_facts", "FS1", 0)),
            ),
        ),
        (
            (0.42, "fun_facts", "FS1", 0),
            (
                ("Statement", (0.57, "fun_facts", "FS1", 0)),
                ("Statement", (0.0, "article", "AS4", "Until then the umbrellas are in the bath.")),
            ),
        ),
        (
            (0.33, "article", "AS1", _FOUND),
            (
                ("Directive", (0.36, "article", "AS1", _FOUND)),
                ("SetQ", (0.08, "article", "AS2", _SWEEP)),
            ),
        ),
        (
            (0.58, "fun_facts", "FS2", 0),
            (
                ("Statement", (0.66, "fun_facts", "FS2", 4)),
                ("Statement", (0.71, "fun_facts", "FS2", 1)),
            ),
        ),
        (
            (0.05, "article", "AS1", _FOUND),
            (
                ("Statement", (0.0, "article", "AS1", _FOUND)),
                ("Commissive", (0.06, "fun_facts", "FS2", 0)),
            ),
        ),
    ),
    "t_19c5d8f2-e70a-4b63-8d94-a6f03b2e7c51": (
        (
            (0.31, "wiki", "FS1", _STRINGS),
            (
                ("PropQ", (0.38, "wiki", "FS1", _STRINGS)),
                ("Statement", (0.12, "fun_facts", "FS1", 4)),
            ),
        ),
        (
            (0.46, "fun_facts", "FS1", 0),
            (
                ("Feedback", (0.21, "fun_facts", "FS1", 0)),
                ("Statement", (0.34, "wiki", "FS1", _WHEEL)),
            ),
        ),
        (
            (0.52, "article", "AS1", _HIRED),
            (
                ("Feedback", (0.24, "fun_facts", "FS1", 0)),
                ("Statement", (0.63, "article", "AS1", _HIRED)),
            ),
        ),
        (
            (0.29, "article", "AS3", _LOUDER),
            (
                ("Feedback", (0.14, "fun_facts", "FS2", 4)),
                ("Statement", (0.49, "article", "AS3", _LOUDER)),
                ("ChoiceQ", (0.03, "wiki", "FS2", _NEIGHBOURS)),
            ),
        ),
        (
            (0.04, "fun_facts", "FS1", 4),
            (
                ("Statement", (0.07, "fun_facts", "FS1", 4)),
                ("Salutation", (0.0, "wiki", "FS1", _STRINGS)),
            ),
        ),
    ),
}


def files(post_build: bool = False) -> dict[str, bytes]:
    """Relative path to content of every file, laid out as in upstream's repository.

    The enriched file, which upstream keeps elsewhere, stands under `enriched/`. With
    `post_build` there are also the reading sets that a user's own run of upstream's build
    script leaves for `POST_BUILD_SPLITS`.
    """
    found: dict[str, bytes] = {}
    for split, conversations in CONVERSATIONS.items():
        found[f"conversations/{split}.json"] = _dump({c.id: c.record() for c in conversations})
        found[f"reading_sets/pre-build/{split}.json"] = _dump(
            reading_sets(conversations, post_build=False)
        )
        if post_build and split in POST_BUILD_SPLITS:
            found[f"reading_sets/post-build/{split}.json"] = _dump(
                reading_sets(conversations, post_build=True)
            )
    found["src/wiki/wiki.json"] = _dump(wiki())
    found["src/entity_to_topic.json"] = _dump(entity_to_topic(), indent=4)
    for split, numbers in ACTUAL_ASR:
        chosen = [CONVERSATIONS[split][number] for number in numbers]
        found[f"TopicalChatASR/actual/{split}_audio.json"] = _dump(
            {c.id: _actual_asr(c) for c in chosen}, end="\n"
        )
    for folder, split, rate, seed in SYNTHETIC_ASR:
        name = f"{folder}/{split}_wer_{rate}_seed_{seed}.json"
        found[f"TopicalChatASR/synthetic/{name}"] = _dump(
            {c.id: _synthetic_asr(c, float(rate), seed) for c in CONVERSATIONS[split]}, end="\n"
        )
    found["enriched/test_rare.json"] = _dump(
        {c.id: _enriched(c) for c in CONVERSATIONS["test_rare"] if c.id in ENRICHED}
    )
    return found


def _dump(value: Any, indent: int = 2, end: str = "") -> bytes:
    """ASCII with escapes, as upstream writes; only its ASR files end with a newline."""
    return (json.dumps(value, indent=indent) + end).encode("ascii")


def _actual_asr(conversation: Conversation) -> dict[str, Any]:
    """System A mishears words, system B drops the punctuation and all capitals but "I"."""
    record = conversation.record()
    for number, turn in enumerate(record["content"]):
        words = " ".join(turn["message"].split())
        turn["message_asr_A"] = re.sub(r"\w+", lambda m: MISHEARD.get(m[0], m[0]), words)
        bare = re.sub(r"[^\w' ]", "", words.lower().replace("-", " "))
        turn["message_asr_B"] = re.sub(r"\bi\b", "I", bare)
        if (conversation.id, number) == EMPTY_TRANSCRIPT[:2]:
            turn[EMPTY_TRANSCRIPT[2]] = ""
    return record


def _synthetic_asr(conversation: Conversation, rate: float, seed: int) -> dict[str, Any]:
    """One word in so many of the conversation is wrong; the seed says where that begins."""
    record = conversation.record()
    step = round(1 / rate)
    position = count(step - seed % step)
    for turn in record["content"]:
        turn["message_sim_asr"] = " ".join(
            word if next(position) % step else MISHEARD.get(word, "uh")
            for word in turn["message"].split()
        )
    return record


def _enriched(conversation: Conversation) -> dict[str, Any]:
    record = conversation.record()
    for turn, (pointer, segments) in zip(record["content"], ENRICHED[conversation.id], strict=True):
        agent = int(turn["agent"][-1])
        turn["message"] = re.split(r"(?<=[.?!]) (?=\w)", turn["message"].strip())
        if len(turn["message"]) != len(segments):
            raise ValueError(f"{conversation.id}: segments do not fit {turn['message']}")
        turn["segmented_annotations"] = [
            {"da": act, "gt_ks": _pointer(conversation, agent, target)} for act, target in segments
        ]
        turn["gt_turn_ks"] = _pointer(conversation, agent, pointer)
    return record


def _pointer(conversation: Conversation, agent: int, pointer: Pointer) -> dict[str, Any]:
    """Spell a pointer out; for a quoted sentence, say where it begins and ends in its section."""
    score, source, section, target = pointer
    head = {"score": score, "ds": source, "section": section}
    if isinstance(target, int):
        return head | {"index": target}
    if source == "article":
        text = article(conversation)[section]
    else:
        knowledge = agent_section(conversation, agent, section, post_build=True)
        text = knowledge[SUMMARIZED] if SUMMARIZED in knowledge else knowledge[SHORTENED]
    start = text.index(target)
    return head | {"start_index": start, "end_index": start + len(target)}
