"""Find the raw files of a source in a folder, with one look at each directory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from dialogue_builders.errors import RawFileError
from dialogue_builders.raw.archives import is_archive, unpacked
from dialogue_builders.spec.source import RawSource, fill_template

# An archive's outer folder, a folder that its unpacking makes around it, and one to spare.
DEEPEST_OUTER_FOLDER = 3


class RawListing:
    """What lies in a raw folder; each directory is read once, when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._directories: dict[Path, dict[str, bool]] = {}

    def names(self, directory: Path) -> list[str]:
        """Return the names of the files in a directory, sorted; none where there is none."""
        return [name for name, is_file in self._entries(directory).items() if is_file]

    def is_file(self, path: Path) -> bool:
        """Whether there is a file of this path."""
        return self._entries(path.parent).get(path.name, False)

    def _entries(self, directory: Path) -> dict[str, bool]:
        """Return name → whether it is a file."""
        if directory not in self._directories:
            listed: dict[str, bool] = {}
            try:
                if self._may_be_directory(directory):
                    with os.scandir(directory) as entries:
                        listed = {entry.name: entry.is_file() for entry in entries}
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError as error:
                raise RawFileError(
                    f"the folder {str(directory)!r} can't be read: {error.strerror}",
                    next_step="check its rights",
                ) from error
            self._directories[directory] = dict(sorted(listed.items()))
        return self._directories[directory]

    def _may_be_directory(self, path: Path) -> bool:
        """Whether the directory above holds such a one; most that are asked for are absent."""
        if self.folder not in path.parents:
            return True
        return self._entries(path.parent).get(path.name) is False

    def name_of(self, path: Path) -> str:
        """Return a raw file's name as messages show it: relative to the raw folder."""
        return path.relative_to(self.folder).as_posix()


def open_raw_folder(data_dir: str | Path) -> Path:
    """Return the raw folder as a path; an archive is unpacked into a temporary folder first.

    Raises:
        RawFileError: it is not there, is neither a folder nor an archive that can be unpacked, or
            is a folder that was built already.
    """
    folder = Path(data_dir).expanduser()
    if not folder.exists():
        raise RawFileError(
            f"the raw folder {str(data_dir)!r} does not exist", next_step="check the path"
        )
    if not folder.is_dir():
        if is_archive(folder):
            return unpacked(folder)
        raise RawFileError(
            f"{str(data_dir)!r} is a file, not the raw folder",
            next_step="give the folder that holds the raw files, or their zip or tar archive",
        )
    readme = folder / "README.md"
    if readme.is_file() and re.search(r"^configs:$", readme.read_text("utf-8", "replace"), re.M):
        raise RawFileError(
            f"{str(data_dir)!r} is a built folder, not a raw one",
            next_step=f"load it by its path: datasets.load_dataset({str(data_dir)!r})",
        )
    return folder


def enter_outer_folders(folder: Path, holds_raw_files: Callable[[Path], bool]) -> Path:
    """Return the folder that holds the raw files: this one, or the only one inside of it that does.

    Archives, and those that GitHub makes of a repository above all, have an outer folder of any
    name; and people give the folder that their clone lies in.

    Args:
        holds_raw_files: whether a folder itself holds a raw file at one of its places.

    Raises:
        RawFileError: several folders inside of it hold raw files.
    """
    found = folder
    for _ in range(DEEPEST_OUTER_FOLDER):
        if holds_raw_files(found):
            return found
        inside = _folders_in(found)
        holding = [path for path in inside if holds_raw_files(path)]
        if len(holding) > 1:
            names = ", ".join(path.name for path in holding)
            raise RawFileError(
                f"several folders in {str(folder)!r} hold raw files: {names}",
                next_step="give one of them as the raw folder",
            )
        if len(holding or inside) != 1:
            break
        (found,) = holding or inside
    return found if holds_raw_files(found) else folder


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder that raw files may lie in, sorted."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return []
    return [
        folder / name
        for name in sorted(names)
        # Hidden folders, and what macOS puts beside the files in an archive.
        if not name.startswith((".", "__")) and os.access(folder / name, os.R_OK | os.X_OK)
    ]


def find_files(listing: RawListing, source: RawSource, split: str) -> list[Path]:
    """Return the raw files of one split: one file, or all files of the split's own folder, sorted.

    An empty list means that there are none.

    Raises:
        RawFileError: the same split lies there twice, so that either could be meant.
    """
    matches: list[list[Path]] = []
    for template in source.path_templates:
        path = listing.folder / fill_template(template, split)
        if "*" in path.name:
            matches.append(_matching_files(listing, path, source.extensions))
            continue
        files = [Path(f"{path}{extension}") for extension in source.extensions]
        matches.extend([file] for file in files if listing.is_file(file))
        names = [name for name in listing.names(path) if name.endswith(source.extensions)]
        matches.append([path / name for name in names])
    matches = [files for files in matches if files]
    if len(matches) > 1 and not source.first_match_wins:
        shown = ", ".join(listing.name_of(files[0]) for files in matches)
        raise RawFileError(
            f"the split {split} lies there more than once: {shown}",
            next_step="leave one of them in the folder",
        )
    return matches[0] if matches else []


def _matching_files(listing: RawListing, path: Path, extensions: Sequence[str]) -> list[Path]:
    """Return the files that a path with a `*` stands for, in the order of their names."""
    files: dict[str, Path] = {}
    for extension in extensions:
        for name in listing.names(path.parent):
            if not fnmatchcase(name, path.name + extension):
                continue
            file = path.parent / name
            twin = files.setdefault(name.removesuffix(extension), file)
            if twin is not file:
                raise RawFileError(
                    f"the same file lies there twice: {listing.name_of(twin)} and {name}",
                    next_step="leave one of them in the folder",
                )
    return sorted(files.values())


def explain_missing(
    listing: RawListing, source: RawSource, missing: Sequence[str], present: Sequence[str]
) -> RawFileError:
    """Make the error for splits without a file; all of them are named.

    Args:
        missing: splits without a file.
        present: those that have one.
    """
    if present:
        step = (
            "fetch what is missing, or say that you want a part only: "
            + " ".join(f"--split {split}" for split in present)
            + f" (in Python: splits={list(present)!r})"
        )
    else:
        names = dict.fromkeys(
            fill_template(template, missing[0]) + source.extensions[0]
            for template in source.path_templates
        )
        step = f"give the folder that holds {' or '.join(names)}"
        files = (listing.folder / name for name in listing.names(listing.folder))
        archive = next(filter(is_archive, files), None)
        if archive is not None:
            step = f"give the archive itself as the raw folder: {archive.name}"
    paths = ", ".join(source.upstream_path(split) for split in missing)
    return RawFileError(f"the raw folder lacks {paths}", next_step=step)
