"""The library's cache, where it can't be written."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from dialogue_builders.errors import FolderError

NOT_WRITABLE = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT}
)


@contextmanager
def named_cache_faults() -> Iterator[None]:
    """Turn the library's failure to write its cache into a FolderError that names the place.

    It makes the cache's folder even for a stream, which puts nothing there: so a home that is
    read-only matters to every way of loading.

    Raises:
        FolderError: the cache can't be written.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in NOT_WRITABLE or error.filename is None:
            raise
        raise FolderError(
            f"the cache of `datasets` can't be written: {error.strerror}",
            file=str(error.filename),
            next_step="set HF_HOME (or HF_DATASETS_CACHE, or cache_dir=) to a folder that can be "
            "written",
        ) from error
