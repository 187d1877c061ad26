"""The judgements: the builders' contract on the sample, and every published figure on real files.

What is expected was counted with plain `json` and string methods, or is printed by the authors.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import loopback_server
import pytest
from conftest import JUDGEMENTS, OLD_DATA, REAL_DATA, ROOT
from hub_server import HubServer
from push_harness import Pushers
from test_download import pins_of

import dialogue_builders
from dialogue_builders.cli.show import show_info
from dialogue_builders.errors import RawFileError, RecordError
from dialogue_builders.folder.built import open_built_folder
from dialogue_builders.folder.statistics import statistics
from dialogue_builders.testing import BuilderContract
from topical_chat.judgements import corpus as declaration
from topical_chat.judgements.corpus import CORPUS
from topical_chat.judgements.sample import files
from topical_chat.judgements.sources import BEGIN_RESTRICTION, UNIEVAL, USR_RESTRICTION

pytest_plugins = ("push_fixtures",)

# The figures of the cards' prose. The two on whole releases need files that are not at hand; what
# the files at hand tell of them is asserted below.
FIGURES = {
    "contexts": 60,
    "joined contexts": 59,
    "contexts in no evaluation split of TCS-1.1": 51,
    "responses": 360,
    "overall scores that all annotators share": 87,
    "rows of BEGIN": 383,
    "joined rows of BEGIN": 375,
    "openings": 8,
    "rows with an article's text": 57,
    "evaluation conversations of TCS-1.0": 2156,
    "of these in an evaluation split of TCS-1.1": 632,
    "that stayed in test_freq": 31,
}
CRITERIA = {
    "understandable": "Understandable",
    "natural": "Natural",
    "maintains_context": "Maintains Context",
    "engaging": "Engaging",
    "uses_knowledge": "Uses Knowledge",
    "overall": "Overall",
}
# The README of UniEval's folder `reproduce`.
PEARSON = {
    "understandable": 0.380038,
    "natural": 0.443666,
    "maintains_context": 0.595143,
    "engaging": 0.55651,
    "uses_knowledge": 0.536209,
    "overall": 0.632796,
}


class TestJudgements(BuilderContract):
    NAME = "topical_chat_judgements"
    # Three contexts with six responses; four rows of BEGIN's development set, and two of its test.
    ROWS = {"usr": {"test_freq": 18}, "begin": {"dev": 4, "test": 2}}
    KEYS = {"usr": ("context_index", "system"), "begin": ("row_index",)}


# --- the sample ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "judgements"
    return dialogue_builders.build(CORPUS.name, out, sample=True).folder


def rows_of(folder: Path, config: str, split: str) -> list[dict[str, Any]]:
    return list(datasets.load_dataset(str(folder), config, split=split))


def test_text_is_as_in_the_file_and_can_be_rebuilt(built: Path) -> None:
    source = json.loads(files()["data/usr_topical_chat.json"])
    rows = rows_of(built, "usr", "test_freq")
    for number, row in enumerate(rows):
        record = source[number // 6]
        response = record["responses"][number % 6]
        assert row["context_index"] == number // 6
        assert "\n".join(row["context"]) + "\n\n" == record["context"]
        assert row["fact"] == (None if record["fact"] == "_nofact\n" else record["fact"])
        assert row["response"] == response["response"]
        assert row["annotators"] == record["annotators"]
        assert {name: row[column] for column, name in CRITERIA.items()} == {
            name: response[name] for name in CRITERIA.values()
        }
    assert [row["fact"] is None for row in rows[::6]] == [False, True, False]


def test_a_sample_row_is_joined_or_null(built: Path) -> None:
    """By hand: contexts of two turns of test_freq, three of train, and of nothing in the sample."""
    joined = [
        (r["conversation_id"], r["turn_index"], r["release"], r["split_in_tcs_1_1"])
        for r in rows_of(built, "usr", "test_freq")[::6]
    ]
    assert joined == [
        ("t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13", 2, "TCS-1.0", "test_freq"),
        ("t_1f4ad6c8-0b97-4e53-8c2d-e95b7a306f41", 3, "TCS-1.0", None),
        (None, None, None, None),
    ]
    places = [(r["conversation_id"], r["turn_index"]) for r in rows_of(built, "begin", "dev")]
    assert places == [
        ("t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13", 2),
        ("t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13", 3),
        ("t_90eb5f3c-6d24-4a17-b8e9-f3c1076ad85b", 2),
        (None, None),
    ]


def test_the_sample_may_be_pushed_but_files_like_it_may_not(built: Path, tmp_path: Path) -> None:
    assert open_built_folder(built).provenance.restricted == ()
    raw = dialogue_builders.write_sample(CORPUS.name, tmp_path / "raw")
    for config, reason in (("usr", USR_RESTRICTION), ("begin", BEGIN_RESTRICTION)):
        folder = dialogue_builders.build(
            CORPUS.name, tmp_path / config, data_dir=raw, configs=[config]
        ).folder
        assert open_built_folder(folder).provenance.restricted == (reason,)


@pytest.mark.parametrize("config", ["usr", "begin"])
def test_the_push_guards_what_may_not_be_published(
    config: str, hub: HubServer, pushers: Pushers, tmp_path: Path
) -> None:
    raw = dialogue_builders.write_sample(CORPUS.name, tmp_path / "raw")
    folder = dialogue_builders.build(
        CORPUS.name, tmp_path / "out", data_dir=raw, configs=[config]
    ).folder
    words = {"usr": "USR names no license", "begin": "texts of news articles"}[config]
    repository = f"org/judged-{config}"
    pushers.push(folder, repository, "--public").require_known_error(words)
    assert pushers.push(folder, repository, "--private").code == 0
    assert hub.repository(repository).private


def test_without_unievals_file_its_column_is_null(tmp_path: Path) -> None:
    raw = dialogue_builders.write_sample(CORPUS.name, tmp_path / "raw")
    (raw / UNIEVAL.path).unlink()
    folder = dialogue_builders.build(CORPUS.name, tmp_path / "out", data_dir=raw).folder
    assert all(row["unieval"] is None for row in rows_of(folder, "usr", "test_freq"))
    table = statistics(folder)
    assert not any("UniEval" in row.name for row in table.rows)


@pytest.mark.parametrize("fault", ["shorter", "shuffled"])
def test_predictions_for_other_responses_are_refused(fault: str, tmp_path: Path) -> None:
    raw = dialogue_builders.write_sample(CORPUS.name, tmp_path / "raw")
    path = raw / UNIEVAL.path
    predictions = json.loads(path.read_bytes())
    predictions = predictions[:-1] if fault == "shorter" else predictions[::-1]
    path.write_text(json.dumps(predictions), "utf-8")
    with pytest.raises(RawFileError, match="UniEval's prediction number") as caught:
        dialogue_builders.build(CORPUS.name, tmp_path / "out", data_dir=raw)
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("data/usr_topical_chat.json", "Argmax Decoding", "Beam Search", "model"),
        ("topicalchat/begin_dev_tc.tsv", "Generic", "General", "begin_label"),
    ],
)
def test_an_unknown_label_names_its_record(
    name: str, old: str, new: str, words: str, tmp_path: Path
) -> None:
    raw = dialogue_builders.write_sample(CORPUS.name, tmp_path / "raw")
    path = raw / name
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
    with pytest.raises(RecordError) as caught:
        dialogue_builders.build(CORPUS.name, tmp_path / "out", data_dir=raw)
    assert words in str(caught.value)
    assert caught.value.file == name
    assert caught.value.record


def test_each_file_is_fetched_from_its_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two servers, each with the files of its own repositories."""
    with loopback_server.running() as usr, loopback_server.running() as others:
        usr.files = {n: c for n, c in files().items() if n.startswith("data/")}
        others.files = {n: c for n, c in files().items() if not n.startswith("data/")}
        pins = {
            path: replace(pin, base_url=others.url) if path in others.files else pin
            for path, pin in pins_of(files()).items()
        }
        monkeypatch.setattr(declaration, "CORPUS", replace(CORPUS, pins=pins, download_url=usr.url))
        report = dialogue_builders.download(CORPUS.name, tmp_path / "raw")
        assert set(report.fetched) == set(files())
        for name, content in files().items():
            assert (tmp_path / "raw" / name).read_bytes() == content
        # A mirror holds all of them.
        usr.files = files()
        report = dialogue_builders.download(CORPUS.name, tmp_path / "mirrored", mirror=usr.url)
        assert set(report.fetched) == set(files())


def test_info_shows_every_address(capsys: pytest.CaptureFixture[str]) -> None:
    show_info(CORPUS.name, None, as_json=True)
    urls = json.loads(capsys.readouterr().out)["download_urls"]
    assert [url.split("/")[3:5] for url in urls] == [
        ["SmartDataAnalytics", "proxy_indicators"],
        ["google", "BEGIN-dataset"],
        ["maszhongming", "UniEval"],
    ]


# --- the real files ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_raw(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files at hand; UniEval's predictions lie where its repository has them."""
    if not JUDGEMENTS.is_dir():
        pytest.fail(f"the real judgements are not at {JUDGEMENTS}")
    raw = tmp_path_factory.mktemp("judgements")
    for name in ("usr_topical_chat.json", "begin_dev_tc.tsv"):
        shutil.copy(JUDGEMENTS / name, raw)
    (raw / UNIEVAL.path).parent.mkdir(parents=True)
    shutil.copy(JUDGEMENTS / "unieval_topical_chat_result.json", raw / UNIEVAL.path)
    return raw


@pytest.fixture(scope="module")
def real_built(real_raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "judgements"
    return dialogue_builders.build(CORPUS.name, out, data_dir=real_raw).folder


@pytest.fixture(scope="module")
def usr() -> list[Any]:
    records: list[Any] = json.loads((JUDGEMENTS / "usr_topical_chat.json").read_text("utf-8"))
    return records


def responses(usr: list[Any]) -> Iterator[Any]:
    for record in usr:
        yield from record["responses"]


@pytest.mark.real_data
def test_the_pinned_files_give_a_pinned_folder(real_built: Path) -> None:
    built = open_built_folder(real_built)
    assert built.provenance.raw == "pinned"
    assert built.provenance.restricted == tuple(sorted((USR_RESTRICTION, BEGIN_RESTRICTION)))
    assert dialogue_builders.check(real_built).problems == ()
    assert {v: {s: built.rows(v, s) for s in f} for v, f in built.files.items()} == {
        "usr": {"test_freq": FIGURES["responses"]},
        "begin": {"dev": FIGURES["rows of BEGIN"]},
    }


@pytest.mark.real_data
def test_the_published_figures(real_built: Path, usr: list[Any]) -> None:
    table = statistics(real_built)
    assert table.beside
    # Not one printed value differs from what was counted.
    assert table.differences == []
    measured = {row.name: row.measured["test_freq"] for row in table.rows}
    systems = [response["model"] for response in usr[0]["responses"]]
    for column, name in CRITERIA.items():
        agreed = sum(len(set(response[name])) == 1 for response in responses(usr))
        assert measured[f"{name}: all annotators agree"] == agreed
        for system in systems:
            scores = [s for r in responses(usr) if r["model"] == system for s in r[name]]
            assert len(scores) == 180
            assert measured[f"{name}: {system}"] == pytest.approx(sum(scores) / 180, abs=1e-12)
        correlation = measured[f"{name}: UniEval's Pearson correlation"]
        assert correlation is not None
        assert round(correlation, 6) == PEARSON[column]
    overall = [measured[f"Overall: {system}"] for system in systems]
    assert [round(mean or 0, 2) for mean in overall] == [4.25, 2.76, 2.40, 2.29, 2.39, 4.78]
    agreed = FIGURES["overall scores that all annotators share"]
    assert measured["Overall: all annotators agree"] == agreed
    labels = {row.name: row.measured["dev"] for row in table.rows if row.name in LABELS}
    assert labels == LABELS


LABELS = {"Not fully attributable": 307, "Fully attributable": 74, "Generic": 2}


@pytest.mark.real_data
def test_unievals_correlations_from_its_own_file(real_data: Path) -> None:
    """With its own scores and another formula than the package's."""
    from statistics import correlation

    records = json.loads((JUDGEMENTS / "unieval_topical_chat_result.json").read_bytes())
    dimensions = ("understandability", "naturalness", "coherence", "engagingness", "groundedness")
    for column, dimension in zip(CRITERIA, (*dimensions, "overall"), strict=True):
        predicted = [record["predict_scores"][dimension] for record in records]
        given = [record["scores"][dimension] for record in records]
        assert round(correlation(predicted, given), 6) == PEARSON[column]


@pytest.mark.real_data
def test_unievals_scores_are_usrs_means(real_data: Path, usr: list[Any]) -> None:
    """Why UniEval's judgements are no config."""
    records = json.loads((JUDGEMENTS / "unieval_topical_chat.json").read_bytes())
    names = {"understandability": "Understandable", "overall": "Overall"}
    for record, response in zip(records, responses(usr), strict=True):
        for dimension, name in names.items():
            mean = sum(response[name]) / 3
            assert record["scores"][dimension] == pytest.approx(mean, abs=1e-9)


@pytest.mark.real_data
def test_the_real_text_is_untouched(real_built: Path, usr: list[Any]) -> None:
    rows = rows_of(real_built, "usr", "test_freq")
    for number, row in enumerate(rows):
        record = usr[number // 6]
        assert "\n".join(row["context"]) + "\n\n" == record["context"]
        assert row["response"] == record["responses"][number % 6]["response"]
    assert sum(row["fact"] is None for row in rows[::6]) == 8
    raw = (JUDGEMENTS / "begin_dev_tc.tsv").read_bytes().decode("utf-8")
    header, *lines = [line.removesuffix("\r").split("\t") for line in raw.split("\n")]
    labels = open_built_folder(real_built).corpus.view_of("begin").features()["begin_label"]
    begin = rows_of(real_built, "begin", "dev")
    assert [
        [labels.int2str(row[name]) if name == "begin_label" else row[name] for name in header]
        for row in begin
    ] == lines
    assert Counter(row["model_name"] for row in begin) == {
        "gpt2": 105,
        "doha": 94,
        "ctrl": 93,
        "t5": 91,
    }


def conversations(folder: Path, split: str) -> Any:
    return json.loads((folder / "conversations" / f"{split}.json").read_text("utf-8"))


def letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


@pytest.mark.real_data
def test_every_join_leads_to_the_judged_turn(real_built: Path, usr: list[Any]) -> None:
    old, new = (conversations(folder, "test_freq") for folder in (OLD_DATA, REAL_DATA))
    newer = {
        identity: split
        for split in ("valid_freq", "test_freq", "test_rare")
        for identity in conversations(REAL_DATA, split)
    }
    contexts = rows_of(real_built, "usr", "test_freq")[::6]
    joined = [row for row in contexts if row["conversation_id"] is not None]
    assert len(joined) == FIGURES["joined contexts"]
    assert len(contexts) == FIGURES["contexts"]
    for row in joined:
        messages = [turn["message"] for turn in old[row["conversation_id"]]["content"]]
        turn = row["turn_index"]
        assert letters(messages[turn]) == letters(row["response"])
        assert letters("".join(row["context"])) == letters("".join(messages[:turn]))
        assert row["split_in_tcs_1_1"] == newer.get(row["conversation_id"])
    nowhere = sum(row["split_in_tcs_1_1"] is None for row in joined)
    assert nowhere == FIGURES["contexts in no evaluation split of TCS-1.1"]
    begin = rows_of(real_built, "begin", "dev")
    placed = [row for row in begin if row["conversation_id"] is not None]
    assert len(placed) == FIGURES["joined rows of BEGIN"]
    assert len(begin) - len(placed) == FIGURES["openings"]
    for row in placed:
        content = new[row["conversation_id"]]["content"]
        assert letters(content[row["turn_index"] - 1]["message"]) == letters(row["message"])
        cites_article = any(
            source.startswith("AS") for source in content[row["turn_index"]]["knowledge_source"]
        )
        assert row["knowledge_kind"] != "article" or cites_article
    kinds = Counter(row["knowledge_kind"] for row in begin)
    assert kinds == {"article": FIGURES["rows with an article's text"], "wiki": 326}


@pytest.mark.real_data
def test_the_table_of_ids_is_what_the_script_writes(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import join_judgements

    usr_places, begin_places, kinds = join_judgements.real_tables(REAL_DATA.parent)
    sample_usr, sample_begin = join_judgements.sample_tables()
    text = join_judgements.write(
        {**usr_places, **sample_usr}, {**begin_places, **sample_begin}, kinds
    )
    assert text == join_judgements.TABLE.read_text("utf-8")


@pytest.mark.real_data
def test_how_the_releases_overlap_in_the_files_at_hand(real_data: Path) -> None:
    """Two evaluation splits of TCS-1.0 and three of TCS-1.1; the cards give the whole figure."""
    newer = {s: set(conversations(REAL_DATA, s)) for s in ("valid_freq", "test_freq", "test_rare")}
    older = {s: set(conversations(OLD_DATA, s)) for s in ("valid_freq", "test_freq")}
    stayed = older["test_freq"] & newer["test_freq"]
    assert len(stayed) == FIGURES["that stayed in test_freq"]
    assert len(older["test_freq"]) == 540
    # Worked out with another program, pair by pair.
    pairs = {(a, b): len(older[a] & newer[b]) for a in older for b in newer}
    assert pairs == {
        ("valid_freq", "valid_freq"): 23,
        ("valid_freq", "test_freq"): 39,
        ("valid_freq", "test_rare"): 12,
        ("test_freq", "valid_freq"): 24,
        ("test_freq", "test_freq"): 31,
        ("test_freq", "test_rare"): 15,
    }
    assert sum(pairs.values()) <= FIGURES["of these in an evaluation split of TCS-1.1"]
    assert FIGURES["evaluation conversations of TCS-1.0"] == 539 + 540 + 540 + 537


def test_no_figure_of_the_cards_is_forgotten() -> None:
    """The last one stands in Topical-Chat's cards only."""
    told = {
        "topical_chat_judgements": list(FIGURES.values())[:-1],
        "topical_chat": [60, 51, 2156, 632, 31, 540],
    }
    for name, numbers in told.items():
        for language in ("md", "zh.md"):
            card = (ROOT / "dataset_cards" / f"{name}.{language}").read_text("utf-8")
            assert all(f"{number:,}" in card for number in numbers), (name, language)
