"""What went wrong on the way to the Hub: whether to try again, when, and what to tell.

Statuses and behaviour are those of `huggingface_hub` 2.4, which itself retries some requests (five
times, within about 23 seconds) and others never; this layer lies around both kinds.
"""

from __future__ import annotations

import json
import logging
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from dialogue_builders.errors import DialogueBuildersError, PushError

logger = logging.getLogger("dialogue_builders")

Result = TypeVar("Result")

# A conflict (409, 412) may be over by the next look; the others pass by themselves.
PASSING_STATUSES = frozenset({408, 409, 412, 425, 429, *range(500, 600)})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently to try again.

    Attributes:
        tries: attempts in all.
        first_wait: seconds before the second attempt; each further wait is twice as long, and a
            random part of up to a half is taken off, so that many clients do not come back at once.
        longest_wait: seconds that such a wait does not exceed.
        longest_request: seconds that a server may ask for (Retry-After) before we give up instead.
    """

    tries: int = 5
    first_wait: float = 1.0
    longest_wait: float = 30.0
    longest_request: float = 600.0

    def wait_after(self, attempt: int, requested: float | None) -> float:
        """Return the seconds to wait after attempt number `attempt` (from 1) has failed."""
        wait = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return max(wait * random.uniform(0.5, 1.0), requested or 0.0)


POLICY = RetryPolicy()


@dataclass(frozen=True)
class Fault:
    """One failure of a request.

    Attributes:
        text: what happened, for people.
        passing: whether trying again can help.
        status: the HTTP status, where there was an answer.
        requested_wait: seconds that the server asks to wait.
    """

    text: str
    passing: bool
    status: int | None = None
    requested_wait: float | None = None


NOT_THE_HUBS = Fault("an answer that is not the Hub's", passing=True)
# The client's words where the Hub refuses a card, or a file for want of space.
REFUSALS = r"Invalid metadata|LFS batch API returned errors"


class FaultError(Exception):
    """A failure that is known as a fault already."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


def attempt(
    action: Callable[[], Result],
    *,
    explain: Callable[[Fault], Exception],
    expected: tuple[type[Exception], ...] = (),
    before_retry: Callable[[], Result | None] | None = None,
    scrub: Callable[[str], str] = str,
) -> Result:
    """Do something on the Hub; where a fault may pass, wait and do it again.

    Args:
        action: what to do.
        explain: makes the error that is raised when it is given up.
        expected: exceptions that mean something to the caller, and are left alone.
        before_retry: looks whether the failed attempt has worked after all; anything but None is
            then the result. It may raise, which ends the attempts.
        scrub: takes the token out of a text; a server's answer may quote it.

    Raises:
        what `explain` makes of the last fault; anything that is no fault of the network or the Hub.
    """
    number = 1
    while True:
        try:
            return action()
        except DialogueBuildersError:
            raise
        except expected:
            raise
        except Exception as error:
            found_fault = diagnose(error)
            if found_fault is None:
                raise
        fault = replace(found_fault, text=scrub(found_fault.text))
        too_long = (fault.requested_wait or 0.0) > POLICY.longest_request
        if not fault.passing or too_long or number == POLICY.tries:
            # Not chained: the client's own exception has not been scrubbed.
            raise explain(fault) from None
        wait = POLICY.wait_after(number, fault.requested_wait)
        logger.warning("The Hub: %s. Trying again in %.0f s.", fault.text, wait)
        time.sleep(wait)
        if before_retry is not None and (found := before_retry()) is not None:
            return found
        number += 1


def diagnose(error: BaseException) -> Fault | None:
    """Say what an exception of the Hub's clients means; None where it is none of theirs."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    for cause in _chain(error):
        if isinstance(cause, FaultError):
            return cause.fault
        if isinstance(cause, HfHubHTTPError | httpx2.HTTPStatusError):
            return _status_fault(cause)
        if isinstance(cause, OfflineModeIsEnabled):
            return Fault("offline mode is on; unset HF_HUB_OFFLINE", passing=False)
        if isinstance(cause, httpx2.TimeoutException):
            return Fault("no answer in time", passing=True)
        if isinstance(cause, httpx2.TransportError):
            return Fault(f"the connection failed ({cause or type(cause).__name__})", passing=True)
        if isinstance(cause, json.JSONDecodeError):
            # A gateway in front of the Hub answers in HTML, and the client wants JSON first.
            return NOT_THE_HUBS
        if isinstance(cause, ConnectionError):
            return _xet_fault(cause)
        if isinstance(cause, FileNotFoundError | PermissionError):
            return Fault(f"{cause.filename} can't be read any more", passing=False)
        if isinstance(cause, HFValidationError):
            return Fault(str(cause), passing=False)
    if isinstance(error, ValueError) and re.match(REFUSALS, str(error)):
        return Fault(str(error), passing=False, status=400)
    return NOT_THE_HUBS if _could_not_read(error) else None


def _could_not_read(error: BaseException) -> bool:
    """Whether the client stumbled over an answer of another shape than the Hub's."""
    if not isinstance(error, LookupError | TypeError | ValueError | AttributeError):
        return False
    place = error.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    name = place.tb_frame.f_globals.get("__name__", "") if place else ""
    return str(name).startswith("huggingface_hub.")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Walk from an exception to those that caused it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status_fault(error: BaseException) -> Fault:
    response = error.response  # type: ignore[attr-defined]
    status = int(response.status_code)
    said = getattr(error, "server_message", None) or response.reason_phrase
    return Fault(
        f"{status} {said}".strip(),
        passing=status in PASSING_STATUSES,
        status=status,
        requested_wait=_requested_wait(response.headers),
    )


def _requested_wait(headers: object) -> float | None:
    """Return the seconds that a server asks to wait: `Retry-After` or the Hub's `ratelimit`."""
    get: Callable[[str], str | None] = headers.get  # type: ignore[attr-defined]
    if text := get("retry-after"):
        if text.strip().isdigit():
            return float(text)
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return None
        return max(0.0, (until - datetime.now(UTC)).total_seconds())
    limit = re.search(r"r=0;\s*t=(\d+)", get("ratelimit") or "")
    return float(limit[1]) if limit else None


def _xet_fault(error: ConnectionError) -> Fault:
    """Xet's client puts the status into its message, and has tried again by itself already."""
    text = " ".join(str(error).split()) or type(error).__name__
    match = re.search(r"\b([45]\d\d)\b", text)
    status = int(match[1]) if match else None
    return Fault(text, passing=status is None or status in PASSING_STATUSES, status=status)


def gave_up(fault: Fault) -> PushError:
    """Make the error for a fault that did not pass in time."""
    wait = fault.requested_wait
    if wait is not None and wait > POLICY.longest_request:
        return PushError(
            f"the Hub asks to wait: {fault.text}",
            next_step=f"run the same command again in {wait / 60:.0f} minutes",
        )
    return PushError(
        f"gave up after {POLICY.tries} attempts: {fault.text}",
        next_step="run the same command again later; the repository holds its old or its new "
        "state, and what was uploaded is not uploaded twice",
    )
