"""Homes and caches that can't be written: a named fault at every way of loading."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from topical_chat_raw import write_raw

import dialogue_builders
from dialogue_builders.errors import FolderError
from dialogue_builders.loading.cache import named_cache_faults

LOAD = """
import sys, dialogue_builders
from dialogue_builders.errors import DialogueBuildersError
try:
    dialogue_builders.load_dataset(
        "topical_chat", "utterances", data_dir=sys.argv[1] or None, streaming=sys.argv[2] == "yes"
    )
except DialogueBuildersError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_raw(tmp_path_factory.mktemp("raw"))


@pytest.mark.parametrize("streaming", ["yes", "no"])
@pytest.mark.parametrize("given", [True, False])
def test_a_home_that_cannot_be_written(
    raw: Path, tmp_path: Path, streaming: str, given: bool
) -> None:
    """Below a file nothing can be made, by nobody: not even by the user root."""
    (tmp_path / "file").touch()
    left_out = ("HF_HOME", "HF_DATASETS_CACHE", "HF_HUB_CACHE", "XDG_CACHE_HOME")
    environment = {k: v for k, v in os.environ.items() if k not in left_out}
    ended = subprocess.run(
        [sys.executable, "-c", LOAD, str(raw) if given else "", streaming],
        env={**environment, "HOME": str(tmp_path / "file/home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    assert str(tmp_path / "file/home") in ended.stdout
    assert "can't be written" in ended.stdout
    assert "Next: set HF_HOME" in ended.stdout


def test_an_entry_of_the_cache_that_cannot_be_written(raw: Path, tmp_path: Path) -> None:
    (tmp_path / "dialogue_builders--topical_chat").touch()
    with pytest.raises(FolderError, match="the cache of `datasets` can't be written"):
        dialogue_builders.load_dataset(
            "topical_chat", "utterances", data_dir=str(raw), cache_dir=str(tmp_path)
        )


def test_other_failures_are_none_of_the_caches() -> None:
    for error in (OSError(errno.ENOSPC, "full", "a"), PermissionError("without a place")):
        with pytest.raises(OSError, match=str(error.args[-1])) as caught, named_cache_faults():
            raise error
        assert caught.value is error
