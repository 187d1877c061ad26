"""Upload a plan's files and make its one commit, or find that it is there already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from dialogue_builders._version import __version__
from dialogue_builders.errors import FolderError
from dialogue_builders.hub.files import LocalFile
from dialogue_builders.hub.plan import PushPlan
from dialogue_builders.hub.repository import DATASET, HubRepository
from dialogue_builders.progress import Progress

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd

# Files are uploaded in parts of about this size: each is shown, and each is tried again by itself.
UPLOAD_STEP_BYTES = 16_000_000
# With a file of rules of our own, the repository's `.gitignore` can't make the client drop files.
IGNORE_NOTHING = "# nothing is ignored\n"
MOST_PULL_REQUESTS = 30


@dataclass(frozen=True)
class LandedCommit:
    """A commit that is on the Hub.

    Attributes:
        sha: the commit.
        pull_request: its pull request's number, where it went to one.
    """

    sha: str
    pull_request: int | None = None


class HeadMovedError(Exception):
    """Somebody else has pushed since the plan was made."""


def publish(
    repository: HubRepository,
    plan: PushPlan,
    revision: str,
    message: str,
    *,
    create_pr: bool,
    before_commit: Callable[[], None],
    progress: Progress,
) -> LandedCommit:
    """Put a plan into effect: uploads, which nobody sees, then one commit on the plan's head.

    Args:
        repository: where to.
        plan: with at least one change.
        revision: the branch; `main` for a pull request.
        message: the commit's title.
        create_pr: whether to open a pull request with the commit.
        before_commit: called when all is uploaded; what it raises ends the push.
        progress: called with the bytes that are uploaded.

    Raises:
        HeadMovedError: the branch has another head by now.
        FolderError: a file of the folder has changed.
        PushError: it is refused, or did not work in time.
    """
    explain = partial(repository.explain, may_propose=not create_pr)
    operations = [_operation(file) for file in plan.uploads]
    done, total = 0, sum(file.size for file in plan.uploads)
    for part in _parts(operations, UPLOAD_STEP_BYTES):
        progress("uploading", done, total)
        send = partial(_upload, repository, part, revision, create_pr)
        repository.retry(send, explain=explain)
        done += sum(operation.upload_info.size for operation in part)
    progress("uploading", total, total)
    for operation in operations:
        _require_unchanged(operation, plan.files[operation.path_in_repo])
    before_commit()
    find: Callable[[], LandedCommit | None] = partial(find_commit, repository, plan, revision)
    if create_pr:
        find = partial(find_pull_request, repository, plan)
    make = partial(_commit, repository, plan, operations, revision, message, create_pr)
    return repository.retry(make, explain=explain, before_retry=find)


def _upload(
    repository: HubRepository,
    operations: Sequence[CommitOperationAdd],
    revision: str,
    create_pr: bool,
) -> None:
    repository.api.preupload_lfs_files(
        repository.repo_id,
        operations,
        repo_type=DATASET,
        revision=revision,
        create_pr=create_pr,
        free_memory=False,
        gitignore_content=IGNORE_NOTHING,
    )


def _commit(
    repository: HubRepository,
    plan: PushPlan,
    operations: Sequence[CommitOperationAdd],
    revision: str,
    message: str,
    create_pr: bool,
) -> LandedCommit:
    from huggingface_hub import CommitOperationDelete

    deletes = [CommitOperationDelete(path, is_folder=False) for path in plan.deletes]
    both: list[Any] = [*operations, *deletes]
    info = repository.api.create_commit(
        repository.repo_id,
        repo_type=DATASET,
        operations=both,
        commit_message=message,
        commit_description=f"{plan.summary}; by dialogue-builders {__version__}\n\n"
        f"push {plan.identity}",
        revision=revision,
        create_pr=create_pr,
        parent_commit=plan.head,
    )
    return LandedCommit(info.oid, info.pr_num)


def find_commit(repository: HubRepository, plan: PushPlan, revision: str) -> LandedCommit | None:
    """Look whether a plan's commit is on a branch after all.

    Returns:
        it, or None where the head is still the plan's.

    Raises:
        HeadMovedError: it is not there, but somebody else's is.
        PushError: the repository can't be read.
    """
    if repository.head(revision) == plan.head:
        return None
    for sha, message in _commits(repository, revision):
        if sha == plan.head:
            break
        if plan.identity in message:
            return LandedCommit(sha)
    raise HeadMovedError


def find_pull_request(repository: HubRepository, plan: PushPlan) -> LandedCommit | None:
    """Look whether an open pull request proposes just this plan.

    Raises:
        PushError: the repository can't be read.
    """
    listed = repository.retry(
        lambda: list(
            islice(
                repository.api.get_repo_discussions(
                    repository.repo_id, repo_type=DATASET, discussion_type="pull_request"
                ),
                MOST_PULL_REQUESTS,
            )
        )
    )
    for found in listed:
        if found.status in ("open", "draft"):
            # Only its newest commit: what comes after another one may undo it.
            sha, message = _commits(repository, f"refs/pr/{found.num}")[0]
            if plan.identity in message:
                return LandedCommit(sha, found.num)
    return None


def _commits(repository: HubRepository, revision: str) -> list[tuple[str, str]]:
    """List a revision's commits, newest first: sha and description."""
    commits = repository.retry(
        lambda: repository.api.list_repo_commits(
            repository.repo_id, repo_type=DATASET, revision=revision
        )
    )
    return [(commit.commit_id, commit.message) for commit in commits]


def _operation(file: LocalFile) -> CommitOperationAdd:
    from huggingface_hub import CommitOperationAdd

    try:
        return CommitOperationAdd(file.path, file.content)
    except (OSError, ValueError) as error:
        raise FolderError(
            f"can't be read any more: {error}", file=file.path, next_step="build and push again"
        ) from error


def _require_unchanged(operation: CommitOperationAdd, file: LocalFile) -> None:
    """Raise a FolderError where what was uploaded is not what was planned."""
    if operation.upload_info.sha256.hex() != file.sha256:
        raise FolderError(
            "was changed while it was pushed; nothing was committed",
            file=file.path,
            next_step="let the build finish; then push again",
        )


def _parts(
    operations: Sequence[CommitOperationAdd], step: int
) -> Iterator[list[CommitOperationAdd]]:
    """Cut a list of files into parts of about `step` bytes."""
    part: list[CommitOperationAdd] = []
    for operation in operations:
        part.append(operation)
        if sum(each.upload_info.size for each in part) >= step:
            yield part
            part = []
    if part:
        yield part
