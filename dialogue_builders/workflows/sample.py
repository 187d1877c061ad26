"""The invented samples, written as raw files, so that everything runs without any download."""

from __future__ import annotations

from pathlib import Path

from dialogue_builders.errors import FolderError
from dialogue_builders.spec.registry import find_corpus


def write_sample(name: str, folder: str | Path) -> Path:
    """Write a dataset's invented sample as a raw folder in upstream's layout.

    Args:
        name: the dataset.
        folder: where to write; files of the same names are replaced.

    Returns:
        the folder, ready to be given as `data_dir`.

    Raises:
        UnknownNameError: there is no such dataset.
        FolderError: the folder can't be written.
    """
    target = Path(folder).expanduser()
    for path, content in find_corpus(name).sample().items():
        try:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(content)
        except OSError as error:
            raise FolderError(
                f"cannot write {str(target)!r}: {error.strerror}", next_step="choose another folder"
            ) from error
    return target
