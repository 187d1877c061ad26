"""Whatever goes wrong during a push, the repository is in its old or its new state."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest
from hub_server import Fault, HubServer, RequestRecord
from push_harness import WAIT_SECONDS, Pushers, Scenario, files_of, numbers, pushed_files, routes

pytest_plugins = ("push_fixtures",)

KINDS: dict[str, Fault] = {
    "401": Fault("status", status=401),
    "403": Fault("status", status=403),
    "412": Fault("status", status=412),
    "429": Fault("status", status=429, headers={"Retry-After": "3"}),
    "500": Fault("status", status=500),
    "reset": Fault("reset"),
    "lost answer": Fault("lost_answer"),
}
REFUSALS = ("401", "403")
# Much longer than a pusher waits for an answer in these tests.
STALL_SECONDS = 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_at_every_request(
    hub: HubServer,
    pushers: Pushers,
    old_folder: Path,
    small_folder: Path,
    clean_routes: list[str],
    kind: str,
) -> None:
    commit = clean_routes.index("commit")
    for number in range(len(clean_routes)):
        scenario = Scenario(hub, old_folder, small_folder)
        hub.clear_faults()
        fault = KINDS[kind]
        armed = hub.inject(
            Fault(fault.kind, skip=number, status=fault.status, headers=fault.headers)
        )
        result = pushers.push(small_folder, scenario.name, "--yes")
        place = f"{kind} at {number} ({clean_routes[number]}): {result.stderr}"
        assert armed.fired == 1, place
        scenario.require_whole()
        if kind in REFUSALS and number <= commit:
            result.require_known_error()
            assert scenario.commits == 0, place
        elif kind in REFUSALS:
            # The library may do without some of what it asks for when it reads.
            assert result.code == 0 or "is on the Hub" in result.stderr, place
        else:
            assert result.code == 0, place
        if result.code or number <= commit:
            again = pushers.push(small_folder, scenario.name, "--yes")
            assert again.code == 0, (place, again.stderr)
        scenario.require_new()


@pytest.mark.parametrize("carried_out", [True, False])
def test_killed_at_every_request(
    hub: HubServer,
    pushers: Pushers,
    old_folder: Path,
    small_folder: Path,
    clean_routes: list[str],
    carried_out: bool,
) -> None:
    commit = clean_routes.index("commit")
    for number in range(len(clean_routes)):
        scenario = Scenario(hub, old_folder, small_folder)
        hub.clear_faults()
        if not carried_out:
            hub.inject(Fault("reset", skip=number))
        seen = itertools.count()
        pids: list[int] = []
        started = threading.Event()

        def kill(
            record: RequestRecord,
            number: int = number,
            seen: itertools.count[int] = seen,
            pids: list[int] = pids,
            started: threading.Event = started,
        ) -> None:
            if next(seen) == number:
                assert started.wait(WAIT_SECONDS)
                pushers.kill(pids[0])

        hub.on_request(kill)
        pids.append(pushers.start(small_folder, scenario.name, "--yes"))
        started.set()
        assert pushers.wait(pids[0]).code == -9, number
        hub.on_request(None)
        scenario.require_whole()
        assert scenario.commits == (number > commit or (number == commit and carried_out)), number
        again = pushers.push(small_folder, scenario.name, "--yes")
        assert again.code == 0, again.stderr
        scenario.require_new()


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_while_the_repository_is_created(
    hub: HubServer, pushers: Pushers, small_folder: Path, kind: str
) -> None:
    new = files_of(small_folder)
    hub.clear_log()
    assert pushers.push(small_folder, f"org/case-{next(numbers)}").code == 0
    until_commit = routes(hub)[: routes(hub).index("commit") + 1]
    assert until_commit[:3] == ["revision_info", "create_repo", "revision_info"]
    for number in range(len(until_commit)):
        name = f"org/case-{next(numbers)}"
        hub.clear_faults()
        fault = KINDS[kind]
        hub.inject(Fault(fault.kind, skip=number, status=fault.status, headers=fault.headers))
        result = pushers.push(small_folder, name)
        place = f"{kind} at {number} ({until_commit[number]}): {result.stderr}"
        if kind in REFUSALS:
            result.require_known_error()
            # Either there is nothing yet, or what the Hub itself puts into a new repository.
            if number > 1:
                assert pushed_files(hub.repository(name)) == {}, place
            else:
                with pytest.raises(KeyError):
                    hub.repository(name)
            assert pushers.push(small_folder, name).code == 0, place
        else:
            assert result.code == 0, place
        assert pushed_files(hub.repository(name)) == new, place
        assert len(hub.repository(name).commits()) == 2, place


@pytest.mark.parametrize("kind", ["500", "lost answer"])
def test_a_fault_while_a_pull_request_is_opened(
    hub: HubServer, pushers: Pushers, old_folder: Path, small_folder: Path, kind: str
) -> None:
    scenario = Scenario(hub, old_folder, small_folder)
    assert pushers.push(small_folder, scenario.name, "--yes", "--create-pr").code == 0
    until_commit = routes(hub)[: routes(hub).index("commit") + 1]
    assert until_commit[-1] == "commit"
    for number in range(len(until_commit)):
        scenario = Scenario(hub, old_folder, small_folder)
        hub.clear_faults()
        fault = KINDS[kind]
        hub.inject(Fault(fault.kind, skip=number, status=fault.status))
        for _ in range(2):
            result = pushers.push(
                small_folder, scenario.name, "--yes", "--create-pr", token="hf_reader"
            )
            assert result.code == 0, (kind, number, result.stderr)
        (pull_request,) = scenario.repository.pull_requests
        assert pushed_files(scenario.repository, pull_request.revision) == scenario.new
        assert pushed_files(scenario.repository) == scenario.old


def test_silence_at_every_request_before_the_proof(
    hub: HubServer,
    pushers: Pushers,
    old_folder: Path,
    small_folder: Path,
    clean_routes: list[str],
) -> None:
    for number in range(clean_routes.index("commit") + 1):
        scenario = Scenario(hub, old_folder, small_folder)
        hub.clear_faults()
        hub.clear_log()
        hub.inject(Fault("stall", skip=number, seconds=STALL_SECONDS))
        assert pushers.push(small_folder, scenario.name, "--yes", silence=1.0).code == 0, number
        # It did not wait for the answer, but asked once more.
        route = clean_routes[number]
        assert routes(hub).count(route) == clean_routes.count(route) + 1, route
        scenario.require_new()


@pytest.mark.parametrize("body", [b"<html>Please log in to this network</html>", b"{}"])
def test_somebody_else_answers_in_the_hubs_place(
    hub: HubServer,
    pushers: Pushers,
    old_folder: Path,
    small_folder: Path,
    clean_routes: list[str],
    body: bytes,
) -> None:
    for number in range(clean_routes.index("commit") + 1):
        scenario = Scenario(hub, old_folder, small_folder)
        hub.clear_faults()
        hub.inject(Fault("status", status=200, body=body, skip=number))
        result = pushers.push(small_folder, scenario.name, "--yes")
        if result.code:
            # An upload that was only said to have arrived.
            assert clean_routes[number] == "lfs_upload"
            result.require_known_error("has not been uploaded")
            assert pushers.push(small_folder, scenario.name, "--yes").code == 0
        scenario.require_new()
