"""What went wrong on the way to the Hub: whether to try again, when, and what to tell.

Statuses and behaviour are those of `huggingface_hub` 2.4, which itself retries some requests (five
times, within about 23 seconds) and others never; this layer lies around both kinds.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from dialogue_builders.errors import DialogueBuildersError, PushError
from dialogue_builders.retry import RETRYABLE_STATUSES, RetryPolicy, retry_after

logger = logging.getLogger("dialogue_builders")

Result = TypeVar("Result")

# A conflict may be over by the next look; the others pass by themselves.
RETRYABLE_HERE = RETRYABLE_STATUSES | {409, 412}


POLICY = RetryPolicy()


@dataclass(frozen=True)
class RequestFailure:
    """One failure of a request.

    Attributes:
        text: what happened, for people.
        transient: whether trying again can help.
        status: the HTTP status, where there was an answer.
        requested_wait: seconds that the server asks to wait.
    """

    text: str
    transient: bool
    status: int | None = None
    requested_wait: float | None = None


NOT_THE_HUBS = RequestFailure("an answer that is not the Hub's", transient=True)
# The client's words where the Hub refuses a card, or a file for want of space.
REFUSALS = r"Invalid metadata|LFS batch API returned errors"


class RequestError(Exception):
    """A failure that is known as a failure already."""

    def __init__(self, failure: RequestFailure) -> None:
        super().__init__(failure.text)
        self.failure = failure


def retry(
    action: Callable[[], Result],
    *,
    explain: Callable[[RequestFailure], Exception],
    expected: tuple[type[Exception], ...] = (),
    before_retry: Callable[[], Result | None] | None = None,
    redact: Callable[[str], str] = str,
) -> Result:
    """Do something on the Hub; where a failure may pass, wait and do it again.

    Args:
        action: what to do.
        explain: makes the error that is raised when it is given up.
        expected: exceptions that mean something to the caller, and are left alone.
        before_retry: looks whether the failed attempt has worked after all; anything but None is
            then the result. It may raise, which ends the attempts.
        redact: takes the token out of a text; a server's answer may quote it.

    Raises:
        what `explain` makes of the last failure; anything that is no failure of the network or of
        the Hub.
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
            found_failure = classify_error(error)
            if found_failure is None:
                raise
        failure = replace(found_failure, text=redact(found_failure.text))
        too_long = (failure.requested_wait or 0.0) > POLICY.longest_request
        if not failure.transient or too_long or number == POLICY.tries:
            # Not chained: the client's own exception still holds the token.
            raise explain(failure) from None
        wait = POLICY.wait_after(number, failure.requested_wait)
        logger.warning("The Hub: %s. Trying again in %.0f s.", failure.text, wait)
        time.sleep(wait)
        if before_retry is not None and (found := before_retry()) is not None:
            return found
        number += 1


def classify_error(error: BaseException) -> RequestFailure | None:
    """Say what an exception of the Hub's clients means; None where it is none of theirs."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    for cause in _chain(error):
        if isinstance(cause, RequestError):
            return cause.failure
        if isinstance(cause, HfHubHTTPError | httpx2.HTTPStatusError):
            return _status_failure(cause)
        if isinstance(cause, OfflineModeIsEnabled):
            return RequestFailure("offline mode is on; unset HF_HUB_OFFLINE", transient=False)
        if isinstance(cause, httpx2.TimeoutException):
            return RequestFailure("no answer in time", transient=True)
        if isinstance(cause, httpx2.TransportError):
            return RequestFailure(
                f"the connection failed ({cause or type(cause).__name__})", transient=True
            )
        if isinstance(cause, json.JSONDecodeError):
            # A gateway in front of the Hub answers in HTML, and the client wants JSON first.
            return NOT_THE_HUBS
        if isinstance(cause, ConnectionError):
            return _xet_failure(cause)
        if isinstance(cause, FileNotFoundError | PermissionError):
            return RequestFailure(f"{cause.filename} can't be read any more", transient=False)
        if isinstance(cause, HFValidationError):
            return RequestFailure(str(cause), transient=False)
    if isinstance(error, ValueError) and re.match(REFUSALS, str(error)):
        return RequestFailure(str(error), transient=False, status=400)
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


def _status_failure(error: BaseException) -> RequestFailure:
    response = error.response  # type: ignore[attr-defined]
    status = int(response.status_code)
    said = getattr(error, "server_message", None) or response.reason_phrase
    return RequestFailure(
        f"{status} {said}".strip(),
        transient=status in RETRYABLE_HERE,
        status=status,
        requested_wait=_requested_wait(response.headers),
    )


def _requested_wait(headers: object) -> float | None:
    """Return the seconds that a server asks to wait: `Retry-After` or the Hub's `ratelimit`."""
    get: Callable[[str], str | None] = headers.get  # type: ignore[attr-defined]
    if text := get("retry-after"):
        return retry_after(text)
    limit = re.search(r"r=0;\s*t=(\d+)", get("ratelimit") or "")
    return float(limit[1]) if limit else None


def _xet_failure(error: ConnectionError) -> RequestFailure:
    """Xet's client puts the status into its message, and has tried again by itself already."""
    text = " ".join(str(error).split()) or type(error).__name__
    match = re.search(r"\b([45]\d\d)\b", text)
    status = int(match[1]) if match else None
    return RequestFailure(text, transient=status is None or status in RETRYABLE_HERE, status=status)


def retries_exhausted(failure: RequestFailure) -> PushError:
    """Make the error for a failure that did not pass in time."""
    wait = failure.requested_wait
    if wait is not None and wait > POLICY.longest_request:
        return PushError(
            f"the Hub asks to wait: {failure.text}",
            next_step=f"run the same command again in {wait / 60:.0f} minutes",
        )
    return PushError(
        f"gave up after {POLICY.tries} attempts: {failure.text}",
        next_step="run the same command again later; the repository holds its old or its new "
        "state, and what was uploaded is not uploaded twice",
    )
