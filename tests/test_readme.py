"""The README's snippets run as they are written, after what `make demo` does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
DEMO = re.search(r"\ndemo: .*?\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"))


@pytest.fixture(scope="module")
def after_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the commands of the Makefile's `demo` in an empty folder."""
    folder = tmp_path_factory.mktemp("new-user")
    assert DEMO is not None
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for line in DEMO[1].splitlines():
        command = line.strip().replace("$(BIN)/python", sys.executable)
        command = command.replace(
            "$(BIN)/dialogue-builders", f"{sys.executable} -m dialogue_builders"
        )
        subprocess.run(
            command, shell=True, cwd=folder, env=environment, check=True, capture_output=True
        )
    return folder


def test_the_readme_has_its_three_doors() -> None:
    assert len(SNIPPETS) >= 3


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_runs_as_written(number: int, after_demo: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", SNIPPETS[number]],
        cwd=after_demo,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip()
