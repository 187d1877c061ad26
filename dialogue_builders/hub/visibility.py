"""Who can see what a push publishes: looked at before anything, before the commit, and after it."""

from __future__ import annotations

from dialogue_builders.errors import PushError
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.hub.repository import HubRepository

MAY_NOT_BE_PUBLISHED = "this folder may not simply be published"
PUBLISH_WITH_CARE = (
    "push it to a private repository (--private), or add --accept-terms "
    "where you have the right to publish it"
)


def require_private_enough(
    built: BuiltFolder, *, private: bool | None, accept_terms: bool, found: str = ""
) -> None:
    """Raise a PushError where a public repository would hold what may not be published.

    Args:
        private: whether the repository is; None where its owner's default decides.
        accept_terms: whether the user has said that it may be published.
        found: what is told besides, such as when the repository was looked at.
    """
    reasons = built.restrictions
    if reasons and private is False and not accept_terms:
        listed = "\n- ".join(reasons)
        raise PushError(f"{found}{MAY_NOT_BE_PUBLISHED}:\n- {listed}", next_step=PUBLISH_WITH_CARE)


def require_still_private(
    repository: HubRepository, built: BuiltFolder, *, accept_terms: bool
) -> None:
    """Look again, directly before the commit; somebody may have changed the visibility.

    Raises:
        PushError: the repository is public by now; nothing was committed.
    """
    require_private_enough(
        built,
        private=repository.is_private(),
        accept_terms=accept_terms,
        found=f"{repository.repo_id} was made public while the files were uploaded; nothing was "
        "committed, and ",
    )


def require_private_after(
    repository: HubRepository,
    built: BuiltFolder,
    sha: str,
    *,
    wanted: bool | None,
    accept_terms: bool,
) -> bool:
    """Look once more, directly after the commit.

    Args:
        wanted: whether the repository was to be private; None where nothing was said.

    Returns:
        whether the repository is private.

    Raises:
        PushError: it is public by now, and holds what may not, or was not to be published; or that
            can't be seen.
    """
    landed = f"the commit {sha[:8]} is on the Hub"
    settings = f"{repository.url}/settings"
    try:
        private = repository.is_private()
    except PushError as error:
        raise PushError(
            f"{landed}, but whether {repository.repo_id} is private can't be seen: {error.problem}",
            next_step=f"look at {settings}; push again to have the commit proven",
        ) from error
    reasons = () if accept_terms else built.restrictions
    if private or not (reasons or wanted):
        return private
    listed = "\n- ".join((MAY_NOT_BE_PUBLISHED + ":", *reasons)) if reasons else "it was not to be"
    raise PushError(
        f"{repository.repo_id} was made public during the push, and {landed}; {listed}",
        next_step=f"make it private at once ({settings}); others may have fetched it meanwhile. "
        "Where you have the right to publish it, push again with --accept-terms",
    )
