"""What went wrong on the way to the Hub: whether to try again, when, and what to tell.

Statuses and behaviour are those of `huggingface_hub` 2.4, which itself retries some requests (five
times, within about 23 seconds) and others never; this layer lies around both kinds.
"""

from __future__ import annotations

import json
import logging
import math
import re
import time
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, replace
from typing import TypeVar

from dialogue_builders.errors import DialogueBuildersError, PushError
from dialogue_builders.retry import RETRYABLE_STATUSES, RetryPolicy, retry_after, tell_wait

logger = logging.getLogger("dialogue_builders")

Result = TypeVar("Result")
Headers = MutableMapping[str, str]

# A conflict may be over by the next look; the others pass by themselves.
RETRYABLE_HERE = RETRYABLE_STATUSES | {409, 412}


POLICY = RetryPolicy()
# Seconds: where a server asks for more, the client library shall not sleep by itself.
LIBRARY_WAIT = 8.0
# The Hub's rate limit as the client library reads it, with numbers that it can read.
RATE_LIMIT = re.compile(r'"\w+"\s*;\s*r\s*=\s*([0-9]{1,9})\s*;\s*t\s*=\s*([0-9]{1,9})(?![0-9])')


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

    @property
    def told(self) -> str:
        """The text, with the time that the server asks to wait where that is long."""
        if self.requested_wait is None or self.requested_wait <= LIBRARY_WAIT:
            return self.text
        return f"{self.text} (it asks to wait {tell_wait(self.requested_wait)})"


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
    number, waited = 1, 0.0
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
        waited += failure.requested_wait or 0.0
        too_long = waited > POLICY.longest_request
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
        # Without a name it is no file: the libraries say so too of what is not on the Hub.
        if isinstance(cause, FileNotFoundError | PermissionError) and cause.filename:
            return RequestFailure(f"{cause.filename} can't be read any more", transient=False)
        if isinstance(cause, HFValidationError):
            return RequestFailure(str(cause), transient=False)
    if isinstance(error, ValueError) and re.match(REFUSALS, str(error)):
        return RequestFailure(str(error), transient=False, status=400)
    if isinstance(error, FileNotFoundError):
        return RequestFailure(" ".join(str(error).split()), transient=False)
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


def _requested_wait(headers: Headers) -> float | None:
    """Return the seconds that a server asks to wait: `Retry-After` or the Hub's `ratelimit`."""
    limit = RATE_LIMIT.search(headers.get("ratelimit") or "")
    asked = [retry_after(headers.get("retry-after"))]
    if limit and int(limit[1]) == 0:
        asked.append(float(limit[2]))
    return max((wait for wait in asked if wait is not None), default=None)


def take_over_wait(status: int, reason: str, headers: Headers) -> None:
    """Keep the client library from sleeping as long as a server wishes.

    Where it sleeps by itself it knows no bound, and stumbles over headers that it can't read. What
    it may keep are waits that are as short as its own.

    Args:
        headers: those that the library can't read are taken out, or said in its own words.

    Raises:
        RequestError: the server asks for more; `retry` decides whether to wait.
    """
    if status not in RETRYABLE_STATUSES:
        return
    wait = _requested_wait(headers)
    if wait is not None and wait > LIBRARY_WAIT:
        text = f"{status} {reason}".strip()
        raise RequestError(RequestFailure(text, transient=True, status=status, requested_wait=wait))
    if not RATE_LIMIT.search(headers.get("ratelimit") or ""):
        headers.pop("ratelimit", None)
    headers.pop("retry-after", None)
    if wait is not None:
        headers["retry-after"] = str(math.ceil(wait))


def _xet_failure(error: ConnectionError) -> RequestFailure:
    """Xet's client puts the status into its message, and has tried again by itself already."""
    text = " ".join(str(error).split()) or type(error).__name__
    match = re.search(r"\b([45]\d\d)\b", text)
    status = int(match[1]) if match else None
    return RequestFailure(text, transient=status is None or status in RETRYABLE_HERE, status=status)


def retries_exhausted(failure: RequestFailure) -> PushError:
    """Make the error for a failure that did not pass in time."""
    wait = failure.requested_wait
    if wait is not None and wait > LIBRARY_WAIT:
        return PushError(
            f"the Hub asks to wait {tell_wait(wait)}: {failure.text}",
            next_step=f"run the same command again in {tell_wait(wait)}; the repository holds its "
            "old or its new state",
        )
    return PushError(
        f"gave up after {POLICY.tries} attempts: {failure.text}",
        next_step="run the same command again later; the repository holds its old or its new "
        "state, and what was uploaded is not uploaded twice",
    )
