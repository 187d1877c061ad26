"""Endpoints that list files and hand them out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import PurePosixPath
from urllib.parse import parse_qs

from ..answers import Answer, Refusal, entry_missing, json_answer
from ..blobs import Blob
from ..repository import Commit, Repository
from ..request import Request
from ..state import HubState
from .paging import page_answer

Entry = dict[str, object]


def tree(state: HubState, request: Request) -> Answer:
    """List a folder, with all that is below it where `recursive` is on, page by page."""
    repository = state.readable(request)
    commit = repository.resolve(request.arguments["revision"])
    folder = request.arguments["path"].strip("/")
    prefix = f"{folder}/" if folder else ""
    below = {path for path in _all_paths(commit.tree) if path.startswith(prefix)}
    if folder and not below:
        raise entry_missing(f"{folder} does not exist on {commit.sha}", commit.sha)
    if not request.flag("recursive"):
        below = {path for path in below if "/" not in path.removeprefix(prefix)}
    entries = [_entry(commit, path) for path in sorted(below)]
    if request.flag("expand"):
        entries = [{**entry, **_expansion(repository, commit, entry)} for entry in entries]
    return page_answer(state, request, entries)


def paths_info(state: HubState, request: Request) -> Answer:
    """Describe the files and folders that are named; those that don't exist are left out."""
    repository = state.readable(request)
    commit = repository.resolve(request.arguments["revision"])
    form = parse_qs(request.body.decode())
    existing = _all_paths(commit.tree)
    entries = [_entry(commit, path) for path in form.get("paths", []) if path in existing]
    if form.get("expand") == ["true"]:
        entries = [{**entry, **_expansion(repository, commit, entry)} for entry in entries]
    return json_answer(entries)


def resolve(state: HubState, request: Request) -> Answer:
    """Hand out a file, or the part of it that a Range header asks for."""
    repository = state.readable(request)
    commit = repository.resolve(request.arguments["revision"])
    blob = commit.tree.get(request.arguments["path"])
    if blob is None:
        raise entry_missing("Entry not found", commit.sha)
    headers = {
        "Content-Type": "application/octet-stream",
        "ETag": f'"{blob.etag}"',
        "X-Repo-Commit": commit.sha,
        "Accept-Ranges": "bytes",
    }
    if blob.large:
        headers |= {"X-Linked-Etag": f'"{blob.etag}"', "X-Linked-Size": str(blob.size)}
    wanted = request.headers.get("Range")
    if wanted is None or request.method == "HEAD":
        return Answer(HTTPStatus.OK, blob.data, headers)
    start, end = _range(wanted, blob.size)
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{blob.size}"
    return Answer(HTTPStatus.PARTIAL_CONTENT, blob.data[start:end], headers)


def _range(header: str, size: int) -> tuple[int, int]:
    """Give the first byte and the one after the last of a Range header such as `bytes=0-9`."""
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", header)
    if found is not None and found[1]:
        start, end = int(found[1]), int(found[2] or size) + 1
        if start < size and start < end:
            return start, min(end, size)
    elif found is not None and found[2]:
        return max(0, size - int(found[2])), size
    refused = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    raise Refusal(refused, f"no such range: {header}", headers={"Content-Range": f"bytes */{size}"})


def _all_paths(files: Mapping[str, Blob]) -> set[str]:
    """Give the paths of all files and of all folders that hold them."""
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    return (set(files) | folders) - {"."}


def _entry(commit: Commit, path: str) -> Entry:
    """Describe a file or a folder."""
    blob = commit.tree.get(path)
    if blob is None:
        oid = _folder_oid(commit.tree, path)
        return {"type": "directory", "oid": oid, "size": 0, "path": path}
    entry: Entry = {"type": "file", "oid": blob.oid, "size": blob.size, "path": path}
    if blob.large:
        pointer = {"oid": blob.sha256, "size": blob.size, "pointerSize": len(blob.pointer)}
        entry["lfs"] = pointer
    return entry


def _folder_oid(files: Mapping[str, Blob], folder: str) -> str:
    """Hash a folder, so that it changes when something below it does (not as git would)."""
    below = sorted(path for path in files if path.startswith(f"{folder}/"))
    listing = "".join(f"{files[path].oid} {path}\n" for path in below)
    return hashlib.sha1(listing.encode(), usedforsecurity=False).hexdigest()


def _expansion(repository: Repository, commit: Commit, entry: Entry) -> Entry:
    """Give what `expand` adds to an entry: the commit that made it what it is."""
    path, last = str(entry["path"]), commit
    for step in repository.history(commit):
        if path not in _all_paths(step.tree) or _entry(step, path)["oid"] != entry["oid"]:
            break
        last = step
    return {"lastCommit": {"id": last.sha, "title": last.title, "date": last.date}}
