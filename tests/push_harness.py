"""Pushers that talk to a Hub on loopback with the stock clients, and what tests ask of them."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_server import HubServer, Repository

import dialogue_builders
from dialogue_builders.hub.files import LocalFile, RemoteFile
from dialogue_builders.hub.plan import PushPlan, make_plan
from dialogue_builders.spec.registry import find_corpus

TESTS = Path(__file__).parent
WAIT_SECONDS = 60


@dataclass(frozen=True)
class Result:
    """What a push left: its exit code, its output, and the seconds that it wanted to wait."""

    code: int
    stdout: str
    stderr: str
    waits: list[float]

    @property
    def report(self) -> dict[str, Any]:
        """Its report, with `--json`."""
        assert self.code == 0, self.stderr
        report: dict[str, Any] = json.loads(self.stdout)
        return report

    def require_known_error(self, *parts: str) -> None:
        """It ended with one message that has a next step, and without a traceback."""
        assert self.code == 1, (self.code, self.stdout, self.stderr)
        assert "Traceback" not in self.stderr
        assert "\nNext: " in self.stderr
        assert "Error: " in self.stderr
        for part in parts:
            assert part in self.stderr


class Pushers:
    """Starts pushes in children of one process that has everything loaded."""

    def __init__(self, hub: HubServer, home: Path) -> None:
        environment = hub.environment(home, token=None)
        environment["PYTHONPATH"] = os.pathsep.join([str(TESTS.parent), str(TESTS)])
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, str(TESTS / "push_worker.py")],
            env=environment,
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        return reply

    def start(
        self,
        folder: Path,
        repo_id: str,
        *options: str,
        token: str = "hf_owner",
        silence: float = WAIT_SECONDS,
    ) -> int:
        """Start `push`; return its process id. It gives up on an answer after `silence` seconds."""
        request = {
            "do": "start",
            "arguments": ["push", str(folder), repo_id, *options],
            "environment": {"HF_TOKEN": token, "SILENCE_SECONDS": str(silence)},
        }
        pid: int = self._ask(request)["pid"]
        return pid

    def wait(self, pid: int) -> Result:
        """Wait for a push to end."""
        return Result(**self._ask({"do": "wait", "pid": pid}))

    def push(self, folder: Path, repo_id: str, *options: str, **settings: Any) -> Result:
        """Push, and wait for the end."""
        return self.wait(self.start(folder, repo_id, *options, **settings))

    def kill(self, pid: int) -> None:
        """Kill a push at once."""
        os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(WAIT_SECONDS) == 0


def build_small(place: Path, *, shards: int) -> Path:
    out = place / "topical_chat"
    dialogue_builders.build(
        "topical_chat",
        out,
        sample=True,
        configs=["conversations"],
        splits=["test_rare"],
        shards=shards,
    )
    return out


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def pushed_files(repository: Repository, revision: str = "main") -> dict[str, bytes]:
    """The files of a repository by path, without the one that the Hub makes itself."""
    files = repository.files(revision)
    files.pop(".gitattributes")
    return files


def routes(hub: HubServer) -> list[str]:
    """The names of the routes that were asked for, in order."""
    return [record.route for record in hub.requests]


FOREIGN = {"notes/ideas.txt": b"not ours"}
numbers = itertools.count()


class Scenario:
    """A repository in an old state, and the folder that is to become its new one."""

    def __init__(self, hub: HubServer, old_folder: Path, small_folder: Path) -> None:
        self.name = f"org/case-{next(numbers)}"
        self.repository: Repository = hub.create_repository(
            self.name, {**files_of(old_folder), **FOREIGN}
        )
        self.old = pushed_files(self.repository)
        self.new = {**files_of(small_folder), **FOREIGN}
        assert self.old.keys() - self.new.keys()
        assert self.new.keys() - self.old.keys()
        hub.clear_log()

    @property
    def commits(self) -> int:
        """The commits since the old state."""
        return len(self.repository.commits()) - 2

    def require_whole(self) -> None:
        files = pushed_files(self.repository)
        assert files in (self.old, self.new), sorted(files)
        assert self.commits == (files == self.new)

    def require_new(self) -> None:
        assert pushed_files(self.repository) == self.new
        assert self.commits == 1


def edit_card(folder: Path, old: str, new: str) -> None:
    """Change a text in the card, and in its other languages where they have it too."""
    assert old in (folder / "README.md").read_text("utf-8")
    for card in folder.glob("README*.md"):
        card.write_text(card.read_text("utf-8").replace(old, new), "utf-8")


def local(path: str, data: bytes) -> LocalFile:
    return LocalFile.of_bytes(path, data)


def large(path: str, data: bytes) -> RemoteFile:
    return RemoteFile(path, len(data), "0" * 40, hashlib.sha256(data).hexdigest())


def plan_of(
    files: list[LocalFile], remote: list[RemoteFile], texts: dict[str, str] | None = None
) -> PushPlan:
    return make_plan(
        {file.path: file for file in files},
        {file.path: file for file in remote},
        head="a" * 40,
        corpus=find_corpus("topical_chat"),
        read_remote=lambda file: (texts or {})[file.path],
    )
