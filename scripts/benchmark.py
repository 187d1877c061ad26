"""Measure the product against the limit and against what people write without it.

Every figure is the median of several runs, each in a fresh process, the contestants in turn, so
that a machine that changes its speed changes all of them. Nothing here is asserted: it is shown.

    python scripts/benchmark.py                       # on conversations made from the sample
    python scripts/benchmark.py --data-dir RAW        # on real text, with fresh ids
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TRAIN_CONVERSATIONS = 8628
VIEWS = ("utterances", "conversations")
RUNS = 5


# --- the raw files -------------------------------------------------------------------------------


def make_records(data_dir: Path | None, count: int) -> dict[str, Any]:
    """Return `count` conversations with fresh ids, from the raw folder's text or the sample's."""
    from topical_chat.sample import files

    if data_dir is not None:
        texts = [path.read_bytes() for path in sorted((data_dir / "conversations").glob("*.json"))]
    else:
        texts = [data for name, data in files().items() if name.startswith("conversations/")]
    known = [record for text in texts for record in json.loads(text).values()]
    if data_dir is None:
        # The sample's conversations are short; several in a row have the corpus's mean length.
        known = [{**record, "content": record["content"] * 4} for record in known]
    return {f"t_{n:08x}-0000-4000-8000-000000000000": known[n % len(known)] for n in range(count)}


def write_raw(folder: Path, records: dict[str, Any], shape: str) -> Path:
    """Write the records as the train split of a raw folder, in one of three shapes."""
    folder.mkdir(parents=True, exist_ok=True)
    if shape == "lines":
        lines = (json.dumps([identity, record]) for identity, record in records.items())
        (folder / "train.jsonl").write_text("\n".join(lines) + "\n")
    else:
        indent = 2 if shape == "indented" else None
        (folder / "train.json").write_text(json.dumps(records, indent=indent))
    return folder


def raw_file(folder: Path) -> Path:
    """Return the train split's raw file."""
    return next(path for path in folder.iterdir() if path.name.startswith("train."))


# --- the contestants; each runs in a process of its own ------------------------------------------


def limit(view_name: str, folder: Path, out: Path) -> None:
    """Split, decode typed, make columns, write Parquet: nothing else, in the plainest way."""
    import msgspec
    import pyarrow as pa
    import pyarrow.parquet as pq

    from dialogue_builders.spec.batch import Batch
    from topical_chat.corpus import CORPUS

    view = CORPUS.view_of(view_name)
    schema = view.features().arrow_schema
    started = time.perf_counter()
    buffer = raw_file(folder).read_bytes()
    raw = msgspec.json.decode(buffer, type=dict[str, msgspec.Raw])
    decoder = msgspec.json.Decoder(CORPUS.sources[view.source].record_type.type)
    records = [decoder.decode(record) for record in raw.values()]
    columns = view.columns(Batch("train", list(raw), records, 0, ""), {})
    table = pa.table({field.name: columns[field.name] for field in schema}).cast(schema)
    pq.write_table(table, out / "limit.parquet", compression="zstd", compression_level=3)
    report(time.perf_counter() - started)


def ours(view_name: str, folder: Path, out: Path) -> None:
    """The product: a whole folder, with card and statistics."""
    import datasets  # noqa: F401 - its import is not measured

    from dialogue_builders import build

    before = peak_megabytes()
    made = build(
        "topical_chat", out / "built", data_dir=folder, splits=["train"], configs=[view_name]
    )
    report(made.seconds, peak_megabytes() - before)


def generator(view_name: str, folder: Path, out: Path) -> None:
    """What people write: a `GeneratorBasedBuilder` that yields one row after the other."""
    import datasets

    from topical_chat.constants import RATINGS, SENTIMENTS
    from topical_chat.corpus import CORPUS

    features = CORPUS.view_of(view_name).features()
    path = raw_file(folder)

    class Plain(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
        def _info(self) -> Any:
            return datasets.DatasetInfo(features=features)

        def _split_generators(self, dl_manager: Any) -> Any:
            return [datasets.SplitGenerator(name="train", gen_kwargs={"path": str(path)})]

        def _generate_examples(self, path: str) -> Any:
            with open(path, encoding="utf-8") as stream:
                records = json.load(stream)
            for identity, record in records.items():
                yield from rows(identity, record)

    def rows(identity: str, record: Any) -> Any:
        if view_name == "conversations":
            content = [
                {**turn, "turn_rating": turn["turn_rating"] or None} for turn in record["content"]
            ]
            ratings = {k: v or None for k, v in record["conversation_rating"].items()}
            row = {**record, "content": content, "conversation_rating": ratings}
            yield identity, {"conversation_id": identity, **row}
            return
        for index, turn in enumerate(record["content"]):
            row = {
                **turn,
                "conversation_id": identity,
                "turn_index": index,
                "sentiment": SENTIMENTS.index(turn["sentiment"]),
                "turn_rating": RATINGS.index(turn["turn_rating"]) if turn["turn_rating"] else None,
                "config": record["config"],
                "article_url": record["article_url"],
            }
            yield f"{identity} {index}", row

    datasets.disable_progress_bars()
    builder = Plain(cache_dir=str(out / "cache"))
    started = time.perf_counter()
    builder.download_and_prepare(str(out / "generated"), file_format="parquet")
    report(time.perf_counter() - started)


def splitting(view_name: str, folder: Path, out: Path) -> None:
    """Read the file and split it into raw records, with one call."""
    import msgspec

    started = time.perf_counter()
    msgspec.json.decode(raw_file(folder).read_bytes(), type=dict[str, msgspec.Raw])
    report(time.perf_counter() - started)


def first_row(view_name: str, folder: Path, out: Path) -> None:
    """From nothing to the first streamed row, straight from the raw file."""
    import datasets  # noqa: F401

    from dialogue_builders import load_dataset
    from dialogue_builders.loading.builder_classes import find_builder_class

    find_builder_class("topical_chat")
    started = time.perf_counter()
    stream = load_dataset(
        "topical_chat",
        view_name,
        data_dir=str(folder),
        splits=["train"],
        split="train",
        streaming=True,
        cache_dir=str(out / "cache"),
    )
    next(iter(stream))
    report(time.perf_counter() - started)


def import_time(view_name: str, folder: Path, out: Path) -> None:
    """What `import topical_chat` adds to `import datasets`."""
    import datasets  # noqa: F401

    started = time.perf_counter()
    import topical_chat  # noqa: F401

    report(time.perf_counter() - started)


CONTESTANTS: dict[str, Callable[[str, Path, Path], None]] = {
    function.__name__: function
    for function in (limit, ours, generator, splitting, first_row, import_time)
}


def peak_megabytes() -> float:
    """Return the most memory that this process has held so far, in megabytes (10^6 bytes)."""
    # Not from getrusage: that figure is inherited from the process that started this one.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise OSError("this system does not tell a process's peak memory")


def report(seconds: float, megabytes: float = 0.0, **facts: float) -> None:
    """Hand a measurement to the process that runs the contestants."""
    print(json.dumps({"seconds": seconds, "megabytes": megabytes, **facts}))


# --- running and showing -------------------------------------------------------------------------


def run_script(script: str, *arguments: str) -> dict[str, float]:
    """Run one contestant of a script once, in a fresh process and folder."""
    with tempfile.TemporaryDirectory() as out:
        root = str(Path(__file__).resolve().parent.parent)
        environment = {**os.environ, "HF_HOME": out, "HF_HUB_DISABLE_TELEMETRY": "1"}
        command = [sys.executable, script, "--contestant", *arguments, out]
        answer = subprocess.run(
            command,
            env={**environment, "PYTHONPATH": root},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    measured: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return measured


def medians(
    tasks: list[tuple[str, str, Path]], runs: int
) -> dict[tuple[str, str, Path], dict[str, float]]:
    """Run every task several times, in turn, and return the medians."""
    results: dict[tuple[str, str, Path], list[dict[str, float]]] = {task: [] for task in tasks}
    for number in range(runs):
        for task in tasks:
            print(f"run {number + 1} of {runs}: {' '.join(task[:2])}", file=sys.stderr)
            results[task].append(run_script(__file__, *map(str, task)))
    return {
        task: {key: statistics.median(answer[key] for answer in answers) for key in answers[0]}
        for task, answers in results.items()
    }


def help_seconds(runs: int) -> float:
    """Return how long `dialogue-builders --help` takes, as a whole process."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "dialogue_builders", "--help"], check=True, capture_output=True
        )
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def machine() -> str:
    """Describe the machine by what matters here."""
    import datasets
    import msgspec
    import pyarrow

    return (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"datasets {datasets.__version__}, pyarrow {pyarrow.__version__}, "
        f"msgspec {msgspec.__version__}"
    )


def show(rows: list[tuple[str, str, str, str]]) -> None:
    """Print the table as Markdown, as the README shows it."""
    print("| what | measured | compared with | ratio or bound |")
    print("|---|--:|--:|--:|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def main() -> None:
    """Make the raw files, run everything, print the machine and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="a raw folder whose text is used")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--contestant", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        name, view, folder, out = arguments.contestant
        CONTESTANTS[name](view, Path(folder), Path(out))
        return
    with tempfile.TemporaryDirectory() as place:
        measure(Path(place), arguments.data_dir, arguments.runs)


def measure(place: Path, data_dir: Path | None, runs: int) -> None:
    """Run the whole benchmark in a folder of its own."""
    once = make_records(data_dir, TRAIN_CONVERSATIONS)
    four = make_records(data_dir, 4 * TRAIN_CONVERSATIONS)
    shapes = ("indented", "lines", "compact")
    single = {shape: write_raw(place / shape, once, shape) for shape in shapes}
    fourfold = {shape: write_raw(place / f"{shape}4", four, shape) for shape in shapes}
    base = single["indented"]
    megabytes = {
        f: raw_file(f).stat().st_size / 1e6 for f in (*single.values(), *fourfold.values())
    }

    tasks = [(who, view, base) for view in VIEWS for who in ("limit", "ours", "generator")]
    tasks += [("ours", "utterances", folder) for folder in (*single.values(), *fourfold.values())]
    tasks += [(who, "utterances", base) for who in ("splitting", "first_row", "import_time")]
    result = medians(list(dict.fromkeys(tasks)), runs)

    def seconds(who: str, view: str, folder: Path = base) -> float:
        return result[(who, view, folder)]["seconds"]

    rows = []
    for view, faster in zip(VIEWS, (5, 2.5), strict=True):
        mine, least, theirs = (seconds(who, view) for who in ("ours", "limit", "generator"))
        bounds = (
            f"{mine / least:.2f} × (at most 1.5 ×)",
            f"{theirs / mine:.1f} × faster (at least {faster} ×)",
        )
        rows.append((f"`{view}` built", f"{mine:.2f} s", f"the limit {least:.2f} s", bounds[0]))
        rows.append(("", "", f"plain generator {theirs:.2f} s", bounds[1]))
    for shape in shapes:
        for folder in (single[shape], fourfold[shape]):
            peak = result[("ours", "utterances", folder)]["megabytes"]
            bound = 150 if shape != "compact" else megabytes[folder] + 100
            rows.append(
                (
                    f"memory, {shape}, {megabytes[folder]:.0f} MB",
                    f"{peak:.0f} MB",
                    "over `import datasets`",
                    f"at most {bound:.0f} MB",
                )
            )
    growth = seconds("ours", "utterances", fourfold["indented"]) / seconds("ours", "utterances")
    rows.append(("four times the file", f"{growth:.2f} × the time", "", "at most 4.2 ×"))
    first, split = seconds("first_row", "utterances"), seconds("splitting", "utterances")
    rows.append(
        (
            "first streamed row",
            f"{first:.3f} s",
            f"splitting {split:.3f} s",
            f"{first / split:.2f} × (at most 2 ×)",
        )
    )
    added = 1000 * seconds("import_time", "utterances")
    rows.append(("`import topical_chat`", f"{added:.1f} ms", "", "at most 20 ms"))
    rows.append(("`--help`", f"{1000 * help_seconds(runs):.0f} ms", "", "at most 150 ms"))
    print(machine())
    print(
        f"raw file of {megabytes[base]:.0f} MB, {TRAIN_CONVERSATIONS:,} conversations, "
        f"median of {runs} runs\n"
    )
    show(rows)


if __name__ == "__main__":
    main()
