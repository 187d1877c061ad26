"""Between the wire and the endpoints: the log, the hook, the faults and the route."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from http import HTTPStatus

from .answers import Answer, Refusal, json_answer
from .endpoints import ENDPOINTS, find_route
from .faults import Fault, FaultBox, RequestRecord
from .request import Request
from .state import HubState

Hook = Callable[[RequestRecord], object]


class Dispatcher:
    """Deals with requests, from any number of threads."""

    def __init__(self, state: HubState) -> None:
        self.state = state
        self.faults = FaultBox()
        self.hook: Hook | None = None
        self.errors: list[str] = []
        self.records: list[RequestRecord] = []
        self._arrived = 0
        self._lock = threading.Lock()

    def receive(self, request: Request) -> tuple[RequestRecord, Fault | None]:
        """Log a request that has arrived whole, call the hook, and find its fault."""
        record = self._log(request)
        hook = self.hook
        if hook is not None:
            try:
                # No lock is held: the hook may push a commit, or wait for another client.
                hook(record)
            except Exception:
                self.errors.append(traceback.format_exc())
        fault = self.faults.claim(record)
        record.fault = None if fault is None else fault.kind
        return record, fault

    def answer(self, request: Request, record: RequestRecord) -> Answer:
        """Carry a request out. A mistake of the server's own is an answer 500 and is kept."""
        try:
            with self.state.lock:
                return ENDPOINTS[record.route](self.state, request)
        except Refusal as refusal:
            return refusal.answer()
        except Exception:
            self.errors.append(traceback.format_exc())
            return json_answer({"error": "mistake in hub_server"}, HTTPStatus.INTERNAL_SERVER_ERROR)

    def clear_log(self) -> None:
        """Forget the requests so far; the numbers go on."""
        with self._lock:
            self.records = []

    def _log(self, request: Request) -> RequestRecord:
        route, request.arguments = find_route(request)
        user = self.state.users.get(request.token or "")
        name = None if user is None else user.name
        with self._lock:
            self._arrived += 1
            record = RequestRecord(self._arrived, request.method, route, request.path, name)
            self.records.append(record)
        return record
