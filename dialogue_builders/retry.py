"""How often and how patiently to try again, for downloads and for the Hub alike."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# Seconds: longer waits that a server asks for are read as this one, ten years.
LONGEST_READ = 10 * 365 * 86_400.0

# What a server says when it may well say something else later.
RETRYABLE_STATUSES = frozenset({408, 425, 429, *range(500, 600)})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently to try again.

    Attributes:
        tries: attempts in all.
        first_wait: seconds before the second attempt; each further wait is twice as long, and a
            random part of up to a half is taken off, so that many clients do not come back at once.
        longest_wait: seconds that such a wait does not exceed.
        longest_request: seconds that a server may ask for (`Retry-After`); where it asks for more,
            another attempt makes no sense yet.
    """

    tries: int = 5
    first_wait: float = 1.0
    longest_wait: float = 30.0
    longest_request: float = 600.0

    def wait_after(self, attempt: int, requested: float | None = None) -> float:
        """Return the seconds to wait after attempt number `attempt` (from 1) has failed.

        Args:
            requested: what the server asks for. Its word counts, up to `longest_request`.
        """
        if requested is not None:
            return min(requested, self.longest_request)
        wait = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return wait * random.uniform(0.5, 1.0)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for; None where it can't be read.

    Args:
        now: None for the clock's time.

    Source of the two forms, a number of seconds or a date: RFC 9110, section 10.2.3.
    """
    if value is None:
        return None
    # Not `isdigit` alone: it takes the digits of all scripts, and powers such as "²".
    if value.isascii() and value.strip().isdigit():
        return min(float(value), LONGEST_READ)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if until.tzinfo is None:  # a date without a zone is in UTC
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


def tell_wait(seconds: float) -> str:
    """Return a span of time as people say it, rounded up: `60 minutes`."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length or (unit == "minutes" and seconds > length):
            return f"{math.ceil(seconds / length):,} {unit}"
    return f"{math.ceil(seconds)} seconds"
