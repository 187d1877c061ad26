"""Write dialogues of a built folder as a page that opens anywhere, or as several with an index."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from dialogue_builders.errors import FolderError, OptionError
from dialogue_builders.folder.built import BuiltFolder, open_built_folder
from dialogue_builders.folder.dialogues import read_dialogues, resolve_split
from dialogue_builders.folder.staging import explain_os_errors, sync, sync_tree
from dialogue_builders.page.pack import (
    GENERATOR,
    Entry,
    Packer,
    PageFrame,
    render_document,
    render_page,
)
from dialogue_builders.spec.dialogue import DialogueView

# What browsers bear: an evaluation split of either corpus fits, a train split takes several pages.
MOST_CONVERSATIONS = 1_000
MOST_CHARACTERS = 8_000_000


@dataclass(frozen=True)
class ViewReport:
    """What was written.

    Attributes:
        page: the page to open; the index where there are several.
        conversations: how many are shown.
        pages: how many pages they are on, without the index.
        size: bytes of all of it.
        restrictions: why it may not simply be published.
    """

    page: Path
    conversations: int
    pages: int
    size: int
    restrictions: tuple[str, ...]


def view(
    folder: str | Path,
    out: str | Path,
    *,
    config: str | None = None,
    split: str | None = None,
    count: int | None = None,
    conversations: Collection[str] = (),
    beside: Sequence[str | Path] = (),
    accept_terms: bool = False,
) -> ViewReport:
    """Write dialogues of a built folder as one self-contained page.

    Up to 1,000 conversations are on one page. More go to several, in a folder beside the index
    that then is at `out`. A page of ours that is already there is replaced.

    Args:
        folder: a built folder.
        out: the page to write, such as `page.html`.
        config: whose dialogues; the folder's default config where nothing is said.
        split: only this one; all of the config's where nothing is said.
        count: the first so many conversations of each split.
        conversations: only these ids.
        beside: more built folders, whose rows are shown beside the dialogues.
        accept_terms: write a page of what may not simply be published.

    Returns:
        where the page lies, and what is on it.

    Raises:
        FolderError: a folder can't be used, `out` can't be written, or terms were not accepted.
        UnknownNameError: the folder has no such config or split.
        OptionError: a conversation that is not there.
    """
    built = open_built_folder(folder)
    others = [open_built_folder(other) for other in beside]
    config = config or built.default_config
    splits = [split] if split else list(built.configs().get(config, ("", {}))[1])
    for name in splits or [""]:
        resolve_split(built, config, name)
    restrictions = _restrictions([built, *others])
    if restrictions and not accept_terms:
        listed = "\n- ".join(restrictions)
        raise FolderError(
            f"the page would hold what may not simply be published:\n- {listed}",
            next_step="add --accept-terms where you keep the page to yourself, or have the right "
            "to publish it",
        )
    frame = _frame(built, config, splits, restrictions)
    entries = _entries(built, config, splits, count, conversations, others)
    place = Path(os.path.abspath(Path(out).expanduser()))
    return _write(place, frame, entries, restrictions)


def _restrictions(folders: Iterable[BuiltFolder]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for folder in folders for reason in folder.restrictions))


def _frame(
    built: BuiltFolder, config: str, splits: Sequence[str], restrictions: Sequence[str]
) -> PageFrame:
    corpus = built.corpus
    release = built.provenance.release
    raw = {"sample": "an invented sample", "pinned": "from the published files"}
    source = [corpus.title, *([release] if release else []), config, ", ".join(splits)]
    return PageFrame(
        title=corpus.title,
        source=[*source[1:], raw.get(built.provenance.raw, "from other raw files")],
        restrictions=restrictions,
        language="zh" if corpus.languages[:1] == ("zh",) else "en",
        words=dict(corpus.translations.get("zh", {})),
    )


def _entries(
    built: BuiltFolder,
    config: str,
    splits: Sequence[str],
    count: int | None,
    wanted: Collection[str],
    others: Sequence[BuiltFolder],
) -> Iterator[Entry]:
    missing = set(wanted)
    for split in splits:
        shown, own_split = resolve_split(built, config, split)
        dialogues: Iterator[DialogueView] = read_dialogues(built, shown, own_split, others)
        if wanted:
            dialogues = (dialogue for dialogue in dialogues if dialogue.id in wanted)
        for dialogue in islice(dialogues, count):
            missing.discard(dialogue.id)
            yield Entry(split, dialogue)
    if missing:
        raise OptionError(
            f"there is no conversation {sorted(missing)[0]!r} in {config} ({', '.join(splits)})",
            next_step="give the ids as `head` shows them, and a count that reaches them",
        )


def _pages(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Cut into pages; at least one, which may be empty."""
    page: list[Entry] = []
    characters = 0
    for entry in entries:
        size = sum(len(turn.text) for turn in entry.dialogue.turns)
        if page and (len(page) >= MOST_CONVERSATIONS or characters + size > MOST_CHARACTERS):
            yield page
            page, characters = [], 0
        page.append(entry)
        characters += size
    yield page


def _write(
    out: Path, frame: PageFrame, entries: Iterable[Entry], restrictions: tuple[str, ...]
) -> ViewReport:
    """Write beside the place and then put it there: the path names a whole page or what it was."""
    with explain_os_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        parts = out.with_name(f"{out.stem}_pages")
        _require_replaceable(out, parts)
        temporary = out.parent / f".{out.name}.writing-{secrets.token_hex(4)}"
        temporary.mkdir()
    try:
        with explain_os_errors(out):
            index, count = _write_pages(temporary, out, parts, frame, entries)
            size = sum(file.stat().st_size for file in temporary.rglob("*.html"))
            sync_tree(temporary)
            _publish(temporary, out, parts)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return ViewReport(out, index, count, size, restrictions)


def _write_pages(
    temporary: Path, out: Path, parts: Path, frame: PageFrame, entries: Iterable[Entry]
) -> tuple[int, int]:
    """Write a page, or several and their index; return how many conversations and pages."""
    pages = _pages(entries)
    first = next(pages)
    second = next(pages, None)
    if second is None:
        (temporary / out.name).write_text(render_page(frame, first), "utf-8")
        return len(first), 1
    (temporary / parts.name).mkdir()
    index = Packer()
    number = 0
    for number, page in enumerate(_chained(first, second, pages), 1):
        name = f"{parts.name}/{number:04}.html"
        (temporary / name).write_text(render_page(frame, page), "utf-8")
        for entry in page:
            index.add(entry._replace(page=name))
    (temporary / out.name).write_text(render_document(frame, index), "utf-8")
    return len(index.dialogues), number


def _chained(
    first: list[Entry], second: list[Entry], rest: Iterator[list[Entry]]
) -> Iterator[list[Entry]]:
    yield first
    yield second
    yield from rest


def _require_replaceable(out: Path, parts: Path) -> None:
    """Raise a FolderError where something is at the place that no `view` has written."""
    if out.is_dir():
        raise FolderError(f"{str(out)!r} is a folder", next_step="give a path such as page.html")
    for path in (out, *(sorted(parts.iterdir()) if parts.is_dir() else [])):
        if os.path.lexists(path) and not _is_ours(path):
            raise FolderError(
                f"{str(path)!r} was not written by `view`; it is not touched",
                next_step="choose another path, or remove the file yourself",
            )


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return GENERATOR.encode() in file.read(4096)


def _publish(temporary: Path, out: Path, parts: Path) -> None:
    """Put the pages in place, and then the index that leads to them."""
    if parts.is_dir():
        os.rename(parts, temporary / "replaced")
    if (temporary / parts.name).is_dir():
        os.rename(temporary / parts.name, parts)
    os.replace(temporary / out.name, out)
    sync(out.parent)
