"""An output folder that is whole or absent: written beside its place, synced, then put there.

Whatever a killed build leaves behind is swept by the next one. A living build holds a lock on its
temporary folder, so that only the dead are swept.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dialogue_builders.errors import FolderError
from dialogue_builders.folder.inventory import LICENSE_NAMES

RENAME_EXCHANGE = 2  # Linux: <linux/fs.h>


@contextmanager
def staged_folder(out: Path, *, overwrite: bool, is_ours: Callable[[Path], bool]) -> Iterator[Path]:
    """Give a temporary folder that becomes `out` when the block ends without an error.

    Args:
        out: the final place; its parent is made where it is missing.
        overwrite: whether a built folder that is already there may be replaced.
        is_ours: tells a built folder from somebody's other files.

    Raises:
        FolderError: the place is taken, can't be written, or the disk is full.
    """
    out = Path(os.path.abspath(out.expanduser()))
    with explain_os_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with locked(out.parent, wait=True):
            recover(out)
            remove_leftovers(out)
            require_free(out, overwrite=overwrite, is_ours=is_ours)
            temporary = out.parent / f".{out.name}.building-{secrets.token_hex(4)}"
            temporary.mkdir()
            handle = lock(temporary, wait=False)
    try:
        with explain_os_errors(out):
            yield temporary
            sync_tree(temporary)
            publish(temporary, out, overwrite=overwrite)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if handle is not None:
            os.close(handle)


@contextmanager
def explain_os_errors(out: Path) -> Iterator[None]:
    """Turn the operating system's errors about the output into errors that say what to do.

    Raises:
        FolderError: the output can't be written.
    """
    try:
        yield
    except OSError as error:
        advice = {
            errno.ENOSPC: ("there is no space left", "free some space, or choose another disk"),
            errno.EDQUOT: ("the disk quota is used up", "free some space, or choose another disk"),
            errno.EACCES: ("the folder can't be written", "choose a folder that you may write"),
            errno.EPERM: ("the folder can't be written", "choose a folder that you may write"),
            errno.EROFS: ("the file system is read-only", "choose another place"),
            errno.EFBIG: ("a file grew too large for this place", "choose another disk"),
            errno.EEXIST: ("a part of the path is a file", "choose another path"),
            errno.ENOTDIR: ("a part of the path is a file", "choose another path"),
            errno.EBUSY: ("it is a mount point", "give a folder inside of it"),
            errno.EXDEV: ("it is a mount point", "give a folder inside of it"),
        }
        if error.errno is None:
            raise
        unusual = (f"the system says {error.strerror!r}", "choose another place")
        problem, step = advice.get(error.errno, unusual)
        raise FolderError(f"cannot write {str(out)!r}: {problem}", next_step=step) from error


def require_free(out: Path, *, overwrite: bool, is_ours: Callable[[Path], bool]) -> None:
    """Raise a FolderError where something is at the output's place that may not be replaced."""
    if not os.path.lexists(out):
        return
    if not out.is_dir():
        raise FolderError(f"{str(out)!r} is a file", next_step="choose another path")
    if os.path.ismount(out):
        raise FolderError(
            f"{str(out)!r} is a mount point, which can't be put in place as a whole",
            next_step="give a folder inside of it",
        )
    if not any(out.iterdir()):
        return
    if not is_ours(out):
        raise FolderError(
            f"{str(out)!r} holds files that no build made; they are not touched",
            next_step="choose another path, or empty the folder yourself",
        )
    if not overwrite:
        raise FolderError(
            f"{str(out)!r} exists already", next_step="choose another path, or add --overwrite"
        )


def publish(temporary: Path, out: Path, *, overwrite: bool) -> None:
    """Make the finished folder appear under its name, in one step where the system can.

    Raises:
        FolderError: somebody else's folder is at its place.
    """
    with locked(out.parent, wait=True):
        if out.is_symlink():
            out = out.resolve()
        if not out.exists() or not any(out.iterdir()):
            os.rename(temporary, out)
        elif not overwrite:
            raise FolderError(
                f"{str(out)!r} was made by somebody else in the meantime",
                next_step="choose another path, or add --overwrite",
            )
        else:
            keep_license(out, temporary)
            replace_folder(temporary, out)
        sync(out.parent)


def keep_license(replaced: Path, new: Path) -> None:
    """Take the licence file that somebody has added along into the folder that replaces it."""
    for name in LICENSE_NAMES:
        if (replaced / name).is_file():
            shutil.copy2(replaced / name, new / name)
            sync(new / name)
    sync(new)


def replace_folder(temporary: Path, out: Path) -> None:
    """Put a folder in the place of another one, which is removed where that takes two steps."""
    if not exchange(temporary, out):
        # Between these two renames nothing is at the path; `recover` mends it after a crash.
        replaced = out.parent / f".{out.name}.replaced-{secrets.token_hex(4)}"
        os.rename(out, replaced)
        os.rename(temporary, out)
        shutil.rmtree(replaced)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False where the system or file system can't."""
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return False
    here = -100  # AT_FDCWD: paths are taken as they are
    return bool(function(here, os.fsencode(first), here, os.fsencode(second), RENAME_EXCHANGE) == 0)


def recover(out: Path) -> None:
    """Bring back a folder whose replacement was interrupted between two renames."""
    if not os.path.lexists(out):
        for replaced in out.parent.glob(f".{glob_escape(out.name)}.replaced-*"):
            os.rename(replaced, out)
            return


def remove_leftovers(out: Path) -> None:
    """Remove what killed builds of the same output left behind; living builds are left alone."""
    name = glob_escape(out.name)
    for pattern in (f".{name}.building-*", f".{name}.replaced-*"):
        for leftover in out.parent.glob(pattern):
            handle = lock(leftover, wait=False)
            if handle is not None:
                shutil.rmtree(leftover, ignore_errors=True)
                os.close(handle)


def glob_escape(name: str) -> str:
    """Escape a folder's name for use inside a glob pattern."""
    import glob

    return glob.escape(name)


def lock(folder: Path, *, wait: bool) -> int | None:
    """Lock a folder; return its handle, or None where another process holds it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        return None
    return handle


@contextmanager
def locked(folder: Path, *, wait: bool) -> Iterator[None]:
    """Hold a folder's lock, so that two builds do not sweep or rename at the same moment."""
    handle = lock(folder, wait=wait)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def sync(path: Path) -> None:
    """Make sure that a file's or folder's content is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # file systems without syncing of folders
            raise
    finally:
        os.close(handle)


def sync_tree(folder: Path) -> None:
    """Sync every file and folder below `folder`."""
    for root, _, files in os.walk(folder):
        for name in files:
            sync(Path(root, name))
        sync(Path(root))
