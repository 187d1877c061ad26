"""Endpoints that make commits and list them."""

from __future__ import annotations

import base64
import json
from http import HTTPStatus
from typing import Any

from ..answers import Answer, Refusal, bad_request, entry_missing, json_answer
from ..blobs import Blob
from ..repository import Commit, Repository
from ..request import Request
from ..state import HubState
from .paging import page_answer

Operation = tuple[str, dict[str, Any]]


def commit(state: HubState, request: Request) -> Answer:
    """Make a commit out of lines of JSON: a header, then one operation a line.

    With `create_pr` it goes to a new pull request, and starts from the parent that it names.
    Otherwise it goes to a branch, and only if the named parent is still that branch's head.
    """
    repository, user = state.committable(request)
    reference = repository.writable_reference(request.arguments["revision"])
    header, operations = _parse(request.body)
    parent = _parent(repository, reference, header, request.flag("create_pr"))
    tree = _apply(state, repository, parent, operations)
    title = header["summary"]
    url = state.web_url(repository.name, repository.repo_type)
    answer: dict[str, object] = {"success": True}
    if request.flag("create_pr"):
        pull_request = repository.open_pull_request(title, user.name)
        reference = pull_request.revision
        answer["pullRequestUrl"] = f"{url}/discussions/{pull_request.number}"
    made = repository.append(
        reference, parent, tree, title, author=user.name, description=header.get("description", "")
    )
    return json_answer({**answer, "commitOid": made.sha, "commitUrl": f"{url}/commit/{made.sha}"})


def list_commits(state: HubState, request: Request) -> Answer:
    """List a revision's commits, newest first."""
    repository = state.readable(request)
    head = repository.resolve(request.arguments["revision"])
    listed = [
        {
            "id": each.sha,
            "title": each.title,
            "message": each.description,
            "authors": [{"user": each.author}],
            "date": each.date,
        }
        for each in repository.history(head)
    ]
    return page_answer(state, request, listed)


def _parse(body: bytes) -> tuple[dict[str, Any], list[Operation]]:
    lines = [json.loads(line) for line in body.splitlines() if line.strip()]
    operations = [(line["key"], line["value"]) for line in lines]
    if not operations or operations[0][0] != "header":
        raise bad_request("a commit begins with its header")
    return operations[0][1], operations[1:]


def _parent(
    repository: Repository, reference: str, header: dict[str, Any], create_pr: bool
) -> Commit:
    head = repository.resolve(reference)
    named = header.get("parentCommit")
    if named is None or head.sha.startswith(named):
        return head
    if create_pr:
        return repository.resolve(named)
    message = "A commit has happened since. Please refresh and try again."
    raise Refusal(HTTPStatus.PRECONDITION_FAILED, message)


def _apply(
    state: HubState, repository: Repository, parent: Commit, operations: list[Operation]
) -> dict[str, Blob]:
    """Give the tree that the operations make of the parent's, taken in their order."""
    tree = dict(parent.tree)
    for key, value in operations:
        path = value["path"]
        if key == "file":
            tree[path] = Blob(base64.b64decode(value["content"]), large=False)
        elif key == "lfsFile":
            tree[path] = Blob(_uploaded(state, repository, value["oid"]), large=True)
        elif key == "deletedFile":
            if tree.pop(path, None) is None:
                raise entry_missing(f"A file with this name doesn't exist: {path}")
        elif key == "deletedFolder":
            _delete_folder(tree, path)
        else:
            raise bad_request(f"unknown operation in a commit: {key}")
    return tree


def _delete_folder(tree: dict[str, Blob], folder: str) -> None:
    doomed = [path for path in tree if path.startswith(folder.rstrip("/") + "/")]
    if not doomed:
        raise entry_missing(f"A folder with this name doesn't exist: {folder}")
    for path in doomed:
        del tree[path]


def _uploaded(state: HubState, repository: Repository, oid: str) -> bytes:
    """Find a large file's content, which has to be here before the commit that names it."""
    content = repository.uploads.get(oid)
    if content is None and state.xet is not None:
        content = state.xet.read(oid)
    if content is None:
        raise bad_request(f"LFS pointer pointed to a file that does not exist: {oid}")
    return content
