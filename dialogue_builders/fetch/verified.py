"""Files that take their names only when they are the pinned ones.

A file is fetched into `<name>.part`. Only when its Git blob id is the pinned one does it take its
name, in one step; so a raw folder never holds a file that is half there or wrong.
"""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread

from dialogue_builders.errors import DownloadError, FolderError
from dialogue_builders.fetch.http import StoppedError, UnreachableError, fetch
from dialogue_builders.hashing import git_blob_id
from dialogue_builders.progress import Progress
from dialogue_builders.retry import RetryPolicy
from dialogue_builders.spec.source import Pin

CONNECTIONS = 4
# Of a file whose size is not pinned. The largest one known has some 80 MB.
LARGEST_UNKNOWN_BYTES = 1 << 29


def fetch_all(
    pins: Sequence[Pin],
    bases: Mapping[Pin, str],
    folder: Path,
    progress: Progress,
    policy: RetryPolicy,
    *,
    mirrored: bool,
) -> None:
    """Fetch files in parallel; a fault of one file does not keep the others from arriving.

    Args:
        bases: the address below which the path of each lies, with a slash at its end.
        folder: where they are to lie, by the same paths.
        mirrored: whether the user named the address; errors advise accordingly.

    Raises:
        DownloadError: files that can't be fetched, or are not the pinned ones.
        FolderError: the folder can't be written.
    """
    done, stopped, lock = 0, Event(), Lock()

    def received(pin: Pin, size: int) -> None:
        with lock:
            progress(f"{pin.path} {size / 1e6:.1f} MB", done, len(pins))

    tasks = [
        partial(
            _fetch_verified,
            pin,
            bases[pin],
            folder,
            policy,
            partial(received, pin),
            stopped,
            mirrored=mirrored,
        )
        for pin in pins
    ]
    faults: list[DownloadError] = []
    try:
        for fault in _run(tasks, CONNECTIONS):
            with lock:
                done += 1
                progress("downloading", done, len(pins))
            if isinstance(fault, DownloadError) and not isinstance(fault, UnreachableError):
                faults.append(fault)
            elif fault is not None:
                raise fault
    finally:
        stopped.set()
    if len(faults) > 1:
        faults[0].problem += f" (and {len(faults) - 1} more of {len(pins)} files have a fault)"
    if faults:
        raise faults[0]


def _run(tasks: Sequence[Callable[[], None]], threads: int) -> Iterator[BaseException | None]:
    """Run tasks in threads and yield the fault of each, or None, as they end.

    The threads are daemons: an interrupted program does not wait for a server that says nothing.
    """
    waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
    ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def work() -> None:
        while (task := waiting.get()) is not None:
            try:
                task()
                ended.put(None)
            except BaseException as fault:
                ended.put(fault)

    for task in (*tasks, *[None] * threads):
        waiting.put(task)
    for _ in range(threads):
        Thread(target=work, daemon=True).start()
    for _ in tasks:
        yield ended.get()


def _fetch_verified(
    pin: Pin,
    base: str,
    folder: Path,
    policy: RetryPolicy,
    received: Callable[[int], None],
    stopped: Event,
    *,
    mirrored: bool,
) -> None:
    """Fetch one file, and once more where it arrives as another one; then give it its name."""
    target = folder / pin.path
    part = target.with_name(f"{target.name}.part")
    _require_no_links(folder, part)
    if part.is_file() and part.stat().st_nlink > 1:
        part.unlink()  # a file that has another name too is not ours to write to
    # What an earlier run left is worth resuming only while it is shorter than the file.
    if part.is_file() and _fault(part, pin, mirrored=mirrored) is None:
        return _take_name(part, target)
    if part.is_file() and pin.size is not None and part.stat().st_size >= pin.size:
        part.unlink()
    fault: DownloadError | None = None
    for _ in range(2):
        if stopped.is_set():
            raise StoppedError
        url = base + urllib.parse.quote(pin.path)
        fetch(url, part, pin.path, policy, received, stopped, pin.size or LARGEST_UNKNOWN_BYTES)
        fault = _fault(part, pin, mirrored=mirrored)
        if fault is None:
            return _take_name(part, target)
        part.unlink()
    assert fault is not None
    raise fault


def _require_no_links(folder: Path, part: Path) -> None:
    """Raise a FolderError where something on the way to a file is a link: it may lead elsewhere."""
    inside = [part, *part.parents]
    for path in inside[: inside.index(folder)]:
        if path.is_symlink():
            raise FolderError(
                f"{str(path)!r} is a link, and a download follows none inside of its folder",
                next_step="remove the link, or choose another folder",
            )


def _take_name(part: Path, target: Path) -> None:
    try:
        os.replace(part, target)
    except OSError as error:
        raise FolderError(
            f"cannot write {str(target)!r}: {error.strerror}", next_step="remove what lies there"
        ) from error


def _fault(path: Path, pin: Pin, *, mirrored: bool) -> DownloadError | None:
    """Return what is wrong with a fetched file; None where it is the pinned one."""
    size, blob = path.stat().st_size, git_blob_id(path)
    if blob == pin.git_blob:
        return None
    expected = f"blob {pin.git_blob}" + (f" of {pin.size:,} bytes" if pin.size else "")
    cause, next_step = _likely_cause(path, size, pin, mirrored=mirrored)
    return DownloadError(
        f"is not the pinned file: expected {expected}, got blob {blob} of {size:,} bytes; {cause}",
        file=pin.path,
        next_step=next_step,
    )


def _likely_cause(path: Path, size: int, pin: Pin, *, mirrored: bool) -> tuple[str, str]:
    """Say why a file is not the pinned one, from its size, its beginning and its end.

    Where these don't tell, say what was found instead.
    """
    with path.open("rb") as file:
        head = file.read(512).lstrip()
        file.seek(max(0, size - 64))
        tail = file.read().rstrip()
    other = "try another mirror, or none" if mirrored else "try --mirror"
    if head.startswith(b"<"):
        kind = "XML, such as a server's error" if head.startswith(b"<?xml") else "an HTML page"
        return (
            f"it is {kind}: something answered in place of the file",
            "open the address in a browser to see the page; a login or a proxy may be in the way",
        )
    if head.startswith(b"version https://git-lfs"):
        return "it is a Git LFS pointer", "use a mirror that holds the files themselves"
    if size > (pin.size or LARGEST_UNKNOWN_BYTES):
        return "the answer goes on behind the file's end, and was not read any further", other
    is_json = pin.path.endswith(".json")
    if is_json and not head.startswith((b"{", b"[")):
        shown = head[:40].decode("utf-8", "replace")
        return (
            f"it is no JSON, but begins with {shown!r}" if head else "it is empty",
            f"open the address in a browser to see what answers there; {other}",
        )
    is_shorter = pin.size is None or size < pin.size
    if is_json and is_shorter and not tail.endswith((b"}", b"]")):
        return "it is a part of the file", f"run the same again; if it stays so, {other}"
    if pin.size is not None and is_shorter:
        return (
            "it is shorter than the file: a part of it, or another version",
            f"run the same again; if it stays so, {other}",
        )
    return (
        f"{'the mirror' if mirrored else 'upstream'} holds another version",
        "use a mirror of the pinned commit, or a version of this package that pins the new files",
    )
