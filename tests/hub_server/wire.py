"""HTTP/1.1 on a socket: reads requests, sends answers, and misbehaves on request."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .answers import Answer
from .dispatch import Dispatcher
from .faults import Fault, RequestRecord
from .request import Request

# Linger on, for zero seconds: closing the socket then sends a reset, not an orderly end.
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class HubRequestHandler(BaseHTTPRequestHandler):
    """One connection, which carries many requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for the client's acknowledgement
    server: HubListener

    def serve(self) -> None:
        """Take one request, let its fault happen, and answer."""
        request = self._read_request()
        if request is None:
            return
        dispatcher = self.server.dispatcher
        record, fault = dispatcher.receive(request)
        if fault is None:
            self._send(dispatcher.answer(request, record), record)
        elif fault.kind == "status":
            self._send(fault.answer(), record)
        elif fault.kind == "stall":
            if self._client_waits(fault.seconds):
                self._send(dispatcher.answer(request, record), record)
        else:
            self._break_connection(fault, request, record)

    do_DELETE = do_GET = do_HEAD = do_POST = do_PUT = serve  # noqa: N815 - http.server's names

    def _break_connection(self, fault: Fault, request: Request, record: RequestRecord) -> None:
        """Let a fault happen after which the connection is no more."""
        if fault.kind == "lost_answer":
            self.server.dispatcher.answer(request, record)
            self._client_waits(fault.seconds)
        elif fault.kind == "truncate":
            answer = self.server.dispatcher.answer(request, record)
            if answer.body and request.method != "HEAD":
                self._send(answer, record, truncate=True)
                return
        self._reset()

    def _read_request(self) -> Request | None:
        """Read the body; None where the client died in the middle of it, which has no effect."""
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return None
        return Request.parse(self.command, self.path, self.headers, body)

    def _send(self, answer: Answer, record: RequestRecord, truncate: bool = False) -> None:
        """Send an answer, with half of its body where it is to be truncated."""
        record.status = int(answer.status)  # first: the log is complete when the client has this
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("X-Request-Id", f"request-{record.number}")
        self.end_headers()
        if truncate:
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self.close_connection = True
        elif self.command != "HEAD":
            self.wfile.write(answer.body)

    def _client_waits(self, seconds: float) -> bool:
        """Keep silent for some seconds; False as soon as the client hangs up.

        A client that waits for its answer sends nothing, so that a readable socket is a closed
        one. Closing the server also ends the wait that way.
        """
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable:
            self.close_connection = True
        return not readable

    def _reset(self) -> None:
        """Close so that the client's system reports a reset."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.rfile.close()  # holds the socket open otherwise
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the dispatcher keeps the log."""


class HubListener(ThreadingHTTPServer):
    """Listens on a free loopback port and knows its connections, to end them when it closes."""

    request_queue_size = 64
    dispatcher: Dispatcher

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HubRequestHandler)
        self._connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, then serve it in a thread of its own."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection and end it."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep a mistake of the server's own; a client that goes away is none."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            self.dispatcher.errors.append(traceback.format_exc())

    def end_connections(self) -> None:
        """End the connections that are still open, so that their threads end too."""
        for connection in tuple(self._connections):
            with contextlib.suppress(OSError):  # it may be gone already
                connection.shutdown(socket.SHUT_RDWR)
