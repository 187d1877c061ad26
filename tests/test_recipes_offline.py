"""docs/recipes/offline.md: a folder loads without a network, and a wrong path fails at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipes import headings_with_snippets, run_python, snippets

DOCUMENT = "offline.md"
LOADING = "Loading"
WRONG_PATH = "A wrong path"

# No network at all: whoever asks for an address is told, and the test fails.
NO_NETWORK = """
import socket, sys


def refuse(*arguments, **keywords):
    print("asked the network", file=sys.stderr)
    raise OSError("no network")


socket.getaddrinfo = socket.create_connection = refuse
"""


def test_every_snippet_is_tested() -> None:
    assert headings_with_snippets(DOCUMENT) == ["Which variables", LOADING, WRONG_PATH]


def test_a_folder_loads_without_a_network(demo: Path) -> None:
    (code,) = snippets(DOCUMENT, LOADING)
    (rows,) = run_python(NO_NETWORK + code, demo)
    assert int(rows) > 0


@pytest.mark.parametrize("path", ["./demo/topical_chta", "demo/topical_chta"])
def test_a_wrong_path_fails_at_once(path: str, demo: Path) -> None:
    (code,) = snippets(DOCUMENT, WRONG_PATH)
    clock = "import time, datasets\nbegan = time.monotonic()\n"
    wrong = code.replace("./demo/topical_chta", path)
    end = "\nprint(time.monotonic() - began)"
    *said, seconds = run_python(NO_NETWORK + clock + wrong + end, demo)
    assert "topical_chta" in " ".join(said)
    assert float(seconds) < 10
