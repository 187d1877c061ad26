"""Pushes that are refused: by rights, by terms, by visibility, by the folder, by the options."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hub_server import Fault, HubServer, RequestRecord, User
from push_harness import Pushers, Scenario, edit_card, files_of, pushed_files, routes
from topical_chat_raw import put_post_build_in_place_of_pre_build, write_raw

import dialogue_builders
from dialogue_builders.errors import OptionError, PushError
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.hub import push as hub_module
from dialogue_builders.hub.commit import HeadMovedError, LandedCommit
from dialogue_builders.hub.files import RemoteFile
from dialogue_builders.hub.plan import PushPlan
from dialogue_builders.hub.push import _Push
from dialogue_builders.hub.repository import HubRepository, RemoteState
from dialogue_builders.hub.request import PushRequest, check_revision

pytest_plugins = ("push_fixtures",)

REASON = "Washington Post articles and Reddit facts may not be redistributed"
DOWNLOAD = """
import sys
from huggingface_hub import snapshot_download
snapshot_download(sys.argv[1], repo_type="dataset", local_dir=sys.argv[2])
"""


@pytest.fixture
def post_built_folder(tmp_path: Path) -> Path:
    """One config, from post-build reading sets that lie where pre-build ones usually do."""
    raw = write_raw(tmp_path / "raw", post_build=True)
    put_post_build_in_place_of_pre_build(raw)
    return dialogue_builders.build(
        "topical_chat", tmp_path / "out", data_dir=raw, configs=["responses"], splits=["test_rare"]
    ).folder


@pytest.mark.parametrize("route", ["preupload", "lfs_batch", "commit"])
def test_a_token_without_the_right_is_told_so_at_once(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path, route: str
) -> None:
    hub.inject(Fault("status", route=route, status=403, times=None))
    result = pushers.push(small_folder, scenario.name, "--yes")
    result.require_known_error("may not", "add --create-pr", "right to write")
    assert routes(hub).count(route) == 1
    assert result.waits == []


def test_a_reader_is_told_to_propose(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    result = pushers.push(small_folder, scenario.name, "--yes", token="hf_reader")
    result.require_known_error("may not", "add --create-pr")
    assert routes(hub).count("preupload") == 1
    assert pushed_files(scenario.repository) == scenario.old


@pytest.mark.parametrize(
    ("token", "name", "advice"),
    [
        ("hf_unknown", "org/elsewhere", "hf auth login"),
        ("hf_stranger", "org/elsewhere", "ask org for the right"),
    ],
)
def test_a_repository_that_may_not_be_created(
    hub: HubServer, pushers: Pushers, small_folder: Path, token: str, name: str, advice: str
) -> None:
    result = pushers.push(small_folder, name, token=token)
    result.require_known_error(advice)
    assert token not in result.stdout + result.stderr
    with pytest.raises(KeyError):
        hub.repository(name)


def test_a_private_repository_of_others(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    hub.create_repository("org/hidden", private=True)
    hub.users["hf_blind"] = User("blind", writes=True)
    result = pushers.push(small_folder, "org/hidden", token="hf_blind")
    result.require_known_error("exists, but this token can't see it", "another name")
    assert len(hub.repository("org/hidden").commits()) == 1
    assert routes(hub).count("create_repo") == 1


def test_a_refused_card_is_not_tried_again(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path
) -> None:
    errors = b'{"errors": [{"message": "license is unknown"}], "warnings": []}'
    hub.inject(Fault("status", route="validate_yaml", status=400, body=errors, times=None))
    result = pushers.push(small_folder, scenario.name, "--yes")
    result.require_known_error("license is unknown")
    assert routes(hub).count("validate_yaml") == 1
    assert scenario.commits == 0


@pytest.mark.parametrize("route", ["revision_info", "preupload", "lfs_upload", "commit", "resolve"])
def test_a_server_that_quotes_the_token(
    hub: HubServer, pushers: Pushers, scenario: Scenario, small_folder: Path, route: str
) -> None:
    hub.inject(
        Fault("status", route=route, status=400, message="no such token: hf_owner", times=None)
    )
    result = pushers.push(small_folder, scenario.name, "--yes")
    result.require_known_error("no such token")
    assert "hf_owner" not in result.stdout + result.stderr


def test_a_broken_folder_is_not_pushed(
    hub: HubServer, pushers: Pushers, own_folder: Path, tmp_path: Path
) -> None:
    (own_folder / "utterances/data/test_rare-00000-of-00001.parquet").unlink()
    result = pushers.push(own_folder, "org/broken")
    result.require_known_error("breaks its contract", "utterances/test_rare is missing")
    pushers.push(tmp_path, "org/broken").require_known_error("is not a built folder")
    assert hub.requests == []


def test_a_folder_with_restricted_texts(hub: HubServer, pushers: Pushers, own_folder: Path) -> None:
    edit_card(own_folder, '"restricted": []', '"restricted": ["articles: all rights reserved"]')
    reason = "articles: all rights reserved"
    refused = pushers.push(own_folder, "org/secret", "--public")
    refused.require_known_error("may not simply be published", reason, "--accept-terms")
    with pytest.raises(KeyError):
        hub.repository("org/secret")
    hub.create_repository("org/open")
    for options in ((), ("--public",), ("--create-pr",), ("--dry-run",)):
        pushers.push(own_folder, "org/open", *options).require_known_error(reason)
    assert len(hub.repository("org/open").commits()) == 1

    assert pushers.push(own_folder, "org/secret").code == 0
    assert hub.repository("org/secret").private
    assert pushers.push(own_folder, "org/accepted", "--public", "--accept-terms").code == 0
    assert not hub.repository("org/accepted").private
    assert pushed_files(hub.repository("org/accepted")) == files_of(own_folder)


def test_a_repository_that_becomes_public_in_the_meantime(
    hub: HubServer, pushers: Pushers, own_folder: Path
) -> None:
    edit_card(own_folder, '"restricted": []', '"restricted": ["articles: all rights reserved"]')
    repository = hub.create_repository("org/opened", private=True)

    def open_it(record: RequestRecord) -> None:
        if record.route == "commit":
            hub.on_request(None)
            repository.private = False
            repository.add_commit({"notes.txt": b"now public"})

    hub.on_request(open_it)
    pushers.push(own_folder, "org/opened").require_known_error("articles: all rights reserved")
    assert pushed_files(repository) == {"notes.txt": b"now public"}


@pytest.mark.parametrize("route", ["lfs_batch", "lfs_upload", "preupload"])
def test_a_repository_that_becomes_public_during_the_upload(
    hub: HubServer, pushers: Pushers, own_folder: Path, route: str
) -> None:
    edit_card(own_folder, '"restricted": []', '"restricted": ["articles: all rights reserved"]')
    repository = hub.create_repository("org/opened", private=True)
    before = len(repository.commits())

    def open_it(record: RequestRecord) -> None:
        if record.route == route:
            repository.private = False

    hub.on_request(open_it)
    refused = pushers.push(own_folder, "org/opened")
    assert not repository.private
    refused.require_known_error("nothing was committed", "articles: all rights reserved")
    assert len(repository.commits()) == before


def test_a_repository_that_becomes_public_during_the_commit(
    hub: HubServer, pushers: Pushers, own_folder: Path
) -> None:
    edit_card(own_folder, '"restricted": []', '"restricted": ["articles: all rights reserved"]')
    repository = hub.create_repository("org/opened", private=True)

    def open_it(record: RequestRecord) -> None:
        if record.route == "commit":
            repository.private = False

    hub.on_request(open_it)
    refused = pushers.push(own_folder, "org/opened")
    sha = repository.commits()[0].sha[:8]
    refused.require_known_error(f"the commit {sha} is on the Hub", "settings", "at once")
    assert pushed_files(repository) == files_of(own_folder)

    # With the terms accepted it is as it shall be.
    report = pushers.push(own_folder, "org/opened", "--accept-terms", "--json").report
    assert report["private"] is False


def test_what_may_not_be_published_is_told_by_the_rows(
    hub: HubServer, pushers: Pushers, post_built_folder: Path
) -> None:
    """The card says nothing of it, as if somebody else had written the shard."""
    edit_card(post_built_folder, f'"restricted": {json.dumps([REASON])}', '"restricted": []')
    assert open_built_folder(post_built_folder).provenance.restricted == ()
    refused = pushers.push(post_built_folder, "org/articles", "--public")
    refused.require_known_error(REASON, "--accept-terms")
    assert pushers.push(post_built_folder, "org/articles").code == 0
    assert hub.repository("org/articles").private


def test_a_folder_that_the_client_has_fetched_is_checked_and_pushed_again(
    hub: HubServer, pushers: Pushers, own_folder: Path, tmp_path: Path
) -> None:
    (own_folder / "LICENSE").write_text("an invented licence\n")
    assert pushers.push(own_folder, "org/circle").code == 0
    fetched = tmp_path / "fetched"
    subprocess.run(
        [sys.executable, "-c", DOWNLOAD, "org/circle", str(fetched)],
        env=hub.environment(tmp_path / "home", token="hf_owner"),
        check=True,
    )
    assert (fetched / ".cache/huggingface").is_dir()
    assert dialogue_builders.check(fetched).problems == ()
    head = hub.repository("org/circle").head()
    again = pushers.push(fetched, "org/circle", "--json")
    assert again.report["committed"] is False
    assert hub.repository("org/circle").head() == head


def test_a_repository_that_was_to_be_private(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    """Nothing in the folder is restricted, but the person has said `--private`."""
    repository = hub.create_repository("org/opened-late", private=True)

    def open_it(record: RequestRecord) -> None:
        if record.route == "commit":
            repository.private = False

    hub.on_request(open_it)
    refused = pushers.push(small_folder, "org/opened-late", "--private")
    sha = repository.head()[:8]
    refused.require_known_error(f"{sha} is on the Hub; it was not to be", "make it private at once")


def test_a_push_does_not_change_who_sees_a_repository(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    hub.create_repository("org/public")
    hub.create_repository("org/private", private=True)
    pushers.push(small_folder, "org/public", "--private").require_known_error("is public")
    pushers.push(small_folder, "org/private", "--public").require_known_error("is private")
    assert pushers.push(small_folder, "org/private", "--private").code == 0
    assert pushers.push(small_folder, "org/new-private", "--private").code == 0
    assert hub.repository("org/new-private").private


REQUEST = PushRequest(
    repo_id="org/name",
    private=None,
    accept_terms=False,
    revision="main",
    create_pr=False,
    message=None,
    tag=None,
    dry_run=False,
    yes=False,
    confirm=None,
)


class Page:
    """As much of a repository as a refusal needs."""

    url = "http://127.0.0.1/datasets/org/name"


@pytest.mark.parametrize(
    ("private", "accept_terms", "existing", "outcome"),
    [
        (None, False, None, True),
        (True, False, None, True),
        (False, False, None, "refused"),
        (False, True, None, False),
        (None, True, None, True),
        (None, False, True, True),
        (None, False, False, "refused"),
        (None, True, False, False),
    ],
)
def test_a_corpus_with_terms(
    small_folder: Path,
    private: bool | None,
    accept_terms: bool,
    existing: bool | None,
    outcome: bool | str,
) -> None:
    built = open_built_folder(small_folder)
    built = replace(built, corpus=replace(built.corpus, terms="for research only"))
    request = replace(REQUEST, private=private, accept_terms=accept_terms)
    push = _Push(request, built, {}, cast(HubRepository, Page()), lambda *_: None)
    state = None if existing is None else RemoteState("a" * 40, existing, {})
    if outcome == "refused":
        with pytest.raises(PushError, match="for research only"):
            push._require_visibility(state)
    else:
        assert push._require_visibility(state) is outcome


def test_each_deletion_is_confirmed_once(
    small_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = [f"utterances/data/train-0000{number}-of-00002.parquet" for number in range(2)]
    files = [RemoteFile(path, 1, "0" * 40, None) for path in stale]
    states = [
        RemoteState("a" * 40, True, {stale[0]: files[0]}),
        RemoteState("b" * 40, True, dict(zip(stale, files, strict=True))),
    ]
    asked: list[tuple[str, ...]] = []

    class Moving(Page):
        def state(self, revision: str) -> RemoteState:
            return states[1]

    def head_moved(*_: Any, **__: Any) -> LandedCommit:
        raise HeadMovedError

    def confirm(plan: PushPlan) -> bool:
        asked.append(plan.deletes)
        return True

    monkeypatch.setattr(hub_module, "publish", head_moved)
    push = _Push(
        replace(REQUEST, confirm=confirm),
        open_built_folder(small_folder),
        {},
        cast(HubRepository, Moving()),
        lambda *_: None,
    )
    # The second plan deletes more than was consented to; where it does not, nobody is asked again.
    for first, expected in ((states[0], [(stale[0],), tuple(stale)]), (states[1], [tuple(stale)])):
        asked.clear()
        with pytest.raises(PushError, match="others keep pushing"):
            push._publish(first)
        assert asked == expected


@pytest.mark.parametrize(
    "options",
    [
        {"revision": "v2", "create_pr": True, "tag": None},
        {"revision": None, "create_pr": True, "tag": "v1"},
        {"revision": "0" * 40, "create_pr": False, "tag": None},
    ],
)
def test_options_that_contradict_each_other(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        check_revision(**options)
    assert caught.value.next_step
