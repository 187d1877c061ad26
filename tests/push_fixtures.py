"""Fixtures for pushes: a Hub on loopback, pushers, and built folders.

A test module asks for them with `pytest_plugins = ("push_fixtures",)`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import HubServer
from push_harness import Pushers, Scenario, build_small, routes

import dialogue_builders


@pytest.fixture(scope="session")
def session_hub() -> Iterator[HubServer]:
    with HubServer(page_size=20) as server:
        yield server


@pytest.fixture
def hub(session_hub: HubServer) -> Iterator[HubServer]:
    """The Hub, without the faults and hooks of other tests."""
    session_hub.clear_faults()
    session_hub.on_request(None)
    session_hub.clear_log()
    yield session_hub
    session_hub.clear_faults()
    session_hub.on_request(None)


@pytest.fixture(scope="session")
def pushers(session_hub: HubServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushers]:
    home = tmp_path_factory.mktemp("pushers")
    running = Pushers(session_hub, home)
    yield running
    running.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole invented sample, built."""
    out = tmp_path_factory.mktemp("built") / "topical_chat"
    dialogue_builders.build("topical_chat", out, sample=True)
    return out


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One config with one split in one file; three configs serve it."""
    return build_small(tmp_path_factory.mktemp("small"), shards=1)


@pytest.fixture(scope="session")
def old_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows in two files: an earlier state, of which a push has to delete something."""
    return build_small(tmp_path_factory.mktemp("old"), shards=2)


@pytest.fixture
def scenario(hub: HubServer, old_folder: Path, small_folder: Path) -> Scenario:
    return Scenario(hub, old_folder, small_folder)


@pytest.fixture(scope="session")
def clean_routes(
    session_hub: HubServer, pushers: Pushers, old_folder: Path, small_folder: Path
) -> list[str]:
    """The requests of a push in which nothing goes wrong."""
    scenario = Scenario(session_hub, old_folder, small_folder)
    result = pushers.push(small_folder, scenario.name, "--yes")
    assert result.code == 0, result.stderr
    scenario.require_new()
    found = routes(session_hub)
    assert found[0] == "revision_info"
    assert found.count("commit") == 1
    assert found.count("lfs_upload") == 1
    return found


@pytest.fixture
def own_folder(folder: Path, tmp_path: Path) -> Path:
    """A copy of the sample's folder that a test may change."""
    copy = tmp_path / "topical_chat"
    shutil.copytree(folder, copy)
    return copy
