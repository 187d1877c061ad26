"""The Hub as tests use it: started, looked at, tampered with and closed."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from .dispatch import Dispatcher, Hook
from .endpoints import ROUTE_NAMES
from .faults import ArmedFault, Fault, RequestRecord
from .repository import Repository
from .state import HubState, User
from .wire import HubListener
from .xet import XetStore

# A developer's own settings must not reach the clients under test.
FOREIGN_PREFIXES = ("HF_", "HUGGINGFACE_", "HUGGING_FACE_", "TRANSFORMERS_")


class HubServer:
    """A Hugging Face Hub of our own on 127.0.0.1, in memory, for the real clients.

    Tokens: `hf_owner` writes, `hf_reader` reads everything, `hf_stranger` reads what is public;
    the latter two may open pull requests. `users` can be changed at any time.
    """

    def __init__(self, *, page_size: int = 1000, xet_folder: Path | None = None) -> None:
        self._listener = HubListener()
        self.address = ("127.0.0.1", self._listener.server_port)
        self.url = f"http://127.0.0.1:{self._listener.server_port}"
        xet = None if xet_folder is None else XetStore(xet_folder)
        self._state = HubState(self.url, page_size, xet)
        self._dispatcher = self._listener.dispatcher = Dispatcher(self._state)
        self._thread = threading.Thread(
            target=self._listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    def __enter__(self) -> HubServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.shutdown()
        self._thread.join()
        self._listener.end_connections()
        self._listener.server_close()
        if exception is None and self.errors:
            raise AssertionError("the test's Hub made a mistake:\n" + "\n".join(self.errors))

    @property
    def users(self) -> dict[str, User]:
        """The known tokens, each with its user."""
        return self._state.users

    @property
    def errors(self) -> list[str]:
        """Tracebacks of the server's own mistakes and of failed hooks."""
        return self._dispatcher.errors

    @property
    def requests(self) -> list[RequestRecord]:
        """The log, in the order in which the requests arrived."""
        return list(self._dispatcher.records)

    def clear_log(self) -> None:
        """Empty the log."""
        self._dispatcher.clear_log()

    def repository(self, name: str, repo_type: str = "dataset") -> Repository:
        """Find a repository; KeyError where there is none."""
        return self._state.repositories[repo_type, name]

    def create_repository(
        self,
        name: str,
        files: Mapping[str, bytes] | None = None,
        *,
        repo_type: str = "dataset",
        private: bool = False,
    ) -> Repository:
        """Make a repository on the server's side, in the place of one that has this name.

        The Hub's own first commit holds `.gitattributes`; the second, `files` where there are any.
        """
        with self._state.lock:
            repository = self._state.create(name, repo_type, private)
            if files:
                repository.add_commit(files, "first files")
            return repository

    def inject(self, fault: Fault) -> ArmedFault:
        """Put a fault on duty, from the next request on."""
        if fault.route is not None and fault.route not in ROUTE_NAMES:
            raise ValueError(f"no route {fault.route!r}; there are: {', '.join(ROUTE_NAMES)}")
        return self._dispatcher.faults.arm(fault)

    def clear_faults(self) -> None:
        """Take all faults off duty."""
        self._dispatcher.faults.clear()

    def on_request(self, hook: Hook | None) -> None:
        """Have `hook` called with each request before anything comes of it; None ends that.

        The request has arrived whole by then, so that it is carried out even where the hook kills
        the client.
        """
        self._dispatcher.hook = hook

    def environment(
        self, home: Path, token: str | None = "hf_owner", *, xet: bool = False
    ) -> dict[str, str]:
        """Give a complete environment for a client process that talks to this Hub only.

        `home` takes all caches and must be fresh where a test is about what is downloaded. The
        libraries read most of this when they are imported, so it can't be set later.
        """
        if xet and self._state.xet is None:
            raise ValueError("this Hub has no Xet lane: pass xet_folder to HubServer")
        settings = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        }
        if token is not None:
            settings["HF_TOKEN"] = token
        if not xet:
            settings["HF_HUB_DISABLE_XET"] = "1"
        return {**_own_environment(), **settings}


def _own_environment() -> dict[str, str]:
    """Give this process's environment without what would lead a client elsewhere."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(FOREIGN_PREFIXES) and not name.lower().endswith("_proxy")
    }
