"""Raw files as people have them: archives and nested folders, gaps, and every known fault."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diamante_raw import SPLITS, dialogue, read_lines, turn, write_lines, write_sample

from dialogue_builders import build, check, load_dataset
from dialogue_builders.errors import DialogueBuildersError, RawFileError, RecordError
from dialogue_builders.raw.archives import unpacked
from diamante import Diamante


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("raw"))


def conversations(data_dir: Path, cache: Path, **options: Any) -> dict[str, list[Any]]:
    builder = Diamante(data_dir=str(data_dir), cache_dir=str(cache), **options)
    builder.download_and_prepare()
    return {split: rows.to_list() for split, rows in builder.as_dataset().items()}


def zipped(raw: Path, target: Path, prefix: str) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in raw.iterdir():
            archive.write(file, f"{prefix}{file.name}")
        archive.writestr("__MACOSX/._train.txt", b"\0\1")
    return target


def tarred(raw: Path, target: Path, prefix: str, mode: Any) -> Path:
    with tarfile.open(target, mode) as archive:
        for file in raw.iterdir():
            archive.add(file, f"{prefix}{file.name}")
    return target


def nested(raw: Path, target: Path, prefix: str) -> Path:
    (target / prefix).mkdir(parents=True)
    for file in raw.iterdir():
        shutil.copy(file, target / prefix / file.name)
    return target


def renamed(raw: Path, target: Path, extension: str, pack: Callable[[bytes], bytes]) -> Path:
    target.mkdir()
    for file in raw.iterdir():
        (target / f"{file.stem}{extension}").write_bytes(pack(file.read_bytes()))
    return target


PLACES: dict[str, Callable[[Path, Path], Path]] = {
    "folder": lambda raw, at: raw,
    "parent": lambda raw, at: nested(raw, at / "n", "luge_Diamante"),
    "nested": lambda raw, at: nested(raw, at / "n", "luge_Diamante/luge_Diamante"),
    "zip": lambda raw, at: zipped(raw, at / "a.zip", "luge_Diamante/"),
    "zip, nested": lambda raw, at: zipped(raw, at / "a.zip", "luge_Diamante/luge_Diamante/"),
    "zip, flat": lambda raw, at: zipped(raw, at / "download", ""),
    "zip, backslashes": lambda raw, at: zipped(raw, at / "a.zip", "luge_Diamante\\"),
    "tar": lambda raw, at: tarred(raw, at / "a.tar", "luge_Diamante/", "w"),
    "tar.gz": lambda raw, at: tarred(raw, at / "a.tar.gz", "./luge_Diamante/", "w:gz"),
    ".txt.gz": lambda raw, at: renamed(raw, at / "g", ".txt.gz", gzip.compress),
    ".json": lambda raw, at: renamed(raw, at / "j", ".json", bytes),
    ".jsonl": lambda raw, at: renamed(raw, at / "l", ".jsonl", bytes),
    ".jsonl.gz": lambda raw, at: renamed(raw, at / "z", ".jsonl.gz", gzip.compress),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_same_rows_from_everywhere(raw: Path, tmp_path: Path, place: str) -> None:
    expected = {split: read_lines(raw / f"{split}.txt") for split in SPLITS}
    assert conversations(PLACES[place](raw, tmp_path), tmp_path / "cache") == expected


def test_a_split_in_several_files(raw: Path, tmp_path: Path) -> None:
    lines = (raw / "train.txt").read_text("utf-8").splitlines(keepends=True)
    folder = nested(raw, tmp_path / "n", "")
    (folder / "train.txt").unlink()
    (folder / "train").mkdir()
    bare = ['{"conversation": [{"utterance": "没有编号"}]}\n']
    (folder / "train" / "a.txt").write_text("".join(lines[:7]), "utf-8")
    (folder / "train" / "b.txt").write_text("".join(lines[7:] + bare), "utf-8")
    rows = conversations(folder, tmp_path / "cache")["train"]
    assert rows[:12] == read_lines(raw / "train.txt")
    assert rows[12]["id"] == "train-00012"  # numbered within the split, not within the file


def test_an_archive_is_built_and_streamed(raw: Path, tmp_path: Path) -> None:
    archive = zipped(raw, tmp_path / "luge.zip", "luge_Diamante/")
    build("diamante", tmp_path / "out", data_dir=archive)
    build("diamante", tmp_path / "plain", data_dir=raw)
    for file in sorted((tmp_path / "plain").rglob("*.parquet")):
        name = file.relative_to(tmp_path / "plain")
        assert (tmp_path / "out" / name).read_bytes() == file.read_bytes()
    stream = load_dataset(
        "diamante", "utterances", data_dir=str(archive), streaming=True, cache_dir=str(tmp_path)
    )
    assert sum(1 for _ in stream["valid"]) == 42


def test_a_changed_archive_is_noticed(raw: Path, tmp_path: Path) -> None:
    archive = zipped(raw, tmp_path / "a.zip", "")
    first = conversations(archive, tmp_path / "cache")
    changed = nested(raw, tmp_path / "n", "")
    text = (changed / "valid.txt").read_text("utf-8").replace("吸尘器", "洗衣机")
    (changed / "valid.txt").write_text(text, "utf-8")
    zipped(changed, archive, "")
    second = conversations(archive, tmp_path / "cache")
    assert first["train"] == second["train"]
    assert first["valid"] != second["valid"]


def link(name: str, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, target
    return member


@pytest.mark.parametrize(
    "name", ["../train.txt", "a/../../train.txt", "/tmp/train.txt", "..\\train.txt", "C:/train.txt"]
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_member_that_would_escape_is_refused(
    raw: Path, tmp_path: Path, name: str, kind: str
) -> None:
    archive = tmp_path / "inner" / "a.archive"
    archive.parent.mkdir()
    if kind == "zip":
        zipped(raw, archive, "")
        with zipfile.ZipFile(archive, "a") as file:
            file.writestr(name, "bad")
    else:
        tarred(raw, archive, "", "w")
        with tarfile.open(archive, "a") as tar:
            member = tarfile.TarInfo(name)
            member.size = 3
            tar.addfile(member, io.BytesIO(b"bad"))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RawFileError, match="would be written outside") as caught:
        Diamante(data_dir=str(archive), cache_dir=str(tmp_path / "cache"))
    assert caught.value.file == "a.archive"
    assert repr(name) in caught.value.problem
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("target", ["/etc/passwd", "train.txt", "../x"])
def test_a_link_is_refused(raw: Path, tmp_path: Path, target: str) -> None:
    tar = tarred(raw, tmp_path / "a.tar", "", "w")
    with tarfile.open(tar, "a") as archive:
        archive.addfile(link("luge_Diamante", target))
    zip_ = zipped(raw, tmp_path / "a.zip", "")
    entry = zipfile.ZipInfo("valid.jsonl")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(zip_, "a") as file:
        file.writestr(entry, target)
    for path in (tar, zip_):
        with pytest.raises(RawFileError, match="is a link or device"):
            Diamante(data_dir=str(path), cache_dir=str(tmp_path / "cache"))


def test_damaged_archives(raw: Path, tmp_path: Path) -> None:
    whole = zipped(raw, tmp_path / "a.zip", "").read_bytes()
    middle = len(whole) // 3
    (tmp_path / "flipped.zip").write_bytes(
        whole[:middle]
        + bytes(byte ^ 255 for byte in whole[middle : middle + 50])
        + whole[middle + 50 :]
    )
    packed = tarred(raw, tmp_path / "a.tar.gz", "", "w:gz").read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(packed[: len(packed) // 2])
    duplicate = pytest.warns(UserWarning, match="Duplicate name")
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as archive, duplicate:
        archive.writestr("train.txt", "again")
    for name, words in (
        ("flipped.zip", "is a damaged archive"),
        ("cut.tar.gz", "is a damaged archive"),
        ("a.zip", "twice"),
    ):
        with pytest.raises(RawFileError, match=words) as caught:
            Diamante(data_dir=str(tmp_path / name), cache_dir=str(tmp_path / "cache"))
        assert caught.value.file == name
        assert caught.value.next_step


def test_a_file_that_is_no_archive(raw: Path, tmp_path: Path) -> None:
    with pytest.raises(RawFileError, match="is a file, not the raw folder") as caught:
        Diamante(data_dir=str(raw / "train.txt"), cache_dir=str(tmp_path))
    assert "archive" in (caught.value.next_step or "")


def test_an_archive_is_unpacked_once_and_into_a_temporary_folder(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    archive = zipped(raw, tmp_path / "a.zip", "")
    folder = unpacked(archive)
    assert folder.parent == tmp_path / "temporary"
    assert unpacked(archive) == folder
    assert len(list((tmp_path / "temporary").iterdir())) == 1


def test_missing_splits_are_named(raw: Path, tmp_path: Path) -> None:
    folder = nested(raw, tmp_path / "n", "luge_Diamante")
    (folder / "luge_Diamante" / "valid.txt").unlink()
    with pytest.raises(RawFileError, match=r"lacks valid\.txt") as caught:
        Diamante(data_dir=str(folder), cache_dir=str(tmp_path))
    assert "--split train --split test" in (caught.value.next_step or "")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RawFileError, match=r"train\.txt, valid\.txt, test\.txt") as caught:
        Diamante(data_dir=str(tmp_path / "empty"), cache_dir=str(tmp_path))
    assert "luge_Diamante/train.txt" in (caught.value.next_step or "")


def test_a_folder_that_holds_the_archive_is_told_to_give_the_archive(
    raw: Path, tmp_path: Path
) -> None:
    (tmp_path / "downloads").mkdir()
    zipped(raw, tmp_path / "downloads" / "luge.zip", "luge_Diamante/")
    with pytest.raises(RawFileError, match="lacks") as caught:
        Diamante(data_dir=str(tmp_path / "downloads"), cache_dir=str(tmp_path))
    assert caught.value.next_step == "give the archive itself as the raw folder: luge.zip"


def test_a_split_that_lies_there_twice(raw: Path, tmp_path: Path) -> None:
    folder = nested(raw, tmp_path / "n", "luge_Diamante")
    shutil.copy(raw / "train.txt", folder / "train.txt")
    with pytest.raises(RawFileError, match="more than once"):
        Diamante(data_dir=str(folder), cache_dir=str(tmp_path))


GOOD = dialogue("good", turn("你好", "你好呀"), turn("你好呀"))


def faulty(tmp_path: Path, *lines: str, ending: str = "\n") -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    text = ending.join(lines) + ending
    (folder / "train.txt").write_bytes(text.encode())
    return folder


def line(number: int = 0, **changes: Any) -> str:
    """Return a good line with its second turn changed; a value of None takes the field away."""
    record = json.loads(json.dumps(GOOD))
    record["id"] = f"d{number}"
    # What is said differs, so that no two of these are the same conversation.
    record["conversation"][0]["utterance"] = f"你好{number}"
    for name, value in changes.items():
        record["conversation"][1][name] = value
        if value is None:
            del record["conversation"][1][name]
    return json.dumps(record, ensure_ascii=False)


FAULTS = [
    ('{"id": "x", "conversation": [{"utterance": "断', "is not valid JSON", None),
    ('{"id": "x", "conversation": []} {"id": }', "is not valid JSON", None),
    ("[1, 2]", "an object is expected here, not [1, 2]", None),
    (line(response_candidates="好的"), "expected `array | null`, got `str`", "response_candidates"),
    (line(response_candidates=["好", None]), "expected `str`, got `null`", "candidates[1]"),
    (line(role="speaker3"), "the label 'speaker3' is not known; known: 'speaker1'", "role"),
    (line(role="speaker_2"), "the label 'speaker_2' is not known", "role"),
    (line(role=2), "expected `str | null`, got `int`", "role"),
    (line(utterance=7), "expected `str`, got `int`", "conversation[1].utterance"),
    (line(utterance=None), "this field is missing", "conversation[1].utterance"),
    (
        '{"id": "x", "conversation": [{"utterance": null}]}',
        "got `null`",
        "conversation[0].utterance",
    ),
    ('{"id": 3, "conversation": [{"utterance": "好"}]}', "expected `str | null`, got `int`", "id"),
    ('{"id": "x"}', "this field is missing", "conversation"),
    ('{"id": "x", "conversation": "好"}', "expected `array`, got `str`", "conversation"),
    ('{"id": "x", "conversation": ["好"]}', "expected `object`, got `str`", "conversation[0]"),
    ('{"utterance": "好", "role": "speaker1"}', "is not a dialogue, but a single turn", None),
    ('{"content": [], "conversation_rating": {}}', "but a conversation of Topical-Chat", None),
    ('{"id": "\\ud83d", "conversation": []}', "half of a surrogate pair", "id"),
]


@pytest.mark.parametrize(
    ("text", "words", "field", "position"),
    [
        (*fault, position)
        for fault in FAULTS
        for position in ("first", "after blank lines")
        # A file that begins with a list is read as one; see `test_one_list_of_records`.
        if position != "first" or not fault[0].startswith("[")
    ],
)
def test_every_fault_names_file_and_line(
    tmp_path: Path, text: str, words: str, field: str | None, position: str
) -> None:
    before = [] if position == "first" else [line(1), "", "  ", line(2), ""]
    folder = faulty(tmp_path, *before, text, line(3))
    with pytest.raises(RecordError) as caught:
        build(
            "diamante", tmp_path / "out", data_dir=folder, splits=["train"], configs=["utterances"]
        )
    error = caught.value
    assert error.file == "train.txt"
    assert error.record == f"on line {len(before) + 1}"
    assert words in error.problem
    assert field is None or (error.field or "").endswith(field)
    assert error.next_step
    assert str(error).startswith(f"train.txt, record on line {len(before) + 1}")
    assert not (tmp_path / "out").exists()
    with pytest.raises(RecordError, match="on line"):
        conversations(folder, tmp_path / "cache", splits=["train"])


def test_two_records_on_a_line_are_two_and_do_not_shift_the_lines(tmp_path: Path) -> None:
    folder = faulty(tmp_path, line(1) + " " + line(2), "", line(3))
    assert len(conversations(folder, tmp_path / "cache", splits=["train"])["train"]) == 3
    (folder / "train.txt").unlink()
    folder.rmdir()
    folder = faulty(tmp_path, line(1) + " " + line(2), "", line(3, utterance=None))
    with pytest.raises(RecordError) as caught:
        conversations(folder, tmp_path / "cache", splits=["train"])
    assert caught.value.record == "on line 3"


def test_the_nearest_role_is_suggested(tmp_path: Path) -> None:
    folder = faulty(tmp_path, line(role="speaker_2"))
    with pytest.raises(RecordError) as caught:
        conversations(folder, tmp_path / "cache", splits=["train"])
    assert caught.value.next_step == "did you mean 'speaker2'?"


def test_one_list_of_records(tmp_path: Path) -> None:
    """What `json.dump` of a list of records writes is read like a file of lines."""
    records = [json.loads(line(number)) for number in (1, 2, 3)]
    folder = faulty(tmp_path, json.dumps(records, ensure_ascii=False, indent=1))
    assert conversations(folder, tmp_path / "cache", splits=["train"])["train"] == records


def test_other_files(tmp_path: Path) -> None:
    for content, words in (
        (b"<!DOCTYPE html><html></html>", "is an HTML page"),
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (line().encode("gbk") + b"\n", "holds bytes that are not UTF-8"),
    ):
        folder = tmp_path / "raw"
        folder.mkdir(exist_ok=True)
        (folder / "train.txt").write_bytes(content)
        with pytest.raises(DialogueBuildersError, match=words) as caught:
            conversations(folder, tmp_path / "cache", splits=["train"])
        assert caught.value.file == "train.txt"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n", "\r\n \r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_marks_and_line_ends_are_accepted(tmp_path: Path, ending: str, mark: str) -> None:
    folder = faulty(tmp_path, mark + line(1), line(2), line(3), ending=ending)
    rows = conversations(folder, tmp_path / "cache", splits=["train"])["train"]
    assert rows == [json.loads(line(number)) for number in (1, 2, 3)]


def test_the_last_line_may_lack_its_end(tmp_path: Path) -> None:
    folder = faulty(tmp_path, line(1), line(2), ending="\n")
    text = (folder / "train.txt").read_bytes()
    (folder / "train.txt").write_bytes(text.rstrip())
    assert len(conversations(folder, tmp_path / "cache", splits=["train"])["train"]) == 2


def test_what_is_absent_is_filled_counted_and_reported_once(tmp_path: Path) -> None:
    second, seventh = (
        {"utterance": "四", "role": "speaker2"},
        {"utterance": "七", "role": "speaker1"},
    )
    bare = [
        {"conversation": [{"utterance": "一"}, {"utterance": "二"}, {"utterance": "三"}]},
        {"id": None, "conversation": [second, {"utterance": "五"}]},
        {"id": "", "conversation": [{"utterance": "六"}, seventh]},
    ]
    lines = [line(1), *(json.dumps(record, ensure_ascii=False) for record in bare)]
    folder = faulty(tmp_path, *lines)
    rows = conversations(folder, tmp_path / "cache", splits=["train"])["train"]
    assert [row["id"] for row in rows] == ["d1", "train-00001", "train-00002", "train-00003"]
    assert [[turn["role"] for turn in row["conversation"]] for row in rows[1:]] == [
        ["speaker1", "speaker2", "speaker1"],
        ["speaker2", "speaker1"],
        ["speaker2", "speaker1"],  # the one that is there says who must have opened
    ]
    assert all(turn["response_candidates"] == [] for turn in rows[1]["conversation"])
    report = build(
        "diamante",
        tmp_path / "out",
        data_dir=folder,
        splits=["train"],
        options={
            config: {"candidates": "next"} for config in ("responses", "preference", "ranking")
        },
    )
    notes = report.built.provenance.notes
    assert "train.txt: no id; dialogues are numbered, such as train-00000 (3 times)" in notes
    assert "train.txt: no role; speaker1 and speaker2 alternate (5 times)" in notes
    assert "train.txt: no response_candidates; taken as none (7 times)" in notes
    assert len(set(notes)) == len(notes)
    assert check(tmp_path / "out").problems == ()


def test_unknown_fields_are_tolerated_and_counted(tmp_path: Path) -> None:
    folder = faulty(tmp_path, line(1, mood="好"), line(2, mood="好"), line(3))
    report = build(
        "diamante", tmp_path / "out", data_dir=folder, splits=["train"], configs=["utterances"]
    )
    known = "train.txt: the field conversation[].mood is not part of the format; left out (2 times)"
    assert known in report.built.provenance.notes
    assert report.built.rows("utterances", "train") == 6


def test_an_id_that_stands_twice_in_a_split(tmp_path: Path) -> None:
    folder = faulty(tmp_path, line(1), line(2), line(1, utterance="另一句"))
    for attempt in (
        lambda: build("diamante", tmp_path / "out", data_dir=folder, splits=["train"]),
        lambda: Diamante(data_dir=str(folder), cache_dir=str(tmp_path), splits=["train"]),
    ):
        with pytest.raises(RecordError, match="stands twice, as records number 1 and 3") as caught:
            attempt()
        assert caught.value.record == "d1"


def test_ids_may_restart_but_a_conversation_may_not_stand_in_two_splits(tmp_path: Path) -> None:
    def numbered(split: str) -> list[dict[str, Any]]:
        return [dialogue(f"d{n}", turn(f"{split}{n}"), turn("好")) for n in range(3)]

    raw = {split: numbered(split) for split in SPLITS}
    folder = write_lines(tmp_path / "raw", raw)
    build("diamante", tmp_path / "out", data_dir=folder, configs=["conversations"])
    assert check(tmp_path / "out").problems == ()
    # The same words under another id, with other candidates.
    copied = dialogue("new", turn("valid1", "候选"), turn("好"))
    write_lines(folder, {**raw, "test": [*raw["test"], copied]})
    with pytest.raises(RecordError) as caught:
        build("diamante", tmp_path / "again", data_dir=folder, configs=["utterances"])
    assert caught.value.problem == "this conversation also stands in valid.txt, record d1"
    assert (caught.value.file, caught.value.record) == ("test.txt", "new")
    assert not (tmp_path / "again").exists()


def test_check_judges_by_content_too(tmp_path: Path) -> None:
    raw = {split: [dialogue("d", turn(split), turn("好"))] for split in SPLITS}
    folder = write_lines(tmp_path / "raw", raw)
    out = tmp_path / "out"
    build("diamante", out, data_dir=folder, configs=["conversations"])
    shard = "00000-of-00001.parquet"
    data = out / "conversations" / "data"
    shutil.copy(data / f"train-{shard}", data / f"test-{shard}")
    problems = check(out).problems
    assert "d stands in train and in test" in problems


def test_repeated_content_within_a_split_is_no_fault(tmp_path: Path) -> None:
    twice = [dialogue(name, turn("你好"), turn("好")) for name in ("a", "b")]
    folder = write_lines(tmp_path / "raw", {"train": twice})
    build("diamante", tmp_path / "out", data_dir=folder, splits=["train"], configs=["utterances"])


def test_a_dialogue_without_turns(tmp_path: Path) -> None:
    empty = {"id": "empty", "conversation": []}
    raw = {split: [{**empty}, dialogue("d", turn(split), turn("好"))] for split in SPLITS}
    folder = write_lines(tmp_path / "raw", raw)
    told = {config: {"candidates": "next"} for config in ("responses", "preference", "ranking")}
    report = build("diamante", tmp_path / "out", data_dir=folder, options=told)
    rows = {view: report.built.rows(view, "valid") for view in report.built.files}
    assert rows["conversations"] == 2
    assert rows["utterances"] == 2
    assert rows["messages"] == 1
    assert check(tmp_path / "out").problems == ()


def test_temporary_folders_are_removed_at_exit(raw: Path, tmp_path: Path) -> None:
    import subprocess
    import sys

    import dialogue_builders

    archive = zipped(raw, tmp_path / "a.zip", "")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code = (
        "import sys; from dialogue_builders.raw.archives import unpacked; from pathlib import Path;"
    )
    code += " print(unpacked(Path(sys.argv[1])))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(archive)],
        env={**os.environ, "TMPDIR": str(temporary)},
        cwd=Path(dialogue_builders.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(temporary))
    assert list(temporary.iterdir()) == []
