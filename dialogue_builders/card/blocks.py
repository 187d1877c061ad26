"""The computed blocks of a card: Markdown from a built folder, in the card's language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dialogue_builders.card.fields import fields_of
from dialogue_builders.card.translations import LANGUAGES, Translator
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.folder.histograms import Histogram, histograms
from dialogue_builders.folder.inventory import FIGURES
from dialogue_builders.folder.layout import DATA_FOLDER, engine_path
from dialogue_builders.folder.statistics import (
    StatisticsTable,
    compute_statistics,
    statistics_lines,
)

RAW_WORDS = {
    "pinned": "the upstream files, byte for byte those that are pinned",
    "sample": "the invented sample: nothing in it is from the corpus",
    "other": "raw files that are not the pinned ones, or not byte for byte",
    "unpinned": "raw files as they were given: upstream's are not public, so none are pinned",
}
EXAMPLE = re.compile(
    r"<details><summary><code>(?P<view>\w+)</code></summary>\n.*?\n</details>", re.DOTALL
)
# An example is to be read, not to be complete: longer lists and texts are cut, and say so.
MOST_ENTRIES = 2
MOST_CHARACTERS = 140


@dataclass(frozen=True)
class FolderSummary:
    """What the cards of one folder state, counted once for all of their languages."""

    built: BuiltFolder

    @cached_property
    def statistics(self) -> StatisticsTable | None:
        """The published table, recomputed; None where no config can be counted."""
        counters = self.built.corpus.counters
        counted = any(view in self.built.files for group in counters for view in group)
        return compute_statistics(self.built) if counted else None

    @cached_property
    def histograms(self) -> Sequence[Histogram]:
        """The corpus's histograms, as far as their views were built."""
        return histograms(self.built, self.built.corpus.histograms)


@dataclass(frozen=True)
class CardContext:
    """The card that is being filled.

    Attributes:
        summary: what is stated.
        translate: into the card's language.
        names: language → file name of the card, as far as there is one.
        written: what stood in the block before.
    """

    summary: FolderSummary
    translate: Translator
    names: Mapping[str, str]
    written: str

    @property
    def built(self) -> BuiltFolder:
        """The folder."""
        return self.summary.built


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a Markdown table; with `numbers`, all columns but the first are set to the right."""
    rule = "--:" if numbers else "---"
    lines = ["| " + " | ".join(header) + " |", "|---" + f"|{rule}" * (len(header) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def languages_block(context: CardContext) -> str:
    """Link the card's other languages."""
    return " · ".join(
        LANGUAGES[language]
        if language == context.translate.language
        else f"[{LANGUAGES[language]}]({name})"
        for language, name in context.names.items()
    )


def provenance_of(built: BuiltFolder) -> str:
    """Return which of `RAW_WORDS` speaks of a folder."""
    raw = built.provenance.raw
    return "unpinned" if raw == "other" and not built.corpus.upstream_is_public else raw


def provenance_block(context: CardContext) -> str:
    """Say what the folder was built from, for people and (in a comment) for programs."""
    built, translate, provenance = context.built, context.translate, context.built.provenance
    raw, upstream = translate(RAW_WORDS[provenance_of(built)]), translate(built.corpus.upstream)
    parts = [
        provenance.to_comment(),
        translate("Built from {raw}. Upstream: {upstream}.", raw=raw, upstream=upstream),
    ]
    if set(provenance.splits) != set(built.corpus.splits):
        splits = ", ".join(provenance.splits)
        parts.append(translate("Only these splits were built: {splits}.", splits=splits))
    for view in built.files:
        # In an order of their own: a provenance that was read back has its names sorted.
        options = sorted(provenance.options.get(view, {}).items())
        if options:
            values = ", ".join(f"`{name}={value}`" for name, value in options)
            parts.append(translate("Options of {view}: {values}.", view=f"`{view}`", values=values))
    if provenance.notes:
        notes = "\n".join(f"- {translate.line(note)}" for note in provenance.notes)
        parts.append(f"{translate('What the build noted:')}\n\n{notes}")
    return "\n\n".join(parts)


def configs_block(context: CardContext) -> str:
    """List the configs with their splits and rows."""
    built, translate = context.built, context.translate
    rows = [
        (
            f"`{name}`",
            translate.line(built.corpus.config(name).summary),
            ", ".join(f"{split} {built.rows(view, raw):,}" for split, raw in splits.items()),
        )
        for name, (view, splits) in built.configs().items()
    ]
    return table(
        [translate("config"), translate("what a row is"), translate("rows")], rows, numbers=False
    )


def statistics_block(context: CardContext) -> str:
    """Show the published table, recomputed from the folder."""
    translate, result = context.translate, context.summary.statistics
    if result is None:
        return f"_{translate('No config of this folder can be counted.')}_"
    rows = [[translate.line(name.strip()), *values] for name, *values in statistics_lines(result)]
    splits = context.built.corpus.splits
    text = table(["", *(c if c in splits else translate(c) for c in result.columns)], rows)
    if result.differences:
        title = translate("Where the source's own table prints something else:")
        text += f"\n\n{title}\n" + "".join(f"\n- {translate.line(d)}" for d in result.differences)
    return text


def features_block(context: CardContext) -> str:
    """List the fields of every view with their types and meanings."""
    translate = context.translate
    header = [translate("field"), translate("type"), translate("what it is")]
    parts = []
    for view in context.built.files:
        rows = [
            (f"`{path}`", *rest) for path, *rest in fields_of(context.built.corpus, view, translate)
        ]
        key = ", ".join(f"`{name}`" for name in context.built.corpus.view_of(view).key)
        title = translate("{view} (key: {key})", view=f"**`{view}`**", key=key)
        parts.append(f"{title}\n\n{table(header, rows, numbers=False)}")
    return "\n\n".join(parts)


def examples_block(context: CardContext) -> str:
    """Keep the example rows of the configs that are here; they are never of real data.

    They stand in the card's text: `sample_examples` writes them, from the invented sample.
    """
    found = list(EXAMPLE.finditer(context.written))
    return "\n\n".join(match[0] for match in found if match["view"] in context.built.files)


def sample_examples(built: BuiltFolder) -> str:
    """Return the first row of every view of a folder that was built from the sample."""
    assert built.provenance.raw == "sample", "an example may not show real data"
    parts = []
    for view, splits in built.files.items():
        row = next(built.read(view, next(iter(splits)))).slice(0, 1).to_pylist()[0]
        text = json.dumps(shorten(row), ensure_ascii=False, indent=2)
        summary = f"<summary><code>{view}</code></summary>"
        parts.append(f"<details>{summary}\n\n```json\n{text}\n```\n\n</details>")
    return "\n\n".join(parts)


def shorten(value: Any) -> Any:
    """Return a value whose long lists and texts are cut; a mark says how much is left out."""
    if isinstance(value, dict):
        return {name: shorten(part) for name, part in value.items()}
    if isinstance(value, list) and len(value) > MOST_ENTRIES:
        return [*map(shorten, value[:MOST_ENTRIES]), f"… +{len(value) - MOST_ENTRIES}"]
    if isinstance(value, list):
        return [shorten(part) for part in value]
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        return f"{value[:MOST_CHARACTERS]}…"
    return value


def files_block(context: CardContext) -> str:
    """List the number of files and the bytes of every view, and say how engines read them."""
    translate, rows = context.translate, []
    for view, splits in context.built.files.items():
        shards = [file for files in splits.values() for file in files]
        size = sum(file.size for file in shards)
        rows.append([f"`{view}`", str(len(shards)), f"{size / 1e6:,.2f} MB"])
    listed = table([translate("config"), translate("files"), translate("size")], rows)
    return f"{listed}\n\n{_engines_snippet(context)}"


def _engines_snippet(context: CardContext) -> str:
    """Say which paths query engines are given, for one split and for all, to be copied."""
    translate = context.translate
    view, splits = next(iter(context.built.files.items()))
    reads = {"all splits": engine_path(view), "one split": engine_path(view, next(iter(splits)))}
    lines = [f"select * from '{path}';  -- {translate(what)}" for what, path in reads.items()]
    text = translate(
        "Programs that read Parquet (DuckDB, Polars, Spark and others) are given the folder {data} "
        "of a config, because some of them look into no folder below the one they are given. "
        "In DuckDB, for instance:",
        data=f"`{DATA_FOLDER}`",
    )
    return "\n".join([text, "", "```sql", *lines, "```"])


def figures_block(context: CardContext) -> str:
    """Show every histogram: its drawing, where there is one, and its table."""
    return "\n\n".join(
        "\n\n".join(_figure(context, histogram)) for histogram in context.summary.histograms
    )


def _figure(context: CardContext, histogram: Histogram) -> Iterator[str]:
    translate, spec = context.translate, histogram.spec
    series = translate(spec.series or "split")
    yield f"**{translate('{title} by {series}', title=translate(spec.title), series=series)}**"
    stem = f"{FIGURES}/{spec.name}"
    if (context.built.path / f"{stem}.png").is_file():
        same = translate("the same drawing as SVG")
        yield f'[![{describe_figure(histogram, translate)}]({stem}.png)]({stem}.svg "{same}")'
    yield table([translate(spec.axis), *histogram.counts], list(_figure_rows(histogram, translate)))


def _figure_rows(histogram: Histogram, translate: Translator) -> Iterator[list[str]]:
    if histogram.spec.categories:
        shares = {name: histogram.shares(name) for name in histogram.counts}
        for number, category in enumerate(histogram.categories):
            yield [
                category,
                *(
                    f"{histogram.counts[n][number]:,} ({shares[n][number]:.1f} %)"
                    for n in histogram.counts
                ),
            ]
        return
    for title, part in (("least", 0), ("median", 0.5), ("most", 1)):
        yield [
            translate(title),
            *(f"{histogram.quantile(name, part):g}" for name in histogram.counts),
        ]
    title = translate("{counted} in all", counted=translate(histogram.spec.counted))
    yield [title, *(f"{sum(counts):,}" for counts in histogram.counts.values())]


def describe_figure(histogram: Histogram, translate: Translator) -> str:
    """Return a drawing in words, for those who can't see it."""
    spec = histogram.spec
    kind = translate("dot plot" if spec.categories else "line plot")
    title = translate(
        "{title} by {series}",
        title=translate(spec.title),
        series=translate(spec.series or "split"),
    )
    parts = [
        translate(
            "{series}: most often {category} ({share} %)",
            series=name,
            category=category if isinstance(category, str) else f"{category:g}",
            share=f"{share:.1f}",
        )
        for name, (category, share) in ((name, histogram.most(name)) for name in histogram.counts)
    ]
    if spec.threshold and histogram.threshold is not None:
        label, value = translate(spec.threshold.label), f"{histogram.threshold:g}"
        parts.append(translate("{label} at {value}", label=label, value=value))
    return translate(
        "{title} ({kind}). {parts}.", title=title, kind=kind, parts=translate("; ").join(parts)
    )


BLOCKS: dict[str, Callable[[CardContext], str]] = {
    "languages": languages_block,
    "origin": provenance_block,
    "configs": configs_block,
    "statistics": statistics_block,
    "figures": figures_block,
    "features": features_block,
    "examples": examples_block,
    "files": files_block,
}
