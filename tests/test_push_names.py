"""Names that a push is given: of repositories, branches and tags."""

from __future__ import annotations

from pathlib import Path

import pytest
from hub_server import Fault, HubServer
from push_harness import Pushers, files_of, pushed_files, routes

from dialogue_builders.errors import OptionError
from dialogue_builders.hub.request import check_name, check_revision

pytest_plugins = ("push_fixtures",)

NOT_NAMES = [
    *("topical_chat", "a/b/c", "/b", "a/", "a b/c", "../x", "", "a/b.git", "a/b.ipynb", "a/b--c"),
    *("a/b..c", "a/-b", "a/b-", "a/b.", "a./b", "a/" + "b" * 97, "a/对话", "a/b\n"),
]


@pytest.mark.parametrize("name", NOT_NAMES)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(OptionError, match="not the name"):
        check_name(name)


@pytest.mark.parametrize("name", ["my-org/Topical_Chat.v2", "a/b", "_a/b_", "a/" + "b" * 96])
def test_names_of_repositories(name: str) -> None:
    assert check_name(name) == name


# Checked against `git check-ref-format --branch`, but for the last three, which are the Hub's.
NOT_REFERENCES = [
    *("", "a b", "a..b", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "/a", "a/", "a//b", "a."),
    *(".a", "a/.b", "a.lock", "a.lock/b", "@", "a@{b", "-a", "a\tb", "a\x7f", "a\udc80", "HEAD"),
    *("v" * 251, "refs/heads/a", "refs/pr/x", "refs/pr/0"),
]


@pytest.mark.parametrize("name", NOT_REFERENCES)
def test_names_that_no_branch_and_no_tag_can_have(name: str) -> None:
    for options in ({"revision": name, "tag": None}, {"revision": None, "tag": name}):
        with pytest.raises(OptionError, match="can't be the name of a"):
            check_revision(**options, create_pr=False)


@pytest.mark.parametrize("name", ["v1.0", "1.0/a", "a@b", "版本-1", "a-", "x{y}", "v" * 250])
def test_names_of_branches_and_tags(name: str) -> None:
    assert check_revision(name, create_pr=False, tag=None) == name
    assert check_revision("refs/pr/12", create_pr=False, tag=name) == "refs/pr/12"


@pytest.mark.parametrize("options", [("--tag", "v 1"), ("--revision", "a..b"), ("--tag", "main")])
def test_a_name_is_refused_before_anything_is_asked(
    hub: HubServer, pushers: Pushers, small_folder: Path, options: tuple[str, str]
) -> None:
    pushers.push(small_folder, "org/badly-named", *options).require_known_error(options[1])
    assert routes(hub) == []


def test_a_tag_that_cannot_stand_beside_others(
    hub: HubServer, pushers: Pushers, small_folder: Path
) -> None:
    repository = hub.create_repository("org/references")
    head = repository.head()
    repository.references |= {"refs/tags/v1": head, "refs/tags/v2/a": head, "refs/heads/v3": head}
    for tag, found in (("v1/a", "tag v1"), ("v2", "tag v2/a"), ("v3", "branch v3")):
        refused = pushers.push(small_folder, "org/references", "--tag", tag)
        refused.require_known_error(f"since there is a {found}", "nothing was pushed")
    assert repository.head() == head


@pytest.mark.parametrize("status", [400, 403, 503])
def test_a_tag_that_is_refused_after_the_commit(
    hub: HubServer, pushers: Pushers, small_folder: Path, status: int
) -> None:
    name = f"org/untagged-{status}"
    hub.inject(Fault("status", route="create_tag", status=status, message="no", times=None))
    refused = pushers.push(small_folder, name, "--tag", "v1")
    repository = hub.repository(name)
    refused.require_known_error(f"the commit {repository.head()} is on the Hub", f"{status} no")
    assert pushed_files(repository) == files_of(small_folder)
    hub.clear_faults()
    commits = len(repository.commits())
    assert pushers.push(small_folder, name, "--tag", "v1").code == 0
    assert len(repository.commits()) == commits
    assert repository.tags == {"v1": repository.head()}
