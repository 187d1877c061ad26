"""What in a built folder may not be published, told by its rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dialogue_builders.folder.inventory import list_files
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.restriction import Restriction
from dialogue_builders.spec.view import View


def restrictions_of(folder: Path, corpus: Corpus) -> tuple[str, ...]:
    """Look at a folder's rows for what its corpus declares as restricted.

    Args:
        folder: its Parquet files are read, wherever below a config's folder they lie.
        corpus: it says which content is restricted.

    Returns:
        one reason for each kind of restricted content that was found, sorted.
    """
    found = {
        restriction.reason
        for view in corpus.views
        for restriction in view.restrictions
        if any(restriction.is_held(rows) for rows in _rows(folder, corpus, view, restriction))
    }
    return tuple(sorted(found))


def _rows(
    folder: Path, corpus: Corpus, view: View, restriction: Restriction
) -> Iterator[pa.RecordBatch]:
    for name in list_files(folder, corpus):
        if not (name.startswith(f"{view.name}/") and name.endswith(".parquet")):
            continue
        with pq.ParquetFile(folder / name) as parquet:
            yield from parquet.iter_batches(columns=list(restriction.columns))
