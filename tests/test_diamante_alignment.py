"""Which turn the candidates belong to: measured where it is clear, an error where it is not."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from diamante_raw import SPLITS, aligned, dialogue, turn, write_lines

from dialogue_builders import DialogueBuildersError, build
from dialogue_builders.errors import OptionError, RawFileError
from diamante import Diamante

ALIGNED_CONFIGS = ("responses", "preference", "ranking")


def raw_of(folder: Path, reading: str) -> Path:
    return write_lines(folder, {split: aligned(split, 5, reading) for split in SPLITS})


def load(raw: Path, cache: Path, config: str, **options: Any) -> Any:
    builder = Diamante(config_name=config, data_dir=str(raw), cache_dir=str(cache), **options)
    builder.download_and_prepare()
    return builder.as_dataset()


@pytest.mark.parametrize("reading", ["next", "same"])
def test_auto_takes_the_reading_of_the_file(tmp_path: Path, reading: str) -> None:
    raw = raw_of(tmp_path / "raw", reading)
    rows = load(raw, tmp_path / "cache", "responses")["valid"]
    assert len(rows) == 5 * 9
    # Two of nine replies equal a candidate; see `aligned`.
    assert sum(label == 0 for label in rows["feedback"]) == 5 * 2
    first = rows[0]
    assert first["response"] == "valid第0段的第1句话"
    assert first["candidates"] == ["候选valid0之1甲", "valid第0段的第1句话"]


@pytest.mark.parametrize("reading", ["next", "same"])
def test_auto_equals_saying_it(tmp_path: Path, reading: str) -> None:
    raw = raw_of(tmp_path / "raw", reading)
    for config in ALIGNED_CONFIGS:
        measured = load(raw, tmp_path / "cache", config)
        told = load(raw, tmp_path / "cache", config, candidates=reading)
        for split in SPLITS:
            assert measured[split].to_list() == told[split].to_list()


def test_the_figures_are_logged_once_and_stand_in_the_card(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    raw = raw_of(tmp_path / "raw", "next")
    with caplog.at_level(logging.WARNING, logger="dialogue_builders"):
        load(raw, tmp_path / "cache", "responses")
    told = [record.getMessage() for record in caplog.records if "candidates=" in record.message]
    assert [line.split(":")[0] for line in told] == list(SPLITS)
    assert "candidates=next, as measured (next: 22.2% of 45 replies equal a candidate" in told[0]
    assert "same: 0.0% of 40 replies equal a candidate" in told[0]
    report = build("diamante", tmp_path / "out", data_dir=raw)
    notes = [note for note in report.built.provenance.notes if "candidates=" in note]
    assert notes == told  # three configs share the evidence; it is told once per split
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert all(f"- {note}" in card for note in notes)


def test_streaming_measures_too(tmp_path: Path) -> None:
    raw = raw_of(tmp_path / "raw", "same")
    builder = Diamante(
        config_name="responses", data_dir=str(raw), cache_dir=str(tmp_path / "cache")
    )
    stream = builder.as_streaming_dataset(split="valid")
    mapped = load(raw, tmp_path / "cache", "responses")["valid"]
    assert list(stream) == mapped.to_list()


def unclear(folder: Path, records: list[dict[str, Any]]) -> Path:
    raw = {split: aligned(split, 5, "next") for split in SPLITS}
    return write_lines(folder, {**raw, "valid": records})


def both_readings(count: int) -> list[dict[str, Any]]:
    """Every reply equals a candidate of its own turn and one of the turn before."""
    return [
        dialogue(
            f"d{n}", *(turn(f"第{n}段{k}", f"第{n}段{k}", f"第{n}段{k + 1}") for k in range(8))
        )
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("records", "figure"),
    [
        (aligned("valid", 3, "next"), "next: 22.2% of 27 replies"),  # too few
        (aligned("valid", 5, "next", selected=0), "next: 0.0% of 45 replies"),  # no equal ones
        (both_readings(6), "next: 100.0% of 42 replies"),  # no margin
        ([dialogue("d", turn("你好"), turn("好"))] * 1, "next: no reply has a candidate"),
    ],
)
def test_unclear_files_are_an_error_that_shows_both_figures(
    tmp_path: Path, records: list[dict[str, Any]], figure: str
) -> None:
    raw = unclear(tmp_path / "raw", records)
    with pytest.raises(RawFileError) as caught:
        build("diamante", tmp_path / "out", data_dir=raw)
    assert caught.value.file == "valid.txt"
    assert figure in caught.value.problem
    assert "same: " in caught.value.problem
    assert "candidates=next" in (caught.value.next_step or "")
    assert not (tmp_path / "out").exists()
    with pytest.raises(RawFileError, match="does not tell clearly"):
        load(raw, tmp_path / "cache", "preference")


def test_a_small_share_of_equal_replies_is_still_clear(tmp_path: Path) -> None:
    # One of nine is 11 %, more than the margin of 5 points; half a reply per dialogue is not.
    raw = unclear(tmp_path / "raw", aligned("valid", 5, "next", selected=1))
    assert len(load(raw, tmp_path / "cache", "responses")["valid"]) == 45
    few = aligned("valid", 1, "next", selected=1) + aligned("valid", 6, "next", selected=0)[1:]
    raw = unclear(tmp_path / "few", few)
    with pytest.raises(RawFileError, match=r"next: 1\.9% of 54 replies"):
        load(raw, tmp_path / "cache", "responses")


def test_splits_that_disagree_are_an_error_that_shows_all_figures(tmp_path: Path) -> None:
    raw = write_lines(
        tmp_path / "raw",
        {
            "train": aligned("train", 5, "next"),
            "valid": aligned("valid", 5, "same"),
            "test": aligned("test", 5, "next"),
        },
    )
    for attempt in (
        lambda: build("diamante", tmp_path / "out", data_dir=raw),
        lambda: load(raw, tmp_path / "cache", "ranking"),
        lambda: Diamante(
            config_name="responses", data_dir=str(raw), cache_dir=str(tmp_path / "c")
        ).as_streaming_dataset(),
    ):
        with pytest.raises(RawFileError, match="disagree") as caught:
            attempt()
        assert "train: candidates=next" in caught.value.problem
        assert "valid: candidates=same" in caught.value.problem
    assert not (tmp_path / "out").exists()
    # Said by the user, or one split at a time, each is built.
    assert load(raw, tmp_path / "cache", "responses", candidates="same").num_rows["valid"] == 45
    assert load(raw, tmp_path / "cache", "responses", splits=["valid"]).num_rows == {"valid": 45}


def test_a_file_without_candidates_needs_an_answer_and_then_has_none(tmp_path: Path) -> None:
    bare = {
        split: [dialogue(f"d{n}", *(turn(f"{split}{n}句{k}") for k in range(9))) for n in range(5)]
        for split in SPLITS
    }
    raw = write_lines(tmp_path / "raw", bare)
    with pytest.raises(RawFileError, match="no reply has a candidate; same: no reply"):
        build("diamante", tmp_path / "out", data_dir=raw)
    report = build(
        "diamante",
        tmp_path / "out",
        data_dir=raw,
        options={config: {"candidates": "next"} for config in ALIGNED_CONFIGS},
    )
    rows = {view: report.built.rows(view, "train") for view in report.built.files}
    assert rows == {
        "conversations": 5,
        "utterances": 45,
        "responses": 40,
        "preference": 0,
        "ranking": 0,
        "messages": 5,
    }
    responses = load(raw, tmp_path / "cache", "responses", candidates="next")["train"]
    assert set(responses["feedback"]) == {None}
    assert set(responses["similarity"]) == {None}


def test_configs_without_candidates_never_ask(tmp_path: Path) -> None:
    raw = unclear(tmp_path / "raw", [dialogue("d", turn("你好"), turn("好"))])
    for config in ("conversations", "utterances", "messages"):
        assert len(load(raw, tmp_path / "cache", config)["valid"]) > 0


def test_another_word_for_the_option_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="candidates can't be 'before'") as caught:
        Diamante(config_name="ranking", cache_dir=str(tmp_path), candidates="before")
    assert isinstance(caught.value, DialogueBuildersError)
    assert "auto, next, same" in (caught.value.next_step or "")
