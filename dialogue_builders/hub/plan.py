"""What a push would change: a folder's files beside a repository's, compared by hash."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dialogue_builders.card.figures import FORMATS
from dialogue_builders.card.merge import merge_cards
from dialogue_builders.card.text import computed_blocks
from dialogue_builders.errors import FolderError
from dialogue_builders.folder.inventory import FIGURES
from dialogue_builders.folder.layout import parse_shard_path
from dialogue_builders.hub.files import LocalFile, RemoteFile
from dialogue_builders.spec.corpus import Corpus

CARDS = "README*.md"


@dataclass(frozen=True)
class PushPlan:
    """What one commit will do.

    Attributes:
        head: the commit that it was planned against; None where there is no repository yet.
        files: everything that the repository shall hold of ours, by path.
        adds, replaces, deletes, unchanged: paths, each in one of the four.
        deleted_bytes: the size of what is deleted.
        notes: what is worth telling, one line each.
    """

    head: str | None
    files: Mapping[str, LocalFile]
    adds: tuple[str, ...]
    replaces: tuple[str, ...]
    deletes: tuple[str, ...]
    unchanged: tuple[str, ...]
    deleted_bytes: int
    notes: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.adds or self.replaces or self.deletes)

    @property
    def uploads(self) -> list[LocalFile]:
        """The files that the commit writes."""
        return [self.files[path] for path in (*self.adds, *self.replaces)]

    def size(self, paths: Sequence[str]) -> int:
        """Return the bytes of some files of the folder."""
        return sum(self.files[path].size for path in paths)

    @property
    def identity(self) -> str:
        """A name for what the commit changes, the same for every attempt to make it.

        It stands in the commit's description, so that an attempt whose answer was lost can be
        found again: 32 hexadecimal digits.
        """
        lines = [f"{file.path} {file.sha256}" for file in self.uploads]
        text = "\n".join(sorted([*lines, *(f"{path} deleted" for path in self.deletes)]))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def summary(self) -> str:
        """The plan in a few words, such as `3 added, 1 replaced`."""
        parts = ((self.adds, "added"), (self.replaces, "replaced"), (self.deletes, "deleted"))
        return ", ".join(f"{len(paths)} {word}" for paths, word in parts if paths)


def make_plan(
    local: Mapping[str, LocalFile],
    remote: Mapping[str, RemoteFile],
    *,
    head: str | None,
    corpus: Corpus,
    read_remote: Callable[[RemoteFile], str | None],
) -> PushPlan:
    """Compare a folder with a repository.

    Args:
        local: the folder's files by path.
        remote: the files at the repository's head by path.
        head: that head; None where there is no repository yet.
        corpus: it says which of the repository's files are ours.
        read_remote: a card in the repository → its text; None where it is not UTF-8.

    Raises:
        PushError: the repository's card can't be merged.
    """
    files, notes = dict(local), list[str]()
    for path, file in local.items():
        if fnmatch.fnmatch(path, CARDS) and path in remote and not file.is_same(remote[path]):
            theirs = read_remote(remote[path])
            if theirs is None:
                notes.append(
                    f"{path}: the page that was there is not UTF-8 and gives way to ours; "
                    f"it stays in the history (commit {(head or '')[:8]})"
                )
                continue
            files[path], told = _merge_card(file, theirs, corpus)
            notes.extend(told)
    adds: list[str] = []
    replaces: list[str] = []
    unchanged: list[str] = []
    for path, file in files.items():
        if path not in remote:
            adds.append(path)
        else:
            (unchanged if file.is_same(remote[path]) else replaces).append(path)
    deletes = [
        path
        for path in sorted(remote.keys() - files.keys())
        if parse_shard_path(path, corpus)
        or _is_our_figure(path, corpus)
        or _is_our_card(remote[path], read_remote)
    ]
    return PushPlan(
        head=head,
        files=files,
        adds=tuple(adds),
        replaces=tuple(replaces),
        deletes=tuple(deletes),
        unchanged=tuple(unchanged),
        deleted_bytes=sum(remote[path].size for path in deletes),
        notes=tuple(notes),
    )


def _merge_card(file: LocalFile, theirs: str, corpus: Corpus) -> tuple[LocalFile, tuple[str, ...]]:
    assert isinstance(file.content, Path)
    try:
        ours = file.content.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FolderError(
            f"can't be read any more: {error}; nothing was pushed",
            file=file.path,
            next_step="build the folder again; then push again",
        ) from error
    text, notes = merge_cards(ours, theirs, name=file.path, own_configs=corpus.config_names)
    return LocalFile.of_bytes(file.path, text.encode()), notes


def _is_our_figure(path: str, corpus: Corpus) -> bool:
    """Whether a repository's file is a drawing of ours; without it in the folder it is stale."""
    return any(
        path == f"{FIGURES}/{spec.name}.{kind}" for spec in corpus.histograms for kind in FORMATS
    )


def _is_our_card(file: RemoteFile, read_remote: Callable[[RemoteFile], str | None]) -> bool:
    """Whether a repository's file is a card in another language that a build has computed."""
    is_card = fnmatch.fnmatch(file.path, CARDS) and "/" not in file.path
    return is_card and bool(computed_blocks(read_remote(file) or ""))
