"""What a push did, or (a dry run) would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dialogue_builders.hub.plan import PushPlan
from dialogue_builders.hub.repository import MAIN
from dialogue_builders.hub.verify import Proof


@dataclass(frozen=True)
class PushReport:
    """What a push did, or (a dry run) would do.

    Attributes:
        repo_id: the repository.
        url: its page, or that of the pull request.
        revision: where the rows can be loaded from: a branch, or a pull request's reference.
        plan: what was to be done.
        created: whether the repository was (or would be) created.
        private: whether it is (or would be); None for the default of its owner.
        commit: the commit that now holds the folder; None for a dry run.
        committed: whether that commit was made by this push.
        pull_request: its number, where there is one.
        tag: the tag that is on the commit.
        proof: what was seen on the Hub; None for a dry run.
        load: the line that loads the default config.
    """

    repo_id: str
    url: str
    revision: str
    plan: PushPlan
    created: bool
    private: bool | None
    commit: str | None
    committed: bool
    pull_request: int | None
    tag: str | None
    proof: Proof | None
    load: str


def make_report(
    repo_id: str,
    page: str,
    revision: str,
    *,
    config: str,
    pull_request: int | None,
    **facts: Any,
) -> PushReport:
    """Make a report; the rest of its `facts` are those of `PushReport`.

    Args:
        repo_id: the repository.
        page: its address.
        revision: the branch that was pushed to.
        config: the one to load.
        pull_request: its number, where there is one.
    """
    url = page if revision == MAIN else f"{page}/tree/{revision}"
    if pull_request is not None:
        url, revision = f"{page}/discussions/{pull_request}", f"refs/pr/{pull_request}"
    where = "" if revision == MAIN else f', revision="{revision}"'
    load = f'load_dataset("{repo_id}", "{config}"{where})'
    return PushReport(repo_id, url, revision, pull_request=pull_request, load=load, **facts)
