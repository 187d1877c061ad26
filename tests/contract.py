"""What every builder must satisfy; a dataset's test file is a small declaration on top of it."""

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

import dialogue_builders
from dialogue_builders.raw_folder import RawFolder
from dialogue_builders.records import RawPiece
from dialogue_builders.registry import find_builder_class, find_corpus
from dialogue_builders.split_reader import SplitReader


def rows_in_spawned_process(pickled: bytes, split: str) -> list[dict[str, Any]]:
    """Unpickle a stream in a fresh interpreter and read it."""
    return list(pickle.loads(pickled)[split])


def rows_of_piece(reader: SplitReader, piece: RawPiece, schema: pa.Schema) -> pa.Table:
    """Make the rows of one piece."""
    batches = [rows for _, rows in reader.rows([piece], schema, Counter())]
    return pa.Table.from_batches(batches, schema)


class BuilderContract:
    """Subclasses declare; the methods check.

    Attributes:
        NAME: the dataset.
        CONFIGS: all config names, in order.
        ROWS: config → split → rows of the invented sample, counted by hand.
        KEYS: config → the columns that name a row within a split.
    """

    NAME: ClassVar[str]
    CONFIGS: ClassVar[Sequence[str]]
    ROWS: ClassVar[Mapping[str, Mapping[str, int]]]
    KEYS: ClassVar[Mapping[str, Sequence[str]]]

    @pytest.fixture(scope="class")
    @classmethod
    def raw(cls, tmp_path_factory: pytest.TempPathFactory) -> str:
        return str(dialogue_builders.write_sample(cls.NAME, tmp_path_factory.mktemp("raw")))

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, raw: str, tmp_path_factory: pytest.TempPathFactory) -> str:
        out = tmp_path_factory.mktemp("built") / cls.NAME
        return str(dialogue_builders.build(cls.NAME, out, data_dir=raw).folder)

    @pytest.fixture(scope="class")
    @classmethod
    def cache(cls, tmp_path_factory: pytest.TempPathFactory) -> str:
        return str(tmp_path_factory.mktemp("cache"))

    def by_class(self, config: str, raw: str, cache: str) -> Any:
        return find_builder_class(self.NAME)(cache_dir=cache, config_name=config, data_dir=raw)

    def by_path(self, config: str, folder: str, cache: str) -> Any:
        return datasets.load_dataset(folder, config, cache_dir=cache)

    def test_config_names_and_order(self) -> None:
        assert list(find_corpus(self.NAME).config_names) == list(self.CONFIGS)
        assert set(self.ROWS) == set(self.CONFIGS), "declare the rows of every config"

    @pytest.mark.parametrize("door", ["path", "name", "class"])
    @pytest.mark.parametrize("streaming", [False, True])
    def test_rows_features_and_split_order(
        self, door: str, streaming: bool, raw: str, folder: str, cache: str
    ) -> None:
        """All doors, map-style and streaming, give what the folder's Parquet files hold."""
        for config in self.CONFIGS:
            expected = self.by_path(config, folder, cache)
            got = self.through(door, config, streaming, raw, folder, cache)
            assert list(got) == list(self.ROWS[config]) == list(expected), config
            for split, count in self.ROWS[config].items():
                assert got[split].features == expected[split].features, (config, split)
                rows = list(got[split])
                assert len(rows) == count, (config, split)
                assert rows == list(expected[split]), (config, split)

    def through(
        self, door: str, config: str, streaming: bool, raw: str, folder: str, cache: str
    ) -> Any:
        """Load a config's splits through one of the three doors."""
        if door == "path":
            return datasets.load_dataset(folder, config, streaming=streaming, cache_dir=cache)
        if door == "name":
            return dialogue_builders.load_dataset(
                self.NAME, config, data_dir=raw, streaming=streaming, cache_dir=cache
            )
        builder = self.by_class(config, raw, cache)
        if streaming:
            return builder.as_streaming_dataset()
        builder.download_and_prepare()
        return builder.as_dataset()

    def test_features_are_equal_in_all_splits(self, folder: str, cache: str) -> None:
        for config in self.CONFIGS:
            splits = self.by_path(config, folder, cache)
            assert len({str(split.features) for split in splits.values()}) == 1, config

    def test_keys_are_unique_and_join(self, folder: str, cache: str) -> None:
        default = self.by_path(self.CONFIGS[0], folder, cache)
        owner = self.KEYS[self.CONFIGS[0]][0]
        for config, key in self.KEYS.items():
            for split, rows in self.by_path(config, folder, cache).items():
                keys = list(zip(*(rows[name] for name in key), strict=True))
                assert len(set(keys)) == len(keys), (config, split)
                assert {k[0] for k in keys} <= set(default[split][owner]), (config, split)

    def test_no_conversation_stands_in_two_splits(self, folder: str, cache: str) -> None:
        splits = self.by_path(self.CONFIGS[0], folder, cache)
        rows = [
            str({k: v for k, v in row.items() if k != "id"})
            for split in splits.values()
            for row in split
        ]
        assert len(set(rows)) == len(rows)

    def test_two_processes_give_the_rows_of_one(
        self, raw: str, folder: str, tmp_path: Path
    ) -> None:
        for config in self.KEYS:
            builder = self.by_class(config, raw, str(tmp_path))
            builder.download_and_prepare(num_proc=2)
            expected = self.by_path(config, folder, str(tmp_path))
            for split, rows in builder.as_dataset().items():
                assert list(rows) == list(expected[split]), (config, split)

    def test_a_stream_can_be_sent_to_a_spawned_process(self, raw: str, cache: str) -> None:
        config = self.CONFIGS[1]
        split = next(iter(self.ROWS[config]))
        stream = self.by_class(config, raw, cache).as_streaming_dataset()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            got = pool.apply(rows_in_spawned_process, (pickle.dumps(stream), split))
        assert got == list(stream[split])

    def test_views_are_pure_and_picklable(self, raw: str) -> None:
        """A piece's rows hang on nothing but the piece: not on order, process or earlier calls."""
        corpus = find_corpus(self.NAME)
        for view in corpus.views:
            folder = RawFolder.open(corpus, raw)
            split = folder.splits_there(view, list(corpus.splits_of(view.name)))[0]
            reader = folder.reader(view, split, view.option_values({}))
            schema = view.features().arrow_schema
            in_order = [rows_of_piece(reader, piece, schema) for piece in reader.pieces]
            assert sum(table.num_rows for table in in_order) == self.ROWS[view.name][split]
            travelled = pickle.loads(pickle.dumps(reader))
            backwards = [
                rows_of_piece(travelled, piece, schema) for piece in reversed(travelled.pieces)
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
        self.by_path(self.CONFIGS[0], folder, str(tmp_path / "a"))
        self.through("name", self.CONFIGS[0], False, raw, folder, str(tmp_path / "b"))
        dialogue_builders.build(self.NAME, tmp_path / "out", data_dir=raw)

    def test_stated_counts_are_those_of_the_files(self, folder: str) -> None:
        import yaml

        card = Path(folder, "README.md").read_text("utf-8")
        stated = yaml.safe_load(card.split("\n---\n")[0])["dataset_info"]
        got = {
            entry["config_name"]: {s["name"]: s["num_examples"] for s in entry["splits"]}
            for entry in stated
        }
        assert got == {config: dict(rows) for config, rows in self.ROWS.items()}

    def test_the_folder_keeps_its_contract(self, folder: str) -> None:
        report = dialogue_builders.check(folder)
        assert report.problems == ()
