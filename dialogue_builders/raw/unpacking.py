"""How much an archive or a packed file may grow while it is unpacked.

A few kilobytes can stand for any number of gigabytes, so that what is unpacked is bounded: by its
size in proportion to the packed file, in all, and by the space that there is.
"""

from __future__ import annotations

import shutil
import tempfile

from dialogue_builders.errors import RawFileError

# Small files may be packed as densely as they like: they do no harm.
ALWAYS_ALLOWED_BYTES = 1 << 24
# The corpora's conversations are packed to about a tenth of their size by the best of the common
# programs, their reading sets, which repeat themselves, to a fortieth. Zeros grow a thousandfold.
LARGEST_RATIO = 200
# Everything that any of the corpora ever published takes less than one gigabyte.
LARGEST_BYTES = 1 << 33


def require_bounded(unpacked: int, packed: int, name: str) -> None:
    """Raise a RawFileError where a file grows to more than raw files do.

    Args:
        unpacked: bytes, as far as they are known.
        packed: bytes of the packed file.
        name: the packed file.
    """
    ratio = unpacked / max(packed, 1)
    if unpacked <= ALWAYS_ALLOWED_BYTES or (ratio <= LARGEST_RATIO and unpacked <= LARGEST_BYTES):
        return
    raise RawFileError(
        f"grows from {packed:,} to at least {unpacked:,} bytes when it is unpacked, which no raw "
        "file does; it was not unpacked any further",
        file=name,
        next_step="fetch it again from its source, or unpack it yourself and look at it",
    )


def require_space(unpacked: int, name: str) -> None:
    """Raise a RawFileError where the temporary folder lacks the space for so many bytes."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if unpacked > free:
        raise RawFileError(
            f"takes {unpacked:,} bytes when it is unpacked, and {folder!r} has {free:,} left",
            file=name,
            next_step="free some space, set TMPDIR, or unpack it yourself",
        )
