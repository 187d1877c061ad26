"""What the command `push` shows: JSON for programs, a table and a few lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dialogue_builders.cli.terminal import print_json, print_table, say
from dialogue_builders.hub.plan import PushPlan
from dialogue_builders.hub.report import PushReport

MOST_OF_A_FOLDER = 3


class PlanReview:
    """Shows a push's plan before anything is sent; asks a person before a repository is made.

    Args:
        repo_id: the repository.
        asks: whether there is somebody to be asked.
        as_json: whether the plan is left to the report.
    """

    def __init__(self, repo_id: str, *, asks: bool, as_json: bool) -> None:
        self.repo_id = repo_id
        self.asks = asks
        self.as_json = as_json
        self.has_shown = False

    def __call__(self, plan: PushPlan, creates: bool, private: bool | None) -> bool:
        """Show the plan, and return whether it is agreed to."""
        import click

        if not self.as_json:
            show_plan(plan)
            self.has_shown = True
        if not (creates and self.asks):
            return True
        kind = {
            True: "as a private repository",
            False: "as a public repository",
            None: "with its owner's default visibility, which is mostly public",
        }[private]
        return click.confirm(f"Create {self.repo_id} {kind}?", err=True)


def show_push(report: PushReport, as_json: bool, *, has_shown_plan: bool = False) -> None:
    """Show what a push did or would do."""
    if as_json:
        print_json(push_facts(report))
        return
    if not has_shown_plan:
        show_plan(report.plan)
    print(f"{report.url}: {_outcome(report)}")
    if report.proof:
        rows = report.proof.rows
        splits = sum(len(counts) for counts in rows.values())
        print(
            f"Proven at {report.commit}: {report.proof.files} files by hash, the first row and the "
            f"number of rows of {splits} splits in {len(rows)} configs"
        )
        print(f"Load it: datasets.{report.load}")


def _outcome(report: PushReport) -> str:
    kind = {True: "private ", False: "public ", None: ""}[report.private]
    if report.commit is None:
        return (
            f"a dry run; the {kind}repository would be created"
            if report.created
            else "a dry run; nothing was touched"
        )
    if not report.committed:
        if report.pull_request:
            return f"proposed already, as pull request {report.pull_request}"
        return "nothing to do, it holds this folder already"
    made = f"created as a {kind}repository, " if report.created else ""
    if report.pull_request:
        return f"pull request {report.pull_request} proposes {report.plan.summary}"
    return f"{made}{report.plan.summary} in the one commit {report.commit[:8]}"


def show_plan(plan: PushPlan) -> None:
    """Show the changed files of a plan, many of one folder in one line, and the rest in sum."""
    for note in plan.notes:
        say(f"Note: {note}")
    rows = [
        (action, name, _size(plan.size(paths)) if action != "delete" else "")
        for action, changed in (
            ("add", plan.adds),
            ("replace", plan.replaces),
            ("delete", plan.deletes),
        )
        for name, paths in grouped(changed)
    ]
    if rows:
        print_table(("", "file", "size"), rows, numbers=False)
    changed = plan.size([*plan.adds, *plan.replaces])
    print(
        f"{plan.summary or 'no changes'}: {_size(changed)} to upload; "
        f"{len(plan.unchanged)} files with {_size(plan.size(plan.unchanged))} unchanged"
    )


def grouped(paths: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what stands for some files in a list: each by itself, or many of a folder together."""
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        by_folder.setdefault(path.rpartition("/")[0], []).append(path)
    for folder, inside in by_folder.items():
        if folder and len(inside) > MOST_OF_A_FOLDER:
            yield f"{folder}/ ({len(inside):,} files)", inside
        else:
            yield from ((path, [path]) for path in inside)


def confirm_deletion(plan: PushPlan) -> bool:
    """Ask a person at the terminal whether files may be deleted."""
    import click

    for name, _ in grouped(plan.deletes):
        say(f"delete {name}")
    return click.confirm(
        f"Delete these {len(plan.deletes)} files ({_size(plan.deleted_bytes)})?", err=True
    )


def _size(size: int) -> str:
    return f"{size / 1e6:,.2f} MB" if size >= 1e4 else f"{size:,} bytes"


def push_facts(report: PushReport) -> dict[str, Any]:
    """Return a push's report as a plain object; sizes are bytes."""
    plan = report.plan
    return {
        "repository": report.repo_id,
        "url": report.url,
        "revision": report.revision,
        "dry_run": report.commit is None,
        "created": report.created,
        "private": report.private,
        "plan": {
            "head": plan.head,
            "adds": {path: plan.size([path]) for path in plan.adds},
            "replaces": {path: plan.size([path]) for path in plan.replaces},
            "deletes": list(plan.deletes),
            "unchanged": len(plan.unchanged),
            "unchanged_bytes": plan.size(plan.unchanged),
            "upload_bytes": plan.size([*plan.adds, *plan.replaces]),
            "deleted_bytes": plan.deleted_bytes,
            "notes": list(plan.notes),
        },
        "commit": report.commit,
        "committed": report.committed,
        "pull_request": report.pull_request,
        "tag": report.tag,
        "proof": report.proof and {"files": report.proof.files, "rows": report.proof.rows},
        "load": report.load,
    }
