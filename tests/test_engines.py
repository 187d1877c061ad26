"""docs/recipes/read_with_engines.md: every engine reads every config as the raw files have it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from engine_worker import FOLDER, SPLIT, plain
from recipes import RECIPES, headings_with_snippets, run, run_python, snippets

import dialogue_builders
from dialogue_builders.spec.registry import corpus_names, find_corpus

Rows = list[dict[str, Any]]


# In this order they stand in the recipe. CI reads with the first group; the second takes minutes.
LIGHT = ["pyarrow", "pandas", "Polars", "DuckDB", "Dask", "DataFusion"]
LARGE = ["Ray Data", "Spark", "Daft", "ClickHouse"]
# What the recipe says of the rest: they keep the order of the rows.
WITHOUT_ORDER = ["DataFusion", "Ray Data", "Spark", "Daft"]
NODE_PROJECT = Path(sys.prefix) / "node"


@dataclass(frozen=True)
class Reading:
    """A config's folder, a split of it, and the rows that its raw files hold, split after split."""

    folder: Path
    split: str
    rows: dict[str, Rows]

    @property
    def everything(self) -> Rows:
        """All rows in the order of the files' names, which begin with the split."""
        return [row for split in sorted(self.rows) for row in self.rows[split]]


@pytest.fixture(autouse=True)
def quiet_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_DRIVER_MEMORY": "1g",
        "RAY_DATA_DEFAULT_MIN_PARALLELISM": "2",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def readings(tmp_path_factory: pytest.TempPathFactory) -> list[Reading]:
    """Every config of every corpus, in several shards, beside what the builders say without Parquet."""
    place, found = tmp_path_factory.mktemp("engines"), []
    for name in corpus_names():
        raw = dialogue_builders.write_sample(name, place / f"raw_{name}")
        dialogue_builders.build(name, place / name, data_dir=raw, shards=3)
        for view in find_corpus(name).views:
            splits = dialogue_builders.load_dataset(
                name, view.name, data_dir=str(raw), streaming=True
            )
            rows = {split: plain(list(rows)) for split, rows in splits.items()}
            # Another split each time, so that all of them are asked for.
            split = sorted(rows)[len(found) % len(rows)]
            found.append(Reading(place / name / view.name / "data", split, rows))
    assert len(found) > 12
    return found


def ask(engine: str, readings: list[Reading], folder: Path) -> list[dict[str, Rows]]:
    """Run an engine's snippet on every folder and split, and return its answers."""
    (code,) = snippets("read_with_engines.md", engine)
    assert code.count(FOLDER) == code.count(SPLIT) == 1
    answers = [folder / f"{number}.json" for number in range(len(readings))]
    wanted = [
        {"folder": str(reading.folder), "split": reading.split, "answer": str(answer)}
        for reading, answer in zip(readings, answers, strict=True)
    ]
    job, workers = folder / "job.json", Path(__file__).parent
    job.write_text(json.dumps({"engine": engine, "code": code, "readings": wanted}), "utf-8")
    if engine == "hyparquet":
        command = ["node", str(workers / "engine_worker.mjs"), str(job), str(NODE_PROJECT)]
    else:
        command = [sys.executable, str(workers / "engine_worker.py"), str(job)]
    run(command, folder, timeout=900)
    return [json.loads(answer.read_text("utf-8")) for answer in answers]


def as_sorted(rows: Rows) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True, ensure_ascii=False) for row in rows)


def compare(engine: str, readings: list[Reading], folder: Path) -> None:
    """Hold an engine's answers, all splits and one of each config, against the rows of the raw files."""
    for reading, answer in zip(readings, ask(engine, readings, folder), strict=True):
        for found, expected in (
            (answer["everything"], reading.everything),
            (answer["split"], reading.rows[reading.split]),
        ):
            assert expected
            if engine in WITHOUT_ORDER:
                same = as_sorted(found) == as_sorted(expected)
            else:
                same = found == expected
            assert same, f"{engine} reads {reading.folder} ({reading.split}) otherwise"


def test_every_engine_has_a_snippet_and_says_whether_it_keeps_the_order() -> None:
    engines = [*LIGHT, *LARGE, "hyparquet"]
    assert headings_with_snippets("read_with_engines.md") == engines
    text = (RECIPES / "read_with_engines.md").read_text("utf-8")
    sections = dict(zip(engines, text.split("\n## ")[1:], strict=True))
    for engine, section in sections.items():
        assert ("Promises no order" in section) == (engine in WITHOUT_ORDER), engine
        assert ("Keeps the order" in section) != (engine in WITHOUT_ORDER), engine


@pytest.mark.engines
@pytest.mark.parametrize("engine", LIGHT)
def test_an_engine_reads_every_config(engine: str, readings: list[Reading], tmp_path: Path) -> None:
    compare(engine, readings, tmp_path)


@pytest.mark.engines
def test_javascript_reads_every_config(readings: list[Reading], tmp_path: Path) -> None:
    if not (NODE_PROJECT / "node_modules" / "hyparquet").is_dir():
        pytest.skip("hyparquet is not installed: `make test-engines` does that where npm is found")
    compare("hyparquet", readings, tmp_path)


@pytest.mark.more_engines
@pytest.mark.parametrize("engine", LARGE)
def test_a_large_engine_reads_every_config(
    engine: str, readings: list[Reading], tmp_path: Path
) -> None:
    compare(engine, readings, tmp_path)


# What the recipe says that engines do silently, and what they find in `<config>` itself. Each
# prints something that is true.
SILENT = {
    "pandas": """
import pandas
rated = pandas.read_parquet("topical_chat/utterances/data")["turn_rating"]
print(str(rated.dtype) == "float64" and rated.isna().any())
""",
    "Dask": """
import dask.dataframe
rated = dask.dataframe.read_parquet("topical_chat/utterances/data")["turn_rating"].compute()
print(str(rated.dtype) == "float64" and rated.isna().any())
""",
    "DuckDB": """
import duckdb
print(duckdb.sql("select count(*) from 'topical_chat/**/*.parquet'").fetchall()[0][0] == POOLED)
try:
    duckdb.sql("select * from 'topical_chat/utterances/*.parquet'")
except duckdb.IOException as error:
    print("No files found" in str(error))
""",
    "DataFusion": """
from datafusion import SessionContext
try:
    SessionContext().read_parquet("topical_chat/utterances")
except Exception as error:
    print("No files found" in str(error))
""",
}
SILENT_AND_LARGE = {
    "fastparquet": """
import pandas
folder = "topical_chat/conversations/data/train-00000-of-00003.parquet"
print(pandas.read_parquet(folder, engine="fastparquet")["content"].isna().all())
print(pandas.read_parquet(folder)["content"].notna().all())
""",
    "Daft": """
import daft
print(daft.read_parquet("topical_chat/**/*.parquet").count_rows() == POOLED)
try:
    daft.read_parquet("topical_chat/utterances")
except FileNotFoundError:
    print(True)
""",
    "ClickHouse": """
import chdb
counted = chdb.query("select count() from file('topical_chat/**/*.parquet')", "CSV")
print(int(str(counted)) == POOLED)
try:
    chdb.query("select * from file('topical_chat/utterances/*.parquet')")
except Exception as error:
    print("no files with provided path" in str(error))
""",
    "Spark": """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").getOrCreate()
try:
    spark.read.parquet("topical_chat/utterances")
except Exception as error:
    print("UNABLE_TO_INFER_SCHEMA" in str(error))
""",
}


def confirm(code: str, readings: list[Reading]) -> None:
    place = readings[0].folder.parents[2]
    pooled = sum(
        len(reading.everything)
        for reading in readings
        if reading.folder.parents[1].name == "topical_chat"
    )
    printed = run_python(code.replace("POOLED", str(pooled)), place, farewell=True)
    assert printed == ["True"] * code.count("print(")


@pytest.mark.engines
@pytest.mark.parametrize("engine", SILENT)
def test_what_an_engine_does_silently(engine: str, readings: list[Reading]) -> None:
    confirm(SILENT[engine], readings)


@pytest.mark.more_engines
@pytest.mark.parametrize("engine", SILENT_AND_LARGE)
def test_what_a_large_engine_does_silently(engine: str, readings: list[Reading]) -> None:
    confirm(SILENT_AND_LARGE[engine], readings)
