"""Two releases of one corpus, under the same file names: told apart by content, never mixed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import loopback_server
import pytest
from click.testing import CliRunner
from conftest import OLD_DATA, REAL_DATA
from loopback_server import Server
from test_download import QUICK, pins_of

import dialogue_builders
import topical_chat.corpus
from dialogue_builders.cli.main import main
from dialogue_builders.errors import RawFileError, UnknownNameError
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.folder.statistics import statistics
from dialogue_builders.loading.builder_classes import builder_class
from dialogue_builders.spec import Release
from topical_chat.builder import TopicalChat
from topical_chat.sample import files

NEW, OLD = "TCS-1.1", "TCS-1.0"
TOPICS = "src/entity_to_topic.json"
# The sample has 8 and 3 conversations in train and test_rare; the old release has one less.
ROWS = {NEW: {"train": 8, "test_rare": 3}, OLD: {"train": 7, "test_rare": 2}}


def old_files() -> dict[str, bytes]:
    """The sample without the last conversation of each split, and without topics of entities."""
    changed = {}
    for path, content in files().items():
        if path.startswith(("conversations/", "reading_sets/")):
            records = json.loads(content)
            records.popitem()
            changed[path] = json.dumps(records, indent=2).encode()
        elif path.startswith("src/") and path != TOPICS:
            changed[path] = content
    return changed


CONTENTS = {NEW: {k: v for k, v in files().items() if "enriched" not in k}, OLD: old_files()}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Topical-Chat with the sample as its default release, and the old one beside it."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "DIALOGUE_BUILDERS_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    with loopback_server.running() as running:
        running.files = {
            f"{release}/{path}": content
            for release, contents in CONTENTS.items()
            for path, content in contents.items()
        }
        declare(monkeypatch, running.url, sizes=True)
        yield running


def declare(monkeypatch: pytest.MonkeyPatch, url: str, *, sizes: bool) -> None:
    corpus = replace(
        topical_chat.corpus.CORPUS,
        version="9.9.9",
        pins=pins_of(CONTENTS[NEW], sizes=sizes),
        download_url=f"{url}{NEW}/",
        published_rows={"conversations": ROWS[NEW]},
        releases=(
            Release(
                name=OLD,
                upstream="the old place",
                pins=pins_of(CONTENTS[OLD], sizes=sizes),
                download_url=f"{url}{OLD}/",
                statistics=topical_chat.corpus.CORPUS.statistics,
                published_rows={"conversations": ROWS[OLD]},
            ),
        ),
    )
    monkeypatch.setattr(topical_chat.corpus, "CORPUS", corpus)
    monkeypatch.setattr(TopicalChat, "CORPUS", corpus)


def raw_folder(folder: Path, release: str, only: str = "") -> Path:
    for path, content in CONTENTS[release].items():
        if path.startswith(only):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    return folder


def download(to: Path, release: str | None, **keywords: Any) -> Any:
    return dialogue_builders.download("topical_chat", to, release=release, policy=QUICK, **keywords)


def test_each_release_is_downloaded_from_its_own_place(server: Server, tmp_path: Path) -> None:
    for release, name in ((None, NEW), (NEW, NEW), (OLD, OLD)):
        folder = tmp_path / str(release)
        assert set(download(folder, release).fetched) == set(CONTENTS[name])
        for path, content in CONTENTS[name].items():
            assert (folder / path).read_bytes() == content
    with pytest.raises(UnknownNameError, match="no release named 'TCS-1'"):
        download(tmp_path / "x", "TCS-1")


def test_a_release_is_not_fetched_over_another(server: Server, tmp_path: Path) -> None:
    raw = raw_folder(tmp_path, OLD)
    before = {path: path.read_bytes() for path in raw.rglob("*.json")}
    with pytest.raises(RawFileError, match=f"holds files of {OLD}, not of {NEW}"):
        download(raw, None)
    assert {path: path.read_bytes() for path in raw.rglob("*.json")} == before
    assert server.requests == []
    assert download(raw, OLD).fetched == ()


@pytest.mark.parametrize("release", [NEW, OLD])
def test_a_folder_says_its_release(server: Server, release: str, tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "raw", release)
    built = dialogue_builders.build("topical_chat", tmp_path / "out", data_dir=raw).built
    assert (built.provenance.raw, built.provenance.release) == ("pinned", release)
    for split, rows in ROWS[release].items():
        assert built.rows("conversations", split) == rows
    again = open_built_folder(built.path)
    assert again.provenance.release == again.corpus.release == release
    assert dialogue_builders.check(built.path).problems == ()
    card = (built.path / "README.md").read_text("utf-8")
    assert ("Upstream: the old place." in card) == (release == OLD)


def test_check_knows_the_rows_of_each_release(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old release's folder, against a count that is one too high."""
    raw = raw_folder(tmp_path / "raw", OLD)
    folder = dialogue_builders.build(
        "topical_chat", tmp_path / "out", data_dir=raw, configs=["conversations"]
    ).folder
    corpus = topical_chat.corpus.CORPUS
    (old,) = corpus.releases
    wrong = replace(old, published_rows={"conversations": {"train": 8}})
    monkeypatch.setattr(topical_chat.corpus, "CORPUS", replace(corpus, releases=(wrong,)))
    problems = dialogue_builders.check(folder).problems
    assert problems == ("conversations/train has 7 rows, but 8 are published",)


def test_what_a_release_lacks_nothing_needs(server: Server, tmp_path: Path) -> None:
    """Without the topics of entities, reading sets have null in their place; the default needs them."""
    raw = raw_folder(tmp_path / "raw", OLD)
    folder = dialogue_builders.build(
        "topical_chat", tmp_path / "out", data_dir=raw, configs=["reading_sets"]
    ).folder
    (batch,) = open_built_folder(folder).read("reading_sets", "test_rare")
    assert {row["agent_1"]["FS1"]["topic"] for row in batch.to_pylist()} == {None}
    (raw_folder(tmp_path / "new", NEW) / TOPICS).unlink()
    with pytest.raises(RawFileError, match=f"lacks {TOPICS}"):
        dialogue_builders.build(
            "topical_chat", tmp_path / "x", data_dir=tmp_path / "new", configs=["reading_sets"]
        )


@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize("split", [None, ["train"]])
def test_mixed_releases_are_refused_everywhere(
    server: Server,
    sizes: bool,
    split: list[str] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    declare(monkeypatch, server.url, sizes=sizes)
    raw = raw_folder(tmp_path / "raw", NEW)
    raw_folder(raw, OLD, "conversations/train")
    with pytest.raises(RawFileError, match="of more than one release") as caught:
        dialogue_builders.build("topical_chat", tmp_path / "out", data_dir=raw, splits=split)
    assert "conversations/train.json is of TCS-1.0" in str(caught.value)
    assert "reading_sets/pre-build/train.json is of TCS-1.1" in str(caught.value)
    with pytest.raises(RawFileError, match="of more than one release"):
        dialogue_builders.load_dataset(
            "topical_chat", data_dir=str(raw), splits=split, cache_dir=str(tmp_path / "cache")
        )
    with pytest.raises(RawFileError, match="of more than one release"):
        TopicalChat(data_dir=str(raw), cache_dir=str(tmp_path / "cache"), splits=split)


def test_a_file_of_unknown_size_is_told_when_it_is_read(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a folder reads no large file whose size is not pinned, where others tell."""
    corpus = topical_chat.corpus.CORPUS
    train = "conversations/train.json"

    def unsized(pins: Any) -> Any:
        return {**pins, train: replace(pins[train], size=None)}

    (old,) = corpus.releases
    corpus = replace(
        corpus, pins=unsized(corpus.pins), releases=(replace(old, pins=unsized(old.pins)),)
    )
    monkeypatch.setattr(topical_chat.corpus, "CORPUS", corpus)
    raw = raw_folder(tmp_path / "raw", NEW)
    raw_folder(raw, OLD, train)
    with pytest.raises(RawFileError, match="files of TCS-1.1 and of TCS-1.0"):
        dialogue_builders.build(
            "topical_chat",
            tmp_path / "out",
            data_dir=raw,
            configs=["conversations"],
            splits=["train"],
        )
    # Alone it tells the release.
    alone = raw_folder(tmp_path / "alone", OLD, train)
    built = dialogue_builders.build(
        "topical_chat", tmp_path / "o", data_dir=alone, configs=["conversations"], splits=["train"]
    ).built
    assert built.provenance.release == OLD


def test_verify_tells_the_release_of_each_file(server: Server, tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "raw", OLD)
    answer = CliRunner().invoke(main, ["verify", "topical_chat", "--data-dir", str(raw), "--json"])
    reports = {report["path"]: report for report in json.loads(answer.output)}
    assert answer.exit_code == 0
    assert set(reports) == set(CONTENTS[OLD])
    assert reports["conversations/train.json"]["releases"] == [OLD]
    assert reports["src/wiki/wiki.json"]["releases"] == [NEW, OLD]
    raw_folder(raw, NEW, "conversations/t")
    answer = CliRunner().invoke(main, ["verify", "topical_chat", "--data-dir", str(raw)])
    assert answer.exit_code == 1
    # Most files are the old release's still, so that it is the one that is compared with.
    assert "conversations/train.json differs" in answer.output
    assert "which is TCS-1.1's" in " ".join(answer.output.split())


def test_loading_by_name_takes_the_release(server: Server, tmp_path: Path) -> None:
    """Without a folder: the default one unless another is named; each has its cache."""
    cache = str(tmp_path / "cache")

    def rows(**keywords: Any) -> int:
        loaded: int = dialogue_builders.load_dataset(
            "topical_chat", split="train", cache_dir=cache, **keywords
        ).num_rows
        return loaded

    assert rows() == 8
    assert rows(release=OLD) == 7
    asked = len(server.requests)
    assert (rows(release=NEW), rows(), rows(release=OLD)) == (8, 8, 7)
    assert len(server.requests) == asked
    with pytest.raises(UnknownNameError, match="release"):
        rows(release="TCS-3")


def test_a_raw_folder_is_told_by_its_content(server: Server, tmp_path: Path) -> None:
    old, new = (raw_folder(tmp_path / r, r) for r in (OLD, NEW))
    cache = str(tmp_path / "cache")
    hashes = {
        TopicalChat(data_dir=str(folder), cache_dir=cache, **options).hash
        for folder, options in ((old, {}), (old, {"release": OLD}), (new, {}))
    }
    assert len(hashes) == 2
    # Given or downloaded, the same files have the same key.
    assert TopicalChat(data_dir=str(new), cache_dir=cache).hash == TopicalChat(cache_dir=cache).hash
    assert (
        TopicalChat(data_dir=str(old), cache_dir=cache).hash
        == TopicalChat(release=OLD, cache_dir=cache).hash
    )
    with pytest.raises(RawFileError, match=f"holds files of {OLD}, not of {NEW}"):
        TopicalChat(data_dir=str(old), cache_dir=cache, release=NEW)


def test_a_stream_takes_the_release_too(server: Server, tmp_path: Path) -> None:
    stream = dialogue_builders.load_dataset(
        "topical_chat",
        split="test_rare",
        streaming=True,
        release=OLD,
        cache_dir=str(tmp_path / "cache"),
    )
    assert len(list(stream)) == 2


def test_a_corpus_of_one_release_has_no_other() -> None:
    from diamante.corpus import CORPUS

    assert CORPUS.of_release(None) is CORPUS
    with pytest.raises(UnknownNameError):
        CORPUS.of_release("2.0")
    assert builder_class(CORPUS).CORPUS is CORPUS


# --- the real files ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def old_folder(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "old"
    return dialogue_builders.build(
        "topical_chat", out, data_dir=OLD_DATA, splits=["valid_freq", "test_freq"]
    ).folder


@pytest.mark.real_data
def test_the_real_files_of_the_old_release(old_folder: Path) -> None:
    built = open_built_folder(old_folder)
    assert (built.provenance.raw, built.provenance.release) == ("pinned", OLD)
    assert {s: built.rows("utterances", s) for s in ("valid_freq", "test_freq")} == {
        "valid_freq": 11813,
        "test_freq": 11747,
    }
    assert dialogue_builders.check(old_folder).problems == ()


@pytest.mark.real_data
def test_the_misprints_of_the_old_table_are_named(old_folder: Path) -> None:
    """Counted by another program: 21.9165 and 21.7537 turns, 19.5891 and 19.2679 words."""
    table = statistics(old_folder)
    measured = {row.name: row.measured for row in table.rows}
    for name, values in {
        "turns per conversation": (21.9165, 21.7537),
        "words per utterance": (19.5891, 19.2679),
    }.items():
        for split, value in zip(("valid_freq", "test_freq"), values, strict=True):
            assert round(measured[name][split] or 0, 4) == value
    assert table.differences == [
        "turns per conversation, test_freq: printed 21.7, measured 21.7537 (cut off, not rounded)",
        "words per utterance, test_freq: printed 19.2, measured 19.2679 (cut off, not rounded)",
    ]


def test_the_old_table_adds_up() -> None:
    old = topical_chat.corpus.CORPUS.of_release(OLD)
    for statistic in old.statistics[:2]:
        *splits, total = statistic.published.values()
        assert sum(splits) == total
    assert [statistic.published["all"] for statistic in old.statistics[:2]] == [10792, 235434]


@pytest.mark.real_data
def test_the_real_releases_can_not_be_mixed(real_data: Path, tmp_path: Path) -> None:
    (tmp_path / "conversations").mkdir()
    for folder, split in ((REAL_DATA, "valid_freq"), (OLD_DATA, "test_freq")):
        name = f"conversations/{split}.json"
        (tmp_path / name).symlink_to(folder / name)
    with pytest.raises(RawFileError, match="of more than one release"):
        dialogue_builders.load_dataset(
            "topical_chat", data_dir=str(tmp_path), splits=["test_freq"], cache_dir=str(tmp_path)
        )
