"""`export`: every row, in the shape that a program wants; whole or absent; faults are named."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest

from dialogue_builders import FolderError, OptionError, UnknownNameError, build, export_split
from dialogue_builders.export.formats import FORMATS, find_format
from dialogue_builders.export.shapes import (
    CHAT,
    PREFERENCE,
    REPLY,
    require_texts,
    shape_of,
    turns_fault,
)

FORMAT_NAMES = [each.name for each in FORMATS]


@pytest.fixture(scope="module")
def topical_chat(sample_folder: Path) -> Path:
    return sample_folder


@pytest.fixture(scope="module")
def diamante(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("diamante", tmp_path_factory.mktemp("built") / "diamante", sample=True).folder


def exported(folder: Path, config: str, split: str, format: str) -> list[dict[str, Any]]:
    """The lines of an export, which is read as JSON lines are: cut at newlines only."""
    stream = io.StringIO()
    report = export_split(folder, config, split, format=format, out=stream)
    lines = stream.getvalue().removesuffix("\n").split("\n")
    assert report.rows == len(lines)
    return [json.loads(line) for line in lines]


def rows_of(folder: Path, config: str, split: str) -> list[dict[str, Any]]:
    return list(datasets.load_dataset(str(folder), config, split=split))


# --- what the lines say --------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["openai", "llama-factory", "ms-swift"])
def test_a_chat_is_its_messages(format: str, topical_chat: Path) -> None:
    rows = rows_of(topical_chat, "messages", "train")
    wanted = [{"messages": row["messages"]} for row in rows]
    assert exported(topical_chat, "messages", "train", format) == wanted


def test_a_preference_in_each_format(diamante: Path) -> None:
    rows = rows_of(diamante, "preference", "train")
    assert len(rows) > 20
    made = {f: exported(diamante, "preference", "train", f) for f in FORMAT_NAMES}
    for number, row in enumerate(rows):
        prompt, chosen, rejected = row["prompt"], row["chosen"], row["rejected"]
        assert made["openai"][number] == {
            "input": {"messages": prompt},
            "preferred_output": chosen,
            "non_preferred_output": rejected,
        }
        assert made["llama-factory"][number] == {
            "messages": prompt,
            "chosen": {"role": "assistant", "content": chosen[0]["content"]},
            "rejected": {"role": "assistant", "content": rejected[0]["content"]},
        }
        assert made["ms-swift"][number] == {
            "messages": prompt + chosen,
            "rejected_messages": prompt + rejected,
        }


def test_replies_are_alpaca_with_pairs_of_history(topical_chat: Path) -> None:
    rows = rows_of(topical_chat, "responses", "train")
    lines = exported(topical_chat, "responses", "train", "llama-factory")
    assert len(rows) == len(lines) > 20
    for row, line in zip(rows, lines, strict=True):
        assert list(line) == ["instruction", "input", "output", "history"]
        assert (line["output"], line["input"]) == (row["response"], "")
        said = [text for pair in line["history"] for text in pair] + [line["instruction"]]
        # Pairs and the turn that is answered are an odd number; the opening of an even one is left
        # out.
        assert said == row["history"][(len(row["history"]) + 1) % 2 :]


@pytest.mark.parametrize(
    ("history", "pairs", "instruction"),
    [
        (["a"], [], "a"),
        (["a", "b"], [], "b"),
        (["a", "b", "c"], [["a", "b"]], "c"),
        (["a", "b", "c", "d"], [["b", "c"]], "d"),
        (["", "b", " c\u2028"], [["", "b"]], " c\u2028"),
    ],
)
def test_pairs_are_made_backwards_from_the_reply(
    history: list[str], pairs: list[list[str]], instruction: str
) -> None:
    layout = find_format("llama-factory").layout(REPLY)
    assert layout is not None
    line = layout.line({"history": history, "response": "r"})
    assert line == {"instruction": instruction, "input": "", "output": "r", "history": pairs}


def test_openings_that_have_no_place_are_counted(topical_chat: Path) -> None:
    histories = [row["history"] for row in rows_of(topical_chat, "responses", "train")]
    report = export_split(
        topical_chat, "responses", "train", format="llama-factory", out=io.StringIO()
    )
    assert report.openings_left_out == sum(len(history) % 2 == 0 for history in histories) > 0


def test_chinese_is_not_escaped(diamante: Path) -> None:
    stream = io.StringIO()
    export_split(diamante, "messages", "train", format="openai", out=stream)
    first = rows_of(diamante, "messages", "train")[0]["messages"][0]["content"]
    assert first in stream.getvalue()
    assert "\\u" not in stream.getvalue()


# --- the file ------------------------------------------------------------------------------------


def test_llama_factory_finds_the_file_by_its_entry(diamante: Path, tmp_path: Path) -> None:
    listing = tmp_path / "data" / "dataset_info.json"
    listing.parent.mkdir()
    listing.write_text('{"另一个": {"file_name": "other.json"}}', "utf-8")
    for config in ("messages", "preference", "responses"):
        out = tmp_path / "data" / f"{config}.jsonl"
        export_split(diamante, config, "valid", format="llama-factory", out=out)
    tags = {
        "role_tag": "role",
        "content_tag": "content",
        "user_tag": "user",
        "assistant_tag": "assistant",
        "system_tag": "system",
    }
    assert json.loads(listing.read_text("utf-8")) == {
        "另一个": {"file_name": "other.json"},
        "messages": {
            "file_name": "messages.jsonl",
            "formatting": "sharegpt",
            "tags": tags,
            "columns": {"messages": "messages"},
        },
        "preference": {
            "file_name": "preference.jsonl",
            "formatting": "sharegpt",
            "ranking": True,
            "tags": tags,
            "columns": {"messages": "messages", "chosen": "chosen", "rejected": "rejected"},
        },
        "responses": {
            "file_name": "responses.jsonl",
            "formatting": "alpaca",
            "columns": {
                "prompt": "instruction",
                "query": "input",
                "response": "output",
                "history": "history",
            },
        },
    }
    assert sorted(os.listdir(listing.parent)) == [
        "dataset_info.json",
        "messages.jsonl",
        "preference.jsonl",
        "responses.jsonl",
    ]


def test_a_file_is_replaced_only_where_that_is_asked_for(
    topical_chat: Path, tmp_path: Path
) -> None:
    out = tmp_path / "chats.jsonl"
    out.write_text("mine")
    with pytest.raises(FolderError, match="exists already"):
        export_split(topical_chat, "messages", "train", format="openai", out=out)
    assert out.read_text() == "mine"
    export_split(topical_chat, "messages", "train", format="openai", out=out, overwrite=True)
    assert out.read_text("utf-8").startswith('{"messages": [{"role": "user"')


def test_what_fails_midway_leaves_nothing(
    topical_chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dialogue_builders.export import write

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, "sync", full)
    with pytest.raises(FolderError, match="no space left"):
        export_split(
            topical_chat, "messages", "train", format="llama-factory", out=tmp_path / "chats.jsonl"
        )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("listing", "problem"),
    [
        ("[]", "is not a JSON object"),
        ("{", "is not a JSON object"),
        ('{"chats": {"hf_hub_url": "x"}}', "has an entry 'chats' already"),
        ('{"chats": {"file_name": "chats.json"}}', "has an entry 'chats' already"),
    ],
)
def test_a_list_of_files_that_cannot_be_added_to(
    listing: str, problem: str, topical_chat: Path, tmp_path: Path
) -> None:
    (tmp_path / "dataset_info.json").write_text(listing)
    out = tmp_path / "chats.jsonl"
    with pytest.raises(FolderError, match=problem):
        export_split(topical_chat, "messages", "train", format="llama-factory", out=out)
    assert os.listdir(tmp_path) == ["dataset_info.json"]


def test_places_where_no_file_can_be(topical_chat: Path, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="is no file"):
        export_split(topical_chat, "messages", "train", format="openai", out=tmp_path)
    with pytest.raises(FolderError, match="choose another name"):
        export_split(
            topical_chat,
            "messages",
            "train",
            format="llama-factory",
            out=tmp_path / "dataset_info.json",
        )


# --- what can't be exported ----------------------------------------------------------------------


def test_names_that_do_not_exist(topical_chat: Path) -> None:
    for config, split, format in [
        ("messages", "train", "llama"),
        ("message", "train", "openai"),
        ("messages", "test", "openai"),
    ]:
        with pytest.raises((UnknownNameError, FolderError)):
            export_split(topical_chat, config, split, format=format, out=io.StringIO())


def test_a_config_that_a_format_cannot_take(topical_chat: Path, diamante: Path) -> None:
    with pytest.raises(OptionError) as caught:
        export_split(topical_chat, "responses", "train", format="openai", out=io.StringIO())
    assert "OpenAI fine-tuning has no form for rows of the config responses" in str(caught.value)
    assert "with openai, export messages; responses can be exported as llama-factory" in str(
        caught.value
    )
    with pytest.raises(OptionError, match="with ms-swift, export preference or messages"):
        export_split(diamante, "ranking", "train", format="ms-swift", out=io.StringIO())


def test_prompts_that_llama_factory_would_drop_are_named(tmp_path: Path) -> None:
    options = {"preference": {"prompt_start": "dialogue"}}
    folder = build(
        "diamante", tmp_path / "d", sample=True, configs=["preference"], options=options
    ).folder
    with pytest.raises(FolderError) as caught:
        export_split(folder, "preference", "train", format="llama-factory", out=io.StringIO())
    assert "a chat does not begin with the user, so LLaMA-Factory would drop it" in str(
        caught.value
    )
    assert caught.value.record
    # ms-swift takes them as they are.
    lines = exported(folder, "preference", "train", "ms-swift")
    assert {line["messages"][0]["role"] for line in lines} == {"user", "assistant"}


@pytest.mark.parametrize(
    ("roles", "strict", "fault"),
    [
        ("ua", True, None),
        ("sua", True, None),
        ("au", False, "a chat does not end with the assistant"),
        ("s", False, "a chat does not end with the assistant"),
        ("aua", False, None),
        ("aua", True, "a chat does not begin with the user"),
        ("uuaa", True, "the roles of a chat do not alternate"),
    ],
)
def test_what_makes_a_chat_trainable(roles: str, strict: bool, fault: str | None) -> None:
    names = {"u": "user", "a": "assistant", "s": "system"}
    chat = [{"role": names[letter], "content": "x"} for letter in roles]
    assert turns_fault(chat, strict=strict) == fault


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ({"messages": None}, "messages", "is null"),
        ({"messages": []}, "messages", "is empty"),
        (
            {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": None}]},
            "messages[1].content",
            "is null",
        ),
        ({"messages": [{"role": None, "content": "a"}]}, "messages[0].role", "is null"),
        ({"messages": [None]}, "messages[0]", "is null"),
    ],
)
def test_nulls_and_empty_lists_are_named(row: dict[str, Any], field: str, problem: str) -> None:
    with pytest.raises(FolderError) as caught:
        require_texts(row, CHAT, lambda: "t_1, 4")
    assert (caught.value.record, caught.value.field) == ("t_1, 4", field)
    assert problem in caught.value.problem


# --- shapes --------------------------------------------------------------------------------------


def test_a_shape_is_told_by_the_columns_alone() -> None:
    message = pa.struct([("role", pa.string()), ("content", pa.string()), ("name", pa.string())])
    messages, text = pa.list_(message), pa.string()
    assert shape_of(pa.schema({"letters": text, "messages": messages})) is CHAT
    three = dict.fromkeys(("prompt", "chosen", "rejected"), messages)
    assert shape_of(pa.schema({"id": text, **three})) is PREFERENCE
    assert shape_of(pa.schema({**three, "chosen": text})) is None
    assert shape_of(pa.schema({"history": pa.list_(text), "response": text})) is REPLY
    assert shape_of(pa.schema({"history": text, "response": text})) is None
    assert shape_of(pa.schema({"messages": pa.list_(text)})) is None


def test_fields_that_messages_have_beside_are_left_out() -> None:
    layout = find_format("openai").layout(CHAT)
    assert layout is not None
    row = {"messages": [{"role": "user", "content": "a", "name": None}]}
    assert layout.line(row) == {"messages": [{"role": "user", "content": "a"}]}


# --- the command ---------------------------------------------------------------------------------


def command(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[bytes]:
    answer = subprocess.run(
        [sys.executable, "-m", "dialogue_builders", "export", *arguments],
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert answer.returncode == code, answer.stderr
    return answer


def test_the_command_writes_a_file_or_standard_output(diamante: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "pairs.jsonl"
    what = (str(diamante), "preference", "valid", "--format", "llama-factory", "--out")
    said = command(*what, str(out)).stdout.decode()
    count = len(rows_of(diamante, "preference", "valid"))
    assert said.splitlines()[0] == f"{count} rows in {out}"
    assert said.splitlines()[1] == f"entry 'pairs' in {out.parent / 'dataset_info.json'}"
    assert command(*what, "-").stdout == out.read_bytes()


def test_the_command_tells_a_fault_in_one_message(diamante: Path) -> None:
    what = (str(diamante), "utterances", "valid", "--format", "openai", "--out", "-")
    answer = command(*what, code=1)
    assert answer.stdout == b""
    assert (
        answer.stderr.decode().splitlines()[0].startswith("Error: OpenAI fine-tuning has no form")
    )


def test_the_help_names_every_format() -> None:
    text = command("--help").stdout.decode()
    assert all(each.name in text for each in FORMATS)
