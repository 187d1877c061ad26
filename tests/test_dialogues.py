"""Dialogues beside what other configs say of them: the join behind `head --knowledge` and `view`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import JUDGEMENTS

from dialogue_builders import DeclarationError, FolderError, build
from dialogue_builders.cli.main import main
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.folder.dialogues import facets, read_dialogues, resolve_split
from dialogue_builders.spec import Annotation, DialogueView
from dialogue_builders.spec.registry import find_corpus
from topical_chat.judgements.constants import CRITERIA

SOUP = "t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13"


@pytest.fixture(scope="module")
def diamante(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("diamante", tmp_path_factory.mktemp("built") / "diamante", sample=True).folder


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "judgements"
    return build("topical_chat_judgements", out, sample=True).folder


def dialogues(folder: Path, config: str, split: str, *beside: Path) -> dict[str, DialogueView]:
    built = open_built_folder(folder)
    view, own = resolve_split(built, config, split)
    found = read_dialogues(built, view, own, [open_built_folder(other) for other in beside])
    return {dialogue.id: dialogue for dialogue in found}


@pytest.mark.parametrize("config", ["conversations", "utterances"])
def test_a_cited_section_is_that_of_the_speakers_own_reading_set(
    config: str, sample_folder: Path
) -> None:
    soup = dialogues(sample_folder, config, "test_freq")[SOUP]
    assert [turn.cites for turn in soup.turns] == [
        ["Personal Knowledge"],
        ["agent_2 FS1", "Personal Knowledge"],
        ["agent_1 FS1"],
        ["AS1"],
        ["AS1", "agent_1 FS2"],
    ]
    first, second, article = soup.readings
    assert (first.title, second.title, article.title) == ("agent_1", "agent_2", "article")
    # In configuration B the second partner read a summary in place of the introduction.
    introductions = [reading.sections[0].pieces[0] for reading in (first, second)]
    assert [piece.kind for piece in introductions] == [
        "introduction",
        "summary of the introduction",
    ]
    assert introductions[0].text == "Soup is a dish that is mostly water and partly patience."
    assert soup.about[0].startswith("Configuration B: ")


def test_what_is_not_at_hand_is_told_with_its_id(sample_folder: Path) -> None:
    soup = dialogues(sample_folder, "conversations", "test_freq")[SOUP]
    facts = soup.readings[0].sections[0].pieces[1:]
    assert [(fact.text, fact.id) for fact in facts] == [
        (None, f"t3_zzsoup0{number}") for number in range(1, 6)
    ]
    shown = CliRunner().invoke(
        main, ["head", str(sample_folder), "conversations", "test_freq", "--knowledge"]
    )
    assert "fun fact: not at hand, id t3_zzsoup01" in shown.stdout
    assert "Soup is a dish that is mostly water" in shown.stdout


def test_without_knowledge_nothing_is_joined(sample_folder: Path) -> None:
    arguments = ["head", str(sample_folder), "conversations", "test_freq"]
    shown = CliRunner().invoke(main, arguments).stdout
    assert "t3_zzsoup01" not in shown
    assert "leek soap" not in shown.lower()


def test_a_program_gets_the_dialogues_as_json(sample_folder: Path) -> None:
    arguments = ["head", str(sample_folder), "conversations", "test_freq", "--knowledge", "--json"]
    found = json.loads(CliRunner().invoke(main, arguments).stdout)
    (soup,) = (dialogue for dialogue in found if dialogue["id"] == SOUP)
    assert soup["readings"][0]["sections"][0]["id"] == "agent_1 FS1"


def test_transcripts_stand_at_their_turns(sample_folder: Path) -> None:
    soup = dialogues(sample_folder, "conversations", "test_freq")[SOUP]
    (transcripts,) = soup.turns[1].alternatives
    assert [(item.label, item.text) for item in transcripts.items] == [
        ("A", "Leek soap! Ostrel has a whole week for it, did you hear?"),
        ("B", "leek soup ostrel has a whole week for it did you hear"),
    ]


def test_dialogues_are_filtered_by_entity_topic_sentiment_and_rating(sample_folder: Path) -> None:
    found = facets(dialogues(sample_folder, "conversations", "test_freq")[SOUP])
    by_name: dict[str, list[str]] = {}
    for label in found:
        by_name.setdefault(label.name, []).append(label.value)
    assert by_name["entity"] == ["Soup", "Marmalade Satellites", "Lighthouse"]
    assert by_name["topic"] == ["entertainment_general", "music", "sci_tech"]
    assert by_name["config"] == ["B"]
    assert by_name["sentiment"] == ["Curious to dive deeper", "Happy", "Surprised", "Neutral"]
    assert by_name["turn_rating"] == ["Good", "Excellent", "unrated"]


def test_candidates_stand_at_the_reply_that_they_competed_with(diamante: Path) -> None:
    dumplings = dialogues(diamante, "conversations", "train")["dialogue-00000"]
    opener, revised, chosen, *_ = dumplings.turns
    assert [group.title for group in opener.alternatives] == []
    candidates, pairs = revised.alternatives
    # 形状不要紧，煮熟不露馅就算成功！ (16 characters) and 形状不要紧，好吃就行！ (11) share eight.
    assert tuple(candidates.items[0]) == (
        "1",
        "形状不要紧，好吃就行！",
        ("similarity 0.59",),
        "nearest",
    )
    assert [item.mark for item in candidates.items] == ["nearest", "", ""]
    assert [item.mark for item in chosen.alternatives[0].items] == ["", "chosen", "", "", "", ""]
    assert chosen.labels[0].value == "select"
    assert pairs.title == "preference pairs"
    assert not pairs.is_open


def test_a_marked_candidate_is_as_near_as_the_reply_says(diamante: Path) -> None:
    compared = 0
    for split in ("train", "valid", "test"):
        for dialogue in dialogues(diamante, "utterances", split).values():
            for turn in dialogue.turns:
                said = [label.value for label in turn.labels if label.name == "similarity"]
                marked = [
                    item.notes[0]
                    for group in turn.alternatives
                    for item in group.items
                    if item.mark
                ]
                if said:
                    assert marked
                    assert all(said[0].startswith(note) for note in marked)
                    compared += 1
    assert compared > 100


def test_judged_responses_stand_at_the_turn_that_they_were_judged_in_place_of(
    judgements: Path, sample_folder: Path
) -> None:
    # The judgements' sample speaks of conversations of its own; a join by hand tells the rest.
    usr = open_built_folder(judgements).corpus.view_of("usr")
    assert usr.annotation is not None
    row = {"conversation_id": SOUP, "turn_index": 3, "system": 0, "response": "bowls ."}
    scores = {name: [1, 1, 0] for name in CRITERIA}
    soup = dialogues(sample_folder, "conversations", "test_freq")[SOUP]
    found = usr.annotation.add(soup, [row | scores | {"overall": [5, 4, 3]}])
    (*_, judged) = found.turns[3].alternatives
    assert judged.title == "responses judged for USR"
    assert judged.items[0].notes[-1] == "overall 5 4 3"
    assert found.turns[2] == soup.turns[2]


def test_a_folder_that_says_nothing_of_the_dialogues_is_an_error(
    diamante: Path, sample_folder: Path
) -> None:
    with pytest.raises(FolderError, match="nothing that is shown beside conversations of"):
        dialogues(sample_folder, "conversations", "test_freq", diamante)


def test_an_annotation_of_an_unknown_view_is_an_error() -> None:
    corpus = find_corpus("topical_chat")
    view = replace(
        corpus.views[0], annotation=Annotation(lambda dialogue, rows: dialogue, ("convesations",))
    )
    with pytest.raises(DeclarationError, match="convesations"):
        replace(corpus, views=(view, *corpus.views[1:]))


@pytest.mark.real_data
def test_the_real_judgements_stand_at_the_turns_of_the_real_conversations(
    real_folder: Path, tmp_path: Path
) -> None:
    if not JUDGEMENTS.is_dir():
        pytest.skip("the files of the judgements are not at hand")
    judged = build("topical_chat_judgements", tmp_path / "judged", data_dir=JUDGEMENTS).folder
    counts: Counter[str] = Counter()
    for dialogue in dialogues(real_folder, "conversations", "test_freq", judged).values():
        for turn in dialogue.turns:
            counts.update({group.title: len(group.items) for group in turn.alternatives})
    # BEGIN's messages that are at one place of test_freq; two transcripts of each of 880 turns.
    assert counts["responses judged for BEGIN"] == 375
    assert counts["transcripts"] == 2 * 880
