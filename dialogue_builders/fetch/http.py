"""One file over HTTP: resumed where it stopped, retried within bounds, never waited for forever.

It only moves bytes. Whether they are the right ones is not its business; see `verified`.
"""

from __future__ import annotations

import http.client
import os
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import BinaryIO

from dialogue_builders.errors import DownloadError, FolderError
from dialogue_builders.retry import RETRYABLE_STATUSES, RetryPolicy, retry_after

CHUNK_BYTES = 1 << 18
TIMEOUT_SECONDS = 30.0
"""Without a connection or a byte for so long, a try has failed."""
SLOW_SECONDS = 60.0
"""The speed is measured over so many seconds at least."""
SLOWEST_BYTES_PER_SECOND = 1024
"""With fewer bytes than that, a try has failed: the slowest modems were faster."""
RANGE_NOT_SATISFIABLE = 416
PARTIAL_CONTENT = 206

Received = Callable[[int], None]
"""Called with the number of bytes that are there, again and again."""


class UnreachableError(DownloadError):
    """No try got through to the end: most likely no other file will arrive either."""


class StoppedError(Exception):
    """The user, or another file's fault, ended the transfer."""


class _TransientError(Exception):
    """A try failed in a way that another try may mend.

    Attributes:
        wait: seconds that the server asked for; None where it said nothing.
    """

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


class Pace:
    """Watches that enough bytes arrive, for one try.

    Args:
        clock: seconds from any point in time on.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since = clock()
        self._count = 0

    def add(self, count: int) -> None:
        """Count bytes that have arrived.

        Raises:
            _TransientError: in a whole `SLOW_SECONDS` there were too few.
        """
        self._count += count
        seconds = self._clock() - self._since
        if seconds < SLOW_SECONDS:
            return
        if self._count < SLOWEST_BYTES_PER_SECOND * seconds:
            raise _TransientError(
                f"too slow: {self._count:,} bytes in {seconds:.0f} seconds, which is less than "
                f"{SLOWEST_BYTES_PER_SECOND:,} bytes a second"
            )
        self._since, self._count = self._clock(), 0


def fetch(
    url: str,
    part: Path,
    name: str,
    policy: RetryPolicy,
    received: Received,
    stopped: Event,
    longest: int,
) -> None:
    """Fetch a file into `part`, going on from what is there already.

    Proxies are those of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`); redirections
    are followed.

    Args:
        name: how errors call the file.
        received: told how many bytes are there.
        stopped: set by others to end the transfer; what is there stays.
        longest: bytes that the file may have. Where the answer has more, the transfer ends with one
            byte more than that in `part`.

    Raises:
        DownloadError: the server refuses, or all tries failed.
        FolderError: `part` can't be written.
        StoppedError: `stopped` was set.
    """
    problem = ""
    for number in range(1, policy.tries + 1):
        if stopped.is_set():
            raise StoppedError
        try:
            _fetch_rest(url, part, name, received, stopped, longest)
            return
        except _TransientError as error:
            problem = str(error)
            wait = policy.wait_after(number, error.wait)
        if number < policy.tries:
            stopped.wait(wait)
    raise UnreachableError(
        f"could not be fetched in {policy.tries} tries; the last one failed: {problem}",
        file=name,
        next_step="run the same again: it goes on where it stopped; behind a proxy, set HTTPS_PROXY"
        ", or name another base address (--mirror)",
    )


def _fetch_rest(
    url: str, part: Path, name: str, received: Received, stopped: Event, longest: int
) -> None:
    """Try once to fetch what is missing.

    Raises:
        _TransientError: another try makes sense.
    """
    received_before = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "dialogue-builders"})
    if received_before:
        request.add_header("Range", f"bytes={received_before}-")
    try:
        # An opener of its own, since the shared one remembers proxies that were set before.
        with urllib.request.build_opener().open(request, timeout=TIMEOUT_SECONDS) as response:
            if response.status == PARTIAL_CONTENT and not _goes_on_at(response, received_before):
                part.unlink()
                raise _TransientError(
                    "the server answered with another range than the one asked for"
                )
            mode = "ab" if response.status == PARTIAL_CONTENT else "wb"
            with _open_part(part, mode, name) as file:
                is_whole = _copy(response, file, name, received, stopped, longest)
            # `length` counts down what the server had announced; None where it announced nothing.
            if is_whole and response.length:
                raise _TransientError(f"the answer ended {response.length:,} bytes too early")
    except urllib.error.HTTPError as error:
        with error:
            _judge_status(error, part, name, url)
    except (OSError, http.client.HTTPException) as error:
        # URLError, time-outs, resets and TLS faults are all of them OSErrors.
        reason = getattr(error, "reason", None) or error
        if isinstance(reason, socket.gaierror) and reason.errno == socket.EAI_NONAME:
            # No waiting changes that: the machine has no network, or the address is wrong.
            raise UnreachableError(
                f"the host {request.host} is not known here",
                file=name,
                next_step="check the network, HTTPS_PROXY and the base address (--mirror); without "
                "a network, give a folder of raw files instead (data_dir)",
            ) from error
        raise _TransientError(f"{type(reason).__name__}: {reason}".rstrip(": ")) from error


def _goes_on_at(response: http.client.HTTPResponse, offset: int) -> bool:
    return response.headers.get("Content-Range", "").startswith(f"bytes {offset}-")


def _judge_status(error: urllib.error.HTTPError, part: Path, name: str, url: str) -> None:
    """Raise what an error status means: `_TransientError`, or a DownloadError."""
    if error.code == RANGE_NOT_SATISFIABLE:
        part.unlink(missing_ok=True)
        raise _TransientError("what was there already is longer than the file") from None
    if error.code in RETRYABLE_STATUSES:
        wait = retry_after(error.headers.get("Retry-After"))
        raise _TransientError(f"HTTP {error.code} {error.reason}", wait) from None
    raise DownloadError(
        f"the server refuses it: HTTP {error.code} {error.reason}, from {url}",
        file=name,
        next_step="check the base address (--mirror, DIALOGUE_BUILDERS_MIRROR): the file's path is "
        "appended to it"
        if error.code in (404, 410)
        else "check whether the server, or a proxy on the way, wants you to log in",
    ) from None


def _open_part(part: Path, mode: str, name: str) -> BinaryIO:
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        if mode == "wb":
            # A new file: what lies there may be a link to something that is not ours.
            part.unlink(missing_ok=True)
            return part.open("xb")
        return open(part, mode, opener=_open_no_link)  # type: ignore[return-value]
    except OSError as error:
        raise _not_writable(name, error) from error


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _copy(
    response: http.client.HTTPResponse,
    file: BinaryIO,
    name: str,
    received: Received,
    stopped: Event,
    longest: int,
) -> bool:
    """Copy an answer's bytes to the end of a file, as they come.

    Returns:
        whether the answer was read to its end; false where it is longer than the file may be.
    """
    pace = Pace()
    while chunk := response.read1(min(CHUNK_BYTES, longest + 1 - file.tell())):
        try:
            file.write(chunk)
            file.flush()  # here, so that a full disk is noticed here
        except OSError as error:
            raise _not_writable(name, error) from error
        received(file.tell())
        if stopped.is_set():
            raise StoppedError
        if file.tell() > longest:
            return False
        pace.add(len(chunk))
    return True


def _not_writable(name: str, error: OSError) -> FolderError:
    return FolderError(
        f"cannot be written: {error.strerror}",
        file=name,
        next_step="make room, or choose another folder",
    )
