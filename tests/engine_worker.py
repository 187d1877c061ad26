"""Run an engine's snippet of docs/recipes/read_with_engines.md on many folders, and save the rows.

`python engine_worker.py JOB.json`, where the job holds the engine's name, its snippet, and for each
reading a folder, a split and the file for the answer. It is a process of its own because engines
don't bear each other: each brings threads, allocators and signal handlers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = "demo/topical_chat/utterances/data"
SPLIT = "train-"


def plain(value: Any) -> Any:
    """Return an engine's value as JSON has it: lists, dicts, and null for what is absent."""
    import numpy
    import pandas

    if isinstance(value, (list, tuple, numpy.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if value is None or value is pandas.NA or (isinstance(value, float) and value != value):
        return None
    return value.item() if isinstance(value, numpy.generic) else value


def rows_of(engine: str, found: Any) -> list[Any]:
    """Return as dicts what an engine calls its rows."""
    if engine == "DuckDB":
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    if engine == "Dask":
        found = found.compute()
    if engine in ("pandas", "Dask"):
        return list(found.to_dict("records"))
    if engine == "Spark":
        return [row.asDict(recursive=True) for row in found.collect()]
    if engine == "Ray Data":
        return list(found.take_all())
    if engine == "Polars":
        return list(found.to_dicts())
    return list(found.to_pylist())


def main(job_file: str) -> None:
    """Do every reading of a job."""
    job = json.loads(Path(job_file).read_text("utf-8"))
    for reading in job["readings"]:
        code = job["code"].replace(FOLDER, reading["folder"])
        names: dict[str, Any] = {}
        exec(code.replace(SPLIT, f"{reading['split']}-"), names)
        answer = {
            "everything": plain(rows_of(job["engine"], names["everything"])),
            "split": plain(rows_of(job["engine"], names["train"])),
        }
        Path(reading["answer"]).write_text(json.dumps(answer), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
