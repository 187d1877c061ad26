"""The cards: front matter, and computed blocks inside of prose that people wrote.

The prose lies in `dataset_cards/`, a file for each language. Between a pair of markers stands what
is computed from the folder at hand, so that a card always states its own data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from dialogue_builders.card.blocks import BLOCKS, CardContext, FolderSummary
from dialogue_builders.card.text import BLOCK, add_prose_digest
from dialogue_builders.card.translations import LANGUAGES, Translator
from dialogue_builders.errors import DeclarationError, FolderError, nearest
from dialogue_builders.folder.built import BuiltFolder
from dialogue_builders.folder.layout import CARD_NAME, shard_pattern
from dialogue_builders.spec.corpus import Corpus

# The Hub's size classes, by the number of rows: each begins at its first power of ten.
SIZE_LIMITS = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")
MAIN_LANGUAGE = "en"
PROVENANCE_BLOCK = "origin"


def template_path(corpus: Corpus, language: str) -> Path | None:
    """Return where the prose of a corpus's card lies; None where there is none in the language.

    Cards lie in the folder `dataset_cards` of the corpus's own package or, in a checkout and for a
    dataset of one module, beside it.
    """
    name = f"{corpus.name}.md" if language == MAIN_LANGUAGE else f"{corpus.name}.{language}.md"
    spec = find_spec(corpus.package_name)
    if spec is None:
        return None
    # A package without an `__init__.py` has no origin, and a module no locations.
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    folders = folders or [Path(spec.origin or "").parent]
    # In a checkout the cards lie beside the outermost package.
    depth = corpus.package_name.count(".") + 1
    places = (place for f in folders for place in (f, *islice(f.parents, depth)))
    paths = (place / "dataset_cards" / name for place in places)
    return next((path for path in paths if path.is_file()), None)


def card_template(corpus: Corpus, language: str = MAIN_LANGUAGE) -> str:
    """Return the prose of a corpus's card.

    Raises:
        FolderError: this installation has no such card.
        DeclarationError: its computed blocks are not those that the engine fills.
    """
    path = template_path(corpus, language)
    if path is None:
        raise FolderError(
            f"the card of {corpus.name} is not installed: its package {corpus.package_name} has no "
            f"dataset_cards/{corpus.name}.md",
            next_step="install that package again, or write the card",
        )
    text = path.read_text("utf-8")
    _require_known_blocks(text, path.name)
    return text


def _require_known_blocks(text: str, file_name: str) -> None:
    """Raise a DeclarationError for a block that can't be filled, or that has to be there."""
    names = [match["name"] for match in BLOCK.finditer(text)]
    for name in names:
        if name not in BLOCKS:
            hint = nearest(name, BLOCKS)
            raise DeclarationError(
                f"has a block that is not known; known: {', '.join(BLOCKS)}",
                file=file_name,
                field=name,
                next_step=f"did you mean {hint!r}?" if hint else "remove it, or name a known one",
            )
    for name in re.findall(r"<!-- computed: (.*?) -->", text):
        if name not in names:
            raise DeclarationError(
                "opens a block that does not end",
                file=file_name,
                field=name,
                next_step=f"write `<!-- end: {name} -->` on a line of its own below it",
            )
    if PROVENANCE_BLOCK not in names:
        raise DeclarationError(
            f"lacks the block {PROVENANCE_BLOCK}, by which a built folder is recognised",
            file=file_name,
            next_step=f"add the lines `<!-- computed: {PROVENANCE_BLOCK} -->` and "
            f"`<!-- end: {PROVENANCE_BLOCK} -->` where the folder's origin is to stand",
        )


def card_names(corpus: Corpus) -> dict[str, str]:
    """Return the cards of a built folder: language → file name. The main one is always there."""
    return {
        language: CARD_NAME if language == MAIN_LANGUAGE else f"README.{language}.md"
        for language in LANGUAGES
        if language == MAIN_LANGUAGE or template_path(corpus, language)
    }


def render_cards(facts: FolderSummary) -> dict[str, str]:
    """Return every card of a built folder: file name → front matter, prose, computed blocks."""
    names = card_names(facts.built.corpus)
    matter = dump_yaml(front_matter(facts.built))
    return {
        name: add_prose_digest(f"---\n{matter}---\n\n{fill_blocks(facts, language, names)}")
        for language, name in names.items()
    }


def fill_blocks(facts: FolderSummary, language: str, names: Mapping[str, str]) -> str:
    """Return a card's prose with every computed block filled.

    Args:
        facts: of the folder that the card speaks of.
        language: of the card.
        names: language → file name of the card, for the links between them.
    """
    translate = Translator(facts.built.corpus, language)

    def fill(match: re.Match[str]) -> str:
        context = CardContext(facts, translate, names, match["content"])
        return f"{match['start']}{BLOCKS[match['name']](context)}\n{match['end']}"

    return BLOCK.sub(fill, card_template(facts.built.corpus, language))


def front_matter(built: BuiltFolder) -> dict[str, Any]:
    """Return the card's metadata in the Hub's terms, in the order in which it is written."""
    corpus = built.corpus
    served = built.configs()
    # The Hub counts the rows of all configs, aliases included.
    rows = sum(built.rows(view, raw) for view, splits in served.values() for raw in splits.values())
    matter: dict[str, Any] = {
        "pretty_name": corpus.title,
        "language": list(corpus.languages),
        "license": corpus.license,
        "size_categories": [size_class(rows)],
        "task_categories": list(corpus.task_categories),
        "tags": list(corpus.tags),
        "configs": [config_entry(built, name) for name in served],
        "dataset_info": [info_entry(built, name) for name in served],
    }
    if corpus.license == "other":
        matter["license_name"] = corpus.license_name
        matter["license_link"] = corpus.license_link
    return matter


def size_class(rows: int) -> str:
    """Return the Hub's size class for a number of rows."""
    digits = len(str(rows))
    if digits <= 3:
        return f"n<{SIZE_LIMITS[0]}"
    if digits - 3 >= len(SIZE_LIMITS):
        return f"n>{SIZE_LIMITS[-1]}"
    return f"{SIZE_LIMITS[digits - 4]}<n<{SIZE_LIMITS[digits - 3]}"


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
        {"split": split, "path": shard_pattern(built.files[view][raw][0].path)}
        for split, raw in splits.items()
    ]
    return entry


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
