"""docs/recipes/engines.md and many_raw_files.md: other engines read our folders and run our views."""

from __future__ import annotations

import ast
import json
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from recipes import headings_with_snippets, run_python, snippets

ENGINES = ["DuckDB", "Polars", "pandas", "Dask", "Spark", "Ray Data"]
RUNNERS = ["Ray Data", "Spark"]

# The order in which the format's documentation names them; a label's code is its place.
SENTIMENTS = [
    "Curious to dive deeper",
    "Neutral",
    "Surprised",
    "Happy",
    "Sad",
    "Disgusted",
    "Angry",
    "Fearful",
]
RATINGS = ["Poor", "Not Good", "Passable", "Good", "Excellent"]


@pytest.fixture(autouse=True)
def quiet_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_DRIVER_MEMORY": "1g",
        "RAY_USAGE_STATS_ENABLED": "0",
        # Two hundred tasks per shuffle are for clusters.
        "RAY_DATA_DEFAULT_MIN_PARALLELISM": "2",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def answers(demo: Path) -> tuple[int, list[Any], list[Any]]:
    """What the engines are asked, computed from the raw JSON in plain Python."""
    turns = []
    train = 0
    for path in sorted((demo / "demo/raw/conversations").glob("*.json")):
        for record in json.loads(path.read_text("utf-8")).values():
            turns += [(record["config"], turn) for turn in record["content"]]
            train += len(record["content"]) if path.stem == "train" else 0
    times = Counter(
        (config, source) for config, turn in turns for source in turn["knowledge_source"]
    )
    cited = [
        min(
            ((config, source, n) for (config, source), n in times.items() if config == wanted),
            key=lambda found: (-found[2], found[1]),
        )
        for wanted in "ABCD"
    ]
    ratings = defaultdict(list)
    for _, turn in turns:
        if turn["turn_rating"]:
            code = SENTIMENTS.index(turn["sentiment"])
            ratings[code].append(RATINGS.index(turn["turn_rating"]))
    means = [(code, sum(rated) / len(rated)) for code, rated in sorted(ratings.items())]
    return train, cited, means


def test_every_snippet_is_tested() -> None:
    assert headings_with_snippets("engines.md") == ENGINES
    assert headings_with_snippets("many_raw_files.md") == RUNNERS


@pytest.mark.engines
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_the_folder(
    engine: str, demo: Path, answers: tuple[int, list[Any], list[Any]]
) -> None:
    (code,) = snippets("engines.md", engine)
    assert "dialogue_builders" not in code
    assert "datasets" not in code
    count, cited, means = map(ast.literal_eval, run_python(code, demo, farewell=True)[-3:])
    assert count == answers[0]
    assert cited == answers[1]
    assert [sentiment for sentiment, _ in means] == [sentiment for sentiment, _ in answers[2]]
    assert [mean for _, mean in means] == pytest.approx([mean for _, mean in answers[2]], abs=1e-6)


@pytest.fixture
def many_files(demo: Path, tmp_path: Path) -> Path:
    """The demo's raw files, but `train` is a folder of eight files of one conversation each."""
    conversations = tmp_path / "demo" / "raw" / "conversations"
    shutil.copytree(demo / "demo" / "raw" / "conversations", conversations)
    train = json.loads((conversations / "train.json").read_text("utf-8"))
    (conversations / "train.json").unlink()
    (conversations / "train").mkdir()
    assert len(train) == 8
    for number, (name, record) in enumerate(train.items()):
        file = conversations / "train" / f"part-{number}.json"
        file.write_text(json.dumps({name: record}), "utf-8")
    return tmp_path


@pytest.mark.engines
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_runner_gives_the_rows_of_build(runner: str, many_files: Path, demo: Path) -> None:
    (code,) = snippets("many_raw_files.md", runner)
    run_python(code, many_files, farewell=True)
    out = many_files / "out" / ("ray" if runner == "Ray Data" else "spark")
    assert rows_of(out) == rows_of(demo / "demo/topical_chat/utterances/data", "train-*.parquet")


@pytest.mark.engines
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_worker_that_is_killed_is_made_up_for(runner: str, many_files: Path, demo: Path) -> None:
    """Of two workers one is killed as it begins the fifth of eight shards."""
    (code,) = snippets("many_raw_files.md", runner)
    reading = "stream.shard(stream.num_shards, shard)"
    assert code.count(reading) == 1
    log = many_files / "log.txt"
    murder = f"""
import os, signal


def note_and_perhaps_die(shard, log={str(log)!r}):
    with open(log, "a") as lines:
        lines.write(f"{{shard}} {{os.getpid()}}\\n")
    if shard == 4 and [line.split()[0] for line in open(log)].count("4") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return shard
"""
    code = murder + code.replace(
        reading, "stream.shard(stream.num_shards, note_and_perhaps_die(int(shard)))"
    )
    if runner == "Ray Data":
        code = "import ray\nray.init(num_cpus=2, include_dashboard=False)\n" + code
    else:
        # In local mode Spark takes a lost worker for good, unless it is told to try again.
        code = code.replace('master("local[2]")', 'master("local[2, 3]")')
    run_python(code, many_files, farewell=True)
    tried = [line.split() for line in log.read_text().splitlines()]
    fifth = [worker for shard, worker in tried if shard == "4"]
    assert len(fifth) == 2
    assert len(set(fifth)) == 2
    assert {shard for shard, _ in tried} == {str(shard) for shard in range(8)}
    out = many_files / "out" / ("ray" if runner == "Ray Data" else "spark")
    assert rows_of(out) == rows_of(demo / "demo/topical_chat/utterances/data", "train-*.parquet")


def rows_of(folder: Path, pattern: str = "*.parquet") -> list[dict[str, Any]]:
    files = sorted(folder.glob(pattern))
    assert files
    return [row for file in files for row in pq.read_table(file).to_pylist()]
