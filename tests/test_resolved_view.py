"""One look at the raw folder: each file and each directory once, and one refusal however it is loaded."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest

import dialogue_builders
from dialogue_builders import RecordError, build, load_dataset, write_sample
from dialogue_builders.loading.builder_classes import find_builder_class
from dialogue_builders.raw import folder as folder_module
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import find_corpus

NAMES = ("topical_chat", "diamante")

# The files of the samples that are read as a whole, and so are not scanned for records.
WHOLE_FILES = {
    "topical_chat": {"src/wiki/wiki.json", "src/entity_to_topic.json"},
    "diamante": set(),
}


class Looks:
    """Counts who looks at what below a folder, and who asks a corpus for what by name."""

    def __init__(self, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.raw = raw
        self.listed: Counter[str] = Counter()
        self.scanned: Counter[str] = Counter()
        self.identified: Counter[str] = Counter()
        self.searches = 0
        self.by_name: Counter[str] = Counter()
        scandir, listdir = os.scandir, os.listdir

        def count_listing(path: Any = ".") -> Any:
            self._note(self.listed, path)
            return scandir(path)

        def count_names(path: Any = ".") -> Any:
            self._note(self.listed, path)
            return listdir(path)

        monkeypatch.setattr(os, "scandir", count_listing)
        monkeypatch.setattr(os, "listdir", count_names)
        for method in ("glob", "rglob", "iterdir", "walk"):
            self._count_searches(method, monkeypatch)
        self._count_files("scan", self.scanned, monkeypatch)
        self._count_files("_identify", self.identified, monkeypatch)
        self._count_names("config", monkeypatch)
        self._count_names("view_of", monkeypatch)

    def _note(self, counter: Counter[str], path: Any) -> None:
        path = Path(os.fspath(path))
        if path == self.raw or self.raw in path.parents:
            counter[path.relative_to(self.raw).as_posix()] += 1

    def _count_searches(self, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
        original: Callable[..., Any] | None = getattr(Path, method, None)
        if original is None:  # Path.walk is younger than Python 3.11
            return

        def counted(path: Path, *arguments: Any, **keywords: Any) -> Any:
            self.searches += path == self.raw or self.raw in path.parents
            return original(path, *arguments, **keywords)

        monkeypatch.setattr(Path, method, counted)

    def _count_files(
        self, function: str, counter: Counter[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = getattr(folder_module, function)

        def counted(path: Path, *arguments: Any) -> Any:
            self._note(counter, path)
            return original(path, *arguments)

        monkeypatch.setattr(folder_module, function, counted)

    def _count_names(self, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
        original = getattr(Corpus, method)

        def counted(corpus: Corpus, name: str) -> Any:
            self.by_name[method] += 1
            return original(corpus, name)

        monkeypatch.setattr(Corpus, method, counted)


@pytest.mark.parametrize("name", NAMES)
def test_a_build_looks_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is expected is read off the folder itself: its files, and its directories."""
    raw = write_sample(name, tmp_path / "raw")
    files = {path.relative_to(raw).as_posix() for path in raw.rglob("*") if path.is_file()}
    directories = {path.relative_to(raw).as_posix() for path in raw.rglob("*") if path.is_dir()}
    configs = len(find_corpus(name).config_names)
    with monkeypatch.context() as patches:
        looks = Looks(raw, patches)
        build(name, tmp_path / "out", data_dir=raw)
    # Many configs read the same files; each is scanned once all the same.
    whole = WHOLE_FILES[name]
    assert looks.scanned == Counter(files - whole)
    assert looks.identified == Counter(whole)
    # No directory is listed twice, and none that is not there is asked for.
    assert set(looks.listed.values()) == {1}
    assert looks.listed.keys() <= directories | {"."}
    assert looks.searches == 0
    # Names are resolved a few times for each config (145 and 93 look-ups of configs when this was
    # written, where the engine once made 1,378), not for each pair of configs.
    assert 0 < looks.by_name["view_of"] < looks.by_name["config"] <= 12 * configs


@pytest.mark.parametrize("name", NAMES)
def test_a_builder_looks_at_its_own_files_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making the cache key and making the rows are one look; other configs' files are left alone."""
    raw = write_sample(name, tmp_path / "raw")
    with monkeypatch.context() as patches:
        looks = Looks(raw, patches)
        load_dataset(name, data_dir=str(raw), cache_dir=str(tmp_path / "cache"))
    assert len(looks.scanned) == len(find_corpus(name).splits)
    assert set(looks.scanned.values()) == {1}
    assert set(looks.listed.values()) == {1}


@pytest.fixture
def twice(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A sample with the first conversation of `train` in another split too."""
    name: str = request.param
    raw = write_sample(name, tmp_path / "raw")
    if name == "topical_chat":
        train, other = (raw / "conversations" / f"{s}.json" for s in ("train", "test_rare"))
        identity, record = next(iter(json.loads(train.read_bytes()).items()))
        records = {**json.loads(other.read_bytes()), identity: record}
        other.write_text(json.dumps(records, indent=2))
    else:
        # Under another id: of Diamante it is what was said that tells.
        train, other = (next(raw.rglob(f"{split}.txt")) for split in ("train", "test"))
        record = json.loads(train.read_text("utf-8").split("\n")[0])
        line = json.dumps({**record, "id": "another"}, ensure_ascii=False)
        other.write_text(other.read_text("utf-8").rstrip("\n") + f"\n{line}\n", "utf-8")
    return name, raw


def by_build(name: str, raw: str, cache: str) -> None:
    build(name, Path(cache, "out"), data_dir=raw)


def by_name(name: str, raw: str, cache: str) -> None:
    load_dataset(name, data_dir=raw, cache_dir=cache)


def by_stream(name: str, raw: str, cache: str) -> None:
    load_dataset(name, data_dir=raw, cache_dir=cache, streaming=True)


def by_class(name: str, raw: str, cache: str) -> None:
    find_builder_class(name)(data_dir=raw, cache_dir=cache).download_and_prepare()


def by_class_stream(name: str, raw: str, cache: str) -> None:
    find_builder_class(name)(data_dir=raw, cache_dir=cache).as_streaming_dataset()


def by_register(name: str, raw: str, cache: str) -> None:
    dialogue_builders.register()
    datasets.load_dataset(name, data_dir=raw, cache_dir=cache)


def by_register_stream(name: str, raw: str, cache: str) -> None:
    dialogue_builders.register()
    datasets.load_dataset(name, data_dir=raw, cache_dir=cache, streaming=True)


WAYS = (
    by_build,
    by_name,
    by_stream,
    by_class,
    by_class_stream,
    by_register,
    by_register_stream,
)


@pytest.mark.parametrize("twice", NAMES, indirect=True)
def test_a_conversation_in_two_splits_is_refused_however_it_is_loaded(
    twice: tuple[str, Path], tmp_path: Path, unregistered: None
) -> None:
    name, raw = twice
    said = []
    for way in WAYS:
        cache = tmp_path / way.__name__
        cache.mkdir()
        with pytest.raises(RecordError) as caught:
            way(name, str(raw), str(cache))
        said.append(str(caught.value))
        written = [path for path in cache.rglob("*") if path.suffix in (".arrow", ".parquet")]
        assert written == [], way.__name__
    assert said == said[:1] * len(WAYS)
    place, _, rest = said[0].partition(", record ")
    assert Path(place).stem == {"topical_chat": "test_rare", "diamante": "test"}[name]
    assert "this conversation also stands in" in rest
    assert "train" in rest
    assert "one split only; remove one" in rest


@pytest.mark.parametrize("twice", NAMES, indirect=True)
def test_one_split_alone_is_not_refused(twice: tuple[str, Path], tmp_path: Path) -> None:
    """Who asks for one split gets it: nothing stands twice in what is read."""
    name, raw = twice
    wanted = find_corpus(name).splits[0]
    rows = load_dataset(name, data_dir=str(raw), cache_dir=str(tmp_path), splits=[wanted])
    assert list(rows) == [wanted]
