"""What people see: English and Chinese in a narrow terminal, with and without colour, and in a pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from test_cli import ANSI, run, run_in_terminal

import dialogue_builders
from dialogue_builders.spec.registry import corpus_names, find_corpus


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("chinese") / "diamante"
    return dialogue_builders.build("diamante", out, sample=True).folder


def plain(shown: str) -> list[str]:
    return [line.rstrip() for line in ANSI.sub("", shown).replace("\r", "").split("\n")]


@pytest.mark.parametrize("config", ["conversations", "responses", "preference", "messages"])
@pytest.mark.parametrize("width", [40, 80])
def test_wide_characters_fit_and_align(config: str, width: int, chinese: Path) -> None:
    lines = plain(run_in_terminal("head", chinese, config, "train", "-n", "2", width=width))
    assert max(map(cell_len, lines)) <= width
    texts = [line for line in lines if line and "dialogue-" not in line]
    assert any(cell_len(line) > len(line) for line in texts), "there is Chinese in it"
    # The column of texts begins two cells after the longest speaker, on continued lines as well.
    start = max(len(line.split()[0]) for line in texts if not line.startswith(" ")) + 2
    assert {line[start - 2 : start] for line in texts if len(line) >= start} == {"  "}


def test_colour_changes_nothing_but_colour(chinese: Path) -> None:
    for command in (
        ("head", chinese, "responses", "test"),
        ("stats", chinese),
        ("info", "diamante", "ranking"),
    ):
        coloured, bare = run_in_terminal(*command), run_in_terminal(*command, NO_COLOR="1")
        assert coloured != bare or command[0] == "stats"
        assert plain(coloured) == plain(bare)


def test_a_pipe_gets_one_line_for_each_turn(chinese: Path) -> None:
    rows = json.loads(run("head", chinese, "utterances", "train", "-n", "2", "--json").stdout)
    lines = run("head", chinese, "utterances", "train", "-n", "2").stdout.split("\n")
    assert [line for line in lines if line != line.rstrip()] == []
    single = [row for row in rows if "\n" not in row["utterance"]]
    for row in single:
        assert f"{row['role']}  {row['utterance'].rstrip()}" in lines


def test_a_pipe_gets_one_line_for_each_row_of_a_table(chinese: Path) -> None:
    lines = run("stats", chinese).stdout.split("\n")
    # 12, 5 and 5 dialogues were invented.
    assert lines[1].split() == ["dialogues", "12", "5", "5", "22"]
    lines = run("list").stdout.split("\n")
    (utterances,) = [line for line in lines if line.startswith("utterances") and "83,765" in line]
    assert utterances.endswith("train 83,765, valid 7,166, test 7,184")


def test_info_shows_every_field_with_its_type_and_meaning(chinese: Path) -> None:
    facts = json.loads(run("info", "diamante", "responses", "--json").stdout)
    assert facts["features"]["feedback"]["type"] == "label: 0 select, 1 revise, 2 rewrite"
    assert facts["options"]["revise_from"] == {
        "default": 0.5,
        "choices": [],
        "summary": facts["options"]["revise_from"]["summary"],
    }
    lines = plain(run_in_terminal("info", "diamante", "responses"))
    assert max(map(cell_len, lines)) <= 80
    place = lines.index("  feedback  label: 0 select, 1 revise, 2 rewrite")
    assert lines[place + 1].startswith("      how the human arrived at the reply")
    assert "  revise_from  default 0.5" in lines


def test_a_citation_can_be_copied() -> None:
    for name in corpus_names():
        shown = run_in_terminal("info", name)
        citation = find_corpus(name).citation
        assert citation in shown.replace("\r", "")
        assert max(map(len, citation.split("\n"))) <= 80


def test_the_real_differences_fit(real_folder: Path) -> None:
    lines = plain(run_in_terminal("stats", real_folder))
    assert max(map(cell_len, lines)) <= 80
    assert "- turns per conversation, valid_freq: printed 21.6, measured 21.6716 (cut off," in lines
    assert "  not rounded)" in lines
