"""The views `preference` and `ranking`: human replies over candidates and random utterances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from dialogue_builders.arrow import list_column, struct_column
from dialogue_builders.records import Batch
from dialogue_builders.views import Columns, Dialogue, Option, Options, View
from diamante.alignment import CANDIDATES_OPTION, require_agreement
from diamante.labels import HUMAN_MODEL, HUMAN_RANDOM, MODEL_RANDOM, PAIRS
from diamante.messages import CHAT_ROLES, message_feature, prompts
from diamante.responses import note_unused
from diamante.rivals import (
    SEED,
    WITH_HUMAN_RANDOM,
    WITH_MODEL_RANDOM,
    prepare_preference,
    prepare_ranking,
    rivals_of,
)
from diamante.turns import Indices, Turns, flat_turns

if TYPE_CHECKING:
    from datasets import Features

PROMPT_START = Option(
    "prompt_start",
    "dialogue",
    "where prompts begin: with the dialogue, or with the user's first turn, as some templates want",
    choices=("dialogue", "user"),
)
NEGATIVES = Option(
    "negatives",
    "all",
    "a row for every usable candidate, or for one that is drawn among the five least similar",
    choices=("all", "one"),
)


def one_message(texts: Sequence[str]) -> pa.Array:
    """Return for each text a list of one message, the assistant's."""
    content = pa.array(texts, pa.string())
    role = CHAT_ROLES.take(pa.array(np.ones(len(content), np.int8)))
    messages = struct_column({"role": role, "content": content})
    return list_column(messages, [1] * len(content))


def preference_features() -> Features:
    """One row per pair; `candidate_index` tells the candidate in it, null where there is none."""
    from datasets import ClassLabel, Features, List, Value

    messages = List(message_feature())
    return Features(
        {
            "conversation_id": Value("string"),
            "turn_index": Value("int32"),
            "prompt": messages,
            "chosen": messages,
            "rejected": messages,
            "pair": ClassLabel(names=list(PAIRS)),
            "candidate_index": Value("int32"),
        }
    )


class _Pair(NamedTuple):
    reply: int
    chosen: str
    rejected: str
    pair: int
    candidate_index: int | None


def preference_columns(batch: Batch, options: Options) -> Columns:
    """Return rows reply by reply: human over model, human over random, model over random.

    The prompt is what was said before the reply, as messages relative to the replying speaker, who
    is the assistant; see `messages.prompts`.
    """
    turns = flat_turns(batch)
    note_unused(batch, turns, batch.prepared.reading)
    pairs = list(_pairs(batch, turns, options))
    replies = np.fromiter((pair.reply for pair in pairs), np.int64, len(pairs))
    keep, prompt = _prompts(batch, turns, replies, options)
    pairs = [pairs[row] for row in keep.tolist()] if len(keep) < len(pairs) else pairs
    return {
        **_keys(turns, replies[keep]),
        "prompt": prompt,
        "chosen": one_message([pair.chosen for pair in pairs]),
        "rejected": one_message([pair.rejected for pair in pairs]),
        "pair": [pair.pair for pair in pairs],
        "candidate_index": [pair.candidate_index for pair in pairs],
    }


def _pairs(batch: Batch, turns: Turns, options: Options) -> Iterator[_Pair]:
    notes, name = batch.notes, batch.file_name
    for rivals in rivals_of(batch, turns, options):
        reply, human = rivals.reply, turns.utterances[rivals.reply]
        models = rivals.usable
        if rivals.drawn is None:
            notes[f"{name}: replies without a usable candidate; no row of a model"] += 1
        elif options[NEGATIVES.name] == "one":
            models = [rivals.drawn]
        for number, text in models:
            yield _Pair(reply, human, text, HUMAN_MODEL, number)
        wants_random = options[WITH_HUMAN_RANDOM.name] or options[WITH_MODEL_RANDOM.name]
        if wants_random and rivals.random is None:
            notes[f"{name}: no other utterance in the split; no row of a random one"] += 1
            continue
        if options[WITH_HUMAN_RANDOM.name]:
            yield _Pair(reply, human, rivals.random or "", HUMAN_RANDOM, None)
        if options[WITH_MODEL_RANDOM.name]:
            for number, text in models:
                yield _Pair(reply, text, rivals.random or "", MODEL_RANDOM, number)


def _keys(turns: Turns, replies: Indices) -> dict[str, pa.Array]:
    """Return the columns that name the rows' replies."""
    ids = pa.array(turns.ids, pa.string())
    return {
        "conversation_id": ids.take(pa.array(turns.dialogue[replies])),
        "turn_index": pa.array(turns.index[replies], pa.int32()),
    }


def _prompts(
    batch: Batch, turns: Turns, replies: Indices, options: Options
) -> tuple[Indices, pa.Array]:
    """Return which rows have a prompt, and those prompts; the others are counted."""
    user_first = options[PROMPT_START.name] == "user"
    prompt, lengths = prompts(turns, replies, user_first=user_first)
    keep = np.flatnonzero(lengths > 0)
    if len(keep) < len(replies):
        note = f"{batch.file_name}: the user says nothing before; no row with prompt_start=user"
        batch.notes[note] += len(replies) - len(keep)
        prompt = prompt.take(pa.array(keep))
    return keep, prompt


def ranking_features() -> Features:
    """One row per reply: three completions, each a list of one message, and their ranks from 1."""
    from datasets import Features, List, Value

    messages = List(message_feature())
    return Features(
        {
            "conversation_id": Value("string"),
            "turn_index": Value("int32"),
            "prompt": messages,
            "completions": List(messages),
            "ranks": List(Value("int32")),
        }
    )


def ranking_columns(batch: Batch, options: Options) -> Columns:
    """Return for each reply the human's, a model's and a random completion, the best first.

    These are the reference's triples: the model's reply is drawn among the (at most) five usable
    candidates that are least similar to the human's, the random one among the split's utterances.
    A reply without a usable candidate has no row, as there; it is counted.
    """
    turns = flat_turns(batch)
    note_unused(batch, turns, batch.prepared.reading)
    triples = list(_triples(batch, turns, options))
    replies = np.fromiter((reply for reply, _ in triples), np.int64, len(triples))
    keep, prompt = _prompts(batch, turns, replies, options)
    kept = [triples[row][1] for row in keep.tolist()]
    completions = one_message([text for triple in kept for text in triple])
    return {
        **_keys(turns, replies[keep]),
        "prompt": prompt,
        "completions": list_column(completions, [3] * len(kept)),
        "ranks": list_column(pa.array([1, 2, 3] * len(kept), pa.int32()), [3] * len(kept)),
    }


def _triples(
    batch: Batch, turns: Turns, options: Options
) -> Iterator[tuple[int, tuple[str, str, str]]]:
    for rivals in rivals_of(batch, turns, options):
        if rivals.drawn is None:
            note = "replies without a usable candidate; no row of ranking"
        elif rivals.random is None:
            note = "no other utterance in the split; no row of ranking"
        else:
            human = turns.utterances[rivals.reply]
            yield rivals.reply, (human, rivals.drawn.text, rivals.random)
            continue
        batch.notes[f"{batch.file_name}: {note}"] += 1


def show_preference(rows: Sequence[Mapping[str, Any]]) -> Dialogue:
    """Show the rows of `preference` that make one conversation."""
    lines = []
    before: tuple[Any, ...] = ()
    for row in rows:
        chosen, rejected = row["chosen"][0]["content"], row["rejected"][0]["content"]
        if row["turn_index"] not in before[:1]:
            lines.append(_last_message(row))
        if before != (row["turn_index"], chosen):
            lines.append(("chosen", chosen, ""))
        before = (row["turn_index"], chosen)
        is_random = row["pair"] != HUMAN_MODEL
        lines.append(("rejected", rejected, "a random utterance" if is_random else ""))
    return Dialogue(rows[0]["conversation_id"], lines)


def show_ranking(rows: Sequence[Mapping[str, Any]]) -> Dialogue:
    """Show the rows of `ranking` that make one conversation."""
    lines = []
    for row in rows:
        lines.append(_last_message(row))
        ranked = zip(row["ranks"], row["completions"], strict=True)
        lines.extend((f"rank {rank}", messages[0]["content"], "") for rank, messages in ranked)
    return Dialogue(rows[0]["conversation_id"], lines)


def _last_message(row: Mapping[str, Any]) -> tuple[str, str, str]:
    message = row["prompt"][-1]
    return message["role"], message["content"], f"turn {row['turn_index'] - 1}"


PREFERENCE = View(
    name="preference",
    summary="a row per preference: prompt, chosen, rejected, in TRL's explicit form",
    source="dialogues",
    features=preference_features,
    columns=preference_columns,
    key=("conversation_id", "turn_index", "pair", "candidate_index"),
    options=(
        CANDIDATES_OPTION,
        NEGATIVES,
        WITH_HUMAN_RANDOM,
        WITH_MODEL_RANDOM,
        PROMPT_START,
        SEED,
    ),
    prepare=prepare_preference,
    agree=require_agreement,
    show=show_preference,
)

RANKING = View(
    name="ranking",
    summary="a row per reply: human, model and random completion with their ranks",
    source="dialogues",
    features=ranking_features,
    columns=ranking_columns,
    key=("conversation_id", "turn_index"),
    options=(CANDIDATES_OPTION, PROMPT_START, SEED),
    prepare=prepare_ranking,
    agree=require_agreement,
    show=show_ranking,
)
