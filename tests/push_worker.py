"""A process that has the libraries loaded and forks one child per push, which takes no second.

It reads requests from standard input, one JSON object a line, and answers each with one line:
`{"do": "start", "arguments": […], "environment": {…}}` → `{"pid": …}`;
`{"do": "wait", "pid": …}` → `{"code": …, "stdout": …, "stderr": …, "waits": […]}`.

Two things differ from a push in a process of its own: waits are recorded and cut short, and the
proof runs in the same process, whose caches know nothing of the commit either.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import datasets  # noqa: F401 - loaded once, for all children
import huggingface_hub.hf_api  # noqa: F401
import pyarrow.parquet  # noqa: F401

from dialogue_builders.cli.main import main
from dialogue_builders.hub import client, verify
from dialogue_builders.hub import push as hub
from dialogue_builders.hub import verify_process as proof_process
from dialogue_builders.spec import registry

SHORT_SECONDS = 0.01


def run_child(arguments: list[str], output: Path) -> int:
    """Run one command in the forked child and return its exit code."""
    waits: list[float] = []
    sleep = time.sleep

    def short_sleep(seconds: float) -> None:
        waits.append(seconds)
        (output / "waits").write_text(json.dumps(waits))
        sleep(min(seconds, SHORT_SECONDS))

    time.sleep = short_sleep
    client.SILENCE_SECONDS = float(os.environ["SILENCE_SECONDS"])
    verify.ask_fresh_process = lambda request, endpoint: proof_process.answer(dict(request))
    try:
        main(arguments, prog_name="dialogue-builders")
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    return 99


def start(arguments: list[str], environment: dict[str, str], output: Path) -> int:
    """Fork a child; return its process id."""
    output.mkdir()
    pid = os.fork()
    if pid:
        return pid
    code = 98
    try:
        for name, handle in (("stdout", 1), ("stderr", 2)):
            os.dup2(os.open(output / name, os.O_WRONLY | os.O_CREAT), handle)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ.update(environment)
        code = run_child(arguments, output)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def wait(pid: int, output: Path) -> dict[str, Any]:
    """Wait for a child; return what it left."""
    _, status = os.waitpid(pid, 0)
    waits = output / "waits"
    return {
        "code": os.waitstatus_to_exitcode(status),
        "stdout": (output / "stdout").read_text(),
        "stderr": (output / "stderr").read_text(),
        "waits": json.loads(waits.read_text()) if waits.exists() else [],
    }


def serve() -> None:
    """Answer requests until standard input ends."""
    assert hub
    registry.find_corpus("topical_chat")
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(sys.stdin):
            request = json.loads(line)
            if request["do"] == "start":
                output = Path(folder, str(number))
                pid = start(request["arguments"], request["environment"], output)
                (Path(folder) / f"pid-{pid}").symlink_to(output)
                reply: dict[str, Any] = {"pid": pid}
            else:
                link = Path(folder) / f"pid-{request['pid']}"
                reply = wait(request["pid"], link)
                link.unlink()
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    serve()
