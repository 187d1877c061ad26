"""Endpoints about repositories as a whole, and about who asks."""

from __future__ import annotations

from http import HTTPStatus

from ..answers import Answer, Refusal, json_answer
from ..blobs import Blob
from ..request import Request
from ..state import HubState


def whoami(state: HubState, request: Request) -> Answer:
    """Tell whom a token belongs to."""
    user = state.signed_in(request)
    role = "write" if user.writes else "read"
    return json_answer(
        {
            "type": "user",
            "id": user.name,
            "name": user.name,
            "fullname": user.name.title(),
            "orgs": [],
            "auth": {
                "type": "access_token",
                "accessToken": {"displayName": user.name, "role": role},
            },
        }
    )


def create_repo(state: HubState, request: Request) -> Answer:
    """Create a repository. Where it exists, the refusal gives its address all the same."""
    user = state.signed_in(request)
    body = request.json()
    namespace = body.get("organization") or user.name
    name, repo_type = f"{namespace}/{body['name']}", body.get("type") or "model"
    if not user.writes:
        raise Refusal(
            HTTPStatus.FORBIDDEN,
            f'You don\'t have the rights to create a {repo_type} under "{namespace}"',
        )
    url = state.web_url(name, repo_type)
    if (repo_type, name) in state.repositories:
        message = f"You already created this {repo_type} repo: {name}"
        raise Refusal(HTTPStatus.CONFLICT, message, url=url)
    state.create(name, repo_type, private=body.get("visibility") == "private")
    return json_answer({"url": url, "name": name})


def validate_yaml(state: HubState, request: Request) -> Answer:
    """Look at a card's front matter; only as far as is possible without a YAML parser."""
    content = str(request.json()["content"]).lstrip("\ufeff").replace("\r\n", "\n")
    if not content.startswith("---\n"):
        warning = {"message": "empty or missing yaml metadata in repo card"}
        return json_answer({"errors": [], "warnings": [warning]})
    front_matter, end, _ = content.removeprefix("---\n").partition("\n---")
    if not end:
        return _invalid_yaml("the front matter has no closing line of three dashes")
    if any(line.startswith("\t") for line in front_matter.split("\n")):
        return _invalid_yaml("a line of the front matter is indented with a tab")
    return json_answer({"errors": [], "warnings": []})


def repo_info(state: HubState, request: Request) -> Answer:
    """Describe a repository at a revision, the main branch where none is named."""
    repository = state.readable(request)
    commit = repository.resolve(request.arguments.get("revision", "main"))
    with_blobs = request.flag("blobs")
    siblings = [_sibling(path, blob, with_blobs) for path, blob in sorted(commit.tree.items())]
    return json_answer(
        {
            "id": repository.name,
            "author": repository.name.split("/")[0],
            "sha": commit.sha,
            "private": repository.private,
            "gated": False,
            "disabled": False,
            "lastModified": commit.date,
            "createdAt": list(repository.history(commit))[-1].date,
            "tags": [],
            "siblings": siblings,
        },
        headers={"X-Repo-Commit": commit.sha},
    )


def _invalid_yaml(message: str) -> Answer:
    errors = [{"message": message}]
    return json_answer({"errors": errors, "warnings": []}, HTTPStatus.BAD_REQUEST)


def _sibling(path: str, blob: Blob, with_blob: bool) -> dict[str, object]:
    sibling: dict[str, object] = {"rfilename": path}
    if with_blob:
        sibling |= {"size": blob.size, "blobId": blob.oid}
        if blob.large:
            size = {"size": blob.size, "pointerSize": len(blob.pointer)}
            sibling["lfs"] = {"sha256": blob.sha256, **size}
    return sibling
