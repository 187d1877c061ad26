"""Requests to the Hub: with time-outs, tried again where that can help, explained where it can't.

Every request goes through the stock client (`huggingface_hub`), and every failure comes out as a
`PushError` that says what to do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from dialogue_builders._version import __version__
from dialogue_builders.errors import PushError
from dialogue_builders.hub.retry import RequestFailure, retries_exhausted, retry, take_over_wait

Result = TypeVar("Result")

# Seconds. They hold for each single read or write, so that a large file may take its time.
CONNECT_SECONDS = 15.0
SILENCE_SECONDS = 120.0

MEND_TOKEN = (
    "copy it once more from https://huggingface.co/settings/tokens into HF_TOKEN, or log in again "
    "with `hf auth login`"
)


@contextmanager
def timed_requests() -> Iterator[None]:
    """Give every request of `huggingface_hub` a time-out, and hide its bars; undone at the end.

    Its own client waits for ever, and sleeps as long as a server asks. The client that an
    application has set is kept, with its proxies and certificates.
    """
    import httpx2
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        _http,
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    previous = _http._GLOBAL_CLIENT_FACTORY  # there is a function to set it, but none to get it
    seconds = httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS).as_dict()

    def limit(request: httpx2.Request) -> None:
        # Some of the client's functions ask for no time-out in so many words, so that a default
        # would not do.
        given = request.extensions.get("timeout", {})
        asked = {phase: limit for phase, limit in given.items() if limit is not None}
        request.extensions["timeout"] = {**seconds, **asked}

    def look(response: httpx2.Response) -> None:
        take_over_wait(response.status_code, response.reason_phrase, response.headers)

    def client() -> httpx2.Client:
        made = previous()
        hooks = made.event_hooks
        made.event_hooks = {
            "request": [*hooks["request"], limit],
            "response": [*hooks["response"], look],
        }
        return made

    bars = not are_progress_bars_disabled()
    set_client_factory(client)
    with warnings.catch_warnings():
        # Where the environment asks for the library's own bars, it warns and goes on to show them.
        warnings.simplefilter("ignore")
        disable_progress_bars()
    try:
        yield
    finally:
        set_client_factory(previous)
        if bars:
            enable_progress_bars()


def _saved_token() -> str | None:
    """Return the token that the user is logged in with, if any."""
    from huggingface_hub import get_token

    try:
        return get_token()
    except (OSError, ValueError) as error:
        raise PushError(
            f"the token for the Hub can't be read: {error}; nothing was sent",
            next_step=MEND_TOKEN,
        ) from error


class HubClient:
    """Requests about one dataset repository, with one token.

    Args:
        repo_id: `owner/name`.
        token: None for the one that the user is logged in with, if any.

    Raises:
        PushError: the token can't be one.
    """

    def __init__(self, repo_id: str, token: str | None) -> None:
        from huggingface_hub import HfApi

        self.repo_id = repo_id
        self.token = token or _saved_token()
        if self.token and not (self.token.isascii() and self.token.isprintable()):
            raise PushError(
                "the token for the Hub holds characters that no token has; nothing was sent",
                next_step=MEND_TOKEN,
            )
        # Without a token, False: else the client would look for one by itself once more.
        self.api = HfApi(
            token=self.token or False,
            library_name="dialogue-builders",
            library_version=__version__,
        )

    @property
    def url(self) -> str:
        """The repository's page."""
        return f"{self.api.endpoint}/datasets/{self.repo_id}"

    def redact(self, text: str) -> str:
        """Return a text without the token, which a server may have quoted."""
        return text.replace(self.token, "hf_…") if self.token else text

    def retry(
        self,
        action: Callable[[], Result],
        *,
        explain: Callable[[RequestFailure], PushError] | None = None,
        expected: tuple[type[Exception], ...] = (),
        before_retry: Callable[[], Result | None] | None = None,
    ) -> Result:
        """Make a request, again where a failure may pass; see `hub.retry.retry`.

        Raises:
            PushError: by `explain`, or by `self.explain`.
        """
        return retry(
            action,
            explain=explain or self.explain,
            expected=expected,
            before_retry=before_retry,
            redact=self.redact,
        )

    def explain(self, failure: RequestFailure, *, may_propose: bool = False) -> PushError:
        """Make the error for a failure that ends the push.

        Args:
            failure: its text is redacted already.
            may_propose: whether a pull request instead of a commit is a way out.
        """
        repo, text = self.repo_id, failure.text
        if failure.transient:
            return retries_exhausted(failure)
        if failure.status == 401:
            return PushError(
                f"the Hub does not accept the token for {repo}, or there is none: {text}",
                next_step="log in with `hf auth login`, or set HF_TOKEN to a token that may write",
            )
        if failure.status == 403:
            propose = "add --create-pr to propose the change, or " if may_propose else ""
            return PushError(
                f"this token may not do that with {repo}: {text}",
                next_step=f"{propose}ask the owner of {repo} for the right to write",
            )
        if failure.status == 404 and "xet-write-token" in text:
            return PushError(
                f"this Hub has no Xet storage: {text}",
                next_step="set HF_HUB_DISABLE_XET=1 and push again",
            )
        if failure.status == 404:
            return PushError(
                f"there is no such place in {repo} that this token can see: {text}",
                next_step="check the names of the repository and of the branch, and the token; "
                "then push again",
            )
        return PushError(
            f"the push to {repo} failed: {text}", next_step="mend that; then push again"
        )
