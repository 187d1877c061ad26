"""Run the snippets of docs/recipes as they are written, in a folder like the one `make demo` leaves."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECIPES = ROOT / "docs" / "recipes"
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def snippets(document: str, heading: str) -> list[str]:
    """Return the snippets, in any language, below one `## heading`, or (as "") above the first."""
    text = "## \n" + (RECIPES / document).read_text("utf-8")
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    return [code for _, code in FENCE.findall(sections[heading])]


def headings_with_snippets(document: str) -> list[str]:
    """Return the headings of a recipe that have something to run."""
    text = (RECIPES / document).read_text("utf-8")
    return [h for h in re.findall(r"^## (.*)$", text, re.MULTILINE) if snippets(document, h)]


def make_demo(folder: Path) -> Path:
    """Lay down what the README's and the recipes' own commands leave, by those commands.

    The environment that `make` would set up is the one that the tests run in.
    """
    make_target("demo", folder)
    run(["sh", "-ec", snippets("evaluation.md", "")[0]], folder)
    return folder


def make_target(target: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a target of the Makefile in another folder, with the programs of this environment."""
    make = ["make", "-f", str(ROOT / "Makefile"), "-o", ".venv/.ready"]
    return run([*make, f"BIN={Path(sys.executable).parent}", target], folder)


def environment(folder: Path) -> dict[str, str]:
    """Return an environment with this package, these programs, caches of its own and no network."""
    # A `make` that runs the tests would have the one that they run say where it is.
    kept = {n: v for n, v in os.environ.items() if n not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "default",
        "HF_HOME": str(folder / "home"),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "CUDA_VISIBLE_DEVICES": "",
    }


def run(command: list[str], folder: Path, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; its output is shown where it fails."""
    answer = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert answer.returncode == 0, f"{answer.stdout[-2000:]}\n{answer.stderr[-6000:]}"
    return answer


def run_python(
    code: str, folder: Path, *, farewell: bool = False, timeout: float = 240
) -> list[str]:
    """Run a snippet and return the lines that it prints.

    Arrow may abort an interpreter that ends right after streaming (docs/recipes/streaming.md). The
    snippet's work is done then, and that is what a test judges; so the interpreter is left without
    its farewell, unless a test wants it.
    """
    script = folder / "snippet.py"
    end = "" if farewell else "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
    script.write_text(code + end, "utf-8")
    return run([sys.executable, str(script)], folder, timeout).stdout.splitlines()


def printed_value(lines: list[str]) -> Any:
    """Return the Python value that the last line of an output shows."""
    return ast.literal_eval(lines[-1])
