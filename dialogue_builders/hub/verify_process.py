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


def first_rows(
    repo_id: str, revision: str, configs: list[str], token: str | None
) -> dict[str, dict[str, tuple[int, dict[str, Any] | None]]]:
    """Stream the first row of every split of some configs with the stock library.

    Args:
        repo_id: the dataset repository.
        revision: a commit.
        configs: their names.
        token: for a private repository.

    Returns:
        config → split → (the rows that the card states, the first row or None where there is none).
    """
    import datasets

    found: dict[str, dict[str, tuple[int, dict[str, Any] | None]]] = {}
    for config in configs:
        loaded = datasets.load_dataset(
            repo_id, config, revision=revision, streaming=True, token=token or False
        )
        found[config] = {
            split: (stream.info.splits[split].num_examples, next(iter(stream), None))
            for split, stream in loaded.items()
        }
    return found


def configure_library() -> None:
    """Keep the library from asking hosts that are not needed and from trying for too long."""
    import datasets

    # There is no environment variable for the first.
    datasets.config.USE_PARQUET_EXPORT = False
    datasets.config.STREAMING_READ_MAX_RETRIES = MOST_READ_RETRIES


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry a request out; a failure becomes part of the answer.

    Returns:
        `{"found": …}`, or `{"error": text, "transient": whether trying again can help}`.
    """
    from dialogue_builders.hub.client import timed_requests
    from dialogue_builders.hub.retry import classify_error

    try:
        with timed_requests():
            configure_library()
            return {"found": first_rows(**request)}
    except Exception as error:
        failure = classify_error(error)
        text = failure.text if failure else f"{type(error).__name__}: {error}"
        refused = failure is not None and failure.status in (401, 403)
        return {"error": text, "transient": not refused}


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))), flush=True)
    # Threads of Arrow and of the client that still read ahead now and then end a Python that shuts
    # down in an orderly way with an abort, after the answer was given. Nothing is left to tidy up.
    os._exit(0)
