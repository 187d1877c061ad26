"""What may be tried again, how often, and how long it takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from huggingface_hub import DatasetInfo, get_session, set_client_factory
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import _http

from dialogue_builders.errors import CheckError, PushError
from dialogue_builders.hub import client
from dialogue_builders.hub.retry import (
    RequestError,
    RequestFailure,
    classify_error,
    retries_exhausted,
    retry,
)
from dialogue_builders.retry import RetryPolicy, tell_wait


def http_error(status: int, **headers: str) -> HfHubHTTPError:
    request = httpx2.Request("POST", "http://127.0.0.1/api")
    response = httpx2.Response(status, headers=headers, request=request)
    return HfHubHTTPError("message", response=response, server_message="said")


def caused(outer: Exception, inner: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize("status", [408, 409, 412, 425, 429, 500, 502, 503, 504])
def test_statuses_that_may_pass(status: int) -> None:
    fault = classify_error(http_error(status))
    assert fault == RequestFailure(f"{status} said", transient=True, status=status)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_statuses_that_do_not_pass(status: int) -> None:
    fault = classify_error(http_error(status))
    assert fault == RequestFailure(f"{status} said", transient=False, status=status)


@pytest.mark.parametrize(
    ("error", "transient", "text"),
    [
        (httpx2.ReadTimeout("slow"), True, "no answer in time"),
        (httpx2.ReadError("reset"), True, "reset"),
        (httpx2.RemoteProtocolError("cut"), True, "cut"),
        (httpx2.ConnectError("refused"), True, "refused"),
        (json.JSONDecodeError("Expecting value", "<html>", 0), True, "not the Hub's"),
        (caused(RuntimeError("Error while uploading"), http_error(503)), True, "503"),
        (caused(RuntimeError("Error while uploading"), http_error(403)), False, "403"),
        (OfflineModeIsEnabled("offline"), False, "HF_HUB_OFFLINE"),
        (ConnectionError("Network error: 404 Not Found, /xet-write-token"), False, "404"),
        (ConnectionError("Network error: broken pipe"), True, "broken pipe"),
        (ValueError("Invalid metadata in README.md.\n- no"), False, "Invalid metadata"),
        (FileNotFoundError(2, "No such file", "a.parquet"), False, "a.parquet can't be read"),
    ],
)
def test_failures_of_the_clients(error: Exception, transient: bool, text: str) -> None:
    fault = classify_error(error)
    assert fault is not None
    assert fault.transient == transient
    assert text in fault.text


@pytest.mark.parametrize("error", [KeyError("x"), ValueError("other"), ZeroDivisionError()])
def test_mistakes_of_our_own_are_none_of_the_hubs(error: Exception) -> None:
    assert classify_error(error) is None


def test_an_answer_of_another_shape_is_not_the_hubs() -> None:
    fault = None
    try:
        DatasetInfo(unexpected=1)
    except KeyError as error:
        fault = classify_error(error)
    assert fault == RequestFailure("an answer that is not the Hub's", transient=True)


def test_the_wait_that_a_server_asks_for() -> None:
    def wait(**headers: str) -> float | None:
        fault = classify_error(
            http_error(429, **{k.replace("_", "-"): v for k, v in headers.items()})
        )
        assert fault is not None
        return fault.requested_wait

    assert wait() is None
    assert wait(retry_after="12") == 12
    assert wait(retry_after="soon") is None
    soon = wait(retry_after=format_datetime(datetime.now(UTC) + timedelta(seconds=90), True))
    assert soon is not None
    assert 80 < soon <= 90
    assert wait(retry_after="Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert wait(ratelimit='"api";r=0;t=55') == 55
    assert wait(ratelimit='"api";r=3;t=55') is None
    assert wait(retry_after="soon", ratelimit='"api";r=0;t=55') == 55
    assert wait(retry_after="9", ratelimit='"api";r=0;t=5') == 9
    for unreadable in ("-5", "1.5", "", "1e9", "Wed, 99 Oct 2015 99:28:00 GMT", "1, 2"):
        assert wait(retry_after=unreadable) is None
    ten_years = 10 * 365 * 24 * 3600
    assert wait(retry_after="9" * 5000) == ten_years


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (1, "1 seconds"),
        (59.2, "60 seconds"),
        (90, "2 minutes"),
        (3600, "60 minutes"),
        (7200, "2 hours"),
        (86_400, "24 hours"),
        (10 * 365 * 86_400, "3,650 days"),
    ],
)
def test_how_a_wait_is_told(seconds: float, told: str) -> None:
    assert tell_wait(seconds) == told


def test_waits_double_up_to_a_limit_and_vary() -> None:
    policy = RetryPolicy(first_wait=1, longest_wait=5)
    for attempt_number, longest in ((1, 1), (2, 2), (3, 4), (4, 5), (9, 5)):
        waits = [policy.wait_after(attempt_number, None) for _ in range(200)]
        assert longest / 2 <= min(waits) < max(waits) <= longest
    assert policy.wait_after(1, 40.0) == 40


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def failing(*errors: Exception) -> Callable[[], str]:
    left = list(errors)

    def action() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return action


def explain(fault: RequestFailure) -> PushError:
    return retries_exhausted(fault) if fault.transient else PushError(f"refused: {fault.text}")


def test_it_is_tried_again_until_it_works(waits: list[float]) -> None:
    assert retry(failing(http_error(503), http_error(412)), explain=explain) == "done"
    assert len(waits) == 2


def test_it_is_given_up_after_five_attempts(waits: list[float]) -> None:
    with pytest.raises(PushError, match="gave up after 5 attempts: 503"):
        retry(failing(*[http_error(503)] * 9), explain=explain)
    assert len(waits) == 4


def test_what_a_server_asks_for_is_bounded_in_all(waits: list[float]) -> None:
    """It may ask again and again; ten minutes are the most for one request."""
    error = http_error(429, **{"Retry-After": "250"})
    with pytest.raises(PushError, match="asks to wait 5 minutes: 429") as caught:
        retry(failing(*[error] * 9), explain=explain)
    assert waits == [250, 250]
    assert "run the same command again in 5 minutes" in str(caught.value)


ASKED = [
    # What the server answers, how the library sleeps (None: not at all), what is raised.
    (429, {"Retry-After": "3600"}, None, 3600),
    (503, {"Retry-After": "9"}, None, 9),
    (429, {"RateLimit": '"api";r=0;t=299'}, None, 299),
    (429, {"RateLimit": '"api";r=0;t=2', "Retry-After": "700"}, None, 700),
    (503, {"Retry-After": "4"}, [5.0], None),
    (429, {"RateLimit": '"api";r=0;t=4'}, [5.0], None),
    (429, {"Retry-After": "²"}, [1], None),
    (429, {"Retry-After": "٣"}, [1], None),
    (429, {"Retry-After": "soon"}, [1], None),
    (429, {"RateLimit": f'"api";r=0;t={"9" * 5000}'}, [1], None),
    (429, {"RateLimit": '"api";r=0;t=٣'}, [1], None),
    (200, {"Retry-After": "3600"}, [], None),
]


@pytest.mark.parametrize(("status", "headers", "slept", "asked"), ASKED)
def test_the_library_does_not_sleep_as_long_as_it_is_asked_to(
    waits: list[float],
    status: int,
    headers: dict[str, str],
    slept: list[float] | None,
    asked: float | None,
) -> None:
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    answers = [httpx2.Response(status, headers=encoded), httpx2.Response(200)]
    transport = httpx2.MockTransport(lambda _: answers.pop(0))
    before = _http._GLOBAL_CLIENT_FACTORY
    set_client_factory(lambda: httpx2.Client(transport=transport))
    try:
        with client.timed_requests():
            if asked is None:
                assert _http.http_backoff("GET", "http://127.0.0.1/").status_code == 200
            else:
                with pytest.raises(RequestError) as caught:
                    _http.http_backoff("GET", "http://127.0.0.1/")
                assert caught.value.failure.requested_wait == asked
                assert caught.value.failure.transient
    finally:
        set_client_factory(before)
    assert waits == (slept or [])


def test_a_refusal_is_final(waits: list[float]) -> None:
    with pytest.raises(PushError, match="refused: 403 said") as caught:
        retry(failing(http_error(403)), explain=explain)
    # The client's exception holds the request; nothing of it travels along.
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert waits == []


def test_before_a_new_try_it_looks(waits: list[float]) -> None:
    looks = iter([None, "landed"])
    action = failing(*[http_error(503)] * 3)
    assert retry(action, explain=explain, before_retry=lambda: next(looks)) == "landed"
    assert len(waits) == 2


def test_known_errors_and_mistakes_pass_through(waits: list[float]) -> None:
    for error in (CheckError("broken"), KeyError("mistake")):
        with pytest.raises(type(error)) as caught:
            retry(failing(error), explain=explain)
        assert caught.value is error
    with pytest.raises(HfHubHTTPError):
        retry(failing(http_error(503)), explain=explain, expected=(HfHubHTTPError,))
    assert waits == []


def test_the_token_is_taken_out(waits: list[float]) -> None:
    with pytest.raises(PushError, match="refused: 403 …"):
        retry(
            failing(http_error(403)),
            explain=explain,
            redact=lambda text: text.replace("said", "…"),
        )


def test_every_request_has_a_time_out_for_the_time_of_a_push() -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200)

    def own_client() -> httpx2.Client:
        transport = httpx2.MockTransport(answer)
        return httpx2.Client(transport=transport, timeout=None, headers={"X-Own": "kept"})

    before = _http._GLOBAL_CLIENT_FACTORY
    set_client_factory(own_client)
    try:
        with client.timed_requests():
            get_session().get("http://127.0.0.1/")
            get_session().get("http://127.0.0.1/", timeout=None)
            get_session().get("http://127.0.0.1/", timeout=3.0)
        get_session().get("http://127.0.0.1/")
        assert _http._GLOBAL_CLIENT_FACTORY is own_client
    finally:
        set_client_factory(before)
    ours = {"connect": 15.0, "read": 120.0, "write": 120.0, "pool": 120.0}
    phases = list(ours)
    assert [request.extensions["timeout"] for request in sent] == [
        ours,
        ours,
        dict.fromkeys(phases, 3.0),
        dict.fromkeys(phases),
    ]
    assert {request.headers["X-Own"] for request in sent} == {"kept"}
