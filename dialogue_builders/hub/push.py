"""`push`: a built folder → a dataset repository on the Hub, in one commit that is then proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dialogue_builders.errors import PushError
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.hub.client import timed_requests
from dialogue_builders.hub.commit import HeadMovedError, LandedCommit, find_pull_request, publish
from dialogue_builders.hub.files import LocalFile, read_folder
from dialogue_builders.hub.plan import PushPlan, make_plan
from dialogue_builders.hub.report import PushReport, make_report
from dialogue_builders.hub.repository import HubRepository, RemoteState
from dialogue_builders.hub.request import Confirm, PushRequest, Review, check_name, check_revision
from dialogue_builders.hub.verify import Proof, prove
from dialogue_builders.hub.visibility import (
    require_private_after,
    require_private_enough,
    require_still_private,
)
from dialogue_builders.progress import Progress, no_progress
from dialogue_builders.workflows.check import check

MOST_PLANS = 2
SHOWN_DELETES = 5


def push(
    folder: str | Path,
    repo_id: str,
    *,
    private: bool | None = None,
    accept_terms: bool = False,
    revision: str | None = None,
    create_pr: bool = False,
    message: str | None = None,
    tag: str | None = None,
    dry_run: bool = False,
    yes: bool = False,
    confirm: Confirm | None = None,
    review: Review | None = None,
    token: str | None = None,
    progress: Progress | None = None,
) -> PushReport:
    """Push a built folder to the Hub: one commit for all of it, or nothing.

    The folder is checked first. Files are compared with the repository's by hash; only what differs
    is uploaded, shards of ours that are gone are deleted, and what others put there stays. The
    README is merged (see `card.merge`). Pushing the same again makes no commit.

    Args:
        folder: made by `build`.
        repo_id: the dataset repository, `owner/name`; it is created where it is missing.
        private: whether to create it as private. None: private where the folder's content may not
            simply be published, else the owner's default.
        accept_terms: publish such content all the same.
        revision: a branch, made off `main` where it is missing, or a pull request's `refs/pr/N`.
        create_pr: open a pull request instead of committing to `main`.
        message: the commit's title.
        tag: a tag to put on the commit.
        dry_run: make the plan, and touch nothing.
        yes: delete without asking.
        confirm: asked before anything is deleted, where `yes` is not given.
        review: shown the plan, before a repository is created or anything is sent.
        token: None for the one that the user is logged in with.
        progress: called with what is done, and with the bytes done and in all (0: not known).

    Returns:
        what was done, and where the data now is.

    Raises:
        OptionError: a name or a combination of options that can't be.
        FolderError, CheckError: no built folder, or one that breaks its contract.
        PushError: refused, not finished in time, or not proven; the repository then holds its old
            or its new state.
    """
    request = PushRequest(
        repo_id=check_name(repo_id),
        private=private,
        accept_terms=accept_terms,
        revision=check_revision(revision, create_pr=create_pr, tag=tag),
        create_pr=create_pr,
        message=message,
        tag=tag,
        dry_run=dry_run,
        yes=yes,
        confirm=confirm,
        review=review,
    )
    show: Progress = progress or no_progress
    checked = check(folder)
    checked.require()
    files = read_folder(checked.built, show)
    with timed_requests():
        repository = HubRepository(repo_id, token)
        return _Push(request, checked.built, files, repository, show).run()


@dataclass
class _Push:
    """One push on its way."""

    request: PushRequest
    built: BuiltFolder
    files: Mapping[str, LocalFile]
    repository: HubRepository
    progress: Progress
    is_reviewed: bool = False

    def run(self) -> PushReport:
        """Plan, commit, prove."""
        state = self.repository.state(self.request.revision)
        created = state is None
        private = self._require_visibility(state)
        if self.request.dry_run:
            return self._report(self._plan(state), created, private, None, committed=False)
        if state is None:
            self._review(self._plan(state), creates=True, private=private)
            state = self._create(private)
        self._require_free_tag(state)
        plan, landed, committed = self._publish(state)
        private = require_private_after(
            self.repository,
            self.built,
            landed.sha,
            wanted=self.request.private,
            accept_terms=self.request.accept_terms,
        )
        self.progress("proving", 0, 0)
        proof = prove(self.repository, self.built, plan, landed.sha)
        self.progress("proving", 1, 1)
        if self.request.tag:
            self.repository.create_tag(self.request.tag, landed.sha)
        return self._report(plan, created, private, landed, committed=committed, proof=proof)

    def _plan(self, state: RemoteState | None) -> PushPlan:
        head = state.head if state else None
        plan = make_plan(
            self.files,
            state.files if state else {},
            head=head,
            corpus=self.built.corpus,
            read_remote=lambda file: self.repository.read_text(file, head or ""),
        )
        if state and state.lacks_branch:
            note = f"the branch {self.request.revision} is made off main"
            plan = replace(plan, notes=(*plan.notes, note))
        return plan

    def _require_visibility(self, state: RemoteState | None) -> bool | None:
        """Refuse to publish what may not be published.

        Returns:
            whether the repository is, or shall be created as, private.
        """
        wanted = self.request.private
        if state is not None and wanted not in (None, state.private):
            there, asked = ("private", "public") if state.private else ("public", "private")
            raise PushError(
                f"{self.request.repo_id} exists and is {there}; a push does not make it {asked}",
                next_step=f"change it in its settings ({self.repository.url}/settings), or leave "
                f"--{asked} out",
            )
        if state is None:
            private = True if wanted is None and self.built.restrictions else wanted
        else:
            private = state.private
        require_private_enough(self.built, private=private, accept_terms=self.request.accept_terms)
        return private

    def _create(self, private: bool | None) -> RemoteState:
        self.repository.create(private=private)
        state = self.repository.state(self.request.revision)
        if state is None:
            raise PushError(
                f"{self.request.repo_id} was created, and is gone again",
                next_step="look at it on the Hub; then push again",
            )
        self._require_visibility(state)
        return state

    def _require_free_tag(self, state: RemoteState) -> None:
        """Refuse a tag that is taken, or that can't stand beside others, before anything is pushed.

        Git keeps names in folders, so that `v1` and `v1/a` can't both be there.
        """
        tag = self.request.tag
        if not tag:
            return
        branches, tags = self.repository.references()
        target = tags.get(tag)
        if target and (target != state.head or self._plan(state).changes):
            raise PushError(
                f"the tag {tag} is taken by the commit {target[:8]}; nothing was pushed",
                next_step="choose another tag, or delete that one in the repository",
            )
        beside = [n for n in tags if n.startswith(f"{tag}/") or tag.startswith(f"{n}/")]
        if tag in branches or beside:
            what = f"there is a branch {tag}" if tag in branches else f"there is a tag {beside[0]}"
            raise PushError(
                f"the tag {tag} can't be made, since {what}; nothing was pushed",
                next_step="choose another tag",
            )

    def _publish(self, state: RemoteState) -> tuple[PushPlan, LandedCommit, bool]:
        """Make the commit; where somebody else was faster, plan again, once.

        Returns:
            the plan, the commit that holds it, and whether this push has made that commit.
        """
        request = self.request
        confirmed: set[str] = set()
        for _ in range(MOST_PLANS):
            plan = self._plan(state)
            if not plan.changes and not state.lacks_branch:
                return plan, LandedCommit(state.head), False
            if plan.changes:
                self._review(plan, creates=False, private=state.private)
            if not confirmed.issuperset(plan.deletes):
                self._confirm(plan)
                confirmed.update(plan.deletes)
            if state.lacks_branch:
                self.repository.create_branch(request.revision, state.head)
            if not plan.changes:
                return plan, LandedCommit(state.head), False
            proposed = find_pull_request(self.repository, plan) if request.create_pr else None
            if proposed:
                return plan, proposed, False
            try:
                landed = publish(
                    self.repository,
                    plan,
                    request.revision,
                    request.message or f"Push {self.built.corpus.name}: {plan.summary}",
                    create_pr=request.create_pr,
                    before_commit=self._require_still_private,
                    progress=self.progress,
                )
                return plan, landed, True
            except HeadMovedError:
                moved = self.repository.state(request.revision)
            if moved is None:
                break
            state = moved
            self._require_visibility(state)
        raise PushError(
            f"others keep pushing to {request.repo_id} ({request.revision}); nothing was changed",
            next_step="agree with them on a quiet moment, or add --create-pr to propose the change",
        )

    def _require_still_private(self) -> None:
        require_still_private(self.repository, self.built, accept_terms=self.request.accept_terms)

    def _review(self, plan: PushPlan, *, creates: bool, private: bool | None) -> None:
        """Show a plan, once, before anything is done, and stop where it is not agreed to."""
        review = None if self.is_reviewed else self.request.review
        self.is_reviewed = True
        if review is not None and not review(plan, creates, private):
            raise PushError(
                "the push was not confirmed; nothing was created or pushed",
                next_step="look at the plan again with --dry-run",
            )

    def _confirm(self, plan: PushPlan) -> None:
        """Have deletions confirmed."""
        if not plan.deletes or self.request.yes:
            return
        if self.request.confirm is None:
            shown = "\n- ".join(plan.deletes[:SHOWN_DELETES])
            more = len(plan.deletes) - SHOWN_DELETES
            raise PushError(
                f"the push would delete {len(plan.deletes)} files of {self.request.repo_id}; "
                f"nothing was pushed:\n- {shown}" + (f"\n- and {more} more" if more > 0 else ""),
                next_step="look at the whole plan with --dry-run; then add --yes",
            )
        if not self.request.confirm(plan):
            raise PushError("the deletion was not confirmed; nothing was pushed")

    def _report(
        self,
        plan: PushPlan,
        created: bool,
        private: bool | None,
        landed: LandedCommit | None,
        *,
        committed: bool,
        proof: Proof | None = None,
    ) -> PushReport:
        return make_report(
            self.request.repo_id,
            self.repository.url,
            self.request.revision,
            config=self.built.default_config,
            plan=plan,
            created=created,
            private=private,
            commit=landed.sha if landed else None,
            committed=committed,
            pull_request=landed.pull_request if landed else None,
            tag=self.request.tag if landed else None,
            proof=proof,
        )
