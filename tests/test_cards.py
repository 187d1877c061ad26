"""The cards: valid for the Hub, alike in both languages, and true of the files beside them."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

import dialogue_builders
from dialogue_builders.card import render
from dialogue_builders.card.blocks import BLOCKS, EXAMPLE, CardContext, FolderSummary
from dialogue_builders.card.fields import fields_of
from dialogue_builders.card.render import card_names, card_template, size_class
from dialogue_builders.card.text import BLOCK, computed_blocks, parse_card
from dialogue_builders.card.translations import LANGUAGES, Translator
from dialogue_builders.errors import DeclarationError
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.folder.histograms import histograms
from dialogue_builders.spec.registry import corpus_names, find_corpus
from diamante.alignment import FEWEST_REPLIES, MARGIN
from diamante.responses import REVISE_FROM
from diamante.sources import PLATFORM

ROOT = Path(__file__).resolve().parent.parent

# Source: the Hub's documentation, "Licenses" (the identifiers that `license:` may have) and the
# page of tasks; only those that a dialogue corpus can need.
HUB_LICENSES = {"apache-2.0", "mit", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-nd-4.0"}
HUB_LICENSES |= {
    "cdla-sharing-1.0",
    "cdla-permissive-1.0",
    "cdla-permissive-2.0",
    "other",
    "unknown",
}
HUB_TASKS = {"text-generation", "text-classification", "question-answering", "summarization"}
HUB_TASKS |= {
    "fill-mask",
    "feature-extraction",
    "sentence-similarity",
    "automatic-speech-recognition",
}
# Source: `DatasetCardData` of huggingface_hub, and "Dataset cards" and "Data files configuration"
# of the Hub's documentation.
HUB_KEYS = {"pretty_name", "language", "license", "license_name", "license_link", "size_categories"}
HUB_KEYS |= {"task_categories", "tags", "configs", "dataset_info"}
HUB_CONFIG_KEYS = {"config_name", "default", "description", "data_files"}


@pytest.fixture(scope="session", params=corpus_names())
def built_sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("cards") / request.param
    return dialogue_builders.build(request.param, out, sample=True).folder


def cards(folder: Path) -> Iterator[tuple[str, str]]:
    names = card_names(open_built_folder(folder).corpus)
    assert list(names) == list(LANGUAGES)
    for language, name in names.items():
        yield language, (folder / name).read_text("utf-8")


def test_the_front_matter_is_the_hubs(built_sample: Path) -> None:
    resources = files("datasets").joinpath("utils/resources")
    languages = json.loads(resources.joinpath("languages.json").read_text("utf-8"))
    sizes = json.loads(resources.joinpath("size_categories.json").read_text("utf-8"))
    for _, card in cards(built_sample):
        matter = yaml.safe_load(parse_card(card).yaml)
        assert matter.keys() <= HUB_KEYS
        assert matter["license"] in HUB_LICENSES
        assert (
            ("license_name" in matter)
            == ("license_link" in matter)
            == (matter["license"] == "other")
        )
        assert set(matter["task_categories"]) <= HUB_TASKS
        assert matter["language"]
        assert all(language in languages for language in matter["language"])
        assert set(matter["size_categories"]) <= set(sizes)
        assert all(isinstance(tag, str) and tag == tag.lower() for tag in matter["tags"])
        for entry in matter["configs"]:
            assert entry.keys() <= HUB_CONFIG_KEYS
            for part in entry["data_files"]:
                assert part.keys() == {"split", "path"}
                assert list(built_sample.glob(part["path"])), part
        assert sum(entry.get("default", False) for entry in matter["configs"]) == 1


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        *((0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (9999, "1K<n<10K")),
        *((10_000, "10K<n<100K"), (188_378, "100K<n<1M"), (999_999, "100K<n<1M")),
        *((10**6, "1M<n<10M"), (10**7, "10M<n<100M"), (10**8, "100M<n<1B")),
        *((10**9, "1B<n<10B"), (10**11, "100B<n<1T"), (10**12 - 1, "100B<n<1T")),
        *((10**12, "n>1T"), (10**15, "n>1T")),
    ],
)
def test_size_classes_are_the_hubs(rows: int, name: str) -> None:
    resources = files("datasets").joinpath("utils/resources")
    assert name in json.loads(resources.joinpath("size_categories.json").read_text("utf-8"))
    assert size_class(rows) == name


def test_the_hub_counts_the_rows_of_all_configs_and_aliases(built_sample: Path) -> None:
    for _, card in cards(built_sample):
        matter = yaml.safe_load(parse_card(card).yaml)
        patterns = [part["path"] for entry in matter["configs"] for part in entry["data_files"]]
        shards = [shard for pattern in patterns for shard in built_sample.glob(pattern)]
        rows = sum(pq.read_metadata(shard).num_rows for shard in shards)
        assert matter["size_categories"] == ["n<1K" if rows < 1000 else "1K<n<10K"]


def test_the_library_understands_the_front_matter(built_sample: Path) -> None:
    from datasets.info import DatasetInfosDict
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCard

    corpus = open_built_folder(built_sample).corpus
    for _, text in cards(built_sample):
        card = DatasetCard(text)
        configs = MetadataConfigs.from_dataset_card_data(card.data)
        infos = DatasetInfosDict.from_dataset_card_data(card.data)
        assert set(configs) == set(infos) <= set(corpus.config_names)
        assert configs.get_default_config_name() == corpus.default
        for view in corpus.views:
            assert infos[view.name].features == view.features()


def test_the_cards_link_each_other(built_sample: Path) -> None:
    for language, card in cards(built_sample):
        links = re.findall(r"\]\((README[\w.]*)\)", computed_blocks(card)["languages"])
        assert links == [{"en": "README.zh.md", "zh": "README.md"}[language]]
        assert (built_sample / links[0]).is_file()


@pytest.mark.parametrize("name", corpus_names())
def test_both_languages_say_the_same_things(name: str) -> None:
    """Not the words, but everything that can be compared: outline, blocks, code, links, tables."""
    english, chinese = (card_template(find_corpus(name), language) for language in LANGUAGES)

    def outline(text: str) -> Any:
        prose = BLOCK.sub(lambda match: f"[{match['name']}]", text)
        return {
            "headings": [len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)],
            "blocks": list(computed_blocks(text)),
            "code": [without_words(snippet) for snippet in snippets(text)],
            "links": sorted(re.findall(r"https?://[\w./:-]+", prose)),
            "table rows": len(re.findall(r"^\|", prose, re.MULTILINE)),
            "list items": len(re.findall(r"^- ", prose, re.MULTILINE)),
            "named": sorted(Counter(re.findall(r"`([a-z_]+)`", prose))),
        }

    assert outline(english) == outline(chinese)


def without_words(code: str) -> str:
    """The code with every text emptied that is meant for people."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and not re.fullmatch(
            r"[\w./]+", str(node.value), re.ASCII
        ):
            node.value = ""
    return ast.dump(tree)


def snippets(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_nothing_computed_lacks_a_translation(built_sample: Path) -> None:
    built = open_built_folder(built_sample)
    facts, names = FolderSummary(built), card_names(built.corpus)
    for language in LANGUAGES:
        words = Translator(built.corpus, language)
        for block in BLOCKS.values():
            block(CardContext(facts, words, names, ""))
        assert words.missing == set()


def test_a_note_of_the_build_is_translated_with_its_values() -> None:
    words = Translator(find_corpus("topical_chat"), "zh")
    note = "a fun fact has no text (only post-build reading sets hold it); null in its place (583 times)"
    assert (
        words.line(note) == "一条趣闻没有文本（只有 post-build 阅读材料才有）；原位为空（583 次）"
    )
    assert words.line("the config enriched has no train: there is no raw file for it") == (
        "配置 enriched 没有 train：缺少相应的原始文件"
    )
    assert words.line("something that nobody foresaw") == "something that nobody foresaw"


@pytest.mark.parametrize("name", corpus_names())
def test_every_field_is_described(name: str) -> None:
    corpus = find_corpus(name)
    for view in corpus.views:
        for language in LANGUAGES:
            fields = fields_of(corpus, view.name, Translator(corpus, language))
            assert [field.path for field in fields if not field.meaning] == []
    used = {
        key
        for view in corpus.views
        for path in paths(view.features())
        for key in (f"{view.name}.{path}", path, path.rpartition(".")[2])
    }
    assert set(corpus.fields) <= used, "a description that no field uses"


def paths(features: Any, prefix: str = "") -> Iterator[str]:
    for name, kind in features.items():
        yield f"{prefix}{name}"
        while hasattr(kind, "feature"):
            kind = kind.feature
        if isinstance(kind, dict):
            yield from paths(kind, f"{prefix}{name}.")


def test_a_field_stands_with_its_neighbours_of_the_same_shape() -> None:
    corpus = find_corpus("topical_chat")
    fields = {f.path: f for f in fields_of(corpus, "reading_sets", Translator(corpus, "en"))}
    assert "{agent_1,agent_2}.{FS1,FS2,FS3}.entity" in fields
    assert fields["article.AS3"].meaning.startswith("the third section")
    fields = {f.path: f for f in fields_of(corpus, "utterances", Translator(corpus, "en"))}
    assert (
        fields["turn_rating"].type == "label: 0 Poor, 1 Not Good, 2 Passable, 3 Good, 4 Excellent"
    )
    assert fields["knowledge_source"].type == "list of string"


def test_examples_are_the_samples_and_only_of_what_is_there(
    sample_folder: Path, real_folder: Path
) -> None:
    corpus = open_built_folder(real_folder).corpus
    sample_ids = {
        row["conversation_id"]
        for batch in open_built_folder(sample_folder).read("conversations", "train")
        for row in batch.to_pylist()
    }
    shown = {}
    for match in EXAMPLE.finditer((real_folder / "README.md").read_text("utf-8")):
        shown[match["view"]] = json.loads(match[0].split("```json\n")[1].split("```")[0])
    assert list(shown) == [v.name for v in corpus.views if (real_folder / v.name).is_dir()]
    assert shown["conversations"]["conversation_id"] in sample_ids


def test_the_real_counts(real_folder: Path) -> None:
    """The table of facts, which was counted with other tools."""
    built = open_built_folder(real_folder)
    splits = ("valid_freq", "test_freq", "test_rare")
    found = {s.spec.name: s for s in histograms(built, built.corpus.histograms)}
    expected = {
        "sentiments": {
            "Curious to dive deeper": (5027, 5542, 4869),
            "Neutral": (2521, 2842, 2520),
            "Surprised": (2030, 1435, 2060),
            "Happy": (1670, 1585, 2073),
            "Sad": (159, 121, 110),
            "Disgusted": (136, 139, 61),
            "Angry": (105, 63, 42),
            "Fearful": (33, 33, 35),
        },
        "turn_ratings": {
            "Poor": (51, 32, 27),
            "Not Good": (108, 119, 71),
            "Passable": (735, 761, 605),
            "Good": (5201, 4725, 5063),
            "Excellent": (5557, 6011, 5779),
            "not rated": (29, 112, 225),
        },
    }
    for name, table in expected.items():
        counted = found[name]
        by_split = [counted.counts[split] for split in splits]
        assert dict(zip(counted.categories, zip(*by_split, strict=True), strict=True)) == table
    lengths, knowledge = found["turns_per_conversation"], found["cited_knowledge"]
    assert [lengths.quantile(s, 0) for s in splits] == [20, 20, 20]
    assert [lengths.quantile(s, 1) for s in splits] == [35, 33, 51]
    totals = dict(
        zip(
            knowledge.categories,
            map(sum, zip(*knowledge.counts.values(), strict=True)),
            strict=True,
        )
    )
    assert totals == {
        "FS1": 3712 + 3797 + 3516,
        "FS2": 3092 + 3188 + 3119,
        "FS3": 2786 + 2286 + 2690,
        "AS1": 712 + 1307 + 750,
        "AS2": 269 + 390 + 289,
        "AS3": 219 + 324 + 233,
        "AS4": 172 + 241 + 197,
        "Personal Knowledge": 3136 + 3143 + 3056,
    }
    assert list(knowledge.counts) == ["A", "B", "C", "D"]
    assert knowledge.counts["C"][3:7] == [0, 0, 0, 0]


@pytest.mark.parametrize("config", ["conversations", "utterances"])
def test_counts_do_not_depend_on_the_config(config: str, sample_raw: Path, tmp_path: Path) -> None:
    """Counted from the raw files in plain Python, and from either config."""
    built = dialogue_builders.build(
        "topical_chat", tmp_path / "out", data_dir=sample_raw, configs=[config]
    ).built
    found = histograms(built, built.corpus.histograms)
    assert len(found) == 4
    for counted in found:
        spec = counted.spec
        expected: dict[str, Counter[Any]] = {}
        for split in built.corpus.splits:
            records = json.loads(
                (sample_raw / "conversations" / f"{split}.json").read_text("utf-8")
            )
            for record in records.values():
                turns = record["content"]
                by_split = expected.setdefault(split, Counter())
                if spec.name == "turns_per_conversation":
                    by_split[len(turns)] += 1
                elif spec.name == "cited_knowledge":
                    expected.pop(split)
                    sources = [source for turn in turns for source in turn["knowledge_source"]]
                    expected.setdefault(record["config"], Counter()).update(sources)
                else:
                    field = spec.axis
                    by_split.update(turn[field] or "not rated" for turn in turns)
        got = {
            series: +Counter(dict(zip(counted.categories, counts, strict=True)))
            for series, counts in counted.counts.items()
        }
        assert got == expected, spec.name


# What a number in the prose stands for; everything else that is counted is in a computed block.
NAMES = r"""\x60[^\x60]*\x60|\[[^\]]*\]\([^)]*\)|\b(?:FS|AS)\d|CC\ [A-Z-]+\ \d\.\d|Apache-2\.0|TCS-\d\.\d|agent_\d
|Sharing[^\d|]{0,12}1\.0|speaker\d|\bF1\b"""


@pytest.mark.parametrize("name", corpus_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_in_the_prose_is_accounted_for(name: str, language: str) -> None:
    text = card_template(find_corpus(name), language)
    prose = re.sub(r"```.*?```", "", BLOCK.sub("", text), flags=re.DOTALL)
    prose = re.sub(NAMES, "", prose, flags=re.VERBOSE)
    numbers = set(re.findall(r"\d[\d,.]*\d|\d", prose))
    assert numbers - {"0"} <= known_numbers(name)


def known_numbers(name: str) -> set[str]:
    """Numbers of a card's prose, worked out; of a dataset that is not named here there are none."""
    if name == "diamante":
        data_set = PLATFORM.rpartition("=")[2]
        values = (100 * MARGIN, FEWEST_REPLIES, REVISE_FROM.default)
        return {data_set, *(f"{value:g}" for value in values)}
    if name == "topical_chat_judgements":
        return judgement_numbers()
    if name != "topical_chat":
        return set()
    corpus = find_corpus(name)
    rows = corpus.published_rows["responses"]
    published = [
        rows["train"],
        rows["valid_freq"] + rows["valid_rare"],
        rows["test_freq"] + rows["test_rare"],
    ]
    synthetic = sum("/synthetic/" in path for path in corpus.pins)
    old = corpus.of_release("TCS-1.0").published_rows["conversations"]
    return {f"{n:,}" for n in (*published, synthetic, *overlaps(), old["test_freq"])}


def overlaps() -> list[int]:
    """How the releases and USR's contexts overlap, asserted in test_judgements.py."""
    from test_judgements import FIGURES

    names = ("contexts", "contexts in no evaluation split of TCS-1.1")
    names += ("evaluation conversations of TCS-1.0", "of these in an evaluation split of TCS-1.1")
    return [*(FIGURES[name] for name in names), FIGURES["that stayed in test_freq"]]


def judgement_numbers() -> set[str]:
    """Asserted on the real files in test_judgements.py, where they are worked out."""
    from test_judgements import FIGURES

    return {f"{number:,}" for number in FIGURES.values()}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_check_finds_a_stale_card_in_each_language(
    name: str, sample_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(sample_folder, tmp_path / "copy"))
    card = folder / name
    card.write_text(card.read_text("utf-8").replace("| 119 |", "| 120 |"), "utf-8")
    (problem,) = dialogue_builders.check(folder).problems
    assert problem.startswith(f"{name} is not fresh")
    assert "(statistics)" in problem


def test_check_misses_a_card(sample_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample_folder, tmp_path / "copy"))
    (folder / "README.zh.md").unlink()
    assert (
        "README.zh.md is missing: the card in one of its languages"
        in dialogue_builders.check(folder).problems
    )


def test_the_documents_in_the_repository_are_fresh() -> None:
    run = subprocess.run(
        [sys.executable, "scripts/render_cards.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, ""), run.stdout + run.stderr


def test_a_stale_document_is_found_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import render_cards

    for folder in ("dataset_cards", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "README.md", tmp_path)
    monkeypatch.setattr(render_cards, "ROOT", tmp_path)
    stale = tmp_path / "dataset_cards" / "topical_chat.zh.md"
    stale.write_text(stale.read_text("utf-8").replace("虚构的示例数据", "真实数据"), "utf-8")
    monkeypatch.setattr(sys, "argv", ["render_cards.py", "--check"])
    assert render_cards.run() == 1
    assert capsys.readouterr().out == "stale: dataset_cards/topical_chat.zh.md\n"
    monkeypatch.setattr(sys, "argv", ["render_cards.py"])
    assert render_cards.run() == 0
    assert stale.read_text("utf-8") == (ROOT / "dataset_cards" / stale.name).read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!-- computed: origins -->\n<!-- end: origins -->\n", "did you mean 'origin'?"),
        ("# A card without blocks\n", "lacks the block origin"),
        ("<!-- computed: origin -->\n", "opens a block that does not end"),
        ("<!-- computed: origin -->\n<!-- end: files -->\n", "write `<!-- end: origin -->`"),
    ],
)
def test_a_card_that_the_engine_cannot_fill_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    card = tmp_path / "topical_chat.md"
    card.write_text(text, "utf-8")
    monkeypatch.setattr(render, "template_path", lambda corpus, language: card)
    with pytest.raises(DeclarationError, match=re.escape(words)) as caught:
        card_template(find_corpus("topical_chat"))
    assert caught.value.file == "topical_chat.md"
    assert caught.value.next_step


@pytest.mark.parametrize("name", corpus_names())
def test_no_data_like_file_lies_in_a_datasets_package(name: str) -> None:
    """Stock `load_dataset(NAME)` beside a folder of that name would take such a file for data."""
    package = Path(import_module(find_corpus(name).package_name).__file__ or "").parent
    files = [path for path in package.rglob("*") if path.is_file()]
    kinds = {path.suffix for path in files if "__pycache__" not in path.parts}
    assert {".py"} <= kinds <= {".py", ".typed", ".md"}
