"""Others push at the same time, and the Hub asks for patience."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest
from hub_server import Fault, HubServer, RequestRecord
from push_harness import WAIT_SECONDS, Pushers, Scenario, files_of, numbers, pushed_files, routes

pytest_plugins = ("push_fixtures",)


def test_of_two_pushers_of_one_folder_both_succeed(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    both = threading.Barrier(2)
    hub.on_request(lambda record: record.route == "commit" and both.wait(WAIT_SECONDS))
    pids = [pushers.start(small_folder, scenario.name, "--yes", "--json") for _ in range(2)]
    results = [pushers.wait(pid) for pid in pids]
    # The slower one finds that what it wanted is there.
    assert [result.code for result in results] == [0, 0], results
    assert {result.report["commit"] for result in results} == {scenario.repository.head()}
    scenario.require_new()


def test_two_pushers_of_different_folders_leave_one_of_them_whole(
    hub: HubServer, pushers: Pushers, small_folder: Path, old_folder: Path
) -> None:
    name = f"org/case-{next(numbers)}"
    repository = hub.create_repository(name)
    both = threading.Barrier(2)
    commits = itertools.count()
    hub.on_request(
        lambda record: record.route == "commit" and next(commits) < 2 and both.wait(WAIT_SECONDS)
    )
    pids = [pushers.start(place, name, "--yes") for place in (small_folder, old_folder)]
    assert [pushers.wait(pid).code for pid in pids] == [0, 0]
    trees = [
        {path: blob.data for path, blob in commit.tree.items() if path != ".gitattributes"}
        for commit in repository.commits()
    ]
    assert trees[2] == {}
    wholes = [files_of(small_folder), files_of(old_folder)]
    assert sorted(wholes.index(tree) for tree in trees[:2]) == [0, 1]


def test_a_moved_head_is_planned_on_again(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    def somebody_is_faster(record: RequestRecord) -> None:
        if record.route == "commit":
            hub.on_request(None)
            scenario.repository.add_commit({"notes/more.txt": b"theirs", "notes/ideas.txt": b"2"})

    hub.on_request(somebody_is_faster)
    assert pushers.push(small_folder, scenario.name, "--yes").code == 0
    theirs = {"notes/more.txt": b"theirs", "notes/ideas.txt": b"2"}
    assert pushed_files(scenario.repository) == {**scenario.new, **theirs}
    assert scenario.commits == 2
    assert routes(hub).count("commit") == 2


def test_a_head_that_keeps_moving_ends_the_push(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    pushes = itertools.count()

    def somebody_is_faster(record: RequestRecord) -> None:
        if record.route == "commit":
            scenario.repository.add_commit({"notes/ideas.txt": b"%d" % next(pushes)})

    hub.on_request(somebody_is_faster)
    result = pushers.push(small_folder, scenario.name, "--yes")
    result.require_known_error("others keep pushing", "--create-pr")
    assert routes(hub).count("commit") == 2
    assert pushed_files(scenario.repository) == {**scenario.old, "notes/ideas.txt": b"1"}


def test_new_deletions_are_not_covered_by_an_earlier_consent(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    repository = hub.create_repository(f"org/case-{next(numbers)}")
    stale = "conversations/data/test_rare-00000-of-00009.parquet"

    def somebody_is_faster(record: RequestRecord) -> None:
        if record.route == "commit":
            hub.on_request(None)
            repository.add_commit({stale: b"theirs"})

    hub.on_request(somebody_is_faster)
    result = pushers.push(small_folder, repository.name)
    result.require_known_error("would delete 1 files", stale, "--yes")
    assert pushed_files(repository) == {stale: b"theirs"}


def test_a_commit_whose_answer_was_lost_is_found_below_others(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    def somebody_follows(record: RequestRecord) -> None:
        if scenario.commits == 1:
            hub.on_request(None)
            scenario.repository.add_commit({"notes/ideas.txt": b"more of them"})

    hub.on_request(somebody_follows)
    hub.inject(Fault("lost_answer", route="commit"))
    report = pushers.push(small_folder, scenario.name, "--yes", "--json").report
    theirs, ours = scenario.repository.commits()[:2]
    assert theirs.title == "foreign push"
    assert report["commit"] == ours.sha
    assert report["committed"] is True
    assert scenario.commits == 2


def test_retry_after_is_honoured(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    hub.inject(Fault("status", route="commit", status=429, headers={"Retry-After": "7"}))
    result = pushers.push(small_folder, scenario.name, "--yes")
    assert (result.code, result.waits) == (0, [7.0])
    scenario.require_new()


def test_nobody_waits_for_an_hour(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    hub.inject(Fault("status", route="commit", status=429, headers={"Retry-After": "3600"}))
    result = pushers.push(small_folder, scenario.name, "--yes")
    result.require_known_error("asks to wait", "in 60 minutes")
    assert result.waits == []
    assert routes(hub).count("commit") == 1


ASKS = {
    "retry-after": {"Retry-After": "3600"},
    "rate limit": {"RateLimit": '"api";r=0;t=3600', "RateLimit-Policy": '"api";q=500;w=300'},
}


@pytest.mark.parametrize("asks", ASKS)
def test_nobody_waits_for_an_hour_at_any_request(
    hub: HubServer,
    pushers: Pushers,
    old_folder: Path,
    small_folder: Path,
    clean_routes: list[str],
    asks: str,
) -> None:
    """Not even at those for which the client library sleeps by itself."""
    for route in dict.fromkeys(clean_routes):
        scenario = Scenario(hub, old_folder, small_folder)
        hub.clear_faults()
        hub.inject(Fault("status", route=route, status=429, headers=ASKS[asks], times=None))
        result = pushers.push(small_folder, scenario.name, "--yes")
        scenario.require_whole()
        assert sum(result.waits) == 0, (route, result.waits)
        if result.code or not scenario.commits:
            result.require_known_error("to wait 60 minutes")


@pytest.mark.parametrize("header", ["²", "-1", "soon", "9" * 20 + " s"])
def test_a_wait_that_cannot_be_read_is_none(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path, header: str
) -> None:
    for route in ("revision_info", "preupload", "lfs_batch", "lfs_upload", "commit"):
        hub.inject(Fault("status", route=route, status=429, headers={"Retry-After": header}))
    result = pushers.push(small_folder, scenario.name, "--yes")
    assert result.code == 0, result.stderr
    assert max(result.waits) <= 2
    scenario.require_new()


def test_attempts_are_bounded_and_waits_grow(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    hub.inject(Fault("status", route="commit", status=503, times=None))
    result = pushers.push(small_folder, scenario.name, "--yes")
    result.require_known_error("gave up after 5 attempts", "503")
    assert routes(hub).count("commit") == 5
    assert len(result.waits) == 4
    for wait, longest in zip(result.waits, (1, 2, 4, 8), strict=True):
        assert longest / 2 <= wait <= longest
    scenario.require_whole()
    assert scenario.commits == 0


def test_a_gateway_that_answers_in_html(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    page = b"<html>Bad gateway</html>"
    hub.inject(Fault("status", route="validate_yaml", status=502, body=page))
    assert pushers.push(small_folder, scenario.name, "--yes").code == 0
    scenario.require_new()
