"""Tokens, pages and folders that a push does not expect."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hub_server import HubServer, RequestRecord
from push_harness import Pushers, Scenario, files_of, pushed_files, routes

from dialogue_builders.errors import PushError
from dialogue_builders.hub.repository import HubRepository

pytest_plugins = ("push_fixtures",)


@pytest.mark.parametrize("token", ["hf_eigentümer", "hf_密钥", "hf_a\x7f"])
def test_a_token_that_can_be_none(
    hub: HubServer, pushers: Pushers, small_folder: Path, token: str
) -> None:
    refused = pushers.push(small_folder, "org/elsewhere", token=token)
    refused.require_known_error("no token has", "HF_TOKEN")
    assert token not in refused.stderr
    assert routes(hub) == []


def test_a_token_file_that_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_bytes(b"hf_\xff\xfe")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(PushError, match="the token for the Hub can't be read"):
        HubRepository("org/name", None)


def test_a_page_that_is_not_utf8_blocks_nothing(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    page = "# Gespräche\n".encode("latin-1")
    repository = hub.create_repository("org/latin", {"README.md": page, "README.de.md": page})
    first = repository.head()[:8]
    pushed = pushers.push(small_folder, "org/latin")
    assert pushed.code == 0, pushed.stderr
    assert f"stays in the history (commit {first})" in pushed.stdout + pushed.stderr
    assert pushed_files(repository) == {**files_of(small_folder), "README.de.md": page}


def test_a_card_that_is_deleted_during_the_push(
    hub: HubServer,
    pushers: Pushers,
    old_folder: Path,
    small_folder: Path,
    clean_routes: list[str],
    tmp_path: Path,
) -> None:
    for route in dict.fromkeys(clean_routes):
        scenario = Scenario(hub, old_folder, small_folder)
        copy = tmp_path / route
        shutil.copytree(small_folder, copy)

        def delete(record: RequestRecord, route: str = route, copy: Path = copy) -> None:
            if record.route == route:
                (copy / "README.md").unlink(missing_ok=True)

        hub.on_request(delete)
        result = pushers.push(copy, scenario.name, "--yes")
        scenario.require_whole()
        if result.code:
            result.require_known_error("README.md")
