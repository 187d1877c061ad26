"""What describes a folder and lies in it: the cards in all of their languages, and the figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dialogue_builders.built_folder import BuiltFolder, Provenance, measure_folder
from dialogue_builders.card import render_cards
from dialogue_builders.card_blocks import FolderFacts
from dialogue_builders.corpus import Corpus
from dialogue_builders.figures import draw_figures


def describe_folder(
    folder: Path, corpus: Corpus, provenance: Provenance, *, figures: bool
) -> BuiltFolder:
    """Measure a folder of Parquet files, and write its cards and figures.

    Args:
        folder: with all of its Parquet files.
        corpus: what it holds.
        provenance: where it comes from; doubts about that are added to its notes.
        figures: whether to draw the corpus's distributions.

    Returns:
        the folder's facts, as the cards state them.
    """
    built = measure_folder(folder, corpus, provenance)
    doubts = unlike_published(built)
    if doubts:
        built = replace(built, provenance=replace(provenance, notes=(*provenance.notes, *doubts)))
    facts = FolderFacts(built)
    if figures:
        # Before the cards, which show the drawings that are there.
        draw_figures(facts.spreads, folder)
    for name, card in render_cards(facts).items():
        (folder / name).write_text(card, "utf-8")
    return built


def unlike_published(built: BuiltFolder) -> tuple[str, ...]:
    """Say which splits have other rows than the published ones, where no pin could tell that.

    A file that was cut off between two lines, or another release, would pass unnoticed otherwise.
    """
    corpus = built.corpus
    view = next((view for view in corpus.published_rows if view in built.files), None)
    if corpus.pins or built.provenance.raw != "other" or view is None:
        return ()
    published = corpus.published_rows[view]
    rows = {split: built.rows(view, split) for split in built.files[view] if split in published}
    return tuple(
        f"{split} has {rows[split]:,} rows of {view}, but {published[split]:,} are published: "
        "a part, or another version"
        for split in rows
        if rows[split] != published[split]
    )
