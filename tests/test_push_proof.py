"""What counts as proof of a push, and what does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hub_server import Fault, HubServer
from push_harness import Pushers, large, local, plan_of

from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.hub import verify, verify_process
from dialogue_builders.hub.verify import compare_files, compare_rows
from dialogue_builders.spec.registry import find_corpus

pytest_plugins = ("push_fixtures",)


def test_a_tree_that_differs_is_no_proof() -> None:
    plan = plan_of(
        [local("a", b"1"), local("b", b"2"), local("c", b"3")],
        [large("utterances/data/train-00000-of-00001.parquet", b"stale")],
    )
    good = {path: large(path, data) for path, data in (("a", b"1"), ("b", b"2"), ("c", b"3"))}
    foreign = {path: large(path, b"x") for path in ("data/x.parquet", "utterances/notes.txt")}
    corpus = find_corpus("topical_chat")
    assert compare_files(plan, {**good, **foreign}, corpus) == []
    bad = {
        "a": good["a"],
        "b": large("b", b"other"),
        plan.deletes[0]: large(plan.deletes[0], b"stale"),
        "conversations/data/train-00000-of-00009.parquet": large("", b"not planned"),
    }
    assert compare_files(plan, bad, corpus) == [
        "b has other content: 5 bytes there, 1 here",
        "c is missing",
        "conversations/data/train-00000-of-00009.parquet was not deleted",
        "utterances/data/train-00000-of-00001.parquet was not deleted",
    ]


def test_rows_that_differ_are_no_proof(small_folder: Path) -> None:
    built = open_built_folder(small_folder)
    (batch, *_) = built.read("conversations", "test_rare")
    first = batch.slice(0, 1).to_pylist()[0]
    good: dict[str, Any] = {
        "conversations": {"test_rare": (3, first)},
        "test_rare": {"test_rare": (3, first)},
        "rare": {"test": (3, first)},
    }
    assert compare_rows(built, good) == []
    bad = {
        "conversations": {"test_rare": (4, first)},
        "test_rare": {"test_rare": (3, {**first, "config": "Z", "more": 1})},
        "rare": {"test_rare": (3, first)},
    }
    assert compare_rows(built, bad) == [
        "the card states 4 rows for conversations/test_rare, but there are 3",
        "the first row of test_rare/test_rare differs in config, more",
        "rare has the splits ['test_rare'], not ['test']",
    ]
    assert compare_rows(built, {**good, "conversations": {"test_rare": (None, None)}}) == [
        "the card states no number of rows for conversations/test_rare, but there are 3",
        "conversations/test_rare has no row there",
    ]
    assert len(compare_rows(built, {})) == 3


def test_a_proof_that_cannot_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"repo_id": "org/name", "revision": "0" * 40, "configs": ["a"], "token": None}
    monkeypatch.setattr(sys, "executable", "/bin/false")
    reply = verify.ask_fresh_process(request, "http://127.0.0.1:9")
    assert reply == {"error": "the proving process ended: without a word", "transient": False}


@pytest.mark.parametrize(
    ("error", "told", "transient"),
    [
        (ValueError("no such column"), "ValueError: no such column", False),
        (FileNotFoundError("there is no dataset org/name"), "there is no dataset org/name", False),
        (httpx2.ReadError("reset"), "the connection failed (reset)", True),
    ],
)
def test_only_what_may_pass_is_proven_again(
    monkeypatch: pytest.MonkeyPatch, error: Exception, told: str, transient: bool
) -> None:
    def fail(**_: Any) -> None:
        raise error

    monkeypatch.setattr(verify_process, "first_rows", fail)
    monkeypatch.setattr(verify_process, "configure_library", lambda: None)
    reply = verify_process.answer({})
    assert (reply["error"], reply["transient"]) == (told, transient)


def test_a_proof_that_fails_says_what_it_found_at_once(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    """The stock library does not see the card, and so no config: to ask again changes nothing."""
    hub.inject(Fault("status", route="resolve", status=404, times=None))
    refused = pushers.push(small_folder, "org/unprovable")
    refused.require_known_error("is on the Hub", "but is not proven")
    assert "None" not in refused.stderr
    assert refused.waits == []
