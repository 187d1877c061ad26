"""Faults that a test injects, and the box that hands each to the request it is meant for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from .answers import Answer, Refusal

FaultKind = Literal["status", "reset", "stall", "truncate", "lost_answer"]


@dataclass
class RequestRecord:
    """A line of the Hub's log. `status` stays None where no answer was sent."""

    number: int
    method: str
    route: str
    path: str
    user: str | None = None
    status: int | None = None
    fault: FaultKind | None = None


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong with a request.

    Which requests: those of `route` (None: any), of `method` (None: any) and with `path` in their
    path. Of these the first `skip` pass, then `times` are hit (None: all that follow). With
    nothing but `skip=n` it is the request number n, from 0, since the injection.

    What happens, by `kind`:
    `status`: refused with `status`, `headers` and `message`, without effect. `body` replaces the
    JSON body, as a gateway does that answers in HTML.
    `reset`: the connection is reset, without effect.
    `stall`: silence for `seconds`, then the usual answer; without effect where the client hangs
    up before that.
    `truncate`: carried out; half of the body arrives, then the connection closes. An answer that
    has no body is reset instead.
    `lost_answer`: carried out; then silence for `seconds` and a reset instead of an answer.
    """

    kind: FaultKind
    route: str | None = None
    method: str | None = None
    path: str = ""
    skip: int = 0
    times: int | None = 1
    status: int = 503
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "Injected fault"
    body: bytes | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in get_args(FaultKind):
            raise ValueError(f"unknown kind of fault: {self.kind!r}")

    def concerns(self, record: RequestRecord) -> bool:
        """Tell whether a request is one of those that the fault is meant for."""
        return (
            self.route in (None, record.route)
            and self.method in (None, record.method)
            and self.path in record.path
        )

    def answer(self) -> Answer:
        """Give the answer of a `status` fault."""
        answer = Refusal(self.status, self.message, headers=self.headers).answer()
        if self.body is not None:
            answer.body = self.body
            answer.headers["Content-Type"] = "text/html"
        return answer


@dataclass
class ArmedFault:
    """A fault on duty. `fired` lets a test check that it has really happened."""

    fault: Fault
    seen: int = 0
    fired: int = 0

    @property
    def is_due(self) -> bool:
        """Tell whether the latest request that was seen is to be hit."""
        return self.seen > self.fault.skip and self.fired != self.fault.times


class FaultBox:
    """The faults on duty, asked by many requests at once."""

    def __init__(self) -> None:
        self._armed: list[ArmedFault] = []
        self._lock = threading.Lock()

    def arm(self, fault: Fault) -> ArmedFault:
        """Put a fault on duty."""
        armed = ArmedFault(fault)
        with self._lock:
            self._armed.append(armed)
        return armed

    def clear(self) -> None:
        """Take all faults off duty."""
        with self._lock:
            self._armed.clear()

    def claim(self, record: RequestRecord) -> Fault | None:
        """Give the fault that hits this request; where two would, the older one does.

        Every fault counts the request, whichever is hit: `skip` is a place in the order of all
        requests that a fault is meant for.
        """
        claimed: Fault | None = None
        with self._lock:
            for armed in self._armed:
                if armed.fault.concerns(record):
                    armed.seen += 1
                    if claimed is None and armed.is_due:
                        armed.fired += 1
                        claimed = armed.fault
        return claimed
