"""SIGKILL at random moments, and eight processes at once: whole or absent, and the next run works."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import loopback_server
import pytest
from fault_cases import CASES, SEED, print_seed
from hub_server import HubServer
from loopback_server import Server
from push_harness import Pushers, Scenario

import dialogue_builders
from topical_chat.sample import files

pytest_plugins = ("push_fixtures",)

KILLS = max(4, CASES // 200)
CROWD = 8


class Workers:
    """Starts actions in children of one process that has everything loaded."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "fault_worker.py")],
            env={**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        return reply

    def start(self, action: str, arguments: dict[str, Any]) -> int:
        pid: int = self._ask(do="start", action=action, arguments=arguments)["pid"]
        return pid

    def wait(self, pid: int) -> int:
        code: int = self._ask(do="wait", pid=pid)["code"]
        return code

    def run(self, action: str, arguments: dict[str, Any]) -> int:
        return self.wait(self.start(action, arguments))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(60) == 0


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    running = Workers(tmp_path_factory.mktemp("home"))
    yield running
    running.close()


@pytest.fixture
def upstream() -> Iterator[Server]:
    with loopback_server.running() as server:
        server.files = {k: v for k, v in files().items() if k.startswith("conversations/")}
        yield server


def arguments_of(action: str, raw: Path, place: Path, upstream: Server) -> dict[str, Any]:
    place.mkdir(parents=True, exist_ok=True)
    if action != "download":
        return {"raw": str(raw), "place": str(place)}
    pins = {
        path: hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        for path, content in upstream.files.items()
    }
    return {"url": upstream.url, "pins": pins, "place": str(place)}


def digests(folder: Path) -> dict[str, str]:
    """The files of a folder and what they hold; the card tells when it was built."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*.parquet")
    }


def rows_of(place: Path) -> list[Any]:
    return [json.loads(path.read_text()) for path in sorted(place.glob("rows-*"))]


def require_whole_or_absent(action: str, place: Path, upstream: Server) -> None:
    """What stands after a kill under the name that people ask for."""
    if action == "build" and (place / "out").exists():
        assert dialogue_builders.check(place / "out").problems == ()
    if action == "download":
        for path, content in upstream.files.items():
            found = place / "raw" / path
            assert not found.exists() or found.read_bytes() == content


def require_right(action: str, place: Path, whole: Path, upstream: Server) -> None:
    """What stands after a run to the end, beside what one undisturbed run made."""
    if action == "build":
        assert digests(place / "out") == digests(whole / "out") != {}
        assert sorted(path.name for path in place.iterdir()) == ["out"]
    elif action == "cache":
        found = rows_of(place)
        assert found
        assert all(rows == rows_of(whole)[0] for rows in found)
    else:
        for path, content in upstream.files.items():
            assert (place / "raw" / path).read_bytes() == content
        assert not list(place.rglob("*.part"))


@pytest.mark.parametrize("action", ["build", "cache", "download"])
def test_killed_at_random_moments(
    action: str, workers: Workers, upstream: Server, sample_raw: Path, tmp_path: Path
) -> None:
    print_seed()
    chance = random.Random(f"{SEED} {action}")
    whole = tmp_path / "whole"
    for place in (tmp_path / "first", whole):  # the first one loads what the others find loaded
        began = time.monotonic()
        assert workers.run(action, arguments_of(action, sample_raw, place, upstream)) == 0
        seconds = time.monotonic() - began
    killed = 0
    for number in range(KILLS):
        place = tmp_path / str(number)
        arguments = arguments_of(action, sample_raw, place, upstream)
        pid = workers.start(action, arguments)
        time.sleep(chance.uniform(0, seconds))
        os.kill(pid, signal.SIGKILL)
        killed += workers.wait(pid) == -signal.SIGKILL
        require_whole_or_absent(action, place, upstream)
        if action == "build" and (place / "out").exists():
            continue
        assert workers.run(action, arguments) == 0
        require_right(action, place, whole, upstream)
    assert killed


def test_pushes_killed_at_random_moments(
    hub: HubServer, pushers: Pushers, old_folder: Path, small_folder: Path
) -> None:
    print_seed()
    chance = random.Random(f"{SEED} push")
    for _ in range(2):  # the first one loads what the others find loaded
        scenario = Scenario(hub, old_folder, small_folder)
        began = time.monotonic()
        assert pushers.push(small_folder, scenario.name, "--yes").code == 0
        seconds = time.monotonic() - began
    killed = 0
    for _ in range(KILLS):
        scenario = Scenario(hub, old_folder, small_folder)
        pid = pushers.start(small_folder, scenario.name, "--yes")
        time.sleep(chance.uniform(0, seconds))
        pushers.kill(pid)
        killed += pushers.wait(pid).code == -signal.SIGKILL
        scenario.require_whole()
        again = pushers.push(small_folder, scenario.name, "--yes")
        assert again.code == 0, again.stderr
        scenario.require_new()
    assert killed


@pytest.mark.parametrize("action", ["build", "cache", "download"])
def test_eight_at_once(
    action: str, workers: Workers, upstream: Server, sample_raw: Path, tmp_path: Path
) -> None:
    whole, place = tmp_path / "whole", tmp_path / "crowd"
    assert workers.run(action, arguments_of(action, sample_raw, whole, upstream)) == 0
    asked = len(upstream.requests)
    arguments = arguments_of(action, sample_raw, place, upstream)
    pids = [workers.start(action, arguments) for _ in range(CROWD)]
    codes = sorted(workers.wait(pid) for pid in pids)
    if action == "build":
        # The first keeps the place; the others are told that something stands there.
        assert codes == [0] + [1] * (CROWD - 1)
    else:
        assert codes == [0] * CROWD
    require_right(action, place, whole, upstream)
    if action == "cache":
        assert len(rows_of(place)) == CROWD
    if action == "download":
        assert len(upstream.requests) - asked == len(upstream.files)
