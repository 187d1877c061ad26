"""`download` against a real server on loopback that truncates, stalls, redirects and refuses."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any

import loopback_server
import pytest
from click.testing import CliRunner
from loopback_server import Server
from topical_chat_raw import read_json

import dialogue_builders
from dialogue_builders.cli.main import main
from dialogue_builders.errors import (
    DownloadError,
    FolderError,
    OptionError,
    RawFileError,
    UnknownNameError,
)
from dialogue_builders.fetch import http
from dialogue_builders.retry import RetryPolicy, retry_after
from dialogue_builders.spec.source import Pin
from topical_chat.sample import files

QUICK = RetryPolicy(tries=3, first_wait=0)
NAME = "conversations/test_rare.json"
HTML = b"<!DOCTYPE html><title>Sign in</title>"


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def pins_of(contents: dict[str, bytes], *, sizes: bool = True) -> dict[str, Pin]:
    return {
        path: Pin(path, blob(content), size=len(content) if sizes else None)
        for path, content in contents.items()
    }


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIMEOUT_SECONDS", 0.4)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "DIALOGUE_BUILDERS_MIRROR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with loopback_server.running() as running:
        # The post-build and enriched files lie elsewhere, or nowhere.
        running.files = {k: v for k, v in files().items() if not k.startswith("enriched")}
        yield running


@pytest.fixture
def pinned(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The dataset, with the sample's files on the loopback server as its pinned upstream."""
    use_pins(monkeypatch, server, pins_of(server.files))
    return server


def use_pins(monkeypatch: pytest.MonkeyPatch, server: Server, pins: dict[str, Pin]) -> None:
    import topical_chat.corpus
    from topical_chat.builder import TopicalChat

    corpus = dataclasses.replace(
        topical_chat.corpus.CORPUS, pins=pins, download_url=server.url, version="9.9.9"
    )
    monkeypatch.setattr(topical_chat.corpus, "CORPUS", corpus)
    monkeypatch.setattr(TopicalChat, "CORPUS", corpus)


def fetch(to: Path, **keywords: Any) -> Any:
    defaults: dict[str, Any] = {
        "configs": ["conversations"],
        "splits": ["test_rare"],
        "policy": QUICK,
    }
    return dialogue_builders.download("topical_chat", to, **{**defaults, **keywords})


def left_over(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*.part"))


def test_every_pinned_file(pinned: Server, tmp_path: Path) -> None:
    report = fetch(tmp_path, configs=None, splits=None)
    assert set(report.fetched) == set(pinned.files)
    for name, content in pinned.files.items():
        assert (tmp_path / name).read_bytes() == content
    assert left_over(tmp_path) == []
    # Nothing is fetched that is right already.
    count = len(pinned.requests)
    again = fetch(tmp_path, configs=None, splits=None)
    assert again.fetched == ()
    assert set(again.already) == set(pinned.files)
    assert len(pinned.requests) == count
    # One bad file is the only one that is fetched anew.
    (tmp_path / NAME).write_bytes(b"{}")
    assert fetch(tmp_path, configs=None, splits=None).fetched == (NAME,)
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


def test_what_a_config_needs(pinned: Server, tmp_path: Path) -> None:
    lookups = {"src/wiki/wiki.json", "src/entity_to_topic.json"}
    report = fetch(tmp_path / "1", configs=["responses"])
    assert set(report.fetched) == {NAME, "reading_sets/pre-build/test_rare.json", *lookups}
    report = fetch(tmp_path / "2", configs=["asr_synthetic"], splits=None)
    assert set(report.fetched) == {n for n in pinned.files if "synthetic" in n}
    assert len(report.fetched) == 4
    # An alias stands for the config behind it.
    assert fetch(tmp_path / "3", configs=["freq"]).fetched == (NAME,)


def test_the_real_pins_of_each_config() -> None:
    from dialogue_builders.fetch.pinned import pinned_files
    from topical_chat.corpus import CORPUS

    counts = {
        view.name: len({pin for _, pin in pinned_files(CORPUS, view, CORPUS.splits)})
        for view in CORPUS.views
        if view.name != "enriched"
    }
    # 5 splits; with reading sets 5 more, and 2 look-ups; train 4 rates, the others 4 rates x 5.
    assert counts == {
        "conversations": 5,
        "utterances": 5,
        "reading_sets": 12,
        "responses": 12,
        "messages": 5,
        "asr_actual": 2,
        "asr_synthetic": 84,
    }
    assert CORPUS.download_url == (
        "https://raw.githubusercontent.com/alexa/Topical-Chat/"
        "7c939229cbcf6f55f6977b341a5a2f2fe982d53f/"
    )


def test_truncated_is_resumed(pinned: Server, tmp_path: Path) -> None:
    pinned.scripts[NAME] = [loopback_server.truncate(1000), loopback_server.truncate(500)]
    fetch(tmp_path)
    assert pinned.asked(NAME) == [None, "bytes=1000-", "bytes=1500-"]
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


def test_another_run_goes_on(pinned: Server, tmp_path: Path) -> None:
    pinned.scripts[NAME] = [loopback_server.truncate(700)] * 3
    with pytest.raises(DownloadError, match="could not be fetched in 3 tries") as caught:
        fetch(tmp_path)
    assert "bytes too early" in str(caught.value)
    assert caught.value.file == NAME
    assert not (tmp_path / NAME).exists()
    assert (tmp_path / f"{NAME}.part").stat().st_size == 2100
    fetch(tmp_path)
    assert pinned.asked(NAME)[-1] == "bytes=2100-"
    assert left_over(tmp_path) == []


def test_stalling(pinned: Server, tmp_path: Path) -> None:
    pinned.scripts[NAME] = [loopback_server.stall(300)]
    fetch(tmp_path)
    assert pinned.asked(NAME) == [None, "bytes=300-"]
    pinned.scripts[NAME] = [loopback_server.stall(0)] * 3
    with pytest.raises(DownloadError, match="timed out"):
        fetch(tmp_path / "other")


@pytest.mark.parametrize("behaviour", ["reset", "without_ranges", "another_range"])
def test_odd_servers(pinned: Server, tmp_path: Path, behaviour: str) -> None:
    first = loopback_server.truncate(64)
    if behaviour == "reset":
        pinned.scripts[NAME] = [loopback_server.reset]
    else:
        pinned.scripts[NAME] = [first, getattr(loopback_server, behaviour)]
    fetch(tmp_path)
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


@pytest.mark.parametrize("old", [b"x", b"x" * 100_000])
@pytest.mark.parametrize("sizes", [True, False])
def test_a_wrong_beginning(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bytes, sizes: bool
) -> None:
    """What an earlier run left may be wrong, or longer than the file itself."""
    use_pins(monkeypatch, server, pins_of(server.files, sizes=sizes))
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / f"{NAME}.part").write_bytes(old)
    fetch(tmp_path)
    assert (tmp_path / NAME).read_bytes() == server.files[NAME]
    assert left_over(tmp_path) == []


def test_a_whole_part_needs_no_request(pinned: Server, tmp_path: Path) -> None:
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / f"{NAME}.part").write_bytes(pinned.files[NAME])
    fetch(tmp_path)
    assert pinned.requests == []
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


def test_redirections(pinned: Server, tmp_path: Path) -> None:
    pinned.files["elsewhere"] = pinned.files[NAME]
    pinned.scripts[NAME] = [loopback_server.truncate(10), loopback_server.redirect("elsewhere")]
    fetch(tmp_path)
    assert pinned.asked("elsewhere") == ["bytes=10-"]
    pinned.scripts[NAME] = [loopback_server.redirect(NAME)] * 50
    with pytest.raises(DownloadError, match="HTTP 302"):
        fetch(tmp_path / "other")


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_passing_faults_are_retried(pinned: Server, tmp_path: Path, code: int) -> None:
    pinned.scripts[NAME] = [loopback_server.status(code)] * 2
    fetch(tmp_path)
    assert len(pinned.asked(NAME)) == 3
    pinned.scripts[NAME] = [loopback_server.status(code)] * 3
    with pytest.raises(DownloadError, match=f"HTTP {code}"):
        fetch(tmp_path / "other")


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_refusals_are_not_retried(pinned: Server, tmp_path: Path, code: int) -> None:
    pinned.scripts[NAME] = [loopback_server.status(code)]
    with pytest.raises(DownloadError, match=f"the server refuses it: HTTP {code}") as caught:
        fetch(tmp_path)
    assert len(pinned.asked(NAME)) == 1
    assert caught.value.next_step is not None
    assert ("--mirror" in caught.value.next_step) == (code in (404, 410))


def test_retry_after_is_honoured(pinned: Server, tmp_path: Path) -> None:
    # The server's word counts, not our own much longer wait.
    pinned.scripts[NAME] = [loopback_server.status(429, Retry_After=1)]
    started = time.monotonic()
    fetch(tmp_path, policy=RetryPolicy(tries=2, first_wait=60))
    assert 1 <= time.monotonic() - started < 30
    # But it does not count without a bound.
    pinned.scripts[NAME] = [loopback_server.status(503, Retry_After=99_999)]
    fetch(tmp_path / "other", policy=RetryPolicy(tries=2, first_wait=0, longest_request=0.01))


def test_forms_of_retry_after() -> None:
    now = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    later = format_datetime(now.replace(minute=6), usegmt=True)
    assert retry_after("7", now) == 7
    # Digits to Python, but no number of seconds.
    assert retry_after("²", now) is None
    assert retry_after("٣", now) is None
    assert retry_after(later, now) == 120
    assert retry_after(later, now + timedelta(seconds=500)) == 0
    assert retry_after("soon") is None
    assert retry_after(None) is None


def test_a_bad_file_is_fetched_once_more(pinned: Server, tmp_path: Path) -> None:
    pinned.scripts[NAME] = [loopback_server.other(HTML)]
    fetch(tmp_path)
    assert pinned.asked(NAME) == [None, None]
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize(
    ("what", "cause"),
    [
        ("html", "it is an HTML page"),
        ("part", "it is a part of the file"),
        ("version", "upstream holds another version"),
        ("pointer", "it is a Git LFS pointer"),
    ],
)
def test_a_bad_file_stays_away(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    cause: str,
    sizes: bool,
) -> None:
    use_pins(monkeypatch, server, pins_of(server.files, sizes=sizes))
    content = server.files[NAME]
    bad = {
        "html": HTML,
        "part": content[:900],
        "version": content.replace(b"agent_1", b"agent_2"),
        "pointer": b"version https://git-lfs.github.com/spec/v1\n",
    }[what]
    behaviour = (
        loopback_server.without_length(900) if what == "part" else loopback_server.other(bad)
    )
    server.scripts[NAME] = [behaviour] * 2
    with pytest.raises(DownloadError) as caught:
        fetch(tmp_path)
    text = str(caught.value)
    assert text.startswith(f"{NAME}: is not the pinned file: expected blob {blob(content)}")
    assert f"got blob {blob(bad)} of {len(bad):,} bytes; {cause}" in text
    assert (f"of {len(content):,} bytes, got" in text) == sizes
    assert "\nNext: " in text
    assert len(server.asked(NAME)) == 2
    assert not (tmp_path / NAME).exists()
    assert left_over(tmp_path) == []


def test_a_fault_keeps_no_other_file_away(pinned: Server, tmp_path: Path) -> None:
    bad = ["conversations/train.json", "src/wiki/wiki.json"]
    for name in bad:
        pinned.scripts[name] = [loopback_server.other(HTML)] * 2
    with pytest.raises(DownloadError, match=r"and 1 more of \d+ files have a fault"):
        fetch(tmp_path, configs=None, splits=None)
    there = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.json")}
    assert there == set(pinned.files) - set(bad)


def test_nobody_listens(pinned: Server, tmp_path: Path) -> None:
    free = loopback_server.Server()
    address = free.url
    free.server_close()
    with pytest.raises(DownloadError, match="ConnectionRefusedError") as caught:
        fetch(tmp_path, mirror=address)
    assert "--mirror" in str(caught.value)


def test_a_host_that_is_not_known(
    pinned: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_up(*arguments: Any, **keywords: Any) -> None:
        asked.append(arguments[0])
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    asked: list[str] = []
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(DownloadError, match=r"the host upstream\.invalid is not known") as caught:
        fetch(tmp_path, mirror="http://upstream.invalid/")
    assert asked == ["upstream.invalid"]
    assert "data_dir" in str(caught.value)


def test_mirrors(pinned: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned.files = {f"copy of it/{name}": content for name, content in pinned.files.items()}
    fetch(tmp_path / "1", mirror=f"{pinned.url}copy%20of%20it")
    monkeypatch.setenv("DIALOGUE_BUILDERS_MIRROR", f"{pinned.url}copy%20of%20it/")
    fetch(tmp_path / "2")
    assert pinned.requests == [(f"copy of it/{NAME}", None)] * 2


@pytest.mark.parametrize(
    "address", ["file:///tmp", "example.org/x", "https://user:secret@example.org/", "http://h/?a=b"]
)
def test_addresses_that_are_none(tmp_path: Path, address: str) -> None:
    with pytest.raises(OptionError, match="base address") as caught:
        fetch(tmp_path, mirror=address)
    assert "secret" not in str(caught.value)


def test_proxies(pinned: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", pinned.url)
    monkeypatch.setenv("no_proxy", "localhost")
    fetch(tmp_path, mirror="http://upstream.invalid/")
    assert pinned.requests == [(NAME, None)]
    assert (tmp_path / NAME).read_bytes() == pinned.files[NAME]


def test_folders_that_cannot_be_written(pinned: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FolderError):
        fetch(tmp_path / "file")
    (tmp_path / "raw" / NAME).mkdir(parents=True)
    with pytest.raises(FolderError, match="cannot write"):
        fetch(tmp_path / "raw")


def test_names_that_do_not_exist(pinned: Server, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        fetch(tmp_path, configs=["conversation"])
    with pytest.raises(UnknownNameError):
        fetch(tmp_path, splits=["valid"])
    # A config whose files are not in the repository says where they are.
    with pytest.raises(RawFileError, match="config enriched can't be downloaded") as caught:
        fetch(tmp_path, configs=["enriched"])
    assert "enriched-topical-chat" in str(caught.value)
    assert pinned.requests == []


def test_a_corpus_without_address(
    pinned: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import topical_chat.corpus

    corpus = dataclasses.replace(
        topical_chat.corpus.CORPUS, download_url=None, how_to_get="ask the authors"
    )
    monkeypatch.setattr(topical_chat.corpus, "CORPUS", corpus)
    with pytest.raises(RawFileError, match="can't be downloaded") as caught:
        fetch(tmp_path)
    assert caught.value.next_step == "ask the authors"


def test_two_at_once_fetch_once(
    pinned: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pinned.scripts[NAME] = [loopback_server.hold]
    waits = Event()

    class Told(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "waiting for another process" in record.getMessage():
                waits.set()

    logger, handler = logging.getLogger("dialogue_builders"), Told()
    logger.addHandler(handler)
    policy = RetryPolicy(tries=1)
    results: list[Any] = []
    threads = [
        Thread(target=lambda: results.append(fetch(tmp_path, policy=policy))) for _ in range(2)
    ]
    try:
        for thread in threads:
            thread.start()
        assert waits.wait(20)
        pinned.released.set()
        for thread in threads:
            thread.join(20)
    finally:
        logger.removeHandler(handler)
    assert sorted(len(report.fetched) for report in results) == [0, 1]
    assert pinned.asked(NAME) == [None]


def test_progress(pinned: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    fetch(tmp_path, splits=["test_freq", "test_rare"], progress=lambda *step: seen.append(step))
    assert seen[-1] == ("downloading", 2, 2)
    assert any(what.startswith(NAME) and total == 2 for what, _, total in seen)


def test_command_line(pinned: Server, tmp_path: Path) -> None:
    arguments = ["download", "topical_chat", "--to", str(tmp_path / "raw")]
    arguments += ["--config", "asr_actual"]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 0
    assert "2 files fetched and verified" in first.stdout
    second = CliRunner().invoke(main, [*arguments, "--json"])
    assert json.loads(second.stdout)["already"] == [
        "TopicalChatASR/actual/test_freq_audio.json",
        "TopicalChatASR/actual/test_rare_audio.json",
    ]
    refused = CliRunner().invoke(main, [*arguments[:-1], "messages", "--mirror", pinned.url + "x"])
    assert refused.exit_code == 1
    assert "HTTP 404" in refused.stderr
    assert "Next:" in refused.stderr


def cache_of(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", ["conversations", "responses", "asr_synthetic", "test_rare"])
def test_load_by_name(pinned: Server, tmp_path: Path, config: str, streaming: bool) -> None:
    keywords = {"cache_dir": cache_of(tmp_path), "streaming": streaming}
    loaded = dialogue_builders.load_dataset("topical_chat", config, **keywords)
    raw = tmp_path / "raw"
    for name, content in pinned.files.items():
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        (raw / name).write_bytes(content)
    expected = dialogue_builders.load_dataset(
        "topical_chat", config, data_dir=str(raw), cache_dir=str(tmp_path / "other")
    )
    assert set(loaded) == set(expected)
    for split in expected:
        assert list(loaded[split]) == list(expected[split])
        assert loaded[split].features == expected[split].features
    # Once there, nothing is asked for again.
    count = len(pinned.requests)
    dialogue_builders.load_dataset("topical_chat", config, **keywords)
    assert len(pinned.requests) == count


def test_a_part_is_downloaded_for_a_part(pinned: Server, tmp_path: Path) -> None:
    rows = dialogue_builders.load_dataset(
        "topical_chat", splits=["test_rare"], cache_dir=cache_of(tmp_path)
    )
    assert list(rows) == ["test_rare"]
    assert pinned.requests == [(NAME, None)]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("way", ["name", "class"])
def test_a_split_by_name_downloads_its_own_files(
    pinned: Server, tmp_path: Path, streaming: bool, way: str
) -> None:
    from topical_chat import TopicalChat

    records = json.loads(pinned.files[NAME])
    if way == "name":
        rows = dialogue_builders.load_dataset(
            "topical_chat", split="test_rare", streaming=streaming, cache_dir=cache_of(tmp_path)
        )
    elif streaming:
        builder = TopicalChat(cache_dir=cache_of(tmp_path))
        rows = builder.as_streaming_dataset(split="test_rare")
    else:
        builder = TopicalChat(cache_dir=cache_of(tmp_path), splits=["test_rare"])
        builder.download_and_prepare()
        rows = builder.as_dataset(split="test_rare")
    assert [row["conversation_id"] for row in rows] == list(records)
    assert pinned.requests == [(NAME, None)]


def test_a_builder_that_streamed_a_part_still_makes_the_whole(
    pinned: Server, tmp_path: Path
) -> None:
    from topical_chat import TopicalChat

    builder = TopicalChat(cache_dir=cache_of(tmp_path))
    part = builder.as_streaming_dataset(split="test_rare")
    builder.download_and_prepare()
    assert list(builder.as_dataset()) == [
        "train", "valid_freq", "valid_rare", "test_freq", "test_rare"
    ]  # fmt: skip
    assert [row["conversation_id"] for row in part] == list(json.loads(pinned.files[NAME]))


def test_the_constructor_asks_nobody(
    pinned: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    from topical_chat import TopicalChat

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "user")
    dialogue_builders.register()
    try:
        names = datasets.get_dataset_config_names("topical_chat")
        splits = datasets.get_dataset_split_names("topical_chat", "responses")
    finally:
        dialogue_builders.unregister()
    assert "responses" in names
    assert splits == ["train", "valid_freq", "valid_rare", "test_freq", "test_rare"]
    builder = TopicalChat(cache_dir=cache_of(tmp_path), config_name="responses")
    assert pinned.requests == []
    # The cache key is that of the content which will be fetched.
    key = builder.hash
    builder.download_and_prepare()
    assert builder.hash == key
    again = TopicalChat(cache_dir=cache_of(tmp_path), config_name="responses")
    assert (again.hash, again.cache_dir) == (key, builder.cache_dir)
    other = TopicalChat(cache_dir=cache_of(tmp_path), config_name="responses", history_turns=2)
    assert other.cache_dir != builder.cache_dir


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"])
@pytest.mark.parametrize("streaming", [False, True])
def test_offline(
    pinned: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    streaming: bool,
) -> None:
    monkeypatch.setenv(variable, "1")
    keywords: dict[str, Any] = {"cache_dir": cache_of(tmp_path), "streaming": streaming}
    with pytest.raises(DownloadError, match="offline mode") as caught:
        dialogue_builders.load_dataset("topical_chat", **keywords)
    assert "data_dir" in str(caught.value)
    assert "dialogue-builders download topical_chat --to DIR" in str(caught.value)
    assert pinned.requests == []
    # What was fetched before needs no network.
    monkeypatch.delenv(variable)
    dialogue_builders.load_dataset("topical_chat", **keywords)
    monkeypatch.setenv(variable, "1")
    count = len(pinned.requests)
    dialogue_builders.load_dataset("topical_chat", **keywords)
    assert len(pinned.requests) == count


def test_offline_as_the_library_was_told(
    pinned: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadError, match="offline mode"):
        dialogue_builders.load_dataset("topical_chat", cache_dir=cache_of(tmp_path))


def test_a_config_that_cannot_be_downloaded(pinned: Server, tmp_path: Path) -> None:
    with pytest.raises(RawFileError, match="config enriched can't be downloaded"):
        dialogue_builders.load_dataset("topical_chat", "enriched", cache_dir=cache_of(tmp_path))


def test_pinned_files_among_many(pinned: Server, tmp_path: Path) -> None:
    """Each of a split's many files has a pin of its own, so that two may not change places."""
    raw = tmp_path / "raw"
    fetch(raw, configs=["asr_synthetic"], splits=["test_rare"])
    keywords: dict[str, Any] = {"data_dir": raw, "configs": ["asr_synthetic"]}
    report = dialogue_builders.build("topical_chat", tmp_path / "1", **keywords)
    assert report.built.provenance.raw == "pinned"
    one, other = sorted((raw / "TopicalChatASR/synthetic/test/rare").iterdir())
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    report = dialogue_builders.build("topical_chat", tmp_path / "2", **keywords)
    assert report.built.provenance.raw == "other"


@pytest.mark.real_data
def test_real_files_from_a_mirror(real_data: Path, server: Server, tmp_path: Path) -> None:
    """The true pins, met by the true files."""
    name = "reading_sets/pre-build/test_rare.json"
    server.files = {
        path: (real_data / path).read_bytes()
        for path in (NAME, name, "src/wiki/wiki.json", "src/entity_to_topic.json")
    }
    server.scripts[NAME] = [loopback_server.truncate(1_000_000)]
    report = fetch(tmp_path, configs=["responses"], mirror=server.url)
    assert len(report.fetched) == 4
    assert server.asked(NAME) == [None, "bytes=1000000-"]
    assert json.loads((tmp_path / name).read_bytes()) == read_json(real_data / name)
