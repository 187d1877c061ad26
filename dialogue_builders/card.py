"""The card: front matter, and computed blocks inside of prose that people wrote.

The prose lies in `dataset_cards/`. Between a pair of markers stands what is computed from the
folder at hand, so that a card always states its own data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dialogue_builders.built_folder import BuiltFolder
from dialogue_builders.card_prose import BLOCK, sign_prose
from dialogue_builders.corpus import Corpus
from dialogue_builders.errors import FolderError
from dialogue_builders.published import compute_statistics, statistics_lines

# The Hub's size classes, by the number of rows.
SIZE_CLASSES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))
RAW_WORDS = {
    "pinned": "the upstream files, byte for byte those that are pinned",
    "sample": "the invented sample: nothing in it is from the corpus",
    "other": "raw files that are not the pinned ones, or not byte for byte",
    "unpinned": "raw files as they were given: upstream's are not public, so none are pinned",
}


def card_template(corpus: Corpus, language: str = "en") -> str:
    """Return the prose of a corpus's card.

    Raises:
        FolderError: this installation has no such card.
    """
    name = f"{corpus.name}.md" if language == "en" else f"{corpus.name}.{language}.md"
    package = Path(str(files("dialogue_builders")))
    # In a wheel the cards lie inside the package, in a checkout beside it.
    for folder in (package / "dataset_cards", package.parent / "dataset_cards"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise FolderError(f"the card {name} is not installed", next_step="install the package again")


def render_card(built: BuiltFolder) -> str:
    """Return the whole card of a built folder: front matter, prose, computed blocks."""
    return sign_prose(f"---\n{dump_yaml(front_matter(built))}---\n\n{fill_blocks(built)}")


def fill_blocks(built: BuiltFolder) -> str:
    """Return the prose with every computed block filled for this folder."""

    def fill(match: re.Match[str]) -> str:
        return f"{match['start']}{BLOCKS[match['name']](built)}\n{match['end']}"

    return BLOCK.sub(fill, card_template(built.corpus))


def front_matter(built: BuiltFolder) -> dict[str, Any]:
    """Return the card's metadata in the Hub's terms, in the order in which it is written."""
    corpus = built.corpus
    served = built.configs()
    rows = max(sum(built.rows(view, raw) for raw in s.values()) for view, s in served.values())
    matter: dict[str, Any] = {
        "pretty_name": corpus.title,
        "language": list(corpus.languages),
        "license": corpus.licence,
        "size_categories": [size_class(rows)],
        "task_categories": list(corpus.task_categories),
        "tags": list(corpus.tags),
        "configs": [config_entry(built, name) for name in served],
        "dataset_info": [info_entry(built, name) for name in served],
    }
    if corpus.licence == "other":
        matter["license_name"] = corpus.extra["license_name"]
        matter["license_link"] = corpus.licence_link
    return matter


def size_class(rows: int) -> str:
    """Return the Hub's size class for a number of rows."""
    return next((name for limit, name in SIZE_CLASSES if rows < limit), "1M<n<10M")


def config_entry(built: BuiltFolder, name: str) -> dict[str, Any]:
    """Return one entry of `configs`.

    The description is a digest of the config's files: stock `datasets` keys its cache on this text
    alone, and would serve old rows for a rebuilt folder of the same name without it.
    """
    view, splits = built.configs()[name]
    entry: dict[str, Any] = {"config_name": name}
    if name == built.corpus.default:
        entry["default"] = True
    entry["description"] = f"sha256:{built.digest(view, list(splits.values()))}"
    entry["data_files"] = [
        {"split": split, "path": shard_pattern(view, raw, len(built.files[view][raw]))}
        for split, raw in splits.items()
    ]
    return entry


def shard_pattern(view: str, split: str, shards: int) -> str:
    """Return the pattern of one split's files; it never matches those of another shard count."""
    return f"{view}/{split}-*-of-{shards:05d}.parquet"


def info_entry(built: BuiltFolder, name: str) -> dict[str, Any]:
    """Return one entry of `dataset_info`; an alias states its splits and leaves features out."""
    from datasets import DatasetInfo
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCardData

    view, splits = built.configs()[name]
    sizes = {raw: built.files[view][raw] for raw in splits.values()}
    info = DatasetInfo(
        config_name=name,
        features=built.corpus.view_of(name).features() if name == view else None,
        splits=[
            {
                "name": split,
                "num_bytes": sum(file.data_bytes for file in sizes[raw]),
                "num_examples": built.rows(view, raw),
            }
            for split, raw in splits.items()
        ],
        download_size=sum(file.size for shards in sizes.values() for file in shards),
        dataset_size=sum(file.data_bytes for shards in sizes.values() for file in shards),
    )
    data = DatasetCardData()
    DatasetInfosDict({name: info}).to_dataset_card_data(data)
    entry: dict[str, Any] = data.to_dict()["dataset_info"]  # type: ignore[no-untyped-call]
    return {"config_name": name, **{k: v for k, v in entry.items() if k != "config_name"}}


def dump_yaml(value: Mapping[str, Any]) -> str:
    """Write YAML in the given order, Chinese as it is, and without anchors for shared objects."""
    import yaml

    class PlainDumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    text: str = yaml.dump(value, Dumper=PlainDumper, sort_keys=False, allow_unicode=True, width=100)
    return text


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|---" + "|--:" * (len(header) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def origin_of(built: BuiltFolder) -> str:
    """Return which of `RAW_WORDS` speaks of a folder."""
    raw = built.provenance.raw
    return "unpinned" if raw == "other" and not built.corpus.pins else raw


def origin_block(built: BuiltFolder) -> str:
    """Say what the folder was built from, for people and (in a comment) for programs."""
    provenance = built.provenance
    lines = [
        provenance.to_comment(),
        f"Built from {RAW_WORDS[origin_of(built)]}. Upstream: {built.corpus.upstream}.",
    ]
    if set(provenance.splits) != set(built.corpus.splits):
        lines.append(f"Only these splits were built: {', '.join(provenance.splits)}.")
    # In an order of their own: a provenance that was read back has its names sorted.
    for view in built.files:
        options = sorted(provenance.options.get(view, {}).items())
        if options:
            values = ", ".join(f"`{name}={value}`" for name, value in options)
            lines.append(f"Options of `{view}`: {values}.")
    return "\n\n".join(lines[:2] + lines[2:]) + "".join(f"\n\n- {n}" for n in provenance.notes)


def configs_block(built: BuiltFolder) -> str:
    """List the configs with their splits and rows."""
    rows = []
    for name, (view, splits) in built.configs().items():
        counts = ", ".join(f"{s} {built.rows(view, raw):,}" for s, raw in splits.items())
        rows.append((f"`{name}`", built.corpus.config(name).summary, counts))
    lines = ["| config | what a row is | rows |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def statistics_block(built: BuiltFolder) -> str:
    """Show the published table, recomputed from the folder."""
    if not any(view in built.files for group in built.corpus.counters for view in group):
        return "_No config of this folder can be counted._"
    result = compute_statistics(built)
    text = table(["", *result.columns], statistics_lines(result))
    if result.differences:
        text += "\n\nWhere the source's own table prints something else:\n"
        text += "".join(f"\n- {line}" for line in result.differences)
    return text


def features_block(built: BuiltFolder) -> str:
    """List the fields of every view with their types."""
    parts = []
    for view in built.files:
        features = built.corpus.view_of(view).features()
        lines = [f"- `{name}`: {describe_type(kind)}" for name, kind in features.items()]
        parts.append(f"**`{view}`**\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def describe_type(kind: Any) -> str:
    """Describe a feature's type in words."""
    from datasets import ClassLabel, List, Value

    if isinstance(kind, ClassLabel):
        return f"label, {', '.join(f'{code} {name}' for code, name in enumerate(kind.names))}"
    if isinstance(kind, List):
        return f"list of {describe_type(kind.feature)}"
    if isinstance(kind, dict):
        return (
            "{" + ", ".join(f"`{name}`: {describe_type(part)}" for name, part in kind.items()) + "}"
        )
    return str(kind.dtype) if isinstance(kind, Value) else str(kind)


def files_block(built: BuiltFolder) -> str:
    """List the number of files and the bytes of every view."""
    rows = []
    for view, splits in built.files.items():
        shards = [file for files in splits.values() for file in files]
        size = sum(file.size for file in shards)
        rows.append([f"`{view}`", str(len(shards)), f"{size / 1e6:,.2f} MB"])
    return table(["config", "files", "size"], rows)


BLOCKS: dict[str, Callable[[BuiltFolder], str]] = {
    "origin": origin_block,
    "configs": configs_block,
    "statistics": statistics_block,
    "features": features_block,
    "files": files_block,
}
