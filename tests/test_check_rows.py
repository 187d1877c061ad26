"""`check` finds damage by what rows hold, in every config, even where the card states the damage.

Each test changes one thing in a small built folder. The cards are written anew after it, so that
no digest and no number of rows gives the damage away.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialogue_builders import build, check
from dialogue_builders.card.blocks import FolderSummary
from dialogue_builders.card.render import render_cards
from dialogue_builders.folder.built import measure_folder, open_built_folder

Row = dict[str, Any]
SPLIT = {"topical_chat": "test_rare", "diamante": "valid"}
PAIRS_OF_ALL_KINDS = {"preference": {"human_random": True, "model_random": True}}
OPTIONS = {"topical_chat": {"messages": {"assistant": "both"}}, "diamante": PAIRS_OF_ALL_KINDS}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every dataset's sample: one split, all configs; tests must not change it."""
    place = tmp_path_factory.mktemp("whole")
    return {
        name: build(name, place / name, sample=True, splits=[split], options=OPTIONS[name]).folder
        for name, split in SPLIT.items()
    }


class Damage:
    """A copy of a folder in which rows of a config are changed."""

    def __init__(self, whole: dict[str, Path], place: Path, dataset: str) -> None:
        self.folder = Path(shutil.copytree(whole[dataset], place / dataset))
        self.split = SPLIT[dataset]

    def path(self, config: str) -> str:
        return f"{config}/data/{self.split}-00000-of-00001.parquet"

    def rows(self, config: str) -> list[Row]:
        rows: list[Row] = pq.read_table(self.folder / self.path(config)).to_pylist()
        return rows

    def change(self, config: str, change: Callable[[list[Row]], list[Row] | None]) -> list[str]:
        """Change rows, state the files as they are then, and return what `check` finds."""
        file = self.folder / self.path(config)
        rows = self.rows(config)
        changed = change(rows)
        table = pa.Table.from_pylist(rows if changed is None else changed, pq.read_schema(file))
        pq.write_table(table, file)
        built = open_built_folder(self.folder)
        facts = FolderSummary(measure_folder(self.folder, built.corpus, built.provenance))
        for name, card in render_cards(facts).items():
            (self.folder / name).write_text(card, "utf-8")
        return list(check(self.folder).problems)


@pytest.fixture
def damaged(whole: dict[str, Path], tmp_path: Path) -> Callable[[str], Damage]:
    return lambda dataset: Damage(whole, tmp_path, dataset)


@pytest.mark.parametrize("dataset", SPLIT)
def test_a_fresh_folder_has_no_problems(whole: dict[str, Path], dataset: str) -> None:
    assert check(whole[dataset]).problems == ()


def put(*path: Any, value: Any) -> Callable[[Row], None]:
    """Return what sets a field inside of a row; a callable makes it from what stood there."""

    def change(row: Row) -> None:
        for step in path[:-1]:
            row = row[step]
        row[path[-1]] = value(row[path[-1]]) if callable(value) else value

    return change


def other(text: str) -> str:
    return text + "?"


def swapped(name: str) -> str:
    return {"1": "2", "2": "1"}[name[-1]].join((name[:-1], ""))


def reverse(values: list[Any]) -> list[Any]:
    return values[::-1]


def said_twice(row: Row) -> None:
    row["rejected"] = row["chosen"]


MESSAGE_ROLE = ("messages", 0, "role")
# Dataset, config, what is done to one row, the field that the report names, and what it says.
DAMAGES: dict[str, tuple[str, str, Callable[[Row], None], str, str]] = {
    "utterances text": (
        "topical_chat", "utterances", put("message", value=other),
        "message", "with another text than conversations",
    ),
    "utterances agent": (
        "topical_chat", "utterances", put("agent", value=swapped),
        "agent", "with another speaker than conversations",
    ),
    "utterances sentiment": (
        "topical_chat", "utterances", put("sentiment", value=lambda code: (code + 1) % 8),
        "sentiment", "with other labels than conversations",
    ),
    "utterances rating": (
        "topical_chat", "utterances", put("turn_rating", value=lambda code: (code + 1) % 5),
        "turn_rating", "with other labels than conversations",
    ),
    "utterances rating lost": (
        "topical_chat", "utterances", put("turn_rating", value=None),
        "turn_rating", "with other labels than conversations",
    ),
    "utterances source": (
        "topical_chat", "utterances", put("knowledge_source", value=["AS4"]),
        "knowledge_source", "with other knowledge sources than conversations",
    ),
    "utterances one source more": (
        "topical_chat", "utterances", put("knowledge_source", value=lambda names: [*names, "FS3"]),
        "knowledge_source", "with other knowledge sources than conversations",
    ),
    "utterances config": (
        "topical_chat", "utterances", put("config", value="E"),
        "config", "with other facts of the conversation than conversations",
    ),
    "utterances url": (
        "topical_chat", "utterances", put("article_url", value=None),
        "article_url", "with other facts of the conversation than conversations",
    ),
    "responses text": (
        "topical_chat", "responses", put("response", value=other),
        "response", "with another text than conversations",
    ),
    "responses history": (
        "topical_chat", "responses", put("history", 0, value=other),
        "history", "with another text than conversations",
    ),
    "responses history shorter": (
        "topical_chat", "responses", put("history", value=lambda texts: texts[:-1]),
        "history", "with another text than conversations",
    ),
    "responses agent": (
        "topical_chat", "responses", put("agent", value=swapped),
        "agent", "with another speaker than conversations",
    ),
    "responses knowledge": (
        "topical_chat", "responses", put("knowledge", 0, "source", value="AS4"),
        "knowledge, knowledge_source", "have knowledge of a source that their turn does not cite",
    ),
    "messages text": (
        "topical_chat", "messages", put("messages", 1, "content", value=other),
        "messages, assistant", "with another text than conversations",
    ),
    "messages role": (
        "topical_chat", "messages", put(*MESSAGE_ROLE, value="assistant"),
        "messages, assistant", "with another speaker than conversations",
    ),
    "messages shorter": (
        "topical_chat", "messages", put("messages", value=lambda messages: messages[:-2]),
        "messages, assistant", "with another text than conversations",
    ),
    "actual speech text": (
        "topical_chat", "asr_actual", put("message", value=other),
        "message", "with another text than conversations",
    ),
    "actual speech agent": (
        "topical_chat", "asr_actual", put("agent", value=swapped),
        "agent", "with another speaker than conversations",
    ),
    "synthetic speech text": (
        "topical_chat", "asr_synthetic", put("message", value=other),
        "message", "with another text than conversations",
    ),
    "synthetic speech agent": (
        "topical_chat", "asr_synthetic", put("agent", value=swapped),
        "agent", "with another speaker than conversations",
    ),
    "enriched agent": (
        "topical_chat", "enriched", put("agent", value=swapped),
        "agent", "with another speaker than conversations",
    ),
    "Diamante utterances text": (
        "diamante", "utterances", put("utterance", value=other),
        "utterance", "with another text than conversations",
    ),
    "Diamante utterances role": (
        "diamante", "utterances", put("role", value=swapped),
        "role", "with another speaker than conversations",
    ),
    "Diamante responses text": (
        "diamante", "responses", put("response", value=other),
        "response", "with another text than conversations",
    ),
    "Diamante responses history": (
        "diamante", "responses", put("history", 0, value=other),
        "history", "with another text than conversations",
    ),
    "Diamante responses role": (
        "diamante", "responses", put("role", value=swapped),
        "role", "with another speaker than conversations",
    ),
    "a candidate's text": (
        "diamante", "responses", put("candidates", 0, value=other),
        "candidates", "with other candidates than those that follow from conversations",
    ),
    "candidates in another order": (
        "diamante", "responses", put("candidates", value=reverse),
        "candidates", "with other candidates than those that follow from conversations",
    ),
    "similarity above 1": (
        "diamante", "responses", put("similarity", value=1.5),
        "similarity", "have a similarity outside of 0 to 1",
    ),
    "similarity below 0": (
        "diamante", "responses", put("similarity", value=-0.1),
        "similarity", "have a similarity outside of 0 to 1",
    ),
    "similarity that is no number": (
        "diamante", "responses", put("similarity", value=float("nan")),
        "similarity", "have a similarity outside of 0 to 1",
    ),
    "feedback": (
        "diamante", "responses", put("feedback", value=lambda code: (code + 1) % 3),
        "response, candidates, similarity, feedback",
        "have another feedback than their candidates and similarity make",
    ),
    "Diamante messages text": (
        "diamante", "messages", put("messages", 1, "content", value=other),
        "messages, assistant", "with another text than conversations",
    ),
    "Diamante messages role": (
        "diamante", "messages", put(*MESSAGE_ROLE, value="assistant"),
        "messages, assistant", "with another speaker than conversations",
    ),
    "Diamante messages of another assistant": (
        "diamante", "messages", put("assistant", value=swapped),
        "messages, assistant", "with another speaker than conversations",
    ),
    "a prompt's text": (
        "diamante", "preference", put("prompt", 0, "content", value=other),
        "prompt", "with another text than conversations",
    ),
    "a prompt's role": (
        "diamante", "preference", put("prompt", -1, "role", value="assistant"),
        "prompt", "with another speaker than conversations",
    ),
    "the chosen text": (
        "diamante", "preference", put("chosen", 0, "content", value=other),
        "chosen, rejected, pair, candidate_index",
        "with other pairs than those that follow from conversations",
    ),
    "the rejected text": (
        "diamante", "preference", put("rejected", 0, "content", value=other),
        "chosen, rejected, pair, candidate_index",
        "with other pairs than those that follow from conversations",
    ),
    "the rejected role": (
        "diamante", "preference", put("rejected", 0, "role", value="user"),
        "chosen, rejected, pair, candidate_index",
        "with other pairs than those that follow from conversations",
    ),
    "chosen is rejected": (
        "diamante", "preference", said_twice,
        "chosen, rejected", "have the same text on both sides",
    ),
    "a ranking's prompt": (
        "diamante", "ranking", put("prompt", 0, "content", value=other),
        "prompt", "with another text than conversations",
    ),
    "ranks reversed": (
        "diamante", "ranking", put("ranks", value=reverse),
        "completions, ranks", "have ranks that are not 1, 2, 3 in order",
    ),
    "completions reversed": (
        "diamante", "ranking", put("completions", value=reverse),
        "completions", "with other completions than those that follow from conversations",
    ),
    "a completion twice": (
        "diamante", "ranking", put("completions", value=lambda texts: [texts[0], *texts[:2]]),
        "completions", "have a completion twice",
    ),
}  # fmt: skip


def reports(problems: list[str], *parts: str) -> bool:
    return any(all(part in problem for part in parts) for problem in problems)


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_in_one_row_is_named(name: str, damaged: Callable[[str], Damage]) -> None:
    dataset, config, change, field, words = DAMAGES[name]
    folder = damaged(dataset)
    rows = folder.rows(config)
    # A row in the middle, so that not every conversation's first turn is looked at only.
    place = next(n for n in range(len(rows) // 2, len(rows)) if rows[n] != changed(rows[n], change))
    problems = folder.change(config, lambda rows: change(rows[place]))
    identity = rows[place]["conversation_id"]
    start = f"{config}/{folder.split}: {field}: 1 "
    assert reports(problems, start, words, identity, f"in {folder.path(config)}"), problems
    assert all(problem.startswith(f"{config}/{folder.split}: ") for problem in problems)


def changed(row: Row, change: Callable[[Row], None]) -> Row | None:
    """Return a changed copy of a row; the row itself where the change does not apply to it."""
    import copy

    made = copy.deepcopy(row)
    try:
        change(made)
    except (IndexError, TypeError):
        return row
    return made


CONFIGS = {
    "topical_chat": ("utterances", "reading_sets", "responses", "messages"),
    "diamante": ("utterances", "responses", "preference", "ranking", "messages"),
}
DERIVED = [(dataset, config) for dataset, configs in CONFIGS.items() for config in configs]


@pytest.mark.parametrize(("dataset", "config"), DERIVED)
def test_a_conversation_missing_from_a_config(
    dataset: str, config: str, damaged: Callable[[str], Damage]
) -> None:
    folder = damaged(dataset)
    lost = folder.rows(config)[0]["conversation_id"]
    problems = folder.change(
        config, lambda rows: [row for row in rows if row["conversation_id"] != lost]
    )
    assert problems == [
        f"{config}/{folder.split}: 1 conversation of conversations is missing, such as {lost}"
    ]


BY_TURN = [
    *[each for each in DERIVED if each[1] not in ("reading_sets", "messages")],
    *[("topical_chat", config) for config in ("asr_actual", "asr_synthetic", "enriched")],
]


@pytest.mark.parametrize(("dataset", "config"), BY_TURN)
def test_a_missing_row(dataset: str, config: str, damaged: Callable[[str], Damage]) -> None:
    folder = damaged(dataset)
    rows = folder.rows(config)
    ids = [(row["conversation_id"], row["turn_index"]) for row in rows]
    place = next(
        n
        for n in range(1, len(rows) - 1)
        if (ids[n - 1][0] == ids[n][0] == ids[n + 1][0] and ids[n - 1] != ids[n] != ids[n + 1])
        or rows[n].get("pair")
    )
    problems = folder.change(config, lambda rows: rows[:place] + rows[place + 1 :])
    identity, turn = ids[place]
    (problem,) = problems
    assert problem == (
        f"{config}/{folder.split}: rows are missing for 1 turn of conversations, such as "
        f"{identity} turn {turn}"
    )


def test_a_missing_chat_of_two(damaged: Callable[[str], Damage]) -> None:
    folder = damaged("topical_chat")
    lost = folder.rows("messages")[1]["conversation_id"]
    problems = folder.change("messages", lambda rows: [rows[0], *rows[2:]])
    assert problems == [
        f"messages/test_rare: 1 conversation of conversations is missing, such as {lost}"
    ]


def test_a_row_of_a_turn_that_is_not_there(damaged: Callable[[str], Damage]) -> None:
    folder = damaged("topical_chat")
    last = folder.rows("utterances")[-1]
    extra = {**last, "turn_index": last["turn_index"] + 1}
    problems = folder.change("utterances", lambda rows: [*rows, extra])
    (problem,) = problems
    assert problem == (
        "utterances/test_rare: turn_index: 1 rows speak of turns that are not in conversations, "
        f"such as {last['conversation_id']} turn {extra['turn_index']} in "
        f"{folder.path('utterances')}"
    )


TEXT_FIELDS = {
    ("topical_chat", "conversations"): ("content", "message"),
    ("topical_chat", "utterances"): ("message",),
    ("topical_chat", "responses"): ("response",),
    ("topical_chat", "messages"): ("messages", "content"),
    ("topical_chat", "asr_actual"): ("message",),
    ("topical_chat", "asr_synthetic"): ("message",),
    ("diamante", "conversations"): ("conversation", "utterance"),
    ("diamante", "utterances"): ("utterance",),
    ("diamante", "responses"): ("response",),
    ("diamante", "messages"): ("messages", "content"),
    ("diamante", "preference"): ("prompt", "content"),
    ("diamante", "ranking"): ("prompt", "content"),
}


def texts_of(rows: list[Row], path: tuple[str, ...]) -> Iterator[tuple[Row, str]]:
    """Yield each struct that holds a text, and the text's name."""
    for row in rows:
        for struct in row[path[0]] if len(path) == 2 else [row]:
            yield struct, path[-1]


@pytest.mark.parametrize(("dataset", "config"), TEXT_FIELDS)
def test_all_texts_of_a_split_changed(
    dataset: str, config: str, damaged: Callable[[str], Damage]
) -> None:
    folder = damaged(dataset)

    def change(rows: list[Row]) -> None:
        for struct, name in texts_of(rows, TEXT_FIELDS[dataset, config]):
            struct[name] = other(struct[name])

    problems = folder.change(config, change)
    if config == "conversations":
        others = [each for d, each in TEXT_FIELDS if d == dataset and each != config]
        for each in others:
            assert reports(problems, f"{each}/{folder.split}: ", "with another text"), each
    else:
        field = TEXT_FIELDS[dataset, config][0]
        assert reports(problems, f"{config}/{folder.split}: {field}", "with another text")


@pytest.mark.parametrize("card", ["README.md", "README.zh.md"])
@pytest.mark.parametrize("dataset", SPLIT)
def test_another_license_in_the_front_matter(
    dataset: str, card: str, whole: dict[str, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(whole[dataset], tmp_path / "copy"))
    text = (folder / card).read_text("utf-8")
    was = next(line for line in text.split("\n") if line.startswith("license: "))
    (folder / card).write_text(text.replace(was, "license: mit", 1), "utf-8")
    expected = was.removeprefix("license: ")
    assert check(folder).problems == (
        f"{card} states 'mit' as license, but the corpus's is {expected!r}",
    )


def test_a_license_of_another_name(whole: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole["diamante"], tmp_path / "copy"))
    card = folder / "README.md"
    card.write_text(card.read_text("utf-8").replace("luge-agreement", "free-for-all", 1), "utf-8")
    assert check(folder).problems == (
        "README.md states 'free-for-all' as license_name, but the corpus's is 'luge-agreement'",
    )


def test_rules_with_nothing_to_compare_are_not_listed(tmp_path: Path) -> None:
    folder = build(
        "diamante", tmp_path / "x", sample=True, splits=["valid"], configs=["utterances"]
    ).folder
    report = check(folder)
    assert report.checked == (
        "files", "features", "keys", "stated rows and digests", "license", "card",
    )  # fmt: skip
    assert (report.compared, report.problems) == ({}, ())


def test_a_config_is_compared_with_utterances_where_conversations_were_not_built(
    tmp_path: Path,
) -> None:
    folder = build(
        "diamante",
        tmp_path / "x",
        sample=True,
        splits=["valid"],
        configs=["utterances", "responses"],
    ).folder
    report = check(folder)
    # 42 turns of 5 dialogues, so 37 replies; each one's text and history is looked at.
    assert (report.problems, report.compared["texts"]) == ((), 2 * 37)
    assert "candidates" not in report.compared
    file = folder / "responses/data/valid-00000-of-00001.parquet"
    rows = pq.read_table(file).to_pylist()
    rows[0]["response"] += "?"
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(file)), file)
    assert reports(list(check(folder).problems), "response: 1 turn", "than utterances")


VARIANTS: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "first speaker": ("topical_chat", {"messages": {"assistant": "agent_1"}}),
    "last speaker": ("topical_chat", {"messages": {"assistant": "last"}}),
    "short histories": (
        "topical_chat",
        {
            "responses": {
                "history_turns": 2,
                "minimum_earlier_turns": 3,
                "personal_knowledge": False,
            }
        },
    ),
    "Diamante last speaker": ("diamante", {"messages": {"assistant": "last"}}),
    "Diamante both speakers": ("diamante", {"messages": {"assistant": "both"}}),
    "whole dialogues": (
        "diamante",
        {
            "preference": {"prompt_start": "dialogue", "negatives": "one", "human_random": True},
            "ranking": {"prompt_start": "dialogue", "seed": 7},
            "responses": {"revise_from": 0.2},
        },
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_options_of_a_folder_are_respected(name: str, tmp_path: Path) -> None:
    dataset, options = VARIANTS[name]
    out = tmp_path / "x"
    assert check(build(dataset, out, sample=True, options=options).folder).problems == ()
