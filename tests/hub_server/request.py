"""A request as the endpoints see it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import parse_qs


@dataclass
class Request:
    """One request that has arrived whole.

    `path` stays percent-encoded: a revision such as `refs/pr/1` travels as `refs%2Fpr%2F1`, and
    only in that form can it be told from the path that follows it. `arguments` are the decoded
    parts that the route cut out of it.
    """

    method: str
    path: str
    query: dict[str, list[str]]
    headers: Message
    body: bytes
    arguments: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, method: str, target: str, headers: Message, body: bytes) -> Request:
        """Take the request line's target apart."""
        path, _, query = target.partition("?")
        return cls(method, path, parse_qs(query), headers, body)

    def json(self) -> dict[str, Any]:
        """Give the body as a JSON object; no body is an empty object."""
        document = json.loads(self.body or b"{}")
        if not isinstance(document, dict):
            raise ValueError(f"expected a JSON object, got {type(document).__name__}")
        return document

    def option(self, name: str, default: str = "") -> str:
        """Give a query parameter's last value."""
        return self.query.get(name, [default])[-1]

    def flag(self, name: str) -> bool:
        """Tell whether a query parameter is switched on."""
        return self.option(name).lower() in ("1", "true")

    @property
    def token(self) -> str | None:
        """The bearer token, or None for an anonymous request."""
        scheme, _, token = str(self.headers.get("Authorization", "")).partition(" ")
        return token if scheme.lower() == "bearer" and token else None
