"""What describes a folder and lies in it: the cards in all of their languages, and the figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dialogue_builders.card.blocks import FolderSummary
from dialogue_builders.card.figures import draw_figures
from dialogue_builders.card.render import render_cards
from dialogue_builders.folder.built import BuiltFolder, measure_folder
from dialogue_builders.folder.provenance import Provenance
from dialogue_builders.spec.corpus import Corpus


def describe_folder(
    folder: Path, corpus: Corpus, provenance: Provenance, *, figures: bool
) -> BuiltFolder:
    """Measure a folder of Parquet files, and write its cards and figures.

    Args:
        folder: with all of its Parquet files.
        corpus: what it holds.
        provenance: where it comes from; differences from what is published are added to its notes.
        figures: whether to draw the corpus's histograms.

    Returns:
        the folder's facts, as the cards state them.
    """
    built = measure_folder(folder, corpus, provenance)
    differences = unlike_published(built)
    if differences:
        built = replace(
            built, provenance=replace(provenance, notes=(*provenance.notes, *differences))
        )
    facts = FolderSummary(built)
    if figures:
        # Before the cards, which show the drawings that are there.
        draw_figures(facts.histograms, folder)
    for name, card in render_cards(facts).items():
        (folder / name).write_text(card, "utf-8")
    return built


def unlike_published(built: BuiltFolder) -> tuple[str, ...]:
    """Say which splits have other rows than the published ones, where no pin could tell.

    A file that was cut off between two lines, or another release, would pass unnoticed otherwise.
    """
    corpus = built.corpus
    view = next((view for view in corpus.published_rows if view in built.files), None)
    if corpus.upstream_is_public or built.provenance.raw != "other" or view is None:
        return ()
    published = corpus.published_rows[view]
    rows = {split: built.rows(view, split) for split in built.files[view] if split in published}
    return tuple(
        f"{split} has {rows[split]:,} rows of {view}, but {published[split]:,} are published: "
        "a part, or another version"
        for split in rows
        if rows[split] != published[split]
    )
