"""The list of discussions. All that are here are pull requests, which commits have opened."""

from __future__ import annotations

from ..answers import Answer, json_answer
from ..repository import PullRequest, Repository
from ..request import Request
from ..state import HubState

PAGE_SIZE = 10


def list_discussions(state: HubState, request: Request) -> Answer:
    """List pull requests, newest first, as far as the filters let them pass."""
    repository = state.readable(request)
    chosen = [
        each
        for each in reversed(repository.pull_requests)
        if request.option("status", each.status) in (each.status, "all")
        and request.option("author", each.author) == each.author
        and request.option("type", "all") in ("pull_request", "all")
    ]
    start = int(request.option("p", "0")) * PAGE_SIZE
    shown = [_summary(repository, each) for each in chosen[start : start + PAGE_SIZE]]
    return json_answer({"discussions": shown, "count": len(chosen), "start": start})


def _summary(repository: Repository, pull_request: PullRequest) -> dict[str, object]:
    return {
        "num": pull_request.number,
        "title": pull_request.title,
        "author": {"name": pull_request.author},
        "status": pull_request.status,
        "isPullRequest": True,
        "createdAt": pull_request.created,
        "repo": {"name": repository.name, "type": repository.repo_type},
    }
