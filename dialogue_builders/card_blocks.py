"""The computed blocks of a card: Markdown from a built folder, in the card's language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dialogue_builders.built_folder import BuiltFolder
from dialogue_builders.card_fields import fields_of
from dialogue_builders.card_words import LANGUAGES, Words
from dialogue_builders.distributions import Spread, spreads
from dialogue_builders.published import StatisticsTable, compute_statistics, statistics_lines

RAW_WORDS = {
    "pinned": "the upstream files, byte for byte those that are pinned",
    "sample": "the invented sample: nothing in it is from the corpus",
    "other": "raw files that are not the pinned ones, or not byte for byte",
    "unpinned": "raw files as they were given: upstream's are not public, so none are pinned",
}
FIGURES = "figures"
EXAMPLE = re.compile(
    r"<details><summary><code>(?P<view>\w+)</code></summary>\n.*?\n</details>", re.DOTALL
)
# An example is to be read, not to be complete: longer lists and texts are cut, and say so.
MOST_ENTRIES = 2
MOST_CHARACTERS = 140


@dataclass(frozen=True)
class FolderFacts:
    """What the cards of one folder state, counted once for all of their languages."""

    built: BuiltFolder

    @cached_property
    def statistics(self) -> StatisticsTable | None:
        """The published table, recomputed; None where no config can be counted."""
        counters = self.built.corpus.counters
        counted = any(view in self.built.files for group in counters for view in group)
        return compute_statistics(self.built) if counted else None

    @cached_property
    def spreads(self) -> Sequence[Spread]:
        """The corpus's distributions, as far as their views were built."""
        return spreads(self.built, self.built.corpus.distributions)


@dataclass(frozen=True)
class Page:
    """The card that is being filled.

    Attributes:
        facts: what is stated.
        words: in the card's language.
        names: language → file name of the card, as far as there is one.
        written: what stood in the block before.
    """

    facts: FolderFacts
    words: Words
    names: Mapping[str, str]
    written: str

    @property
    def built(self) -> BuiltFolder:
        """The folder."""
        return self.facts.built


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a Markdown table; with `numbers`, all columns but the first are set to the right."""
    rule = "--:" if numbers else "---"
    lines = ["| " + " | ".join(header) + " |", "|---" + f"|{rule}" * (len(header) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def languages_block(page: Page) -> str:
    """Link the card's other languages."""
    return " · ".join(
        LANGUAGES[language]
        if language == page.words.language
        else f"[{LANGUAGES[language]}]({name})"
        for language, name in page.names.items()
    )


def origin_of(built: BuiltFolder) -> str:
    """Return which of `RAW_WORDS` speaks of a folder."""
    raw = built.provenance.raw
    return "unpinned" if raw == "other" and not built.corpus.pins else raw


def origin_block(page: Page) -> str:
    """Say what the folder was built from, for people and (in a comment) for programs."""
    built, words, provenance = page.built, page.words, page.built.provenance
    raw, upstream = words(RAW_WORDS[origin_of(built)]), words(built.corpus.upstream)
    parts = [
        provenance.to_comment(),
        words("Built from {raw}. Upstream: {upstream}.", raw=raw, upstream=upstream),
    ]
    if set(provenance.splits) != set(built.corpus.splits):
        splits = ", ".join(provenance.splits)
        parts.append(words("Only these splits were built: {splits}.", splits=splits))
    for view in built.files:
        # In an order of their own: a provenance that was read back has its names sorted.
        options = sorted(provenance.options.get(view, {}).items())
        if options:
            values = ", ".join(f"`{name}={value}`" for name, value in options)
            parts.append(words("Options of {view}: {values}.", view=f"`{view}`", values=values))
    if provenance.notes:
        notes = "\n".join(f"- {words.line(note)}" for note in provenance.notes)
        parts.append(f"{words('What the build noted:')}\n\n{notes}")
    return "\n\n".join(parts)


def configs_block(page: Page) -> str:
    """List the configs with their splits and rows."""
    built, words = page.built, page.words
    rows = [
        (
            f"`{name}`",
            words.line(built.corpus.config(name).summary),
            ", ".join(f"{split} {built.rows(view, raw):,}" for split, raw in splits.items()),
        )
        for name, (view, splits) in built.configs().items()
    ]
    return table([words("config"), words("what a row is"), words("rows")], rows, numbers=False)


def statistics_block(page: Page) -> str:
    """Show the published table, recomputed from the folder."""
    words, result = page.words, page.facts.statistics
    if result is None:
        return f"_{words('No config of this folder can be counted.')}_"
    rows = [[words(name.strip()), *values] for name, *values in statistics_lines(result)]
    splits = page.built.corpus.splits
    text = table(["", *(c if c in splits else words(c) for c in result.columns)], rows)
    if result.differences:
        title = words("Where the source's own table prints something else:")
        text += f"\n\n{title}\n" + "".join(f"\n- {words.line(d)}" for d in result.differences)
    return text


def features_block(page: Page) -> str:
    """List the fields of every view with their types and meanings."""
    words = page.words
    header = [words("field"), words("type"), words("what it is")]
    parts = []
    for view in page.built.files:
        rows = [(f"`{path}`", *rest) for path, *rest in fields_of(page.built.corpus, view, words)]
        key = ", ".join(f"`{name}`" for name in page.built.corpus.view_of(view).key)
        title = words("{view} (key: {key})", view=f"**`{view}`**", key=key)
        parts.append(f"{title}\n\n{table(header, rows, numbers=False)}")
    return "\n\n".join(parts)


def examples_block(page: Page) -> str:
    """Keep the example rows of the configs that are here; they are never of real data.

    They stand in the card's text: `sample_examples` writes them, from the invented sample.
    """
    found = list(EXAMPLE.finditer(page.written))
    return "\n\n".join(match[0] for match in found if match["view"] in page.built.files)


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


def files_block(page: Page) -> str:
    """List the number of files and the bytes of every view."""
    words, rows = page.words, []
    for view, splits in page.built.files.items():
        shards = [file for files in splits.values() for file in files]
        size = sum(file.size for file in shards)
        rows.append([f"`{view}`", str(len(shards)), f"{size / 1e6:,.2f} MB"])
    return table([words("config"), words("files"), words("size")], rows)


def figures_block(page: Page) -> str:
    """Show every distribution: its drawing, where there is one, and its table."""
    return "\n\n".join("\n\n".join(_figure(page, found)) for found in page.facts.spreads)


def _figure(page: Page, found: Spread) -> Iterator[str]:
    words, distribution = page.words, found.distribution
    series = words(distribution.series or "split")
    yield f"**{words('{title} by {series}', title=words(distribution.title), series=series)}**"
    stem = f"{FIGURES}/{distribution.name}"
    if (page.built.path / f"{stem}.png").is_file():
        same = words("the same drawing as SVG")
        yield f'[![{describe_figure(found, words)}]({stem}.png)]({stem}.svg "{same}")'
    yield table([words(distribution.axis), *found.counts], list(_figure_rows(found, words)))


def _figure_rows(found: Spread, words: Words) -> Iterator[list[str]]:
    if found.distribution.categories:
        shares = {name: found.shares(name) for name in found.counts}
        for number, category in enumerate(found.categories):
            yield [
                category,
                *(f"{found.counts[n][number]:,} ({shares[n][number]:.1f} %)" for n in found.counts),
            ]
        return
    for title, part in (("least", 0), ("median", 0.5), ("most", 1)):
        yield [words(title), *(f"{found.quantile(name, part):g}" for name in found.counts)]
    title = words("{counted} in all", counted=words(found.distribution.counted))
    yield [title, *(f"{sum(counts):,}" for counts in found.counts.values())]


def describe_figure(found: Spread, words: Words) -> str:
    """Return a drawing in words, for those who can't see it."""
    distribution = found.distribution
    kind = words("dot plot" if distribution.categories else "line plot")
    title = words(
        "{title} by {series}",
        title=words(distribution.title),
        series=words(distribution.series or "split"),
    )
    parts = [
        words(
            "{series}: most often {category} ({share} %)",
            series=name,
            category=category if isinstance(category, str) else f"{category:g}",
            share=f"{share:.1f}",
        )
        for name, (category, share) in ((name, found.most(name)) for name in found.counts)
    ]
    if distribution.mark and found.mark is not None:
        label, value = words(distribution.mark.label), f"{found.mark:g}"
        parts.append(words("{label} at {value}", label=label, value=value))
    return words(
        "{title} ({kind}). {parts}.", title=title, kind=kind, parts=words("; ").join(parts)
    )


BLOCKS: dict[str, Callable[[Page], str]] = {
    "languages": languages_block,
    "origin": origin_block,
    "configs": configs_block,
    "statistics": statistics_block,
    "figures": figures_block,
    "features": features_block,
    "examples": examples_block,
    "files": files_block,
}
