"""`make demo`: it speaks at once, builds both datasets, and ends with commands that work."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest
from recipes import ROOT, environment, make_target, run

import dialogue_builders


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("made")
    return folder, make_target("demo", folder).stdout.splitlines()


def test_it_builds_both_datasets_from_raw_files_that_stay(made: tuple[Path, list[str]]) -> None:
    folder, _ = made
    assert sorted(os.listdir(folder / "demo")) == [
        "diamante",
        "raw",
        "raw_diamante",
        "topical_chat",
    ]
    for name in ("diamante", "topical_chat"):
        assert dialogue_builders.check(folder / "demo" / name).problems == ()


def test_it_can_be_run_again(made: tuple[Path, list[str]]) -> None:
    folder, lines = made
    assert make_target("demo", folder).stdout.splitlines()[0] == lines[0]


def test_its_last_lines_are_three_commands_that_work(made: tuple[Path, list[str]]) -> None:
    folder, lines = made
    assert lines[-4] == "Both datasets are in demo/. Try next:"
    for line in lines[-3:]:
        assert run(shlex.split(line), folder).stdout


@pytest.mark.parametrize("is_set_up", [True, False])
def test_it_says_what_it_does_within_two_seconds(is_set_up: bool, tmp_path: Path) -> None:
    # A Python that only sleeps stands for a slow set-up, and programs that sleep for slow builds.
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("python", "dialogue-builders"):
        (programs / name).write_text("#!/bin/sh\nexec sleep 30\n")
        (programs / name).chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    command = ["make", "-f", str(ROOT / "Makefile"), f"PYTHON={programs / 'python'}"]
    command += [f"BIN={programs}", "demo", *(["-o", ".venv/.ready"] if is_set_up else [])]
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        took = time.monotonic() - began
        os.killpg(process.pid, 9)
    assert said.startswith("Writing invented raw files" if is_set_up else "Setting up .venv")
    assert took < 2
