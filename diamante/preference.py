"""The views `preference` and `ranking`: human replies over candidates and random utterances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from dialogue_builders.dialogue.chat import assistant_messages, message_feature, prompts
from dialogue_builders.dialogue.compare import same_prompt
from dialogue_builders.dialogue.turns import Indices
from dialogue_builders.spec import (
    Alternative,
    Alternatives,
    Annotation,
    Batch,
    Columns,
    DialogueView,
    Label,
    Option,
    Options,
    Rows,
    Turn,
    TurnColumns,
    View,
    list_column,
)
from diamante.alignment import CANDIDATES_OPTION, require_agreement
from diamante.candidates import CandidateComparison, compare
from diamante.check_candidates import (
    SAME_COMPLETIONS,
    SAME_PAIR,
    expected_pairs,
    expected_rankings,
    user_first,
)
from diamante.check_rows import CHOSEN_IS_NOT_REJECTED, COMPLETIONS_DIFFER, RANKS
from diamante.constants import HUMAN_MODEL, HUMAN_RANDOM, MODEL_RANDOM, PAIRS
from diamante.negatives import (
    SEED,
    WITH_HUMAN_RANDOM,
    WITH_MODEL_RANDOM,
    draw,
    drawn_candidates,
    prepare_preference,
    prepare_ranking,
    random_utterances,
    usable_candidates,
)
from diamante.responses import note_unused
from diamante.turns import Turns, flat_turns

if TYPE_CHECKING:
    from datasets import Features

PROMPT_START = Option(
    "prompt_start",
    "user",
    "what prompts are: chats that begin and end with the user, as templates want, or the whole "
    "dialogue before the reply",
    choices=("user", "dialogue"),
)
NO_PROMPT = "the speaker of a reply spoke before it; no prompt with prompt_start=user, no row"
CUT_PROMPT = "a prompt from which the assistant's opening is left out (prompt_start=user)"
NEGATIVES = Option(
    "negatives",
    "all",
    "a row for every usable candidate, or for one that is drawn among the five least similar",
    choices=("all", "one"),
)


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


class _Pairs(NamedTuple):
    """Rows of one kind: the replies, both sides, the kind, the candidate's number or null."""

    replies: Indices
    chosen: pa.Array
    rejected: pa.Array
    kind: int
    candidate_index: pa.Array


def preference_columns(batch: Batch, options: Options) -> Columns:
    """Return rows reply by reply: human over model, human over random, model over random.

    The prompt is what was said before the reply, as messages relative to the replying speaker, who
    is the assistant, and begins and ends with the user; see `dialogue.chat.prompts`.
    """
    turns = flat_turns(batch)
    note_unused(batch, turns, batch.split_facts.reading)
    kinds = _pairs(batch, turns, options)
    replies = np.concatenate([rows.replies for rows in kinds])
    codes = np.repeat([rows.kind for rows in kinds], [len(rows.replies) for rows in kinds])
    order = np.lexsort((codes, replies))
    keep, prompt = _prompts(batch, turns, replies[order], options)
    order = order[keep]
    rows = pa.array(order)
    return {
        **turns.keys(replies[order]),
        "prompt": prompt,
        "chosen": assistant_messages(pa.concat_arrays([rows.chosen for rows in kinds]).take(rows)),
        "rejected": assistant_messages(
            pa.concat_arrays([rows.rejected for rows in kinds]).take(rows)
        ),
        "pair": pa.array(codes[order]),
        "candidate_index": pa.concat_arrays([rows.candidate_index for rows in kinds]).take(rows),
    }


def _pairs(batch: Batch, turns: Turns, options: Options) -> list[_Pairs]:
    """Return the rows of every kind that is wanted."""
    (comparison,) = compare(turns, [batch.split_facts.reading])
    if options[NEGATIVES.name] == "one":
        numbers = draw(batch, turns, options[SEED.name])[:, 0]
        models = drawn_candidates(comparison, turns.replies, numbers)
        models = models[models >= 0]
    else:
        models = usable_candidates(comparison)
    replies = comparison.reply[models]
    without = len(turns.replies) - len(np.unique(replies))
    if without:
        note = f"{batch.file_name}: replies without a usable candidate; no row of a model"
        batch.notes[note] += without
    said = pa.array(turns.texts, pa.string())
    proposed = pa.array(comparison.texts(models), pa.string())
    numbers = pa.array(comparison.number[models], pa.int32())
    over_model = _Pairs(replies, said.take(pa.array(replies)), proposed, HUMAN_MODEL, numbers)
    if options[WITH_HUMAN_RANDOM.name] or options[WITH_MODEL_RANDOM.name]:
        return [over_model, *_random_pairs(batch, comparison, over_model, options)]
    return [over_model]


def _random_pairs(
    batch: Batch, comparison: CandidateComparison, over_model: _Pairs, options: Options
) -> Iterator[_Pairs]:
    """Yield the wanted rows whose rejected side is a random utterance, one for each reply."""
    turns = comparison.turns
    numbers = draw(batch, turns, options[SEED.name])[:, 1]
    drawn = random_utterances(turns, comparison, batch.split_facts.utterances, numbers)
    found = np.fromiter((text is not None for text in drawn), np.bool_, len(drawn))
    if not found.all():
        note = f"{batch.file_name}: no other utterance in the split; no row of a random one"
        batch.notes[note] += len(found) - int(found.sum())
    others = pa.array(drawn, pa.string())
    if options[WITH_HUMAN_RANDOM.name]:
        replies = turns.replies[found]
        said = pa.array(turns.texts, pa.string()).take(pa.array(replies))
        nowhere = pa.nulls(len(replies), pa.int32())
        yield _Pairs(replies, said, others.drop_null(), HUMAN_RANDOM, nowhere)
    if options[WITH_MODEL_RANDOM.name]:
        rows = np.searchsorted(turns.replies, over_model.replies)
        kept = pa.array(found[rows])
        yield _Pairs(
            over_model.replies[found[rows]],
            over_model.rejected.filter(kept),
            others.take(pa.array(rows)).filter(kept),
            MODEL_RANDOM,
            over_model.candidate_index.filter(kept),
        )


def _prompts(
    batch: Batch, turns: Turns, replies: Indices, options: Options
) -> tuple[Indices, pa.Array]:
    """Return which rows have a prompt, and those prompts; the others are counted."""
    made = prompts(turns, replies, user_first=options[PROMPT_START.name] == "user")
    counts = {NO_PROMPT: len(replies) - len(made.keep), CUT_PROMPT: made.cut}
    batch.notes.update(+Counter({f"{batch.file_name}: {n}": c for n, c in counts.items()}))
    return made.keep, made.messages


def ranking_features() -> Features:
    """One row per reply: the texts of three completions, and their ranks from 1."""
    from datasets import Features, List, Value

    return Features(
        {
            "conversation_id": Value("string"),
            "turn_index": Value("int32"),
            "prompt": List(message_feature()),
            "completions": List(Value("string")),
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
    note_unused(batch, turns, batch.split_facts.reading)
    (comparison,) = compare(turns, [batch.split_facts.reading])
    numbers = draw(batch, turns, options[SEED.name])
    models = drawn_candidates(comparison, turns.replies, numbers[:, 0])
    others = random_utterances(turns, comparison, batch.split_facts.utterances, numbers[:, 1])
    rows = _complete(batch, models, others)
    keep, prompt = _prompts(batch, turns, turns.replies[rows], options)
    rows = rows[keep]
    replies = turns.replies[rows]
    completions = (
        [turns.texts[place] for place in replies.tolist()],
        comparison.texts(models[rows]),
        [others[row] for row in rows.tolist()],
    )
    triples = list(chain.from_iterable(zip(*completions, strict=True)))
    return {
        **turns.keys(replies),
        "prompt": prompt,
        "completions": list_column(pa.array(triples, pa.string()), [3] * len(rows)),
        "ranks": list_column(pa.array([1, 2, 3] * len(rows), pa.int32()), [3] * len(rows)),
    }


def _complete(batch: Batch, models: Indices, others: list[str | None]) -> Indices:
    """Return which replies have both a model's and a random completion; the rest is counted."""
    has_model = models >= 0
    has_other = np.fromiter((other is not None for other in others), np.bool_, len(others))
    for note, count in (
        ("replies without a usable candidate; no row of ranking", np.sum(~has_model)),
        ("no other utterance in the split; no row of ranking", np.sum(has_model & ~has_other)),
    ):
        if count:
            batch.notes[f"{batch.file_name}: {note}"] += int(count)
    return np.flatnonzero(has_model & has_other)


def show_preference(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `preference` that make one conversation."""
    lines = []
    before: tuple[Any, ...] = ()
    for row in rows:
        chosen, rejected = row["chosen"][0]["content"], row["rejected"][0]["content"]
        if row["turn_index"] not in before[:1]:
            lines.append(_last_message(row))
        if before != (row["turn_index"], chosen):
            lines.append(Turn("chosen", chosen))
        before = (row["turn_index"], chosen)
        is_random = row["pair"] != HUMAN_MODEL
        remark = [Label("", "a random utterance")] if is_random else []
        lines.append(Turn("rejected", rejected, remark))
    return DialogueView(rows[0]["conversation_id"], lines)


def add_preferences(dialogue: DialogueView, rows: Rows) -> DialogueView:
    """Put the preference pairs below the replies that they are about."""
    pairs: dict[int, list[Alternative]] = {}
    for row in rows:
        kind = PAIRS[row["pair"]]
        found = pairs.setdefault(row["turn_index"], [])
        found.extend(
            Alternative(f"{kind} · {side}", row[side][0]["content"])
            for side in ("chosen", "rejected")
        )
    return dialogue.with_alternatives(
        {turn: [Alternatives("preference pairs", found)] for turn, found in pairs.items()}
    )


def show_ranking(rows: Sequence[Mapping[str, Any]]) -> DialogueView:
    """Show the rows of `ranking` that make one conversation."""
    lines = []
    for row in rows:
        lines.append(_last_message(row))
        ranked = zip(row["ranks"], row["completions"], strict=True)
        lines.extend(Turn(f"rank {rank}", text) for rank, text in ranked)
    return DialogueView(rows[0]["conversation_id"], lines)


def _last_message(row: Mapping[str, Any]) -> Turn:
    message = row["prompt"][-1]
    return Turn(message["role"], message["content"], [Label("", f"turn {row['turn_index'] - 1}")])


PREFERENCE = View(
    name="preference",
    summary="a row per preference: prompt, chosen, rejected, in TRL's explicit form",
    source="dialogues",
    features=preference_features,
    columns=preference_columns,
    key=("conversation_id", "turn_index", "pair", "candidate_index"),
    turns=TurnColumns(expected=expected_pairs),
    derived=(same_prompt(user_first=user_first), SAME_PAIR),
    row_rules=(CHOSEN_IS_NOT_REJECTED,),
    options=(
        CANDIDATES_OPTION,
        NEGATIVES,
        WITH_HUMAN_RANDOM,
        WITH_MODEL_RANDOM,
        PROMPT_START,
        SEED,
    ),
    survey=prepare_preference,
    check_agreement=require_agreement,
    show=show_preference,
    annotation=Annotation(add_preferences, ("conversations", "utterances")),
)

RANKING = View(
    name="ranking",
    summary="a row per reply: human, model and random completion with their ranks",
    source="dialogues",
    features=ranking_features,
    columns=ranking_columns,
    key=("conversation_id", "turn_index"),
    turns=TurnColumns(expected=expected_rankings),
    derived=(same_prompt(user_first=user_first), SAME_COMPLETIONS),
    row_rules=(RANKS, COMPLETIONS_DIFFER),
    options=(CANDIDATES_OPTION, PROMPT_START, SEED),
    survey=prepare_ranking,
    check_agreement=require_agreement,
    show=show_ranking,
)
