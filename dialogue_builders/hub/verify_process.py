"""The part of a push's proof that runs in a process of its own: what a stranger's `datasets` sees.

`datasets` and `huggingface_hub` read their settings when they are imported, and fall back on what
is in their caches; so the proof needs a fresh process with fresh caches. It reads a request (JSON)
from standard input and writes an answer (JSON) as the last line of standard output.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

# The library would otherwise try for a quarter of an hour; the push itself tries again.
MOST_READ_RETRIES = 3

FirstRow = tuple[int | None, dict[str, Any] | None]
"""The rows that the card states (None: it states none), and a split's first row, if it has one."""


def first_rows(
    repo_id: str, revision: str, configs: list[str], token: str | None
) -> dict[str, dict[str, FirstRow]]:
    """Stream the first row of every split of some configs with the stock library.

    Args:
        repo_id: the dataset repository.
        revision: a commit.
        configs: their names.
        token: for a private repository.

    Returns:
        config → split → what was seen there.
    """
    import datasets

    found: dict[str, dict[str, FirstRow]] = {}
    for config in configs:
        loaded = datasets.load_dataset(
            repo_id, config, revision=revision, streaming=True, token=token or False
        )
        found[config] = {
            split: (_stated_rows(stream, split), next(iter(stream), None))
            for split, stream in loaded.items()
        }
    return found


def _stated_rows(stream: Any, split: str) -> int | None:
    stated = (stream.info.splits or {}).get(split)
    return stated and int(stated.num_examples)


def configure_library() -> None:
    """Keep the library from asking hosts that are not needed and from trying for too long."""
    import datasets

    # There is no environment variable for the first.
    datasets.config.USE_PARQUET_EXPORT = False
    datasets.config.STREAMING_READ_MAX_RETRIES = MOST_READ_RETRIES


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry a request out; a failure becomes part of the answer.

    Returns:
        `{"found": …}`, or `{"error": text, "transient": whether trying again can help}`, and the
        seconds that the server asks to wait as `requested_wait`.
    """
    from dialogue_builders.hub.client import timed_requests
    from dialogue_builders.hub.retry import classify_error

    try:
        with timed_requests():
            configure_library()
            return {"found": first_rows(**request)}
    except Exception as error:
        failure = classify_error(error)
        if failure is None:
            # Not the network's: the same rows and the same library would end in it again.
            return {"error": f"{type(error).__name__}: {error}", "transient": False}
        return {
            "error": failure.text,
            "transient": failure.transient,
            "requested_wait": failure.requested_wait,
        }


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))), flush=True)
    # Threads of Arrow and of the client that still read ahead now and then end a Python that shuts
    # down in an orderly way with an abort, after the answer was given. Nothing is left to tidy up.
    os._exit(0)
