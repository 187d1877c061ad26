"""Raw files in an outer folder of any name, in an archive or on disk: they are found there."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import dialogue_builders
from dialogue_builders.errors import RawFileError

SHA = "0f" * 20


@pytest.fixture(params=["topical_chat", "diamante"])
def corpus(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def raw(corpus: str, tmp_path: Path) -> Path:
    written = dialogue_builders.write_sample(corpus, tmp_path / "sample")
    # Diamante's own archive has an outer folder, which is no part of the sample's layout here.
    inner = written / "luge_Diamante"
    return inner if inner.is_dir() else written


def files_of(raw: Path) -> dict[str, bytes]:
    paths = (path for path in raw.rglob("*") if path.is_file())
    return {path.relative_to(raw).as_posix(): path.read_bytes() for path in paths}


def zipped(raw: Path, at: Path, outer: str) -> Path:
    """As GitHub's "Download ZIP": entries for folders, and files of the repository beside them."""
    with zipfile.ZipFile(at / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = SHA.encode()
        archive.writestr(f"{outer}/", b"")
        archive.writestr(f"{outer}/README.md", b"# A repository\n")
        archive.writestr(f"{outer}/.github/workflows/test.yml", b"on: push\n")
        for name, content in files_of(raw).items():
            archive.writestr(f"{outer}/{name}", content)
    return at / "a.zip"


def tarred(raw: Path, at: Path, outer: str) -> Path:
    """As GitHub's tar.gz: the commit stands in a global header."""
    headers = {"comment": SHA}
    with tarfile.open(
        at / "a.tar.gz", "w:gz", format=tarfile.PAX_FORMAT, pax_headers=headers
    ) as archive:
        for name, content in files_of(raw).items():
            member = tarfile.TarInfo(f"{outer}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return at / "a.tar.gz"


def copied(raw: Path, at: Path, outer: str) -> Path:
    shutil.copytree(raw, at / "parent" / outer)
    return at / "parent"


def beside_others(raw: Path, at: Path, outer: str) -> Path:
    """The folder that a clone lies in, with other things in it."""
    parent = copied(raw, at, outer)
    (parent / ".cache").mkdir()
    (parent / "papers").mkdir()
    (parent / "papers" / "notes.txt").write_text("to read\n")
    (parent / "todo.md").write_text("read\n")
    return parent


PLACES: dict[str, Callable[[Path, Path], Path]] = {
    "Download ZIP": lambda raw, at: zipped(raw, at, "Topical-Chat-master"),
    "tar.gz of a commit": lambda raw, at: tarred(raw, at, f"Topical-Chat-{SHA}"),
    "zip, a name with blanks": lambda raw, at: zipped(raw, at, "new folder (2)"),
    "zip in a folder of its name": lambda raw, at: zipped(raw, at, "archive/Topical-Chat-master"),
    "the clone's parent": lambda raw, at: copied(raw, at, "Topical-Chat"),
    "two folders up": lambda raw, at: copied(raw, at, "data/Topical-Chat"),
    "beside others": lambda raw, at: beside_others(raw, at, "clone"),
}


def build(corpus: str, data_dir: Path, out: Path) -> Any:
    return dialogue_builders.build(corpus, out, data_dir=data_dir, configs=["conversations"])


@pytest.mark.parametrize("place", PLACES)
def test_the_same_rows_from_an_outer_folder(
    corpus: str, raw: Path, place: str, tmp_path: Path
) -> None:
    build(corpus, raw, tmp_path / "plain")
    build(corpus, PLACES[place](raw, tmp_path), tmp_path / "outer")
    names = sorted(path.name for path in (tmp_path / "plain/conversations/data").iterdir())
    assert names
    for name in names:
        plain, outer = (
            pq.read_table(tmp_path / each / "conversations/data" / name)
            for each in ("plain", "outer")
        )
        assert plain.equals(outer)


def test_two_clones_in_one_folder_are_named(corpus: str, raw: Path, tmp_path: Path) -> None:
    parent = copied(raw, tmp_path, "one")
    shutil.copytree(raw, parent / "two")
    with pytest.raises(RawFileError, match="several folders in .* hold raw files: one, two"):
        build(corpus, parent, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_upstreams_layout_is_not_entered(tmp_path: Path) -> None:
    """Its only folder is a part of the layout, whatever lies in that."""
    raw = dialogue_builders.write_sample("topical_chat", tmp_path / "sample")
    for path in raw.iterdir():
        if path.name != "conversations":
            shutil.rmtree(path)
    decoy = raw / "conversations" / "other" / "conversations"
    decoy.mkdir(parents=True)
    (decoy / "train.json").write_text(json.dumps({"t_other": {}}))
    assert build("topical_chat", raw, tmp_path / "out").folder.is_dir()


def test_a_folder_without_raw_files_is_told_as_before(corpus: str, tmp_path: Path) -> None:
    (tmp_path / "empty" / "a" / "b").mkdir(parents=True)
    with pytest.raises(RawFileError, match="the raw folder lacks"):
        build(corpus, tmp_path / "empty", tmp_path / "out")


def test_a_download_does_not_look_into_other_folders(tmp_path: Path) -> None:
    """A clone of another release beside the target is not in its way."""
    from dialogue_builders.raw.folder import RawFolder
    from topical_chat.corpus import CORPUS

    raw = dialogue_builders.write_sample("topical_chat", tmp_path / "parent" / "clone")
    assert RawFolder.open(CORPUS, tmp_path / "parent").listing.folder == raw
    around = RawFolder.open(CORPUS, tmp_path / "parent", enter=False)
    assert around.listing.folder == tmp_path / "parent"
