"""One repository: commits, the references that name them, uploads and pull requests.

Everything is kept in memory. A commit holds its whole tree, so that history never needs to be
replayed; contents are shared between trees. All references live in one table under their full
git names (`refs/heads/main`, `refs/tags/v1`, `refs/pr/1`).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from .answers import revision_missing
from .blobs import Blob, is_large

BRANCH = "refs/heads/"
TAG = "refs/tags/"
PULL_REQUEST = "refs/pr/"
SHORTEST_SHA = 7

GIT_ATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"


def timestamp() -> str:
    """Give the present moment in the only form that the clients parse."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True)
class Commit:
    """A commit and the whole tree that it describes."""

    sha: str
    parent: str | None
    title: str
    description: str
    author: str
    date: str
    tree: Mapping[str, Blob]


@dataclass
class PullRequest:
    """A pull request. Only a test changes its `status`; the Hub's own are all open."""

    number: int
    title: str
    author: str
    status: str = "open"
    created: str = field(default_factory=timestamp)

    @property
    def revision(self) -> str:
        """The name under which a pull request's files can be read."""
        return f"{PULL_REQUEST}{self.number}"


class Repository:
    """A repository's state. Tests use the public methods; the endpoints use all of them."""

    def __init__(self, name: str, repo_type: str, private: bool, lock: threading.RLock) -> None:
        self.name = name
        self.repo_type = repo_type
        self.private = private
        self.uploads: dict[str, bytes] = {}
        self.pull_requests: list[PullRequest] = []  # oldest first
        self.references: dict[str, str] = {}
        self._commits: dict[str, Commit] = {}
        self._lock = lock
        tree = {".gitattributes": Blob(GIT_ATTRIBUTES, large=False)}
        self.append(BRANCH + "main", None, tree, "initial commit", author="system")

    # What tests look at and do

    def head(self, revision: str = "main") -> str:
        """Give the sha of the commit that `revision` names."""
        return self.resolve(revision).sha

    def commits(self, revision: str = "main") -> list[Commit]:
        """Give a revision's history, newest first."""
        with self._lock:
            return list(self.history(self.resolve(revision)))

    def files(self, revision: str = "main") -> dict[str, bytes]:
        """Give every file of a revision with its content."""
        return {path: blob.data for path, blob in self.resolve(revision).tree.items()}

    def add_commit(
        self, files: Mapping[str, bytes | None], message: str = "foreign push", branch: str = "main"
    ) -> str:
        """Commit on the server's side, as if somebody else had pushed; None deletes a file."""
        with self._lock:
            parent = self.resolve(BRANCH + branch)
            tree = dict(parent.tree)
            for path, data in files.items():
                if data is None:
                    del tree[path]
                else:
                    tree[path] = Blob(data, is_large(path, len(data), data[:512]))
            return self.append(BRANCH + branch, parent, tree, message, author="somebody").sha

    @property
    def branches(self) -> dict[str, str]:
        """Every branch with the sha of its head."""
        return self.named(BRANCH)

    @property
    def tags(self) -> dict[str, str]:
        """Every tag with the sha of its commit."""
        return self.named(TAG)

    # What the endpoints build on

    def resolve(self, revision: str) -> Commit:
        """Find a commit by branch, tag, full reference, sha or the beginning of a sha."""
        with self._lock:
            for prefix in (BRANCH, TAG, ""):
                sha = self.references.get(prefix + revision)
                if sha is not None:
                    return self._commits[sha]
            if len(revision) >= SHORTEST_SHA:
                for sha, commit in self._commits.items():
                    if sha.startswith(revision):
                        return commit
        raise revision_missing(revision)

    def writable_reference(self, revision: str) -> str:
        """Give the full name of the branch or pull request that a commit may go to."""
        for reference in (BRANCH + revision, revision):
            if reference in self.references and not reference.startswith(TAG):
                return reference
        raise revision_missing(revision)

    def append(
        self,
        reference: str,
        parent: Commit | None,
        tree: Mapping[str, Blob],
        title: str,
        *,
        author: str,
        description: str = "",
    ) -> Commit:
        """Make a commit and move `reference` onto it, in one step that can't be half done."""
        with self._lock:
            parent_sha = parent.sha if parent else None
            sha = self._new_sha(parent_sha, tree, title)
            commit = Commit(sha, parent_sha, title, description, author, timestamp(), tree)
            for blob in tree.values():
                if blob.large:
                    self.uploads.setdefault(blob.sha256, blob.data)
            self._commits[sha] = commit
            self.references[reference] = sha
            return commit

    def history(self, commit: Commit) -> Iterator[Commit]:
        """Walk from a commit to the first one."""
        step: Commit | None = commit
        while step is not None:
            yield step
            step = self._commits[step.parent] if step.parent else None

    def named(self, prefix: str) -> dict[str, str]:
        """Give the references below `prefix` by their short names."""
        with self._lock:
            found = [name for name in self.references if name.startswith(prefix)]
            return {name.removeprefix(prefix): self.references[name] for name in found}

    def open_pull_request(self, title: str, author: str) -> PullRequest:
        """Open the next pull request; its reference comes with its first commit."""
        pull_request = PullRequest(len(self.pull_requests) + 1, title, author)
        self.pull_requests.append(pull_request)
        return pull_request

    def _new_sha(self, parent: str | None, tree: Mapping[str, Blob], title: str) -> str:
        """Hash what a commit says, and a serial number: equal commits are still two commits."""
        listing = "".join(f"{blob.oid} {path}\n" for path, blob in sorted(tree.items()))
        text = f"{self.repo_type} {self.name} {len(self._commits)} {parent}\n{title}\n{listing}"
        return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
