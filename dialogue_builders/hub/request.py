"""What a push is asked to do, checked before anything is read or sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dialogue_builders.errors import OptionError
from dialogue_builders.hub.plan import PushPlan
from dialogue_builders.hub.repository import MAIN

Confirm = Callable[[PushPlan], bool]
"""Asked before files are deleted; False stops the push."""

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"


@dataclass(frozen=True)
class PushRequest:
    """The options of `dialogue_builders.push`, which describes them."""

    repo_id: str
    private: bool | None
    accept_terms: bool
    revision: str
    create_pr: bool
    message: str | None
    tag: str | None
    dry_run: bool
    yes: bool
    confirm: Confirm | None


def check_name(repo_id: str) -> str:
    """Return a repository's name; raise an OptionError where it is not `owner/name`."""
    if not re.fullmatch(f"{NAME}/{NAME}", repo_id):
        raise OptionError(
            f"{repo_id!r} is not the name of a repository",
            next_step="give it as OWNER/NAME, such as my-name/my-dataset",
        )
    return repo_id


def check_revision(revision: str | None, *, create_pr: bool, tag: str | None) -> str:
    """Return the branch to push to; raise an OptionError where the options contradict it."""
    if create_pr and revision not in (None, MAIN):
        raise OptionError(
            f"a pull request goes to {MAIN}, not to {revision}",
            next_step="leave out either revision (--revision) or create_pr (--create-pr)",
        )
    if create_pr and tag is not None:
        raise OptionError(
            "a tag belongs on a commit that is in, not on a proposal",
            next_step="leave the tag out, and put it on the commit when it is merged",
        )
    if revision is not None and re.fullmatch("[0-9a-f]{40}", revision):
        raise OptionError(
            f"{revision} is a commit, and nothing can be pushed to one",
            next_step="give the name of a branch",
        )
    return revision or MAIN
