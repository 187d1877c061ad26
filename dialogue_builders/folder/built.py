"""A built folder, read back: what its files hold and what its card says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dialogue_builders.errors import DialogueBuildersError, FolderError
from dialogue_builders.folder.layout import CARD_NAME, DATA_FOLDER, parse_shard_path
from dialogue_builders.folder.provenance import Provenance, parse_provenance
from dialogue_builders.folder.restrictions import restrictions_of
from dialogue_builders.hashing import file_sha256
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import find_corpus

POINTER_START = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class ShardFile:
    """One Parquet file.

    Attributes:
        path: within the folder.
        rows: how many.
        size: bytes on disk.
        data_bytes: bytes of its columns before compression, as its footer states them.
        sha256: of the file, in hexadecimal.
    """

    path: str
    rows: int
    size: int
    data_bytes: int
    sha256: str


@dataclass(frozen=True)
class BuiltFolder:
    """A built folder and the facts about its files.

    Attributes:
        path: where it lies.
        corpus: what it holds.
        provenance: where its rows come from.
        files: view → split → its shards, in the corpus's order.
        older: the paths of the shards that lie where older versions laid them. Of a view that has
            both, `files` holds none of these.
    """

    path: Path
    corpus: Corpus
    provenance: Provenance
    files: Mapping[str, Mapping[str, Sequence[ShardFile]]]
    older: Sequence[str] = ()

    @property
    def is_older(self) -> bool:
        """Whether an older version made the folder: all of its shards lie where those laid them."""
        shards = (file for splits in self.files.values() for s in splits.values() for file in s)
        return all(file.path in self.older for file in shards)

    @cached_property
    def restrictions(self) -> tuple[str, ...]:
        """Why it may not simply be published: by its corpus, its card, and its rows.

        The rows count for themselves, because files may have changed since the card was written.
        Only an invented sample holds nothing of anybody, whatever it imitates.
        """
        invented = self.provenance.raw == "sample"
        found = () if invented else restrictions_of(self.path, self.corpus)
        reasons = (self.corpus.terms, *self.provenance.restricted, *found)
        return tuple(dict.fromkeys(reason for reason in reasons if reason))

    def rows(self, view: str, split: str) -> int:
        """Return the number of rows of one split of a view."""
        return sum(file.rows for file in self.files[view][split])

    def configs(self) -> dict[str, tuple[str, dict[str, str]]]:
        """Return every config that the folder can serve, aliases included.

        Returns:
            config → (view, its split names → the view's split names); an alias keeps those of its
            splits that were built, and is left out where none was.
        """
        return self._served

    # A card asks dozens of times, and neither the corpus nor the files change.
    @cached_property
    def _served(self) -> dict[str, tuple[str, dict[str, str]]]:
        served: dict[str, tuple[str, dict[str, str]]] = {}
        for name in self.corpus.config_names:
            view = self.corpus.view_of(name).name
            splits = {
                split: raw
                for split, raw in self.corpus.splits_of(name).items()
                if raw in self.files.get(view, {})
            }
            if splits:
                served[name] = (view, splits)
        return served

    @property
    def default_config(self) -> str:
        """The corpus's default config, or the first one where that was not built."""
        served = self.configs()
        return self.corpus.default if self.corpus.default in served else next(iter(served))

    def digest(self, view: str, splits: Sequence[str]) -> str:
        """Return the digest of a config's files: SHA-256 over their names and SHA-256s."""
        digest = hashlib.sha256()
        for split in splits:
            for file in self.files[view][split]:
                digest.update(f"{file.path} {file.sha256}\n".encode())
        return digest.hexdigest()

    def stray_features(self, view: str) -> list[str]:
        """Return the paths of a view's shards whose features are not those that it declares."""
        expected = self.corpus.view_of(view).features().arrow_schema
        strays = []
        for file in (file for shards in self.files[view].values() for file in shards):
            schema = pq.read_schema(self.path / file.path)
            stated = (schema.metadata or {}).get(b"huggingface")
            if not schema.equals(expected) or stated != expected.metadata[b"huggingface"]:
                strays.append(file.path)
        return strays

    @contextmanager
    def explained(self, *views: str) -> Iterator[None]:
        """Where rows can't be used, say whether they are simply those of another version.

        Raises:
            FolderError: a shard of the views (of all, where none is named) has other features.
        """
        try:
            yield
        except (DialogueBuildersError, OSError):
            raise
        except Exception as error:
            for view in views or self.files:
                for path in self.stray_features(view):
                    raise FolderError(
                        f"has other features than the config {view} declares: another version of "
                        "the program made it",
                        file=path,
                        next_step="build the folder again",
                    ) from error
            raise

    def read(
        self, view: str, split: str, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one split of a view, in order, a row group at a time."""
        for file in self.files[view][split]:
            yield from self.read_file(file, columns)

    def read_file(
        self, file: ShardFile, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one shard; `columns` are Parquet paths, None for all."""
        with pq.ParquetFile(self.path / file.path) as parquet:
            yield from parquet.iter_batches(batch_size=4096, columns=columns)


def read_card(folder: Path) -> str:
    """Return the text of a folder's card.

    Raises:
        FolderError: there is no folder, or it has no card.
    """
    if not folder.is_dir():
        raise FolderError(f"there is no folder {str(folder)!r}", next_step="check the path")
    try:
        return (folder / CARD_NAME).read_text("utf-8")
    except FileNotFoundError:
        raise FolderError(
            f"{str(folder)!r} is not a built folder: it has no {CARD_NAME}",
            next_step="give the folder that `build … --out` made",
        ) from None


def is_built_folder(folder: Path) -> bool:
    """Whether a folder was made by a build."""
    card = folder / CARD_NAME
    return card.is_file() and parse_provenance(card.read_text("utf-8", "replace")) is not None


def open_built_folder(folder: str | Path) -> BuiltFolder:
    """Open a built folder and measure its files.

    Raises:
        FolderError: it is none, it holds no data, or one of its Parquet files can't be read.
    """
    path = Path(folder).expanduser()
    provenance = parse_provenance(read_card(path))
    if provenance is None:
        raise FolderError(
            f"{str(folder)!r} was not made by a build: its card says nothing of its origin",
            next_step="give the folder that `build … --out` made",
        )
    corpus = find_corpus(provenance.dataset).of_release(provenance.release)
    built = measure_folder(path, corpus, provenance)
    if not built.configs():
        raise FolderError(
            f"{str(folder)!r} has a card and no data: there is no file such as "
            f"{built.corpus.default}/{DATA_FOLDER}/{built.corpus.splits[0]}-00000-of-00001.parquet",
            next_step="build the folder again, or fetch it whole",
        )
    return built


def measure_folder(path: Path, corpus: Corpus, provenance: Provenance) -> BuiltFolder:
    """List and measure all shards of a folder, in the corpus's order of views and splits."""
    files: dict[str, dict[str, list[ShardFile]]] = {}
    older: list[str] = []
    for view in corpus.views:
        shards = _list_shards(path / view.name / DATA_FOLDER, path, corpus)
        of_older_versions = _list_shards(path / view.name, path, corpus)
        older.extend(file for split in of_older_versions.values() for file in split)
        found = shards or of_older_versions
        if found:
            files[view.name] = {
                split: [measure_file(path / file, path) for file in found[split]]
                for split in corpus.splits_of(view.name)
                if split in found
            }
    return BuiltFolder(path, corpus, provenance, files, tuple(older))


def _list_shards(place: Path, folder: Path, corpus: Corpus) -> dict[str, list[str]]:
    """List the paths of the shards in one place, in order: split → shards."""
    by_split: dict[str, list[str]] = {}
    for file in sorted(place.glob("*.parquet")):
        path = file.relative_to(folder).as_posix()
        shard = parse_shard_path(path, corpus)
        if shard is not None:
            by_split.setdefault(shard.split, []).append(path)
    return by_split


def is_pointer(file: Path) -> bool:
    """Whether a file is what a clone without Git LFS has in place of a large one."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(len(POINTER_START)) == POINTER_START


def measure_file(file: Path, folder: Path) -> ShardFile:
    """Measure one Parquet file by its footer and its content's digest.

    Raises:
        FolderError: it can't be read.
    """
    name = file.relative_to(folder).as_posix()
    try:
        footer = pq.read_metadata(file)
    except (pa.ArrowInvalid, OSError) as error:
        if is_pointer(file):
            raise FolderError(
                "is only a pointer of Git LFS: the file itself was not fetched",
                file=name,
                next_step="run `git lfs pull` in the folder, or fetch it with `hf download`",
            ) from error
        raise FolderError(
            f"is not a readable Parquet file: {error}",
            file=name,
            next_step="build the folder again",
        ) from error
    groups = range(footer.num_row_groups)
    data_bytes = sum(footer.row_group(group).total_byte_size for group in groups)
    return ShardFile(name, footer.num_rows, file.stat().st_size, data_bytes, file_sha256(file))
