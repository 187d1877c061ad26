"""A download is bounded: in bytes, in time, and to its folder; and it says what it has found."""

from __future__ import annotations

import os
from pathlib import Path

import loopback_server
import pytest
from loopback_server import Handler, Server
from test_download import NAME, fetch, left_over, pinned, server, use_pins  # noqa: F401

from dialogue_builders.errors import DialogueBuildersError, DownloadError, FolderError
from dialogue_builders.fetch import http, verified
from dialogue_builders.spec.source import Pin

pytestmark = pytest.mark.usefixtures("_environment")


@pytest.fixture
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIMEOUT_SECONDS", 5.0)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "DIALOGUE_BUILDERS_MIRROR"):
        monkeypatch.delenv(name, raising=False)


sent = 0


def endless(handler: Handler, content: bytes) -> None:
    """Send the file, and then more without end, until the client hangs up."""
    global sent
    handler.begin(200, {})
    chunk = content
    for _ in range(4096):
        handler.wfile.write(chunk)
        sent += len(chunk)
        chunk = b"x" * (1 << 18)


def trickle(handler: Handler, content: bytes) -> None:
    """Send a byte now and then."""
    rest = loopback_server.answer(handler, content)
    for position in range(len(rest)):
        handler.wfile.write(rest[position : position + 1])
        if handler.server.released.wait(0.02):
            return


def test_an_endless_answer(
    pinned: Server,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[int] = []
    original = verified._fault

    def watch(path: Path, pin: Pin, *, mirrored: bool) -> DownloadError | None:
        written.append(path.stat().st_size)
        return original(path, pin, mirrored=mirrored)

    monkeypatch.setattr(verified, "_fault", watch)
    pinned.scripts[NAME] = [endless] * 2
    with pytest.raises(DownloadError, match="the answer goes on behind the file's end"):
        fetch(tmp_path)
    assert written == [len(pinned.files[NAME]) + 1] * 2
    assert sent < 1 << 26  # what fits into the buffers on the way
    assert left_over(tmp_path) == []
    assert not (tmp_path / NAME).exists()


def test_an_endless_answer_without_a_pinned_size(
    server: Server,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from test_download import pins_of

    use_pins(monkeypatch, server, pins_of(server.files, sizes=False))
    monkeypatch.setattr(verified, "LARGEST_UNKNOWN_BYTES", 1 << 20)
    server.scripts[NAME] = [endless] * 2
    with pytest.raises(DownloadError, match="of 1,048,577 bytes; the answer goes on"):
        fetch(tmp_path)
    assert left_over(tmp_path) == []


def test_a_server_that_trickles(
    pinned: Server,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "SLOW_SECONDS", 0.2)
    pinned.scripts[NAME] = [trickle] * 3
    with pytest.raises(
        DownloadError, match=r"in 3 tries; the last one failed: too slow: \d+ bytes"
    ):
        fetch(tmp_path)
    # What has arrived is kept, and the next run goes on there.
    assert len(pinned.asked(NAME)) == 3
    fetch(tmp_path)
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


def test_the_slowest_speed() -> None:
    now = 0.0
    pace = http.Pace(lambda: now)
    for _ in range(10):
        now += 30.0
        pace.add(31_000)
    now += 59.0
    pace.add(1)  # a pause that is shorter than a minute is none
    now += 60.0
    with pytest.raises(Exception, match="too slow: 1 bytes in 119 seconds"):
        pace.add(0)


@pytest.mark.parametrize("where", [f"{NAME}.part", "conversations", ".download.lock"])
def test_no_link_in_the_folder_is_followed(
    where: str,
    pinned: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    link = tmp_path / "raw" / where
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(elsewhere if where == "conversations" else elsewhere / "mine")
    if where == ".download.lock":
        fetch(tmp_path / "raw")
    else:
        with pytest.raises(FolderError, match="is a link, and a download follows none"):
            fetch(tmp_path / "raw")
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]
    assert (elsewhere / "mine").read_text() == "mine"


def test_a_file_with_two_names_is_not_written_to(
    pinned: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    (tmp_path / "mine").write_bytes(b"x" * (len(pinned.files[NAME]) - 1))
    part = tmp_path / "raw" / f"{NAME}.part"
    part.parent.mkdir(parents=True)
    os.link(tmp_path / "mine", part)
    pinned.scripts[NAME] = [loopback_server.other(pinned.files[NAME])]
    fetch(tmp_path / "raw")
    assert (tmp_path / "mine").read_bytes() == b"x" * (len(pinned.files[NAME]) - 1)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"hello world", "it is no JSON, but begins with 'hello world'"),
        (b"", "it is empty"),
        (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "it is XML"),
        (b'{"message": "Not Found"}', "it is shorter than the file: a part of it, or another"),
        (b'{"t_1": {"config', "it is a part of the file"),
    ],
)
@pytest.mark.parametrize("mirrored", [False, True])
def test_what_a_wrong_file_is_said_to_be(
    content: bytes,
    found: str,
    mirrored: bool,
    pinned: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    pinned.scripts[NAME] = [loopback_server.other(content)] * 2
    with pytest.raises(DialogueBuildersError) as caught:
        fetch(tmp_path, mirror=pinned.url if mirrored else None)
    assert found in caught.value.problem
    step = caught.value.next_step or ""
    assert not (mirrored and "--mirror" in step)
    if not content.startswith(b"<"):
        assert ("another mirror, or none" in step) == mirrored
