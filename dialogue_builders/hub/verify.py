"""Proof of a push by its sha: the Hub's files are the folder's, and stock `datasets` reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialogue_builders.errors import PushError
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.folder.layout import parse_shard_path
from dialogue_builders.hub.files import RemoteFile
from dialogue_builders.hub.plan import PushPlan
from dialogue_builders.hub.repository import HubRepository
from dialogue_builders.hub.retry import RequestError, RequestFailure, retry
from dialogue_builders.spec.corpus import Corpus

# A proof that takes longer than this (seconds) has not been given.
MOST_SECONDS = 900
# Settings that would bring old caches, another Hub or offline mode into the fresh process.
SETTINGS_LEFT_OUT = (
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
    "HF_DATASETS_CACHE",
    "HF_DATASETS_OFFLINE",
    "HF_HUB_OFFLINE",
    "HF_ASSETS_CACHE",
    "HF_XET_CACHE",
    "XDG_CACHE_HOME",
)


@dataclass(frozen=True)
class Proof:
    """What was seen on the Hub.

    Attributes:
        files: how many files have the folder's hashes there.
        rows: config → split → rows that the card states and the files hold. Of each split, the
            first row was streamed and is the folder's.
    """

    files: int
    rows: Mapping[str, Mapping[str, int]]


def prove(repository: HubRepository, built: BuiltFolder, plan: PushPlan, sha: str) -> Proof:
    """Compare a commit on the Hub with the folder.

    The numbers of rows are those of the card, as the stock library reads them there; they are
    compared with those of the folder's files, which by their hashes are the Hub's.

    Raises:
        PushError: something differs, or can't be read.
    """

    def explain(failure: RequestFailure) -> PushError:
        return _unproven(repository, sha, [f"it can't be read: {failure.told}"])

    differences = compare_files(plan, repository.tree(sha, explain=explain), built.corpus)
    if differences:
        raise _unproven(repository, sha, differences)
    request = {
        "repo_id": repository.repo_id,
        "revision": sha,
        "configs": list(built.configs()),
        "token": repository.token,
    }
    found = retry(
        lambda: _ask(request, repository.api.endpoint), explain=explain, redact=repository.redact
    )
    differences = compare_rows(built, found)
    if differences:
        raise _unproven(repository, sha, differences)
    rows = {config: {split: n for split, (n, _) in s.items()} for config, s in found.items()}
    return Proof(len(plan.files), rows)


def compare_files(plan: PushPlan, tree: Mapping[str, RemoteFile], corpus: Corpus) -> list[str]:
    """Compare a commit's files with what was planned.

    Args:
        plan: it holds the files that shall be there.
        tree: the commit's files by path.
        corpus: it says which other files would be ours, and so shall not be there.

    Returns:
        the differences, one line each.
    """
    wrong = [
        f"{path} has other content: {tree[path].size:,} bytes there, {file.size:,} here"
        if path in tree
        else f"{path} is missing"
        for path, file in plan.files.items()
        if path not in tree or not file.is_same(tree[path])
    ]
    stale = {path for path in tree.keys() - plan.files.keys() if parse_shard_path(path, corpus)}
    stale |= tree.keys() & set(plan.deletes)
    return wrong + [f"{path} was not deleted" for path in sorted(stale)]


def compare_rows(
    built: BuiltFolder, found: Mapping[str, Mapping[str, tuple[int | None, Any]]]
) -> list[str]:
    """Compare what the stock library has streamed with the folder.

    Args:
        built: the folder.
        found: config → split → (stated rows, first row or None).

    Returns:
        the differences, one line each.
    """
    differences = []
    for config, (view, splits) in built.configs().items():
        seen = found.get(config, {})
        if list(seen) != list(splits):
            differences.append(f"{config} has the splits {list(seen)}, not {list(splits)}")
            continue
        for split, raw in splits.items():
            rows, first = seen[split]
            stated = "no number of rows" if rows is None else f"{rows:,} rows"
            if rows != built.rows(view, raw):
                differences.append(
                    f"the card states {stated} for {config}/{split}, "
                    f"but there are {built.rows(view, raw):,}"
                )
            expected = _first_row(built, view, raw)
            if first != expected:
                fields = _differing_fields(first or {}, expected or {})
                differences.append(
                    f"the first row of {config}/{split} differs in {', '.join(fields)}"
                    if first and expected
                    else f"{config}/{split} has {'a' if first else 'no'} row there"
                )
    return differences


def _first_row(built: BuiltFolder, view: str, split: str) -> dict[str, Any] | None:
    for batch in built.read(view, split):
        for row in batch.slice(0, 1).to_pylist():
            first: dict[str, Any] = row
            return first
    return None


def _differing_fields(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    return [
        name
        for name in dict.fromkeys((*here, *there))
        if name not in there or name not in here or there[name] != here[name]
    ]


def _unproven(repository: HubRepository, sha: str, differences: list[str]) -> PushError:
    shown = "\n- ".join(differences[:10])
    return PushError(
        f"the commit {sha[:8]} is on the Hub ({repository.url}), but is not proven:\n- {shown}",
        next_step="run the same command again: it makes no second commit, and proves again",
    )


def _ask(request: Mapping[str, Any], endpoint: str) -> dict[str, Any]:
    """Have a fresh process stream the first rows; raise a RequestError where it can't."""
    reply = ask_fresh_process(request, endpoint)
    if "found" not in reply:
        raise RequestError(
            RequestFailure(
                reply["error"], reply["transient"], requested_wait=reply.get("requested_wait")
            )
        )
    found: dict[str, Any] = reply["found"]
    return found


def ask_fresh_process(request: Mapping[str, Any], endpoint: str) -> dict[str, Any]:
    """Run `verify_process` with fresh caches; the token travels through a pipe.

    Args:
        request: see `verify_process.first_rows`.
        endpoint: the Hub.

    Returns:
        see `verify_process.answer`.
    """
    package = str(Path(__file__).parents[2])
    with tempfile.TemporaryDirectory() as home:
        environment = {k: v for k, v in os.environ.items() if k not in SETTINGS_LEFT_OUT} | {
            "HF_HOME": home,
            "HF_ENDPOINT": endpoint,
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH")))),
        }
        try:
            # In the fresh folder, since a folder of the repository's name would be loaded instead.
            run = subprocess.run(
                [sys.executable, "-m", "dialogue_builders.hub.verify_process"],
                input=json.dumps(request),
                env=environment,
                cwd=home,
                capture_output=True,
                text=True,
                timeout=MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"error": f"it took longer than {MOST_SECONDS} s", "transient": False}
    try:
        reply: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (run.stderr.strip().splitlines() or ["without a word"])[-1]
        return {"error": f"the proving process ended: {last}", "transient": False}
    return reply
