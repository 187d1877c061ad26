"""What each command shows: JSON for programs, tables and text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dialogue_builders.cli.terminal import (
    print_block,
    print_definitions,
    print_items,
    print_json,
    print_pairs,
    print_table,
    print_text,
    say,
)
from dialogue_builders.errors import DialogueBuildersError, RawFileError
from dialogue_builders.fetch.download import DownloadReport
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.folder.layout import engine_path
from dialogue_builders.folder.statistics import StatisticsTable, statistics_lines
from dialogue_builders.page.write import ViewReport
from dialogue_builders.raw.folder import RawFolder
from dialogue_builders.raw.verify import verify_folder
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import corpus_names, find_corpus
from dialogue_builders.spec.view import Alias
from dialogue_builders.workflows.build import BuildReport
from dialogue_builders.workflows.check import CheckReport


def list_datasets(only: str | None, as_json: bool) -> None:
    """Show every dataset (or one) with its configs, splits and published rows."""
    corpora = list(_usable_corpora()) if only is None else [find_corpus(only)]
    if as_json:
        print_json({c.name: {n: _rows_by_split(c, n) for n in c.config_names} for c in corpora})
        return
    for corpus in corpora:
        rows = []
        for view in corpus.views:
            counts = _rows_by_split(corpus, view.name)
            shown = ", ".join(s if n is None else f"{s} {n:,}" for s, n in counts.items())
            rows.append((view.name, view.summary, shown))
        header = ("config", "what a row is", "splits and rows")
        title = f"{corpus.name}: {corpus.summary}"
        print_table(header, rows, numbers=False, title=title)
        aliases = [(a.name, f"{a.view}: {', '.join(a.splits)}") for a in corpus.aliases]
        if aliases:
            print_table(("alias", "shows"), aliases, numbers=False)


def _usable_corpora() -> Iterator[Corpus]:
    """Yield the installed corpora; one that is broken gets a line, and hides none of the others."""
    for name in corpus_names():
        try:
            yield find_corpus(name)
        except DialogueBuildersError as error:
            reason = str(error).replace("\nNext: ", "; next: ")
            say(f"{name} is left out: {' '.join(reason.split())}")


def _rows_by_split(corpus: Corpus, name: str) -> dict[str, int | None]:
    published = corpus.published_rows.get(corpus.view_of(name).name, {})
    return {split: published.get(raw) for split, raw in corpus.splits_of(name).items()}


def show_info(name: str, config: str | None, as_json: bool) -> None:
    """Show what there is to know of a dataset or of one of its configs."""
    corpus = find_corpus(name)
    facts = _config_facts(corpus, config) if config else _corpus_facts(corpus)
    if as_json:
        print_json(facts)
        return
    features, options, citation = (facts.pop(k, None) for k in ("features", "options", "citation"))
    pairs = [(title.replace("_", " "), _shown(value)) for title, value in facts.items()]
    print_pairs([pair for pair, value in zip(pairs, facts.values(), strict=True) if value])
    if features:
        print_definitions("features", [(n, f["type"], f["meaning"]) for n, f in features.items()])
    if options:
        terms = [(n, f"default {o['default']!r}", o["summary"]) for n, o in options.items()]
        print_definitions("options", terms)
    if citation:
        print_block("citation", citation)


def _corpus_facts(corpus: Corpus) -> dict[str, Any]:
    return {
        "dataset": corpus.name,
        "title": corpus.title,
        "summary": corpus.summary,
        "version": corpus.version,
        "configs": list(corpus.config_names),
        "default": corpus.default,
        "splits": list(corpus.splits),
        "license": corpus.license,
        "license_note": corpus.license_note,
        **({"terms": corpus.terms} if corpus.terms else {}),
        "upstream": corpus.upstream,
        **({"releases": _releases(corpus)} if corpus.releases else {}),
        "download_url": corpus.download_url,
        **({"download_urls": list(urls)} if len(urls := corpus.download_urls) > 1 else {}),
        "raw_files": {name: list(source.path_templates) for name, source in corpus.sources.items()},
        "how_to_get": corpus.how_to_get,
        "paper": corpus.paper,
        "citation": corpus.citation,
    }


def _releases(corpus: Corpus) -> dict[str, str]:
    """Return release → where it is from, the default one first."""
    others = {release.name: release.upstream for release in corpus.releases}
    return {str(corpus.release): corpus.upstream, **others}


def _config_facts(corpus: Corpus, name: str) -> dict[str, Any]:
    from dialogue_builders.card.fields import fields_of
    from dialogue_builders.card.translations import Translator

    config, view = corpus.config(name), corpus.view_of(name)
    facts: dict[str, Any] = {"config": name, "summary": config.summary}
    if isinstance(config, Alias):
        facts["shows"] = view.name
    facts["splits"] = corpus.splits_of(name)
    facts["files"] = _engine_paths(corpus, name)
    facts["key"] = list(view.key)
    fields = fields_of(corpus, view.name, Translator(corpus, "en"))
    facts["features"] = {f.path: {"type": f.type, "meaning": f.meaning} for f in fields}
    facts["options"] = {
        option.name: {
            "default": option.default,
            "choices": list(option.choices),
            "summary": option.summary,
        }
        for option in view.options
    }
    facts["license"] = corpus.license
    facts["license_note"] = corpus.license_note
    facts["upstream"] = corpus.upstream
    facts["citation"] = corpus.citation
    return facts


def _engine_paths(corpus: Corpus, name: str) -> dict[str, str]:
    """Return by which paths within a built folder query engines read a config and its splits."""
    view = corpus.view_of(name).name
    paths = {} if name != view else {"all splits": engine_path(view)}
    return paths | {s: engine_path(view, raw) for s, raw in corpus.splits_of(name).items()}


def _shown(value: Any) -> str:
    if isinstance(value, dict) and all(name == part for name, part in value.items()):
        value = list(value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_shown(part)}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def show_verification(name: str, data_dir: Path, as_json: bool) -> int:
    """Show which raw files are the pinned ones; return the exit code.

    Raises:
        RawFileError: no files are pinned.
    """
    corpus = find_corpus(name)
    if not corpus.pins:
        why = "" if corpus.upstream_is_public else ": upstream's are not public"
        raise RawFileError(
            f"{name} has no pinned files to compare with{why}",
            next_step=f"build it, then compare its figures: dialogue-builders build {name} "
            "--data-dir … --out DIR; dialogue-builders stats DIR",
        )
    reports = verify_folder(RawFolder.unrecognised(corpus, data_dir))
    states = Counter(report.state for report in reports)
    if as_json:
        print_json([asdict(report) for report in reports])
    else:
        present = [report for report in reports if report.state != "missing"]
        header = ("state", "file", *(["release"] if corpus.releases else []))
        rows = [(r.state, r.path, " and ".join(r.releases)) for r in present]
        print_table(header, [row[: len(header)] for row in rows], numbers=False)
        for report in (r for r in present if r.state == "differs"):
            say(
                f"{report.path} differs: expected blob {report.expected}"
                f"{_bytes(report.expected_size)}, got {report.got}{_bytes(report.got_size)}"
                + (f", which is {report.releases[0]}'s" if report.releases else "")
            )
        missing = Counter(str(Path(r.path).parent) for r in reports if r.state == "missing")
        for folder, count in missing.items():
            say(f"{count} missing in {folder}")
        print(f"{states['ok']} ok, {states['missing']} missing, {states['differs']} differ")
    return 0 if states["ok"] == len(reports) else 1


def show_download(report: DownloadReport, as_json: bool) -> None:
    """Show what a download did."""
    if as_json:
        print_json({**asdict(report), "folder": str(report.folder)})
        return
    size = sum((report.folder / path).stat().st_size for path in report.fetched)
    print(
        f"{report.folder}: {len(report.fetched)} files fetched and verified ({size / 1e6:.1f} MB, "
        f"{report.seconds:.1f} s), {len(report.already)} were right already"
    )


def _bytes(size: int | None) -> str:
    return f" of {size:,} bytes" if size is not None else ""


def show_build(report: BuildReport, as_json: bool) -> None:
    """Show what a build made."""
    built = report.built
    rows = {v: {s: built.rows(v, s) for s in splits} for v, splits in built.files.items()}
    files = [f for splits in built.files.values() for shards in splits.values() for f in shards]
    size = sum(file.size for file in files)
    if as_json:
        print_json(
            {
                "folder": str(report.folder),
                "rows": rows,
                "files": len(files),
                "bytes": size,
                "raw": built.provenance.raw,
                "release": built.provenance.release,
                "notes": list(built.provenance.notes),
                "seconds": round(report.seconds, 3),
            }
        )
        return
    for note in built.provenance.notes:
        say(f"Note: {note}")
    splits = list(built.provenance.splits)
    print_table(
        ("config", *splits),
        [
            (v, *(f"{counts[s]:,}" if s in counts else "" for s in splits))
            for v, counts in rows.items()
        ],
    )
    print(
        f"{report.folder}: {len(files)} Parquet files, {size / 1e6:.1f} MB, "
        f"in {report.seconds:.1f} s, from {_raw_files(built)}"
    )
    print(f'Load it: datasets.load_dataset("{report.folder}", "{next(iter(rows))}")')


def _raw_files(built: BuiltFolder) -> str:
    from dialogue_builders.card.blocks import provenance_of

    release = built.provenance.release
    return {
        "pinned": "the pinned raw files" + (f" of {release}" if release else ""),
        "sample": "the invented sample",
        "unpinned": "the raw files that were given",
    }.get(provenance_of(built), "raw files that are not the pinned ones")


def show_statistics(table: StatisticsTable, as_json: bool) -> None:
    """Show a published table, recomputed, and where the print differs."""
    if as_json:
        print_json(asdict(table))
        return
    print_table(("", *table.columns), statistics_lines(table))
    if table.differences:
        print_items("Where the published table prints something else:", table.differences)


def show_view(report: ViewReport, as_json: bool) -> None:
    """Print what a page shows, and where it lies."""
    if as_json:
        print_json({**asdict(report), "page": str(report.page)})
        return
    for reason in report.restrictions:
        say(f"May not simply be published: {reason}")
    pages = f", {report.pages} pages and their index" if report.pages > 1 else ""
    print_text(
        f"{report.page}: {report.conversations:,} conversations{pages}, "
        f"{report.size / 1e6:.2f} MB; open it in a browser"
    )


def show_check(report: CheckReport, as_json: bool) -> int:
    """Show what a check found; return the exit code."""
    if as_json:
        print_json(
            {
                "checked": report.checked,
                "problems": report.problems,
                "rows_compared": report.compared,
            }
        )
    elif report.problems:
        print_items("What is wrong:", report.problems)
        count = len(report.problems)
        points = "1 point" if count == 1 else f"{count:,} points"
        say(f"Error: {report.built.path} breaks its contract in {points}")
        say(f"Next: {report.next_step}")
    else:
        print_text(f"ok: {', '.join(report.checked)}")
    return 1 if report.problems else 0
