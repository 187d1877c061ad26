"""What every corpus must satisfy: inherit from `BuilderContract`, and pytest runs its tests.

A dataset's test file is a small declaration on top of it. It needs pytest
(`pip install 'dialogue-builders[testing]'`). With
`pytest.register_assert_rewrite("dialogue_builders.testing")` in a `conftest.py`, a failed assertion
shows its values.
"""

from __future__ import annotations

import multiprocessing
import pickle
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa
import pytest
import yaml

import dialogue_builders
from dialogue_builders.loading.builder_classes import find_builder_class
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.ranges import RecordRange
from dialogue_builders.raw.resolved_view import resolve_view
from dialogue_builders.raw.split_reader import SplitReader
from dialogue_builders.spec.registry import find_corpus


def rows_in_spawned_process(pickled: bytes, split: str) -> list[dict[str, Any]]:
    """Unpickle a stream in a fresh interpreter and read it."""
    return list(pickle.loads(pickled)[split])


def rows_of_range(reader: SplitReader, part: RecordRange, schema: pa.Schema) -> pa.Table:
    """Make the rows of one range of records."""
    batches = [rows for _, rows in reader.rows([part], schema, Counter())]
    return pa.Table.from_batches(batches, schema)


class BuilderContract:
    """A class of tests; a subclass declares what it expects, and its name begins with `Test`.

    Attributes:
        NAME: the dataset.
        ROWS: config → split → rows of the corpus's sample, counted by hand; all configs and their
            splits, aliases included, in order.
        KEYS: view → the columns that name a row within a split.
    """

    NAME: ClassVar[str]
    ROWS: ClassVar[Mapping[str, Mapping[str, int]]]
    KEYS: ClassVar[Mapping[str, Sequence[str]]]

    @pytest.fixture(scope="class")
    @classmethod
    def raw(cls, tmp_path_factory: pytest.TempPathFactory) -> str:
        """Write the sample's raw files."""
        return str(dialogue_builders.write_sample(cls.NAME, tmp_path_factory.mktemp("raw")))

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, raw: str, tmp_path_factory: pytest.TempPathFactory) -> str:
        """Build the sample."""
        out = tmp_path_factory.mktemp("built") / cls.NAME
        return str(dialogue_builders.build(cls.NAME, out, data_dir=raw).folder)

    @pytest.fixture(scope="class")
    @classmethod
    def cache(cls, tmp_path_factory: pytest.TempPathFactory) -> str:
        """Make a cache of the class's own."""
        return str(tmp_path_factory.mktemp("cache"))

    def by_class(self, config: str, raw: str, cache: str) -> Any:
        """Return the builder of a config, on the raw files."""
        return find_builder_class(self.NAME)(cache_dir=cache, config_name=config, data_dir=raw)

    def by_path(self, config: str, folder: str, cache: str) -> Any:
        """Load a config of the built folder as stock `datasets` does."""
        return datasets.load_dataset(folder, config, cache_dir=cache)

    @property
    def default(self) -> str:
        """The default config's name."""
        return find_corpus(self.NAME).default

    def test_configs_splits_and_keys_are_the_declared_ones(self) -> None:
        """What the corpus declares is what the test expects, in the same order."""
        corpus = find_corpus(self.NAME)
        assert list(corpus.config_names) == list(self.ROWS)
        assert {view.name: view.key for view in corpus.views} == {
            name: tuple(key) for name, key in self.KEYS.items()
        }

    @pytest.mark.parametrize("way", ["path", "name", "class"])
    @pytest.mark.parametrize("streaming", [False, True])
    def test_rows_features_and_split_order(
        self, way: str, streaming: bool, raw: str, folder: str, cache: str
    ) -> None:
        """All ways to load, map-style and streaming, give what the folder's Parquet files hold."""
        for config in self.ROWS:
            expected = self.by_path(config, folder, cache)
            got = self.load(way, config, streaming, raw, folder, cache)
            assert list(got) == list(self.ROWS[config]) == list(expected), config
            for split, count in self.ROWS[config].items():
                assert got[split].features == expected[split].features, (config, split)
                rows = list(got[split])
                assert len(rows) == count, (config, split)
                assert rows == list(expected[split]), (config, split)

    def load(
        self, way: str, config: str, streaming: bool, raw: str, folder: str, cache: str
    ) -> Any:
        """Load a config's splits in one of the three ways."""
        if way == "path":
            return datasets.load_dataset(folder, config, streaming=streaming, cache_dir=cache)
        if way == "name":
            return dialogue_builders.load_dataset(
                self.NAME, config, data_dir=raw, streaming=streaming, cache_dir=cache
            )
        builder = self.by_class(config, raw, cache)
        if streaming:
            return builder.as_streaming_dataset()
        builder.download_and_prepare()
        return builder.as_dataset()

    def test_features_are_equal_in_all_splits(self, folder: str, cache: str) -> None:
        """A config has one schema, whatever the split."""
        for config in self.ROWS:
            splits = self.by_path(config, folder, cache)
            assert len({str(split.features) for split in splits.values()}) == 1, config

    def test_keys_are_unique_and_join(self, folder: str, cache: str) -> None:
        """A key names one row of its split, and its conversation is one of the default config."""
        corpus = find_corpus(self.NAME)
        default = self.by_path(self.default, folder, cache)
        owner = corpus.view_of(self.default).id_column
        for config, key in self.KEYS.items():
            id_column = corpus.view_of(config).id_column
            for split, rows in self.by_path(config, folder, cache).items():
                keys = list(zip(*(rows[name] for name in key), strict=True))
                assert len(set(keys)) == len(keys), (config, split)
                if split in default:
                    assert set(rows[id_column]) <= set(default[split][owner]), (config, split)

    def test_no_conversation_stands_in_two_splits(self, folder: str, cache: str) -> None:
        """Nor under another id: nothing but the id is left out of what is compared."""
        splits = self.by_path(self.default, folder, cache)
        owner = find_corpus(self.NAME).view_of(self.default).id_column
        rows = [
            str({name: value for name, value in row.items() if name != owner})
            for split in splits.values()
            for row in split
        ]
        assert len(set(rows)) == len(rows)

    def test_two_processes_give_the_rows_of_one(
        self, raw: str, folder: str, tmp_path: Path
    ) -> None:
        """`num_proc` changes the speed only."""
        for config in self.KEYS:
            builder = self.by_class(config, raw, str(tmp_path))
            builder.download_and_prepare(num_proc=2)
            expected = self.by_path(config, folder, str(tmp_path))
            for split, rows in builder.as_dataset().items():
                assert list(rows) == list(expected[split]), (config, split)

    def test_a_stream_can_be_sent_to_a_spawned_process(self, raw: str, cache: str) -> None:
        """The workers of a data loader may be spawned processes."""
        config = list(self.KEYS)[-1]
        split = next(iter(self.ROWS[config]))
        stream = self.by_class(config, raw, cache).as_streaming_dataset()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            got = pool.apply(rows_in_spawned_process, (pickle.dumps(stream), split))
        assert got == list(stream[split])

    def test_views_are_pure_and_picklable(self, raw: str) -> None:
        """A range's rows depend on the range alone: not on order, process or earlier calls."""
        corpus = find_corpus(self.NAME)
        for view in corpus.views:
            resolved = resolve_view(
                RawFolder.open(corpus, raw), view, list(corpus.splits_of(view.name))
            )
            split, reader = next(iter(resolved.readers(view.option_values({})).items()))
            schema = view.features().arrow_schema
            in_order = [rows_of_range(reader, part, schema) for part in reader.ranges]
            assert sum(table.num_rows for table in in_order) == self.ROWS[view.name][split]
            travelled = pickle.loads(pickle.dumps(reader))
            backwards = [
                rows_of_range(travelled, part, schema) for part in reversed(travelled.ranges)
            ]
            assert backwards[::-1] == in_order, view.name

    def test_no_network_at_all(
        self, raw: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With raw files or a built folder, not even loopback is asked."""

        def refuse(*arguments: Any) -> None:
            raise AssertionError(f"a connection was tried: {arguments}")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        self.by_path(self.default, folder, str(tmp_path / "a"))
        self.load("name", self.default, False, raw, folder, str(tmp_path / "b"))
        dialogue_builders.build(self.NAME, tmp_path / "out", data_dir=raw)

    def test_stated_counts_are_those_of_the_files(self, folder: str) -> None:
        """The card states the counts that were worked out by hand."""
        card = Path(folder, "README.md").read_text("utf-8")
        stated = yaml.safe_load(card.split("\n---\n")[0])["dataset_info"]
        got = {
            entry["config_name"]: {s["name"]: s["num_examples"] for s in entry["splits"]}
            for entry in stated
        }
        assert got == {config: dict(rows) for config, rows in self.ROWS.items()}

    def test_the_folder_keeps_its_contract(self, folder: str) -> None:
        """`check` finds nothing wrong."""
        report = dialogue_builders.check(folder)
        assert report.problems == ()
