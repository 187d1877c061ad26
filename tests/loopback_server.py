"""A real HTTP server on the loopback interface that misbehaves on request."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from urllib.parse import unquote, urlsplit

Behaviour = Callable[["Handler", bytes], None]


class Server(ThreadingHTTPServer):
    """Serves `files`; the first requests for a path follow its script, the others are served.

    Attributes:
        files: path (without the leading slash) → content.
        scripts: path → what to do with its first requests, in their order.
        requests: (path, value of the `Range` header) of every request.
        released: what stalling answers wait for.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.scripts: dict[str, list[Behaviour]] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.released = Event()
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def asked(self, path: str) -> list[str | None]:
        """Return the `Range` headers of the requests for a path."""
        return [asked for name, asked in self.requests if name == path]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what is being tested, and no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        # A proxy is asked for a whole address.
        path = unquote(urlsplit(self.path).path).lstrip("/")
        with self.server.lock:
            self.server.requests.append((path, self.headers.get("Range")))
            script = self.server.scripts.get(path)
            behaviour = script.pop(0) if script else serve
        self.close_connection = True
        if path not in self.server.files and behaviour is serve:
            status(404)(self, b"")
        else:
            behaviour(self, self.server.files.get(path, b""))

    def log_message(self, *arguments: object) -> None:
        pass

    def begin(self, code: int, headers: dict[str, object]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()


def offset_of(handler: Handler) -> int:
    asked = handler.headers.get("Range")
    return int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0


def answer(handler: Handler, content: bytes) -> bytes:
    """Send the head of a whole or partial answer; return what has to follow."""
    start = offset_of(handler)
    if start >= len(content) > 0:
        handler.begin(416, {"Content-Range": f"bytes */{len(content)}", "Content-Length": 0})
        return b""
    rest = content[start:]
    headers: dict[str, object] = {"Content-Length": len(rest)}
    if start:
        headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
    handler.begin(206 if start else 200, headers)
    return rest


def serve(handler: Handler, content: bytes) -> None:
    """Answer as a good server does."""
    handler.wfile.write(answer(handler, content))


def truncate(count: int) -> Behaviour:
    """Announce everything, send `count` bytes, hang up."""
    return lambda handler, content: handler.wfile.write(answer(handler, content)[:count]) and None


def stall(count: int) -> Behaviour:
    """Send `count` bytes, then nothing more."""

    def behave(handler: Handler, content: bytes) -> None:
        handler.wfile.write(answer(handler, content)[:count])
        handler.wfile.flush()
        handler.server.released.wait()

    return behave


def hold(handler: Handler, content: bytes) -> None:
    """Answer well, but not before the test says so."""
    handler.server.released.wait()
    serve(handler, content)


def reset(handler: Handler, content: bytes) -> None:
    """Send some bytes and reset the connection."""
    handler.wfile.write(answer(handler, content)[:10])
    handler.wfile.flush()
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()


def redirect(path: str) -> Behaviour:
    """Send the client to another path of the same server."""
    return lambda handler, content: handler.begin(
        302, {"Location": f"/{path}", "Content-Length": 0}
    )


def status(code: int, **headers: object) -> Behaviour:
    """Answer with a status and no content."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, content: handler.begin(code, {"Content-Length": 0, **named})


def other(content: bytes) -> Behaviour:
    """Answer as if the file had another content."""
    return lambda handler, _: serve(handler, content)


def without_length(count: int) -> Behaviour:
    """Send `count` bytes without saying how many there will be."""

    def behave(handler: Handler, content: bytes) -> None:
        handler.begin(200, {"Connection": "close"})
        handler.wfile.write(content[:count])

    return behave


def without_ranges(handler: Handler, content: bytes) -> None:
    """Send everything, whatever range was asked for."""
    handler.begin(200, {"Content-Length": len(content)})
    handler.wfile.write(content)


def another_range(handler: Handler, content: bytes) -> None:
    """Send a range that was not asked for."""
    headers = {"Content-Range": f"bytes 1-{len(content) - 1}/{len(content)}"}
    handler.begin(206, {**headers, "Content-Length": len(content) - 1})
    handler.wfile.write(content[1:])


@contextmanager
def running() -> Iterator[Server]:
    """Run a server on a free port until the block ends."""
    server = Server()
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
