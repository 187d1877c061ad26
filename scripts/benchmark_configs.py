"""Measure every config of every dataset against its limit: built, split by split, from raw files.

The limit is the same work in the plainest way: read the raw files whole, split them into raw
records, decode those typed, make columns in one batch, write Parquet. Each figure is the median of
several runs, each in a fresh process, the two contestants in turn.

    python scripts/benchmark_configs.py                     # both datasets, made-up text
    python scripts/benchmark_configs.py --data-dir RAW      # Topical-Chat on real text, fresh ids
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark import (
    RUNS,
    TRAIN_CONVERSATIONS,
    machine,
    make_records,
    peak_megabytes,
    report,
    run_script,
)

if TYPE_CHECKING:
    from dialogue_builders.spec.record_type import RecordType

SPLIT = "train"


# --- raw files ------------------------------------------------------------------------------------


def write_topical_chat(folder: Path, data_dir: Path | None) -> None:
    """Write a train-sized raw file of every kind, with fresh ids, in upstream's layout."""
    from topical_chat.sample import files

    conversations = make_records(data_dir, TRAIN_CONVERSATIONS)
    sample = {name: json.loads(data) for name, data in files().items() if name.endswith(".json")}
    texts = {name: json.loads(path.read_bytes()) for name, path in _raw_files(data_dir).items()}

    def spread(kind: str) -> dict[str, Any]:
        source = {**sample, **texts} if any(name.startswith(kind) for name in texts) else sample
        wanted = texts if any(name.startswith(kind) for name in texts) else source
        known = [r for n, d in wanted.items() if n.startswith(kind) for r in d.values()]
        return {identity: known[n % len(known)] for n, identity in enumerate(conversations)}

    speech = "TopicalChatASR/synthetic/train/train_wer_0.1_seed_1.json"
    written = {
        "conversations/train.json": conversations,
        "reading_sets/pre-build/train.json": spread("reading_sets/pre-build/"),
        speech: {
            identity: {
                **record,
                "content": [{**t, "message_sim_asr": t["message"]} for t in record["content"]],
            }
            for identity, record in conversations.items()
        },
        "TopicalChatASR/actual/test_freq_audio.json": spread("TopicalChatASR/actual/"),
        "enriched/train.json": spread("enriched/"),
        "src/wiki/wiki.json": texts.get("src/wiki/wiki.json", sample["src/wiki/wiki.json"]),
        "src/entity_to_topic.json": texts.get(
            "src/entity_to_topic.json", sample["src/entity_to_topic.json"]
        ),
    }
    for name, content in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=2))


def _raw_files(data_dir: Path | None) -> dict[str, Path]:
    """Return the real raw files that the benchmark takes text from, by their usual paths."""
    if data_dir is None:
        return {}
    wanted = ("reading_sets/pre-build/*.json", "TopicalChatASR/actual/*.json", "src/**/*.json")
    paths = [path for pattern in wanted for path in sorted(data_dir.glob(pattern))]
    return {path.relative_to(data_dir).as_posix(): path for path in paths}


def write_diamante(folder: Path, data_dir: Path | None) -> None:
    """Write Diamante-shaped raw files at full scale."""
    from make_diamante_raw import write_raw

    write_raw(folder)


WRITERS = {"topical_chat": write_topical_chat, "diamante": write_diamante}


# --- contestants; each runs in a process of its own -----------------------------------------------


def split_of(name: str, view: str) -> str:
    """Return the split that is measured: train, or the first that the config has."""
    from dialogue_builders.spec.registry import find_corpus

    splits = find_corpus(name).splits_of(view)
    return SPLIT if SPLIT in splits else next(iter(splits))


def limit(name: str, view_name: str, folder: Path, out: Path) -> None:
    """The work in the plainest way, with nothing around it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from dialogue_builders.raw.folder import RawFolder
    from dialogue_builders.raw.resolved_view import resolve_view
    from dialogue_builders.spec.batch import Batch
    from dialogue_builders.spec.registry import find_corpus

    corpus = find_corpus(name)
    view = corpus.view_of(view_name)
    split = split_of(name, view_name)
    schema = view.features().arrow_schema
    options = view.option_values({})
    resolved = resolve_view(RawFolder.open(corpus, folder), view, [split])
    reader = resolved.readers(options)[split]
    started = time.perf_counter()
    main = [part.file.path for part in reader.ranges]
    ids, records = read_whole(list(dict.fromkeys(main)), reader.record_type)
    file_name = reader.ranges[0].file.name
    batch = Batch(split, ids, records, 0, file_name)
    for source, (record_type, files) in reader.lookups.items():
        paths = [scanned.file.path for scanned in files]
        known = dict(zip(*read_whole(paths, record_type), strict=True))
        batch.lookups = {**batch.lookups, source: [known.get(identity) for identity in ids]}
    batch.resources = {
        resource_name: file and resource.load(Path(file.path).read_bytes())
        for resource_name, (resource, file) in reader.resources.items()
    }
    if view.survey is not None:
        batch.split_facts = view.survey(iter([batch]), options).value
    columns = view.columns(batch, options)
    arrays = [_array(columns[field.name], field.type) for field in schema]
    table = pa.Table.from_arrays(arrays, schema=schema)
    pq.write_table(table, out / "limit.parquet", compression="zstd", compression_level=3)
    report(time.perf_counter() - started, peak_megabytes())


def _array(column: Any, kind: Any) -> Any:
    import pyarrow as pa

    return pa.array(column, kind) if isinstance(column, list | tuple) else column.cast(kind)


def read_whole(paths: Sequence[str], record_type: RecordType) -> tuple[list[str], list[Any]]:
    """Read files whole: split them into raw records, then decode those typed."""
    import msgspec

    decoder = msgspec.json.Decoder(record_type.type)
    ids: list[str] = []
    records: list[Any] = []
    for path in paths:
        buffer = Path(path).read_bytes()
        if record_type.keyed:
            raw = msgspec.json.decode(buffer, type=dict[str, msgspec.Raw])
        else:
            lines = msgspec.json.Decoder(msgspec.Raw).decode_lines(buffer)
            raw = {str(number): line for number, line in enumerate(lines)}
        ids += raw if record_type.keyed else [""] * len(raw)
        records += [decoder.decode(record) for record in raw.values()]
    return ids, records


def ours(name: str, view_name: str, folder: Path, out: Path) -> None:
    """The product: a whole folder of this config alone."""
    import datasets  # noqa: F401 - its import is not measured

    from dialogue_builders import build
    from dialogue_builders.raw.folder import RawFolder
    from dialogue_builders.raw.resolved_view import resolve_view
    from dialogue_builders.spec.registry import find_corpus

    before = peak_megabytes()
    split = split_of(name, view_name)
    made = build(name, out / "built", data_dir=folder, splits=[split], configs=[view_name])
    megabytes = peak_megabytes() - before
    corpus = find_corpus(name)
    read = resolve_view(RawFolder.open(corpus, folder), corpus.view_of(view_name), [split]).files
    shards = made.built.files[view_name][split]
    report(
        made.seconds,
        megabytes,
        rows=sum(shard.rows for shard in shards),
        parquet=sum(shard.size for shard in shards),
        raw=sum(file.size for _, _, file in read),
    )


CONTESTANTS = {"limit": limit, "ours": ours}


# --- running and showing --------------------------------------------------------------------------


def measure(name: str, folder: Path, runs: int) -> list[tuple[str, ...]]:
    """Run both contestants on every config of a dataset and return the table's rows."""
    from dialogue_builders.spec.registry import find_corpus

    rows: list[tuple[str, ...]] = []
    for view in find_corpus(name).views:
        answers: dict[str, list[Mapping[str, float]]] = {"limit": [], "ours": []}
        for number in range(runs):
            for who, found in answers.items():
                print(f"run {number + 1} of {runs}: {name} {view.name} {who}", file=sys.stderr)
                found.append(run_script(__file__, who, name, view.name, str(folder)))
        least, mine, memory = (
            statistics.median(answer[key] for answer in answers[who])
            for who, key in (("limit", "seconds"), ("ours", "seconds"), ("ours", "megabytes"))
        )
        facts = answers["ours"][0]
        rows.append(
            (
                f"`{name}` `{view.name}`",
                f"{mine:.2f} s",
                f"{least:.2f} s",
                f"{mine / least:.2f} ×",
                f"{facts['rows'] / mine:,.0f}",
                f"{facts['parquet'] / facts['raw']:.3f}",
                f"{memory:.0f} MB",
            )
        )
    return rows


def main() -> None:
    """Make the raw files, run everything, print the machine and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="Topical-Chat's raw folder")
    parser.add_argument("--dataset", action="append", choices=list(WRITERS))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--contestant", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contestant:
        who, name, view, folder, out = arguments.contestant
        CONTESTANTS[who](name, view, Path(folder), Path(out))
        return
    print(f"{machine()}, median of {arguments.runs} runs\n")
    print("| config | built | limit | ratio | rows per second | Parquet ÷ raw | memory |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as place:
        for name in arguments.dataset or WRITERS:
            WRITERS[name](Path(place, name), arguments.data_dir)
            for row in measure(name, Path(place, name), arguments.runs):
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
