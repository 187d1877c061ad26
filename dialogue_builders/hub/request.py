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

Review = Callable[[PushPlan, bool, bool | None], bool]
"""Shown what a push will do, before anything is created or sent; False stops the push.

It is given the plan, whether the repository is created, and whether that is (or will be) private:
None for its owner's default.
"""

# What the Hub takes as the name of an owner or of a repository, and how long it may be.
NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"
NAME_FAULTS = ("--", "..")
NAME_ENDS = (".git", ".ipynb")

COMMIT = re.compile("[0-9a-f]{40}")
PULL_REQUEST = re.compile(r"refs/pr/[1-9][0-9]*")
# Git keeps a reference in a file, and locks it by a second one with ".lock" at its end.
LONGEST_PART = 250


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
    review: Review | None = None


def check_name(repo_id: str) -> str:
    """Return a repository's name; raise an OptionError where it is not `owner/name`."""
    fault = (
        not re.fullmatch(f"{NAME}/{NAME}", repo_id)
        or any(part in repo_id for part in NAME_FAULTS)
        or repo_id.endswith(NAME_ENDS)
    )
    if fault:
        raise OptionError(
            f"{repo_id!r} is not the name of a repository",
            next_step="give it as OWNER/NAME, such as my-name/my-dataset: letters, digits, and "
            "single '-', '_' or '.' between them, at most 96 characters each",
        )
    return repo_id


def check_revision(revision: str | None, *, create_pr: bool, tag: str | None) -> str:
    """Return the branch to push to.

    Raises:
        OptionError: the options contradict it, or it (or the tag) is no name that Git allows.
    """
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
    if revision is not None and COMMIT.fullmatch(revision):
        raise OptionError(
            f"{revision} is a commit, and nothing can be pushed to one",
            next_step="give the name of a branch",
        )
    if revision is not None and not PULL_REQUEST.fullmatch(revision):
        _require_reference(revision, "branch")
    if tag is not None:
        _require_reference(tag, "tag")
        if tag == (revision or MAIN):
            raise OptionError(
                f"a tag can't have the name of the branch, {tag}: which of them is meant would "
                "be open",
                next_step="give the tag another name, such as v1.0",
            )
    return revision or MAIN


def _require_reference(name: str, kind: str) -> None:
    """Raise an OptionError where a branch or a tag can't have a name."""
    fault = reference_fault(name)
    if fault:
        example = "v1.0" if kind == "tag" else "next"
        raise OptionError(
            f"{name!r} can't be the name of a {kind}: {fault}",
            next_step=f"choose another name, such as {example}; nothing was uploaded",
        )


def reference_fault(name: str) -> str | None:
    """Say why Git (or the Hub) would refuse a branch's or a tag's name; None where they would not.

    Source of the rules: `git help check-ref-format`. The commit's form and `refs/` are refused
    because the Hub would take such a name for something else.
    """
    parts = name.split("/")
    bad = re.search(r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]", name)
    if bad:
        return f"it holds the character {bad[0]!r}"
    faults = {
        "it is empty, or has an empty part between slashes": not all(parts),
        "'..' and '@{' mean something else": ".." in name or "@{" in name,
        "a part of it begins with '.'": any(part.startswith(".") for part in parts),
        "a part of it ends with '.lock'": any(part.endswith(".lock") for part in parts),
        "it ends with '.'": name.endswith("."),
        "it begins with '-'": name.startswith("-"),
        "Git has another use for it": name in ("@", "HEAD"),
        "it looks like a commit": COMMIT.fullmatch(name) is not None,
        "'refs/' stands before names, and is no part of them": name.startswith("refs/"),
        f"it is longer than {LONGEST_PART} bytes": any(
            len(part.encode("utf-8", "replace")) > LONGEST_PART for part in parts
        ),
    }
    return next((fault for fault, found in faults.items() if found), None)
