"""A dataset repository on the Hub: what is in it, and making it, its branches and its tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dialogue_builders.errors import PushError
from dialogue_builders.hub.client import HubClient
from dialogue_builders.hub.files import LocalFile, RemoteFile
from dialogue_builders.hub.retry import NOT_THE_HUBS, RequestError, RequestFailure, classify_error

MAIN = "main"
DATASET = "dataset"


@dataclass(frozen=True)
class RemoteState:
    """A repository at one moment.

    Attributes:
        head: the commit that a push builds on.
        private: whether it is.
        files: its files at that commit, by path.
        lacks_branch: whether the wanted branch is missing; `head` is then that of `main`.
    """

    head: str
    private: bool
    files: Mapping[str, RemoteFile]
    lacks_branch: bool = False


class HubRepository(HubClient):
    """One dataset repository, as one token sees it."""

    def state(self, revision: str) -> RemoteState | None:
        """Return the repository's state; None where there is no repository.

        Raises:
            PushError: it can't be read.
        """
        from huggingface_hub.errors import RevisionNotFoundError

        try:
            found = self._head(revision)
        except RevisionNotFoundError:
            if revision == MAIN or revision.startswith("refs/"):
                raise PushError(
                    f"{self.repo_id} has no revision {revision}",
                    next_step="give the name of a branch, or leave --revision out",
                ) from None
            main = self.state(MAIN)
            return main and replace(main, lacks_branch=True)
        if found is None:
            return None
        head, private, has_files = found
        return RemoteState(head, private, self.tree(head, may_be_empty=not has_files))

    def _head(self, revision: str) -> tuple[str, bool, bool] | None:
        """Return a revision's commit, whether the repository is private, and whether it has files.

        Raises:
            RevisionNotFoundError: there is a repository, but no such revision.
            PushError: it can't be read.
        """
        from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

        try:
            info = self.retry(
                lambda: self.api.dataset_info(self.repo_id, revision=revision),
                expected=(RepositoryNotFoundError, RevisionNotFoundError),
            )
        except RepositoryNotFoundError as error:
            if error.response.status_code == 404:
                return None
            failure = classify_error(error)
        else:
            return str(info.sha), bool(info.private), bool(info.siblings)
        assert failure is not None
        raise self.explain(replace(failure, text=self.redact(failure.text)))

    def is_private(self) -> bool:
        """Look whether the repository is private, now.

        Raises:
            PushError: it can't be read.
        """
        return bool(self.retry(lambda: self.api.dataset_info(self.repo_id)).private)

    def head(self, revision: str) -> str:
        """Return a revision's commit.

        Raises:
            PushError: it can't be read, or is not there.
        """
        info = self.retry(lambda: self.api.dataset_info(self.repo_id, revision=revision))
        return str(info.sha)

    def tree(
        self,
        revision: str,
        *,
        may_be_empty: bool = False,
        explain: Callable[[RequestFailure], PushError] | None = None,
    ) -> dict[str, RemoteFile]:
        """Return the files of a revision by path.

        Args:
            revision: a commit.
            may_be_empty: whether a revision without files is believed.
            explain: makes the error where it can't be read.

        Raises:
            PushError: by `explain`: it can't be read.
        """

        def read() -> dict[str, RemoteFile]:
            from huggingface_hub.hf_api import RepoFile

            entries = self.api.list_repo_tree(
                self.repo_id, repo_type=DATASET, revision=revision, recursive=True
            )
            files = {
                e.path: RemoteFile(e.path, e.size, e.blob_id, e.lfs.sha256 if e.lfs else None)
                for e in entries
                if isinstance(e, RepoFile)
            }
            if not files and not may_be_empty:
                raise RequestError(NOT_THE_HUBS)
            return files

        return self.retry(read, explain=explain)

    def read_text(self, file: RemoteFile, revision: str) -> str | None:
        """Return the text of a file, None where it is not UTF-8, and so none of ours.

        What arrives has to have the file's hash.

        Raises:
            PushError: it can't be read.
        """
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.utils import (  # type: ignore[attr-defined]
            build_hf_headers,
            hf_raise_for_status,
        )

        def read() -> bytes:
            url = hf_hub_url(self.repo_id, file.path, repo_type=DATASET, revision=revision)
            headers = build_hf_headers(token=self.token or False)
            response = get_session().get(url, headers=headers)
            hf_raise_for_status(response)
            data = bytes(response.content)
            if not LocalFile.of_bytes(file.path, data).is_same(file):
                raise RequestError(NOT_THE_HUBS)
            return data

        try:
            return self.retry(read).decode()
        except UnicodeDecodeError:
            return None

    def create(self, *, private: bool | None) -> None:
        """Create the repository; one that exists already is as good.

        Args:
            private: None for what the owner's account or organisation has as its default.

        Raises:
            PushError: it may not be created, or is somebody else's and hidden.
        """
        from huggingface_hub.errors import HfHubHTTPError

        def explain(failure: RequestFailure) -> PushError:
            if failure.status == 403:
                owner = self.repo_id.split("/")[0]
                return PushError(
                    f"this token may not create repositories of {owner}: {failure.text}",
                    next_step=f"ask {owner} for the right, or push to a name of your own",
                )
            return self.explain(failure)

        def exists() -> bool | None:
            return True if self._head(MAIN) else None

        def create() -> bool:
            try:
                self.api.create_repo(self.repo_id, repo_type=DATASET, private=private)
            except HfHubHTTPError as error:
                # What the Hub says of a name that is taken, by oneself or by others.
                if not re.search("already (created|exists)", str(error)) or exists():
                    raise
                raise PushError(
                    f"{self.repo_id} exists, but this token can't see it",
                    next_step="ask its owner for the right to write, or push to another name",
                ) from None
            return True

        # An answer can be lost, and somebody else may have been faster (409): both are fine.
        self.retry(create, explain=explain, before_retry=exists)

    def create_branch(self, branch: str, start: str) -> None:
        """Create a branch at a commit; one that exists already is as good."""

        def create() -> bool:
            self.api.create_branch(self.repo_id, repo_type=DATASET, branch=branch, revision=start)
            return True

        def exists() -> bool | None:
            return True if branch in self.references()[0] else None

        self.retry(create, before_retry=exists)

    def references(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the branches and the tags: name → commit.

        Raises:
            PushError: they can't be read.
        """
        refs = self.retry(lambda: self.api.list_repo_refs(self.repo_id, repo_type=DATASET))
        return (
            {each.name: each.target_commit for each in refs.branches},
            {each.name: each.target_commit for each in refs.tags},
        )

    def create_tag(self, tag: str, sha: str) -> None:
        """Put a tag on a commit, which is in and proven.

        Raises:
            PushError: it can't be done, or the tag is on another commit; it names the commit.
        """

        def create() -> str:
            self.api.create_tag(self.repo_id, repo_type=DATASET, tag=tag, revision=sha)
            return sha

        def explain(failure: RequestFailure) -> PushError:
            return PushError(
                f"the commit {sha} is on the Hub and proven, but the tag {tag} could not be put "
                f"on it: {failure.told}",
                next_step="run the same command again (it makes no second commit), with another "
                "--tag where this one is refused",
            )

        try:
            target = self.retry(
                create, explain=explain, before_retry=lambda: self.references()[1].get(tag)
            )
        except PushError as error:
            if sha in error.problem:
                raise
            # The look before another attempt failed.
            raise explain(RequestFailure(error.problem, transient=True)) from error
        if target != sha:
            raise PushError(
                f"the tag {tag} is on the commit {target[:8]}, not on {sha[:8]}, which has landed",
                next_step="push again with another --tag; the commit itself is not made again",
            )
