"""Every kind of raw file, its shape, and a plain reading of it: what the rows have to be.

Nothing here uses the packages under test, except for the sample's bytes.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from topical_chat.sample import files

Json = Any
Rows = list[dict[str, Any]]
INT32 = range(-(2**31), 2**31)
# A number that becomes an id, and so a text, may be as large as JSON readers take it.
ID_NUMBER = range(-(2**63), 2**64)


@dataclass(frozen=True)
class Maybe:
    """A field that may be absent, or null."""

    shape: Any


@dataclass(frozen=True)
class Absent:
    """A field that may be absent, and not null."""

    shape: Any


@dataclass(frozen=True)
class Either:
    """One of several shapes."""

    shapes: tuple[Any, ...]


def fits(value: Json, shape: Any) -> bool:
    """Tell whether plain JSON has a shape; unknown fields are allowed everywhere.

    A shape is a type, a range of numbers, a set of texts or numbers, a list of one shape, a dictionary of fields, `Maybe`,
    `Either`, or `None` for null.
    """
    match shape:
        case Maybe():
            return value is None or fits(value, shape.shape)
        case Absent():
            return fits(value, shape.shape)
        case Either():
            return any(fits(value, one) for one in shape.shapes)
        case dict():
            return isinstance(value, dict) and all(
                fits(value[name], inner) if name in value else isinstance(inner, Maybe | Absent)
                for name, inner in shape.items()
            )
        case list():
            return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
        case set() | frozenset():
            return type(value) in (str, int) and value in shape
        case range():
            return type(value) is int and value in shape
        case None:
            return value is None
    if shape is str:
        return isinstance(value, str) and can_be_written(value)
    if shape is dict:
        return isinstance(value, dict) and all(
            item is None or fits(item, str) for item in value.values()
        )
    if shape is int:
        return type(value) is int and value in INT32
    return type(value) in (int, float)


def can_be_written(text: str) -> bool:
    """Half of a surrogate pair is no text that UTF-8 can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


AGENTS = {"agent_1", "agent_2"}
CONFIGS = {"A", "B", "C", "D"}
RATING = Either(({"", "Poor", "Not Good", "Passable", "Good", "Excellent"}, None))
SENTIMENTS = {
    "Curious to dive deeper",
    "Neutral",
    "Surprised",
    "Happy",
    "Sad",
    "Disgusted",
    "Angry",
    "Fearful",
}


TURN = {
    "message": str,
    "agent": AGENTS,
    "sentiment": SENTIMENTS,
    "knowledge_source": [str],
    "turn_rating": RATING,
}
CONVERSATION = {
    "article_url": str,
    "config": CONFIGS,
    "content": [TURN],
    "conversation_rating": {"agent_1": RATING, "agent_2": RATING},
}
POINTER = Maybe(
    {
        "score": Maybe(float),
        "ds": Maybe(str),
        "section": Maybe(str),
        "start_index": Maybe(int),
        "end_index": Maybe(int),
        "index": Maybe(int),
    }
)
ENRICHED = {
    "content": [
        {
            "agent": AGENTS,
            "message": Either(([str], str)),
            "segmented_annotations": Absent([{"da": Maybe(str), "gt_ks": POINTER}]),
            "gt_turn_ks": POINTER,
            "sentiment": Maybe(str),
            "knowledge_source": Maybe([str]),
            "turn_rating": Maybe(str),
        }
    ],
    "article_url": Maybe(str),
    "config": Maybe(str),
    "conversation_rating": Maybe(dict),
}
SECTION = {
    "entity": str,
    "fun_facts": [Either((str, None))],
    "shortened_wiki_lead_section": Maybe(Either((ID_NUMBER, str))),
    "summarized_wiki_lead_section": Maybe(Either((ID_NUMBER, str))),
    "topic": Maybe(str),
    "fun_fact_ids": Maybe([Either((str, None))]),
}
SECTIONS = {name: Maybe(SECTION) for name in ("FS1", "FS2", "FS3")}
READING_SET = {
    "config": CONFIGS,
    "agent_1": Either((SECTIONS, None)),
    "agent_2": Either((SECTIONS, None)),
    "article_url": Maybe(str),
}
SYSTEMS = {
    "Original Ground Truth",
    "Argmax Decoding",
    "Nucleus Decoding (p = 0.3)",
    "Nucleus Decoding (p = 0.5)",
    "Nucleus Decoding (p = 0.7)",
    "New Human Generated",
}
SCORES = {
    "Understandable": {0, 1},
    "Natural": {1, 2, 3},
    "Maintains Context": {1, 2, 3},
    "Engaging": {1, 2, 3},
    "Uses Knowledge": {0, 1},
    "Overall": {1, 2, 3, 4, 5},
}
JUDGED_CONTEXT = {
    "context": str,
    "fact": str,
    "annotators": [str],
    "responses": [
        {"response": str, "model": SYSTEMS, **{name: [found] for name, found in SCORES.items()}}
    ],
}
DIALOGUE = {
    "id": Maybe(str),
    "conversation": [
        {
            "utterance": str,
            "role": Maybe({"speaker1", "speaker2"}),
            "response_candidates": Maybe([str]),
        }
    ],
}


def conversation_rows(records: dict[str, Json]) -> Rows:
    return [
        {
            "conversation_id": identity,
            "article_url": record["article_url"],
            "config": record["config"],
            "content": [
                {
                    "agent": turn["agent"],
                    "message": turn["message"],
                    "sentiment": turn["sentiment"],
                    "knowledge_source": turn["knowledge_source"],
                    "turn_rating": turn["turn_rating"] or None,
                }
                for turn in record["content"]
            ],
            "conversation_rating": {
                agent: record["conversation_rating"][agent] or None for agent in sorted(AGENTS)
            },
        }
        for identity, record in records.items()
    ]


def spoken_rows(records: dict[str, Json], names: dict[str, str], more: dict[str, Any]) -> Rows:
    return [
        {
            "conversation_id": identity,
            "turn_index": index,
            "agent": turn["agent"],
            "message": turn["message"],
            **{ours: turn[theirs] for ours, theirs in names.items()},
            **more,
        }
        for identity, record in records.items()
        for index, turn in enumerate(record["content"])
    ]


def actual_rows(records: dict[str, Json]) -> Rows:
    names = {"hypothesis_a": "message_asr_A", "hypothesis_b": "message_asr_B"}
    return spoken_rows(records, names, {})


def synthetic_rows(records: dict[str, Json]) -> Rows:
    return spoken_rows(records, {"hypothesis": "message_sim_asr"}, {"target_wer": 0.3, "seed": 2})


def enriched_rows(records: dict[str, Json]) -> Rows:
    """What stands in the file; the texts that pointers mean come from other files."""
    return [
        {
            "conversation_id": identity,
            "turn_index": index,
            "agent": turn["agent"],
            "segments": list(segments_of(turn)),
            "knowledge_pointer": pointer_of(turn.get("gt_turn_ks")),
        }
        for identity, record in records.items()
        for index, turn in enumerate(record["content"])
    ]


def segments_of(turn: Json) -> Iterator[dict[str, Any]]:
    texts = [turn["message"]] if isinstance(turn["message"], str) else turn["message"]
    notes = turn.get("segmented_annotations") or []
    for place in range(max(len(texts), len(notes))):
        note = notes[place] if place < len(notes) else {}
        yield {
            "text": texts[place] if place < len(texts) else None,
            "dialogue_act": note.get("da"),
            "knowledge_pointer": pointer_of(note.get("gt_ks")),
        }


def pointer_of(pointer: Json) -> dict[str, Any] | None:
    if pointer is None:
        return None
    names = {"data_source": "ds", "fact_index": "index"}
    fields = ("score", "data_source", "section", "start_index", "end_index", "fact_index")
    return {field: pointer.get(names.get(field, field)) for field in fields}


def reading_set_rows(records: dict[str, Json]) -> Rows:
    """One row per conversation, with or without its reading set; what ids mean stands elsewhere."""
    found: Rows = []
    for identity in json.loads(files()["conversations/test_rare.json"]):
        row: dict[str, Any] = {"conversation_id": identity}
        if identity in records:
            row["config"] = records[identity]["config"]
            row |= {agent: sections_of(records[identity][agent] or {}) for agent in AGENTS}
        found.append(row)
    return found


def sections_of(sections: Json) -> dict[str, Any]:
    """What stands in a section's list of facts is a thread's id, or else a text."""
    return {
        name: {
            "entity": section["entity"],
            "fun_fact_ids": [fact if is_thread(fact) else None for fact in section["fun_facts"]],
            "fun_facts": [None if is_thread(fact) else fact for fact in section["fun_facts"]],
        }
        for name, section in sections.items()
        if name in SECTIONS and section and not section.get("fun_fact_ids")
    }


def is_thread(fact: str | None) -> bool:
    return bool(fact) and re.fullmatch("t3_[0-9a-z]+", fact or "") is not None


def judged_rows(records: list[Json]) -> Rows:
    return [
        {
            "context_index": number,
            "response": response["response"],
            "annotators": record["annotators"],
            **{name.lower().replace(" ", "_"): response[name] for name in SCORES},
        }
        for number, record in enumerate(records)
        for response in record["responses"]
    ]


def dialogue_rows(records: list[Json]) -> Rows:
    """An absent id is the split and the line's number; an absent role is the other's."""
    return [
        {
            "id": record.get("id") or f"test-{number:05d}",
            "conversation": [
                {
                    "role": turn.get("role") or f"speaker{1 + index % 2}",
                    "utterance": turn["utterance"],
                    "response_candidates": turn.get("response_candidates") or [],
                }
                for index, turn in enumerate(record["conversation"])
            ],
        }
        for number, record in enumerate(records)
    ]


@dataclass(frozen=True)
class RawKind:
    """One kind of raw file: where it lies, which config mirrors it, and how to read it plainly.

    Attributes:
        rows: what of the config's rows the file tells; None where any rows may come of it.
        records: one object of records by id, one list of them, or lines.
        others: beginnings of the other files' names that the config needs.
    """

    name: str
    corpus: str
    config: str
    split: str
    path: str
    shape: Any
    rows: Callable[[Any], Rows] | None
    records: Any = dict
    others: tuple[str, ...] = ()


_SPEECH = "TopicalChatASR"
_ACTUAL_TURN = {**TURN, "message_asr_A": str, "message_asr_B": str}
_SYNTHETIC_TURN = {**TURN, "message_sim_asr": str}
KINDS = (
    RawKind(
        "conversations",
        "topical_chat",
        "conversations",
        "test_rare",
        "conversations/test_rare.json",
        CONVERSATION,
        conversation_rows,
    ),
    RawKind(
        "actual_speech",
        "topical_chat",
        "asr_actual",
        "test_rare",
        f"{_SPEECH}/actual/test_rare_audio.json",
        {**CONVERSATION, "content": [_ACTUAL_TURN]},
        actual_rows,
    ),
    RawKind(
        "synthetic_speech",
        "topical_chat",
        "asr_synthetic",
        "valid_freq",
        f"{_SPEECH}/synthetic/valid/freq/valid_freq_wer_0.3_seed_2.json",
        {**CONVERSATION, "content": [_SYNTHETIC_TURN]},
        synthetic_rows,
    ),
    RawKind(
        "enriched",
        "topical_chat",
        "enriched",
        "test_rare",
        "enriched/test_rare.json",
        ENRICHED,
        enriched_rows,
        others=("reading_sets/", "src/", "conversations/test_rare"),
    ),
    RawKind(
        "reading_sets",
        "topical_chat",
        "reading_sets",
        "test_rare",
        "reading_sets/pre-build/test_rare.json",
        READING_SET,
        reading_set_rows,
        others=("src/", "conversations/test_rare"),
    ),
    RawKind(
        "wikipedia",
        "topical_chat",
        "reading_sets",
        "test_rare",
        "src/wiki/wiki.json",
        None,
        None,
        others=("src/", "reading_sets/", "conversations/test_rare"),
    ),
    RawKind(
        "topics",
        "topical_chat",
        "reading_sets",
        "test_rare",
        "src/entity_to_topic.json",
        None,
        None,
        others=("src/", "reading_sets/", "conversations/test_rare"),
    ),
    RawKind(
        "usr",
        "topical_chat_judgements",
        "usr",
        "test_freq",
        "data/usr_topical_chat.json",
        JUDGED_CONTEXT,
        judged_rows,
        # UniEval's file is left out: it repeats the responses, so that any other text contradicts it.
        records=list,
    ),
    RawKind(
        "unieval",
        "topical_chat_judgements",
        "usr",
        "test_freq",
        "reproduce/unieval_predict/dialogue/topical_chat_result.json",
        None,
        None,
        records=list,
        others=("data/",),
    ),
    RawKind(
        "begin",
        "topical_chat_judgements",
        "begin",
        "dev",
        "topicalchat/begin_dev_tc.tsv",
        None,
        None,
    ),
    RawKind(
        "dialogues",
        "diamante",
        "conversations",
        "test",
        "luge_Diamante/test.txt",
        DIALOGUE,
        dialogue_rows,
        records="lines",
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}


class NotPlainError(ValueError):
    """The bytes are not what a plain reader takes."""


def _no_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotPlainError("a key stands twice")
    return found


def _no_constant(name: str) -> None:
    raise NotPlainError(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
_SPACE = re.compile(r"[ \t\r\n]*")


def parse(kind: RawKind, content: bytes) -> Any:
    """Return a file's records, strictly read.

    Raises:
        NotPlainError: it is no UTF-8, no JSON, has a key twice, or no records.
    """
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
        if kind.records in (dict, list):
            value = _DECODER.decode(text)
            if not isinstance(value, kind.records):
                raise NotPlainError(f"no {kind.records.__name__}")
            return value
        records: list[Json] = []
        place = _end_of_space(text, 0)
        while place < len(text):
            record, place = _DECODER.raw_decode(text, place)
            records.append(record)
            place = _end_of_space(text, place)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise NotPlainError(str(error)) from error
    return records


def _end_of_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    assert found is not None
    return found.end()


def plain_rows(kind: RawKind, content: bytes) -> Rows:
    """Return what the rows have to be.

    Raises:
        NotPlainError: why the file has to be refused.
    """
    assert kind.rows is not None
    records = parse(kind, content)
    for value in records.values() if kind.records is dict else records:
        if not fits(value, kind.shape):
            raise NotPlainError("a record has another shape")
    if kind.records is dict and not all(can_be_written(identity) for identity in records):
        raise NotPlainError("an id that UTF-8 can't hold")
    rows = kind.rows(records)
    if kind.name == "dialogues" and len({row["id"] for row in rows}) != len(rows):
        raise NotPlainError("two dialogues have one id")
    return rows
