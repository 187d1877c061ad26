"""Endpoints about discussions and pull requests."""

from __future__ import annotations

from http import HTTPStatus

from ..answers import Answer, Refusal, bad_request, json_answer
from ..blobs import Blob
from ..repository import BRANCH, Commit, Discussion, Repository
from ..request import Request
from ..state import HubState, User

PAGE_SIZE = 10


def open_pull_request(
    repository: Repository, user: User, title: str, base: Commit, target: str
) -> Discussion:
    """Open a pull request for a commit that asks for one, into the branch it was meant for."""
    pull_request = repository.open_discussion(
        title, user.name, base=base, is_pull_request=True, status="open"
    )
    pull_request.target = target.removeprefix(BRANCH)
    return pull_request


def list_discussions(state: HubState, request: Request) -> Answer:
    """List discussions and pull requests, newest first, as far as the filters let them pass."""
    repository = state.readable(request)
    chosen = [
        each
        for each in reversed(repository.discussions)
        if request.option("status", each.status) in (each.status, "all")
        and request.option("author", each.author) == each.author
        and _is_of_type(each, request.option("type", "all"))
    ]
    start = int(request.option("p", "0")) * PAGE_SIZE
    shown = [_summary(repository, each) for each in chosen[start : start + PAGE_SIZE]]
    return json_answer({"discussions": shown, "count": len(chosen), "start": start})


def create_discussion(state: HubState, request: Request) -> Answer:
    """Open a discussion, or a pull request: a draft, off the head of main."""
    repository, user = state.proposable(request)
    body = request.json()
    is_pull_request = bool(body.get("pullRequest"))
    discussion = repository.open_discussion(
        body["title"],
        user.name,
        base=repository.resolve("main"),
        is_pull_request=is_pull_request,
        status="draft" if is_pull_request else "open",
    )
    text = {"raw": body.get("description", ""), "html": "", "updatedAt": discussion.created}
    comment = {"edited": False, "hidden": False, "latest": text, "history": []}
    discussion.add_event("comment", user.name, comment)
    url = state.web_url(repository.name, repository.repo_type)
    number = discussion.number
    return json_answer(
        {"num": number, "url": f"{url}/discussions/{number}", "pullRequest": is_pull_request}
    )


def show_discussion(state: HubState, request: Request) -> Answer:
    """Describe a discussion with all that happened in it."""
    repository = state.readable(request)
    discussion = _find(repository, request)
    details: dict[str, object] = {**_summary(repository, discussion), "events": discussion.events}
    if discussion.is_pull_request:
        changes = {"base": BRANCH + discussion.target}
        if discussion.merge_commit is not None:
            changes["mergeCommitId"] = discussion.merge_commit
        details |= {"changes": changes, "filesWithConflicts": _conflicts(repository, discussion)}
        details["diff"] = ""
    return json_answer(details)


def set_status(state: HubState, request: Request) -> Answer:
    """Open or close a discussion; for a draft, being opened means being ready for review."""
    repository, user = state.proposable(request)
    discussion = _find(repository, request)
    if not user.writes and user.name != discussion.author:
        raise Refusal(HTTPStatus.FORBIDDEN, "Authorization error.")
    discussion.status = request.json()["status"]
    data: dict[str, object] = {"status": discussion.status}
    return json_answer({"newStatus": discussion.add_event("status-change", user.name, data)})


def merge(state: HubState, request: Request) -> Answer:
    """Merge a pull request into its branch."""
    repository, user = state.writable(request)
    pull_request = _find(repository, request)
    if not pull_request.is_pull_request or pull_request.status != "open":
        raise bad_request(f"#{pull_request.number} is not an open pull request")
    conflicts = _conflicts(repository, pull_request)
    if conflicts:
        raise Refusal(HTTPStatus.CONFLICT, f"Conflicts in {', '.join(conflicts)}")
    target = BRANCH + pull_request.target
    head = repository.resolve(target)
    tree = dict(head.tree)
    for path, blob in _changes(repository, pull_request).items():
        if blob is None:
            tree.pop(path, None)
        else:
            tree[path] = blob
    title = f"{pull_request.title} (#{pull_request.number})"
    made = repository.append(target, head, tree, title, author=user.name)
    pull_request.status, pull_request.merge_commit = "merged", made.sha
    pull_request.add_event("status-change", user.name, {"status": "merged"})
    return json_answer({})


def _find(repository: Repository, request: Request) -> Discussion:
    number = int(request.arguments["number"])
    for discussion in repository.discussions:
        if discussion.number == number:
            return discussion
    raise Refusal(HTTPStatus.NOT_FOUND, f"no discussion {number}")


def _is_of_type(discussion: Discussion, wanted: str) -> bool:
    return wanted == "all" or (wanted == "pull_request") == discussion.is_pull_request


def _summary(repository: Repository, discussion: Discussion) -> dict[str, object]:
    return {
        "num": discussion.number,
        "title": discussion.title,
        "author": {"name": discussion.author},
        "status": discussion.status,
        "isPullRequest": discussion.is_pull_request,
        "createdAt": discussion.created,
        "repo": {"name": repository.name, "type": repository.repo_type},
    }


def _changes(repository: Repository, pull_request: Discussion) -> dict[str, Blob | None]:
    """Give what a pull request changes: new contents by path, None where it deletes."""
    base = repository.resolve(pull_request.base).tree
    proposed = repository.resolve(pull_request.revision).tree
    paths = {path for path in {*base, *proposed} if base.get(path) != proposed.get(path)}
    return {path: proposed.get(path) for path in paths}


def _conflicts(repository: Repository, pull_request: Discussion) -> list[str]:
    """Give the paths that the target branch has meanwhile changed in another way."""
    if pull_request.status == "merged":
        return []
    base = repository.resolve(pull_request.base).tree
    current = repository.resolve(BRANCH + pull_request.target).tree
    changes = _changes(repository, pull_request)
    return sorted(
        path
        for path, blob in changes.items()
        if current.get(path) != base.get(path) and current.get(path) != blob
    )
