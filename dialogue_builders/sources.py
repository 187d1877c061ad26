"""Where raw files lie, whether they are there, and whether they are the pinned ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from dialogue_builders.archives import is_archive, unpacked
from dialogue_builders.errors import RawFileError
from dialogue_builders.raw_files import git_blob_id
from dialogue_builders.record_faults import RecordKind

EXTENSIONS = (".json", ".jsonl", ".json.gz", ".jsonl.gz")

FileState = Literal["ok", "missing", "differs"]


@dataclass(frozen=True)
class Pin:
    """The identity of one upstream file at the pinned commit.

    Attributes:
        path: relative to the upstream repository.
        git_blob: its Git blob id (SHA-1, 40 hexadecimal digits).
        size: bytes, where known.
        sha256: of the content, where it was computed from the file itself.
    """

    path: str
    git_blob: str
    size: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Resource:
    """One raw file that is read as a whole, such as a look-up table.

    Attributes:
        name: how a view asks for it.
        path: relative to the raw folder.
        load: its bytes → what a view gets; importable by name. It may raise `RawFileError`.
        required: whether a view can't do without it.
    """

    name: str
    path: str
    load: Callable[[bytes], Any]
    required: bool = True


@dataclass(frozen=True)
class RawSource:
    """One kind of raw file, and where it may lie in a raw folder.

    Attributes:
        name: how a view asks for it.
        kind: the kind of its records.
        places: path templates without extension, in the order of preference for messages; `{split}`
            stands for the split's name, `{split_path}` for the same with slashes for underscores.
            Any of the extensions may follow, or a folder of such files. A `*` in the last part
            stands for any text; the split then has a file for each of them.
        extensions: how the files' names may end; the first is upstream's own.
        prefer_first: whether the first place that is filled wins; else two are an error.
        partial: whether some of the splits may have no file; a config then has the others only.
        ids_per_file: whether each file of a split speaks of the same conversations once more. A
            file is then never cut, so that one file is one shard of a stream.
        restricted: place → why its content may not be published.
    """

    name: str
    kind: RecordKind
    places: tuple[str, ...]
    extensions: tuple[str, ...] = EXTENSIONS
    prefer_first: bool = False
    partial: bool = False
    ids_per_file: bool = False
    restricted: Mapping[str, str] = field(default_factory=dict)

    def usual_path(self, split: str) -> str:
        """Return the path under which upstream keeps this file; it may hold a `*`."""
        return place_of(self.places[-1 if self.prefer_first else 0], split) + self.extensions[0]

    def pins_of(self, split: str, pins: Mapping[str, Pin]) -> list[Pin]:
        """Return the pinned upstream files of a split, in the order of their paths."""
        pattern = self.usual_path(split)
        return [pins[path] for path in sorted(pins) if fnmatchcase(path, pattern)]


def place_of(template: str, split: str) -> str:
    """Fill a split's name into a place's template."""
    return template.format(split=split, split_path=split.replace("_", "/"))


@dataclass(frozen=True)
class FileReport:
    """What `verify` says of one file.

    Attributes:
        path: relative to the raw folder.
        state: `ok`, `missing` or `differs`.
        expected, got: Git blob ids; `got` is None for a missing file.
        expected_size, got_size: bytes, where known.
    """

    path: str
    state: FileState
    expected: str
    got: str | None
    expected_size: int | None
    got_size: int | None


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


def find_files(folder: Path, source: RawSource, split: str) -> list[Path]:
    """Return the raw files of one split: one file, or all files of the split's own folder, sorted.

    An empty list means that there are none.

    Raises:
        RawFileError: the same split lies there twice, so that either could be meant.
    """
    found: list[list[Path]] = []
    for template in source.places:
        place = folder / place_of(template, split)
        if "*" in place.name:
            found.extend(filter(None, [_matching_files(place, folder, source.extensions)]))
            continue
        files = [Path(f"{place}{extension}") for extension in source.extensions]
        found.extend([file] for file in files if file.is_file())
        if place.is_dir():
            inside = sorted(
                file for file in place.iterdir() if file.name.endswith(source.extensions)
            )
            found.extend([inside] if inside else [])
    if len(found) > 1 and not source.prefer_first:
        names = ", ".join(name_of(files[0], folder) for files in found)
        raise RawFileError(
            f"the split {split} lies there more than once: {names}",
            next_step="leave one of them in the folder",
        )
    return found[0] if found else []


def _matching_files(place: Path, folder: Path, extensions: Sequence[str]) -> list[Path]:
    """Return the files that a place with a `*` stands for, in the order of their names."""
    files: dict[str, Path] = {}
    for extension in extensions:
        for file in place.parent.glob(place.name + extension):
            twin = files.setdefault(file.name.removesuffix(extension), file)
            if twin is not file:
                raise RawFileError(
                    f"the same file lies there twice: {name_of(twin, folder)} and {file.name}",
                    next_step="leave one of them in the folder",
                )
    return sorted(files.values())


def find_all(
    folder: Path, source: RawSource, splits: Sequence[str], known: Sequence[str]
) -> dict[str, list[Path]]:
    """Return the raw files of several splits; splits without one are left out of a partial source.

    Args:
        splits: the wanted ones.
        known: all splits, to say which of them are there.

    Raises:
        RawFileError: a split has no file (in a partial source: none has); all missing are named.
    """
    files = {split: find_files(folder, source, split) for split in splits}
    missing = [source.usual_path(split) for split in splits if not files[split]]
    if not missing:
        return files
    if source.partial and any(files.values()):
        return {split: found for split, found in files.items() if found}
    present = [split for split in known if find_files(folder, source, split)]
    if present:
        step = (
            "fetch what is missing, or say that you want a part only: "
            + " ".join(f"--split {split}" for split in present)
            + f" (in Python: splits={present!r})"
        )
    else:
        names = dict.fromkeys(
            place_of(place, splits[0]) + source.extensions[0] for place in source.places
        )
        step = f"give the folder that holds {' or '.join(names)}"
        archive = next((file for file in sorted(folder.iterdir()) if is_archive(file)), None)
        if archive is not None:
            step = f"give the archive itself as the raw folder: {archive.name}"
    raise RawFileError(f"the raw folder lacks {', '.join(missing)}", next_step=step)


def name_of(path: Path, folder: Path) -> str:
    """Return a raw file's name as messages show it: relative to the raw folder."""
    return path.relative_to(folder).as_posix()


def is_pinned(git_blob: str, paths: Sequence[str], pins: Mapping[str, Pin]) -> bool:
    """Whether content with this id is the pinned one of any of the paths."""
    return any(path in pins and pins[path].git_blob == git_blob for path in paths)


def verify_files(folder: Path, pins: Sequence[Pin]) -> list[FileReport]:
    """Compare the files of a raw folder with their pins, in the order of the pins."""
    reports = []
    for pin in pins:
        path = folder / pin.path
        if not path.is_file():
            reports.append(FileReport(pin.path, "missing", pin.git_blob, None, pin.size, None))
            continue
        got = git_blob_id(path)
        state: FileState = "ok" if got == pin.git_blob else "differs"
        size = path.stat().st_size
        reports.append(FileReport(pin.path, state, pin.git_blob, got, pin.size, size))
    return reports
