"""The Hub's state: who may do what, and the repositories.

Every endpoint gets at a repository in one of three ways, each with its own rights:
`readable`, `proposable` (may open a pull request) and `writable`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from http import HTTPStatus

from .answers import Refusal
from .repository import PULL_REQUEST, Repository
from .request import Request
from .xet import XetStore


@dataclass(frozen=True)
class User:
    """Whom a token stands for. Everybody with a token may open pull requests."""

    name: str
    writes: bool = False
    sees_private: bool = False


def initial_users() -> dict[str, User]:
    """Give the tokens that every Hub starts with."""
    return {
        "hf_owner": User("owner", writes=True, sees_private=True),
        "hf_reader": User("reader", sees_private=True),
        "hf_stranger": User("stranger"),
    }


class HubState:
    """All that the endpoints share. They run one at a time, with `lock` held."""

    def __init__(self, url: str, page_size: int, xet: XetStore | None) -> None:
        self.url = url
        self.page_size = page_size
        self.xet = xet
        self.users = initial_users()
        self.repositories: dict[tuple[str, str], Repository] = {}
        self.lock = threading.RLock()

    def create(self, name: str, repo_type: str, private: bool) -> Repository:
        """Add a repository, empty but for the Hub's own first commit."""
        repository = Repository(name, repo_type, private, self.lock)
        self.repositories[repo_type, name] = repository
        return repository

    def web_url(self, name: str, repo_type: str) -> str:
        """Give a repository's address; models have no prefix."""
        prefix = "" if repo_type == "model" else f"{repo_type}s/"
        return f"{self.url}/{prefix}{name}"

    def user(self, request: Request) -> User | None:
        """Tell who asks; None is an anonymous request, an unknown token is refused."""
        if request.token is None:
            return None
        user = self.users.get(request.token)
        if user is None:
            # Without an error code: the clients tell a bad token from a missing repository by it.
            raise Refusal(HTTPStatus.UNAUTHORIZED, "Invalid credentials in Authorization header")
        return user

    def signed_in(self, request: Request) -> User:
        """Tell who asks, and refuse an anonymous request."""
        user = self.user(request)
        if user is None:
            raise Refusal(HTTPStatus.UNAUTHORIZED, "Invalid username or password.")
        return user

    def readable(self, request: Request) -> Repository:
        """Find the request's repository; one that may not be seen looks like a missing one."""
        user = self.user(request)
        key = (request.arguments["kind"].removesuffix("s"), request.arguments["name"])
        repository = self.repositories.get(key)
        allowed = user is not None and user.sees_private
        if repository is not None and (allowed or not repository.private):
            return repository
        # The real Hub does not tell an anonymous caller whether a repository exists: 401, not
        # 404. The code is needed because the clients guess it from the address on https only.
        status = HTTPStatus.UNAUTHORIZED if user is None else HTTPStatus.NOT_FOUND
        raise Refusal(status, "Repository not found", code="RepoNotFound")

    def proposable(self, request: Request) -> tuple[Repository, User]:
        """Find the request's repository for somebody who may open a pull request."""
        return self.readable(request), self.signed_in(request)

    def writable(self, request: Request) -> tuple[Repository, User]:
        """Find the request's repository for somebody who may write."""
        repository, user = self.proposable(request)
        if not user.writes:
            raise Refusal(HTTPStatus.FORBIDDEN, "Authorization error.")
        return repository, user

    def committable(self, request: Request) -> tuple[Repository, User]:
        """Find the request's repository for a commit to the request's revision.

        Without the right to write, a commit may open a pull request or continue one's own.
        """
        repository, user = self.proposable(request)
        revision = request.arguments["revision"]
        if user.writes or request.flag("create_pr") or _owns(repository, user, revision):
            return repository, user
        raise Refusal(
            HTTPStatus.FORBIDDEN,
            "Forbidden: pass `create_pr=1` as a query parameter to create a Pull Request.",
        )


def _owns(repository: Repository, user: User, revision: str) -> bool:
    """Tell whether `revision` is a pull request that `user` opened."""
    own = (each for each in repository.pull_requests if each.author == user.name)
    return revision.startswith(PULL_REQUEST) and any(each.revision == revision for each in own)
