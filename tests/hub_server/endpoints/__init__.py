"""The protocol: every route with its name, and the endpoint that answers it.

The names are what faults and the log speak of. Patterns are matched against the path as it was
sent: a revision is one segment there, even where it holds (encoded) slashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from ..answers import Answer, Refusal
from ..request import Request
from ..state import HubState
from . import commits, discussions, files, references, repositories, uploads

Endpoint = Callable[[HubState, Request], Answer]

API = r"/api/(?P<kind>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)"
# Models have no prefix outside the API; an absent group stands for them.
WEB = r"/(?:(?P<kind>datasets|spaces)/)?(?P<name>[^/]+/[^/]+)"
REVISION = r"(?P<revision>[^/]+)"
FOLDER = r"(?:/(?P<path>.*))?"


@dataclass(frozen=True)
class Route:
    """A route; its pattern has to match the whole path."""

    name: str
    methods: str
    pattern: str
    endpoint: Endpoint

    def match(self, request: Request) -> dict[str, str] | None:
        """Give the decoded parts of the path, or None where the route is another."""
        found = re.fullmatch(self.pattern, request.path)
        if found is None or request.method not in self.methods.split():
            return None
        parts = found.groupdict()
        if "kind" in parts:
            parts["kind"] = parts["kind"] or "models"
        return {name: unquote(value or "") for name, value in parts.items()}


def _unknown(state: HubState, request: Request) -> Answer:
    raise Refusal(404, f"hub_server has no route for {request.method} {request.path}")


ROUTES = (
    Route("whoami", "GET", "/api/whoami-v2", repositories.whoami),
    Route("create_repo", "POST", "/api/repos/create", repositories.create_repo),
    Route("validate_yaml", "POST", "/api/validate-yaml", repositories.validate_yaml),
    Route("repo_info", "GET", API, repositories.repo_info),
    Route("revision_info", "GET", f"{API}/revision/{REVISION}", repositories.repo_info),
    Route("preupload", "POST", f"{API}/preupload/{REVISION}", uploads.preupload),
    Route("lfs_batch", "POST", rf"{WEB}\.git/info/lfs/objects/batch", uploads.lfs_batch),
    Route("lfs_upload", "PUT", f"/lfs-upload{API}/(?P<oid>[0-9a-f]{{64}})", uploads.lfs_upload),
    Route("lfs_verify", "POST", rf"{WEB}\.git/info/lfs/objects/verify", uploads.lfs_verify),
    Route("xet_token", "GET", f"{API}/xet-write-token/{REVISION}", uploads.xet_token),
    Route("commit", "POST", f"{API}/commit/{REVISION}", commits.commit),
    Route("commits", "GET", f"{API}/commits/{REVISION}", commits.list_commits),
    Route("refs", "GET", f"{API}/refs", references.list_references),
    Route("create_branch", "POST", f"{API}/branch/{REVISION}", references.create_branch),
    Route("create_tag", "POST", f"{API}/tag/{REVISION}", references.create_tag),
    Route("discussions", "GET", f"{API}/discussions", discussions.list_discussions),
    Route("tree", "GET", f"{API}/tree/{REVISION}{FOLDER}", files.tree),
    Route("paths_info", "POST", f"{API}/paths-info/{REVISION}", files.paths_info),
    Route("resolve", "HEAD GET", f"{WEB}/resolve/{REVISION}/(?P<path>.+)", files.resolve),
)
UNKNOWN = Route("unknown", "", "", _unknown)
ENDPOINTS = {route.name: route.endpoint for route in (*ROUTES, UNKNOWN)}
ROUTE_NAMES = tuple(ENDPOINTS)


def find_route(request: Request) -> tuple[str, dict[str, str]]:
    """Give the name of a request's route, and the parts of its path."""
    for route in ROUTES:
        parts = route.match(request)
        if parts is not None:
            return route.name, parts
    return UNKNOWN.name, {}
