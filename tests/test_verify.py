"""`verify` looks at the files that a build would read, wherever a raw folder keeps them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
import toy_dialogues
from toy_dialogues import CORPUS

from dialogue_builders.cli.show import show_verification
from dialogue_builders.errors import RawFileError
from dialogue_builders.spec import Pin

CONTENT = json.dumps({"t1": {"lines": ["hello"]}}).encode()
# Git's rule, worked out without our own code.
BLOB = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
PINNED = "talks/train.json"


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty raw folder of the toy, whose train split is pinned and may lie in two places."""
    toy_dialogues.install(monkeypatch)
    source = replace(CORPUS.sources["talks"], path_templates=("talks/{split}", "{split}"))
    pinned = replace(
        CORPUS,
        sources={**CORPUS.sources, "talks": source},
        pins={PINNED: Pin(PINNED, BLOB, len(CONTENT))},
    )
    monkeypatch.setattr(toy_dialogues, "CORPUS", pinned)
    (tmp_path / "talks").mkdir()
    return tmp_path


def verify(raw: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the exit code and the state of the one pinned file."""
    code = show_verification("toy_dialogues", raw, as_json=True)
    (report,) = json.loads(capsys.readouterr().out)
    assert report["path"] == PINNED
    return code, report["state"]


@pytest.mark.parametrize("place", [PINNED, "train.json"])
def test_each_place_is_looked_at(place: str, raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(raw, capsys) == (1, "missing")
    (raw / place).write_bytes(CONTENT)
    assert verify(raw, capsys) == (0, "ok")
    (raw / place).write_bytes(CONTENT + b"\n")
    assert verify(raw, capsys) == (1, "differs")


def test_a_place_that_a_build_does_not_read_is_not_looked_at(
    raw: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A lone folder that holds raw files is entered; of this one nobody could tell.
    (raw / "elsewhere" / "old").mkdir(parents=True)
    (raw / "elsewhere" / "old" / "train.json").write_bytes(CONTENT)
    (raw / "notes").mkdir()
    assert verify(raw, capsys) == (1, "missing")


def test_other_places_that_hold_the_file_twice_are_an_error(
    raw: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("train.json", "train.jsonl"):
        (raw / name).write_bytes(CONTENT)
    with pytest.raises(RawFileError, match="lies there more than once"):
        verify(raw, capsys)
