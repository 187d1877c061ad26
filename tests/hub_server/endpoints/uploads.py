"""Endpoints that come before a commit: how to upload each file, and the upload itself."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Mapping
from fnmatch import fnmatch
from http import HTTPStatus
from typing import Any

from ..answers import Answer, Refusal, bad_request, json_answer
from ..blobs import Blob, is_large
from ..repository import Repository
from ..request import Request
from ..state import HubState

MOST_FILES = 256
TOKEN_SECONDS = 3600


def preupload(state: HubState, request: Request) -> Answer:
    """Tell how each file has to be uploaded, and by which hash the present one is known.

    A client leaves a file out of its commit where that hash is also its own file's, or where the
    rules of a `.gitignore` (the request's, else the repository's) say so.
    """
    repository, _ = state.committable(request)
    tree = repository.resolve(request.arguments["revision"]).tree
    body = request.json()
    files = body["files"]
    ignored = _ignored_patterns(body.get("gitIgnore"), tree)
    if len(files) > MOST_FILES:
        raise bad_request(f"at most {MOST_FILES} files at a time, not {len(files)}")
    plan = []
    for file in files:
        path, sample = file["path"], base64.b64decode(file["sample"])
        mode = "lfs" if is_large(path, file["size"], sample) else "regular"
        should_ignore = any(fnmatch(path, pattern) for pattern in ignored)
        entry: dict[str, object] = {
            "path": path,
            "uploadMode": mode,
            "shouldIgnore": should_ignore,
        }
        if path in tree:
            entry["oid"] = tree[path].etag
        plan.append(entry)
    return json_answer({"files": plan})


def lfs_batch(state: HubState, request: Request) -> Answer:
    """Tell where to put each large file; one that is already here gets no action."""
    repository, _ = state.proposable(request)
    objects = [_upload_plan(state, repository, each) for each in request.json()["objects"]]
    return json_answer({"transfer": "basic", "objects": objects})


def lfs_upload(state: HubState, request: Request) -> Answer:
    """Take a large file's content.

    On the real Hub this is another host, with addresses that are signed. It takes no token, and a
    client that sends one there gives it away.
    """
    if "Authorization" in request.headers:
        raise bad_request("an upload's address is signed: it takes no Authorization header")
    repository = _upload_target(state, request)
    oid = request.arguments["oid"]
    if hashlib.sha256(request.body).hexdigest() != oid:
        raise bad_request(f"the content's SHA-256 is not {oid}")
    repository.uploads[oid] = request.body
    return Answer()


def lfs_verify(state: HubState, request: Request) -> Answer:
    """Confirm that a large file has arrived."""
    repository, _ = state.proposable(request)
    body = request.json()
    content = repository.uploads.get(body["oid"])
    if content is None or len(content) != body["size"]:
        raise Refusal(HTTPStatus.NOT_FOUND, f"{body['oid']} has not been uploaded")
    return json_answer({})


def xet_token(state: HubState, request: Request) -> Answer:
    """Tell a Xet client where to upload to, where the Xet lane is on."""
    # With create_pr, the clients put "None" in the revision's place: there is none yet.
    state.committable(request)
    if state.xet is None:
        raise Refusal(HTTPStatus.NOT_FOUND, "this Hub has no Xet lane")
    expires = int(time.time()) + TOKEN_SECONDS
    return json_answer({"accessToken": "xet", "exp": expires, "casUrl": state.xet.address})


def _ignored_patterns(rules: str | None, tree: Mapping[str, Blob]) -> list[str]:
    """Give the patterns of a `.gitignore`; of its syntax, only plain patterns and comments."""
    if not rules and ".gitignore" in tree:
        rules = tree[".gitignore"].data.decode()
    lines = (line.strip() for line in (rules or "").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _upload_plan(
    state: HubState, repository: Repository, wanted: dict[str, Any]
) -> dict[str, object]:
    oid = wanted["oid"]
    plan: dict[str, object] = {"oid": oid, "size": wanted["size"]}
    if oid not in repository.uploads:
        api = f"/api/{repository.repo_type}s/{repository.name}"
        web = state.web_url(repository.name, repository.repo_type)
        plan["actions"] = {
            "upload": {"href": f"{state.url}/lfs-upload{api}/{oid}", "header": {}},
            "verify": {"href": f"{web}.git/info/lfs/objects/verify", "header": {}},
        }
    return plan


def _upload_target(state: HubState, request: Request) -> Repository:
    """Find the repository of a signed address, which needs no rights of its own."""
    kind, name = request.arguments["kind"], request.arguments["name"]
    repository = state.repositories.get((kind.removesuffix("s"), name))
    if repository is None:
        raise Refusal(HTTPStatus.NOT_FOUND, f"no repository {name}")
    return repository
