"""What an endpoint gives back: an answer, or a refusal raised on the way to one.

The clients choose their exception by the `X-Error-Code` header and show the text of
`X-Error-Message`, so every refusal carries both as headers and not only in its body.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass
class Answer:
    """An HTTP answer before it goes over the wire."""

    status: int = HTTPStatus.OK
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def json_answer(
    document: object, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Answer:
    """Make an answer whose body is `document` as JSON."""
    body = json.dumps(document).encode()
    return Answer(status, body, {"Content-Type": "application/json", **(headers or {})})


class Refusal(Exception):  # noqa: N818 - to the server it is an answer, not an error
    """A request that the Hub does not carry out; `extra` joins the error's JSON body."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
        **extra: object,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})
        self.extra = extra

    def answer(self) -> Answer:
        """Put the refusal into the headers and the body that the clients read."""
        headers = dict(self.headers)
        # A header's value is one line of ASCII, while a message may quote a path in Chinese.
        headers["X-Error-Message"] = ascii(self.message)[1:-1]
        if self.code is not None:
            headers["X-Error-Code"] = self.code
        return json_answer({"error": self.message, **self.extra}, self.status, headers)


def bad_request(message: str) -> Refusal:
    """Refuse a request that can't be understood or doesn't fit the repository."""
    return Refusal(HTTPStatus.BAD_REQUEST, message)


def revision_missing(revision: str) -> Refusal:
    """Refuse a branch, tag or commit that isn't there."""
    return Refusal(HTTPStatus.NOT_FOUND, f"Invalid rev id: {revision}", code="RevisionNotFound")


def entry_missing(message: str, commit: str | None = None) -> Refusal:
    """Refuse a path that isn't there; the commit lets clients cache the absence."""
    headers = {} if commit is None else {"X-Repo-Commit": commit}
    return Refusal(HTTPStatus.NOT_FOUND, message, code="EntryNotFound", headers=headers)
