"""Archives and packed files that grow without end: refused before they fill a disk or the memory.

A real packed file stays far inside of the bounds.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import shutil
import tarfile
import tempfile
import zipfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diamante_raw import write_sample

from dialogue_builders import build
from dialogue_builders.errors import RawFileError
from dialogue_builders.raw import archives, unpacking

MIB = 1 << 20
NAME = "train.txt"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where things are unpacked, so that it can be seen how much."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def zip_of(size: int, at: Path) -> Path:
    with zipfile.ZipFile(at / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(NAME, bytes(size))
    return at / "a.zip"


def tar_of(size: int, at: Path, mode: Any) -> Path:
    with tarfile.open(at / "a.tar", mode) as archive:
        member = tarfile.TarInfo(NAME)
        member.size = size
        archive.addfile(member, io.BytesIO(bytes(size)))
    return at / "a.tar"


BOMBS: dict[str, Callable[[int, Path], Path]] = {
    "zip": zip_of,
    "tar.gz": lambda size, at: tar_of(size, at, "w:gz"),
    "tar.xz": lambda size, at: tar_of(size, at, "w:xz"),
    "tar.bz2": lambda size, at: tar_of(size, at, "w:bz2"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_an_archive_that_grows_without_end(kind: str, temporary: Path, tmp_path: Path) -> None:
    bomb = BOMBS[kind](64 * MIB, tmp_path)
    with pytest.raises(RawFileError, match=r"grows from .* to at least 67,108,864 bytes") as caught:
        build("diamante", tmp_path / "out", data_dir=bomb)
    assert caught.value.file == bomb.name
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("members", [1, 3])
def test_a_gzip_file_that_grows_without_end(
    members: int, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its last part says that it is small: what counts is what comes out."""
    raw = write_sample(tmp_path / "raw")
    content = b"".join(gzip.compress(bytes(64 * MIB)) for _ in range(members)) + gzip.compress(b"x")
    (raw / NAME).unlink()
    (raw / f"{NAME}.gz").write_bytes(content)
    written: list[int] = []

    def watch(unpacked: int, packed: int, name: str) -> None:
        written.append(unpacked)
        unpacking.require_bounded(unpacked, packed, name)

    monkeypatch.setattr("dialogue_builders.raw.files.require_bounded", watch)
    with pytest.raises(RawFileError, match="grows from") as caught:
        build("diamante", tmp_path / "out", data_dir=raw)
    assert caught.value.file == f"{NAME}.gz"
    assert max(written) <= max(200 * len(content), 16 * MIB) + 2 * MIB


def test_the_bound_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that is hardly packed is bounded too."""
    monkeypatch.setattr(unpacking, "ALWAYS_ALLOWED_BYTES", 0)
    monkeypatch.setattr(unpacking, "LARGEST_BYTES", 1000)
    raw = write_sample(tmp_path / "raw")
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", raw))
    with pytest.raises(RawFileError, match="grows from"):
        build("diamante", tmp_path / "out", data_dir=packed)


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    packed = Path(shutil.make_archive(str(tmp_path / "p"), "zip", write_sample(tmp_path / "raw")))
    with pytest.raises(RawFileError, match="holds more than 2 files"):
        build("diamante", tmp_path / "out", data_dir=packed)


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_name_that_would_fill_the_memory(kind: bytes, tmp_path: Path) -> None:
    header = tarfile.TarInfo("long")
    header.type, header.size = kind, 64 * MIB
    content = header.tobuf(tarfile.GNU_FORMAT) + bytes(64 * MIB)
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(RawFileError, match="a name or comment of 67,108,864 bytes"):
        build("diamante", tmp_path / "out", data_dir=path)


@pytest.mark.parametrize("kind", ["zip", "gz"])
def test_the_space_is_asked_for_first(
    kind: str, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = write_sample(tmp_path / "raw")
    if kind == "zip":
        raw = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", raw))
    else:
        (raw / f"{NAME}.gz").write_bytes(gzip.compress((raw / NAME).read_bytes()))
        (raw / NAME).unlink()
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10_000, 9_000, 1_000))
    with pytest.raises(RawFileError, match=r"takes [\d,]+ bytes .* has 1,000 left") as caught:
        build("diamante", tmp_path / "out", data_dir=raw)
    assert "TMPDIR" in (caught.value.next_step or "")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_real_files_are_far_from_the_bounds(pack: Any, real_data: Path) -> None:
    for path in sorted((real_data / "conversations").glob("*.json")):
        content = path.read_bytes()
        assert len(content) / len(pack(content)) < unpacking.LARGEST_RATIO / 10
        tight = json.dumps(json.loads(content)).encode()
        assert len(tight) / len(pack(tight)) < unpacking.LARGEST_RATIO / 10
