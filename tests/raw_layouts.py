"""Ways to write the same records, as people have them on disk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Records = dict[str, Any]

LAYOUTS: dict[str, Callable[[Records], bytes]] = {
    "indented object": lambda records: json.dumps(records, indent=2).encode(),
    "object, four spaces": lambda records: json.dumps(records, indent=4).encode(),
    "object, tabs": lambda records: json.dumps(records, indent="\t").encode(),
    # Every key at the margin: the places between records can't be told by their indentation.
    "object, no indentation": lambda records: json.dumps(records, indent=0).encode(),
    "object on one line": lambda records: json.dumps(records).encode(),
    "object on one line, ended": lambda records: json.dumps(records).encode() + b"\n",
    "object, a record per line": lambda records: (
        b"{"
        + b",\n ".join(
            json.dumps(k).encode() + b": " + json.dumps(r).encode() for k, r in records.items()
        )
        + b"}"
    ),
    "object, CRLF": lambda records: json.dumps(records, indent=2).replace("\n", "\r\n").encode(),
    "object, byte order mark": lambda records: (
        b"\xef\xbb\xbf" + json.dumps(records, indent=2).encode()
    ),
    "object, unescaped": lambda records: json.dumps(records, indent=2, ensure_ascii=False).encode(),
    "pair lines": lambda records: b"".join(
        json.dumps([k, r]).encode() + b"\n" for k, r in records.items()
    ),
    "pair lines, not ended": lambda records: b"\n".join(
        json.dumps([k, r]).encode() for k, r in records.items()
    ),
    "pair lines, CRLF and blank lines": lambda records: b"".join(
        json.dumps([k, r]).encode() + b"\r\n\r\n" for k, r in records.items()
    ),
    "single lines": lambda records: b"".join(
        json.dumps({k: r}).encode() + b"\n" for k, r in records.items()
    ),
    "lines with their ids inside": lambda records: b"".join(
        json.dumps({"conversation_id": k, **r}).encode() + b"\n" for k, r in records.items()
    ),
    "lines with their ids at the end": lambda records: b"".join(
        json.dumps({**r, "conversation_id": k}).encode() + b"\r\n" for k, r in records.items()
    ),
    "single lines, byte order mark": lambda records: (
        b"\xef\xbb\xbf" + b"".join(json.dumps({k: r}).encode() + b"\n" for k, r in records.items())
    ),
}
LAYOUTS |= {
    f"{name}, gzipped": lambda records, write=write: gzip.compress(write(records))  # type: ignore[misc]
    for name, write in list(LAYOUTS.items())
}


def read_records(raw: Path, split: str) -> Records:
    """Read the records of a split that lies in upstream's layout."""
    records: Records = json.loads((raw / "conversations" / f"{split}.json").read_bytes())
    return records


def write_split(
    folder: Path, split: str, content: bytes, name: str = "conversations/{}.json"
) -> Path:
    """Write one split's raw file and return its path."""
    path = folder / name.format(split)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
