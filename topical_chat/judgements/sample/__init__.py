"""An invented sample of the judgements, in the files' exact formats.

Contexts are from the invented sample of Topical-Chat, lower-cased and tokenised as USR's are; every
response, fact, score and label was made up. One context is from a conversation of `train`, as the
contexts that TCS-1.1 moved out of its evaluation splits may be; another is from no conversation.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from topical_chat.judgements.constants import BEGIN_LABELS, CRITERIA, SYSTEMS
from topical_chat.sample.conversations import CONVERSATIONS

ANNOTATORS = (("kb", "ol", "ze"), ("kb", "ol", "wu"), ("ze", "wu", "ol"))


class SampleContext(NamedTuple):
    """A context: where it ends in a conversation of the sample, its fact, and the responses.

    Without a conversation, `opening` is what was said. `responses` lack the ground truth where
    there is a conversation: that is its next turn.
    """

    split: str
    number: int
    turns: int
    opening: str
    fact: str
    responses: tuple[str, ...]


CONTEXTS = (
    SampleContext(
        "test_freq", 0, 2, "", "ostrel eats leek soup from hats for one week a year .",
        ("i like leeks .", "leeks leeks leeks .", "the soup is a soup of soup .",
         "no , i am from ostrel .", "a whole week ! what do they do with the hats ?"),
    ),
    SampleContext(
        "train", 1, 3, "", "_nofact",
        ("i do n't know .", "i think so too .", "do you like to think ?", "it is the only one .",
         "that is more than i could carry . could you ?"),
    ),
    SampleContext(
        "", 0, 0, "good evening , is your kettle singing too ?", "some kettles sing in thirds .",
        ("it sings , a little flat .", "yes .", "i am a kettle .", "kettles are made of tea .",
         "what is a kettle ?", "mine has only ever learned one note !"),
    ),
)  # fmt: skip

BEGIN_ROWS: dict[str, tuple[tuple[str, str, str, str, str], ...]] = {
    "dev": (
        ("t5", "Soup is mostly water. A lighthouse is a tower with a lamp.",
         "Leek soup! Ostrel has a whole week for it, did you hear?",
         'it is mostly water , they say " and partly patience "', BEGIN_LABELS[0]),
        ("gpt2", "The mayor keeps bowls for visitors.",
         "A week of leeks. Do they still eat it from hats?", "yes , from blue hats",
         BEGIN_LABELS[1]),
        ("doha", "The ferry sailed in a bathtub.", "It was a bathtub with lamps on it.",
         "i see , thank you", BEGIN_LABELS[2]),
        ("ctrl", "A kettle sings.", "good evening , is your kettle singing too ?",
         "a kettle sings", BEGIN_LABELS[0]),
    ),
    "test": (
        ("gpt2", "Goose Parliament is played with a bell.", "Oh no. That is a shame.",
         "it was played in 1911", BEGIN_LABELS[1]),
        ("t5", "A lens can weigh as much as six cows.", "You are joking.",
         "six cows , that is what it weighs", BEGIN_LABELS[0]),
    ),
}  # fmt: skip


def files() -> dict[str, bytes]:
    """Return path → content of every file, laid out as at its upstream."""
    judged = [_record(number, context) for number, context in enumerate(CONTEXTS)]
    columns = ("model_name", "data_source", "knowledge", "message", "response", "begin_label")
    found = {
        "data/usr_topical_chat.json": json.dumps(judged, indent=2).encode(),
        "reproduce/unieval_predict/dialogue/topical_chat_result.json": json.dumps(
            [_prediction(r, c) for c in judged for r in c["responses"]], indent=4
        ).encode(),
    }
    for split, rows in BEGIN_ROWS.items():
        lines = [columns, *((row[0], "tc", *row[1:]) for row in rows)]
        found[f"topicalchat/begin_{split}_tc.tsv"] = "\r\n".join(map("\t".join, lines)).encode()
    return found


def tokenised(message: str) -> str:
    """Return a message as USR's files have it: in lower case, with spaces around each mark."""
    return " ".join(re.sub(r"([^\w\s])", r" \1 ", message.lower()).split())


def _record(number: int, context: SampleContext) -> dict[str, Any]:
    turns, responses = [context.opening], list(context.responses)
    if context.split:
        messages = [
            tokenised(turn[4]) for turn in CONVERSATIONS[context.split][context.number].turns
        ]
        turns, truth = messages[: context.turns], messages[context.turns]
        responses.insert(0, truth)
    # As in the file, all but the new human's responses end in a newline.
    ends = ["\n"] * (len(SYSTEMS) - 1) + [""]
    return {
        "context": " \n ".join(turns) + " \n\n",
        "fact": f"{context.fact}\n",
        "annotators": list(ANNOTATORS[number]),
        "responses": [
            {"response": text + end, "model": system, **_scores(number, place)}
            for place, (text, end, system) in enumerate(zip(responses, ends, SYSTEMS, strict=True))
        ],
    }


def _scores(number: int, place: int) -> dict[str, list[int]]:
    """Make up the scores: the people of both ends please more, and annotators differ a little."""
    liked = place in (0, 5)
    scores = {}
    for column, (name, _) in CRITERIA.items():
        low, high = {"understandable": (0, 1), "uses_knowledge": (0, 1), "overall": (1, 5)}.get(
            column, (1, 3)
        )
        base = high if liked else low + place % 2
        odd = max(low, base - 1) if (number + place) % 3 == 0 else base
        scores[name] = [base, base, odd]
    return scores


def _prediction(response: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    means = {dimension: sum(response[name]) / 3 for name, dimension in CRITERIA.values()}
    words = len(response["response"].split())
    return {
        "source": context["context"],
        "system_id": response["model"],
        "system_output": response["response"].replace("\n", " "),
        "context": context["fact"],
        "scores": means,
        "predict_scores": {
            dimension: round(mean / 5 + words / 100, 6) for dimension, mean in means.items()
        },
    }
