"""The optional Xet lane: uploads that the real `hf_xet` client writes into a local folder.

`hf_xet` takes a `local:///folder` address for its content store and then speaks no HTTP to it.
It leaves two kinds of files there: xorbs with the data, and shards, which say what a file is made
of. A commit names a large file by its SHA-256 only, so the shards are read here to find the Xet
hash that belongs to it, and `hf_xet` itself puts the file together again. The `local:` address is
not documented; where it stops working, this lane does, and nothing else.

Run as a script, this module downloads files from a store: in a process of its own, because
`hf_xet` writes logs into the home that its process has, and a test must not touch the user's.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHARD_HEADER_BYTES = 48
RECORD_BYTES = 48
END_OF_FILES = b"\xff" * 32
HAS_VERIFICATION = 1 << 31
HAS_SHA256 = 1 << 30


def xet_available() -> bool:
    """Tell whether the `hf_xet` package is installed."""
    return importlib.util.find_spec("hf_xet") is not None


@dataclass(frozen=True)
class XetFile:
    """What a shard says about one file."""

    xet_hash: str
    sha256: str
    size: int


class XetStore:
    """A folder that Xet clients upload into, and from which files are rebuilt."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._contents: dict[str, bytes] = {}

    @property
    def address(self) -> str:
        """The store's address, as the clients are told it."""
        return f"local://{self.folder}"

    def read(self, sha256: str) -> bytes | None:
        """Give the uploaded file with this SHA-256; None where nobody has uploaded it.

        What is new in the store is rebuilt all at once: a commit asks for many files in a row.
        """
        if sha256 not in self._contents:
            uploaded = {file.sha256: file for file in self._files()}
            self._rebuild([uploaded[each] for each in uploaded.keys() - self._contents.keys()])
        return self._contents.get(sha256)

    def _files(self) -> Iterator[XetFile]:
        for shard in sorted(self.folder.glob("xet/xorbs/shards/*.mdb")):
            yield from files_in_shard(shard.read_bytes())

    def _rebuild(self, files: list[XetFile]) -> None:
        """Download from a copy: the store's index is locked while its uploader lives."""
        if not files:
            return
        with tempfile.TemporaryDirectory() as scratch:
            copy, target = Path(scratch, "store"), Path(scratch, "files")
            shutil.copytree(self.folder, copy)
            target.mkdir()
            wanted = [f"{file.xet_hash}:{file.size}" for file in files]
            environment = {**os.environ, "HF_HOME": str(Path(scratch, "home"))}
            command = [sys.executable, __file__, str(copy), str(target), *wanted]
            subprocess.run(command, env=environment, check=True)
            for file in files:
                self._contents[file.sha256] = (target / file.xet_hash).read_bytes()


def files_in_shard(shard: bytes) -> Iterator[XetFile]:
    """Walk the file section of a shard, which is made of records of 48 bytes.

    A file is: a header (hash, flags, number of segments), its segments (with their length), as
    many verification records where the flags say so, and a record with the SHA-256 likewise.
    """
    position = SHARD_HEADER_BYTES
    while not shard.startswith(END_OF_FILES, position):
        xet_hash = _hash_at(shard, position)
        flags, segments = struct.unpack_from("<II", shard, position + 32)
        position += RECORD_BYTES
        size = 0
        for _ in range(segments):
            size += struct.unpack_from("<I", shard, position + 36)[0]
            position += RECORD_BYTES
        if flags & HAS_VERIFICATION:
            position += segments * RECORD_BYTES
        if flags & HAS_SHA256:
            yield XetFile(xet_hash, _hash_at(shard, position), size)
            position += RECORD_BYTES


def _hash_at(shard: bytes, position: int) -> str:
    """Read a hash: four 64-bit numbers, little-endian, that are written out as hexadecimal."""
    return "".join(f"{part:016x}" for part in struct.unpack_from("<4Q", shard, position))


def download(store: str, target: str, wanted: list[str]) -> None:
    """Download files, each named as `hash:size`, and call them by their hash."""
    hf_xet = importlib.import_module("hf_xet")
    with hf_xet.XetSession().new_file_download_group(endpoint=f"local://{store}") as group:
        for each in wanted:
            xet_hash, _, size = each.partition(":")
            file = hf_xet.XetFileInfo(xet_hash, int(size))
            group.start_download_file(file, str(Path(target, xet_hash)))


if __name__ == "__main__":
    download(sys.argv[1], sys.argv[2], sys.argv[3:])
