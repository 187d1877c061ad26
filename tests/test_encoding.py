"""Output in encodings that can't say every character."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dialogue_builders
from dialogue_builders.cli.encoding import ESCAPE, say_what_can_be_said


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("encoding") / "对话"
    return dialogue_builders.build(
        "diamante", out, sample=True, configs=["conversations"], splits=["train"]
    ).folder


def run(encoding: str, *arguments: object) -> bytes:
    ended = subprocess.run(
        [sys.executable, "-m", "dialogue_builders", *map(str, arguments)],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in ended.stderr
    assert ended.returncode in (0, 1)
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "gb18030", "utf-8"])
def test_json_is_the_same_json_in_every_encoding(encoding: str, chinese: Path) -> None:
    command = ("head", chinese, "conversations", "train", "-n", "1", "--json")
    said = run(encoding, *command).decode(encoding)
    assert json.loads(said) == json.loads(run("utf-8", *command))
    # What can be said is never escaped.
    assert ("\\u" in said) == (encoding not in ("gb18030", "utf-8"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_every_command_ends_as_it_should(encoding: str, chinese: Path) -> None:
    for command in (
        ("head", chinese, "conversations", "train"),
        ("check", chinese),
        ("check", chinese.with_name("没有")),
        ("stats", chinese),
        ("info", "diamante"),
        ("list",),
        ("build", "diamante", "--sample", "--out", chinese),
    ):
        run(encoding, *command)


def test_what_is_escaped() -> None:
    say_what_can_be_said()
    assert "é你".encode("latin-1", ESCAPE) == b"\xe9\\u4f60"
    assert "é😀".encode("ascii", ESCAPE) == b"\\u00e9\\ud83d\\ude00"
    # A byte of a file's name that is no UTF-8, as Python hands it over.
    assert "a\udcff".encode("utf-8", ESCAPE) == b"a\\udcff"
