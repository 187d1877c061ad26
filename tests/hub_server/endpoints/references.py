"""Endpoints about branches and tags."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from ..answers import Answer, Refusal, bad_request, json_answer
from ..repository import BRANCH, PULL_REQUEST, TAG
from ..request import Request
from ..state import HubState


def list_references(state: HubState, request: Request) -> Answer:
    """List branches and tags, and pull requests where they are asked for."""
    repository = state.readable(request)
    listed = {
        "branches": _listed(BRANCH, repository.branches),
        "converts": [],
        "tags": _listed(TAG, repository.tags),
    }
    if request.flag("include_prs"):
        listed["pullRequests"] = _listed(PULL_REQUEST, repository.named(PULL_REQUEST))
    return json_answer(listed)


def create_branch(state: HubState, request: Request) -> Answer:
    """Create a branch at a revision, the head of main where none is named."""
    repository, _ = state.writable(request)
    branch = request.arguments["revision"]
    if branch.startswith("refs/"):
        raise bad_request(f"Invalid reference for a branch: {branch}")
    if branch in repository.branches:
        raise Refusal(HTTPStatus.CONFLICT, f"Reference already exists: {BRANCH}{branch}")
    start = repository.resolve(request.json().get("startingPoint") or "main")
    repository.references[BRANCH + branch] = start.sha
    return json_answer({})


def create_tag(state: HubState, request: Request) -> Answer:
    """Put a tag on the revision that the path names."""
    repository, _ = state.writable(request)
    tag = request.json()["tag"]
    commit = repository.resolve(request.arguments["revision"])
    if tag in repository.tags:
        raise Refusal(HTTPStatus.CONFLICT, f"Tag reference exists already: {tag}")
    repository.references[TAG + tag] = commit.sha
    return json_answer({})


def _listed(prefix: str, named: Mapping[str, str]) -> list[dict[str, str]]:
    return [
        {"name": name, "ref": prefix + name, "targetCommit": sha}
        for name, sha in sorted(named.items())
    ]
