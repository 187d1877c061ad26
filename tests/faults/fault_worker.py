"""A process that has the libraries loaded and forks one child per action, which can be killed.

Requests and answers are lines of JSON: `{"do": "start", "action": …, "arguments": {…}}` →
`{"pid": …}`; `{"do": "wait", "pid": …}` → `{"code": …}`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet  # noqa: F401 - loaded once, for all children

import dialogue_builders
import topical_chat.corpus
from dialogue_builders.spec import Pin
from topical_chat.builder import TopicalChat

CONFIGS = ["conversations", "utterances", "responses"]


def build(raw: str, place: str) -> None:
    dialogue_builders.build(
        "topical_chat", Path(place) / "out", data_dir=raw, configs=CONFIGS, progress=None
    )


def cache(raw: str, place: str) -> None:
    rows = dialogue_builders.load_dataset(
        "topical_chat",
        "utterances",
        data_dir=raw,
        cache_dir=f"{place}/cache",
    )
    Path(place, f"rows-{os.getpid()}").write_text(
        json.dumps({split: list(found) for split, found in rows.items()})
    )


def download(url: str, pins: dict[str, str], place: str) -> None:
    corpus = dataclasses.replace(
        topical_chat.corpus.CORPUS,
        pins={path: Pin(path, blob) for path, blob in pins.items()},
        download_url=url,
        version="9.9.9",
    )
    topical_chat.corpus.CORPUS = corpus
    TopicalChat.CORPUS = corpus
    dialogue_builders.download("topical_chat", Path(place) / "raw", configs=["conversations"])


ACTIONS = {"build": build, "cache": cache, "download": download}


def start(action: str, arguments: dict[str, Any]) -> int:
    """Fork a child that ends with 0, with 1 after one of our errors, with 99 after any other."""
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        ACTIONS[action](**arguments)
        code = 0
    except dialogue_builders.DialogueBuildersError as error:
        code = 1
        print(error, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    """Answer requests until standard input ends."""
    datasets.disable_progress_bars()
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "start":
            reply = {"pid": start(request["action"], request["arguments"])}
        else:
            reply = {"code": os.waitstatus_to_exitcode(os.waitpid(request["pid"], 0)[1])}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    serve()
