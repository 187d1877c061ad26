"""The command line: what it prints where, its exit codes, and that people and programs can read it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from raw_layouts import LAYOUTS, read_records, write_split

ROOT = Path(__file__).resolve().parent.parent
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def run(*arguments: object, module: str = "dialogue_builders", **variables: str) -> Any:
    """Run the command line in a pipe, in a folder of nobody."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def run_in_terminal(*arguments: object, width: int = 80, **variables: str) -> str:
    """Run the command line in a real terminal and return what it shows."""
    environment = {
        **{k: v for k, v in os.environ.items() if k != "CI"},
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "COLUMNS": str(width),
        **variables,
    }
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dialogue_builders", *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    shown = b""
    while True:
        select.select([ours], [], [])
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    process.wait()
    return shown.decode()


COMMANDS = ("list", "info", "verify", "build", "stats", "check", "head")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_answers_without_importing_datasets(command: Sequence[str]) -> None:
    code = (
        "import sys\n"
        "from dialogue_builders.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: print(end.code, {'datasets', 'pyarrow', 'rich'} & set(sys.modules))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, *command, "--help"], capture_output=True, text=True
    )
    assert answer.stdout.splitlines()[-1] == "0 set()"
    assert "Usage:" in answer.stdout


def test_every_command_is_listed_in_the_order_of_the_work() -> None:
    lines = run("--help").stdout.split("Commands:\n")[1].splitlines()
    names = [line.split()[0] for line in lines]
    assert [name for name in names if name in COMMANDS] == list(COMMANDS)


def test_the_whole_way_from_the_sample(tmp_path: Path) -> None:
    out = tmp_path / "out"
    built = run("build", "topical_chat", "--sample", "--out", out)
    assert built.returncode == 0
    notes = built.stderr.split("Note: ")[1:]
    assert len(notes) == 6  # one of them: what the chats leave out at their ends
    assert notes[0].startswith("the config asr_synthetic has no valid_rare, test_freq")
    assert re.search(r"utterances +50 +15 +18 +17 +19", built.stdout)
    assert "from the invented sample" in built.stdout
    checked = run("check", out)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("ok: files, features, keys")
    stats = run("stats", out)
    # By hand: 119 / 20 = 5.95 turns, 1343 / 119 = 11.29 words.
    assert re.search(r"turns per conversation .* 5\.95", stats.stdout)
    assert re.search(r"words per utterance .* 11\.29", stats.stdout)
    head = run("head", out, "utterances", "valid_rare", "-n", "1")
    assert head.stdout.count("agent_1") + head.stdout.count("agent_2") == 4
    assert "config C" in head.stdout


def test_json_is_for_programs(sample_folder: Path, tmp_path: Path) -> None:
    listed = json.loads(run("list", "--json").stdout)
    assert listed["topical_chat"]["rare"] == {"train": 8628, "validation": 539, "test": 539}
    facts = json.loads(run("info", "topical_chat", "utterances", "--json").stdout)
    assert facts["key"] == ["conversation_id", "turn_index"]
    assert json.loads(run("info", "topical_chat", "--json").stdout)["license"] == "cdla-sharing-1.0"
    report = json.loads(
        run("build", "topical_chat", "--sample", "--out", tmp_path / "o", "--json").stdout
    )
    assert report["rows"]["conversations"]["train"] == 8
    assert report["raw"] == "sample"
    table = json.loads(run("stats", sample_folder, "--json").stdout)
    assert table["rows"][1]["measured"]["all"] == 119
    assert json.loads(run("check", sample_folder, "--json").stdout)["problems"] == []
    rows = json.loads(run("head", sample_folder, "utterances", "train", "-n", "2", "--json").stdout)
    assert len(rows) == 6 + 5
    assert rows[0]["turn_index"] == 0


def test_text_is_never_escaped(sample_folder: Path) -> None:
    shown = run("head", sample_folder, "conversations", "train", "-n", "8", "--json").stdout
    assert "\\u" not in shown.replace("\\u000b", "")
    assert "’" in shown


def test_an_error_is_one_short_message_on_standard_error(tmp_path: Path, sample_raw: Path) -> None:
    records = read_records(sample_raw, "train")
    identity = next(iter(records))
    records[identity]["content"][0]["sentiment"] = "Hapy"
    write_split(tmp_path / "raw", "train", LAYOUTS["indented object"](records))
    answer = run(
        "build",
        "topical_chat",
        "--data-dir",
        tmp_path / "raw",
        "--split",
        "train",
        "--out",
        tmp_path / "o",
    )
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert answer.stderr.splitlines() == [
        (
            f"Error: conversations/train.json, record {identity}, field content[0].sentiment: the label "
            "'Hapy' is not known; known: 'Curious to dive deeper', 'Neutral', 'Surprised', 'Happy', 'Sad', "
            "'Disgusted', 'Angry', 'Fearful'"
        ),
        "Next: did you mean 'Happy'?",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("info", "topical_chta"), 1, "did you mean 'topical_chat'?"),
        (("info", "topical_chat", "utterence"), 1, "did you mean 'utterances'?"),
        (("build", "topical_chat", "--out", "x"), 1, "either a raw folder or the sample"),
        (("build", "topical_chat", "--sample", "--data-dir", ".", "--out", "x"), 1, "either a raw"),
        (
            ("build", "topical_chat", "--sample", "--split", "valid", "--out", "x"),
            1,
            "no split named",
        ),
        (
            ("build", "topical_chat", "--sample", "--option", "x", "--out", "x"),
            1,
            "CONFIG.NAME=VALUE",
        ),
        (
            ("build", "topical_chat", "--sample", "--shards", "0", "--out", "x"),
            1,
            "shards can't be 0",
        ),
        (("build", "topical_chat", "--sample"), 2, "Missing option '--out'"),
        (("build",), 2, "Missing argument"),
        (("bild",), 2, "No such command"),
        (("check", "absent"), 1, "there is no folder"),
        (("stats", "absent"), 1, "there is no folder"),
        (("head", "absent", "a", "b"), 1, "there is no folder"),
        (("head", "absent", "a", "b", "-n", "0"), 2, "-n"),
        (("verify", "topical_chat", "--data-dir", "absent"), 1, "does not exist"),
    ],
)
def test_exit_codes(arguments: Sequence[str], code: int, message: str, tmp_path: Path) -> None:
    answer = run(*arguments)
    assert answer.returncode == code
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stdout == ""


def test_head_names_what_the_folder_has(sample_folder: Path) -> None:
    answer = run("head", sample_folder, "utterances", "validation")
    assert answer.returncode == 1
    assert "known: train, valid_freq, valid_rare, test_freq, test_rare" in answer.stderr


def test_check_exits_with_one_where_the_contract_is_broken(
    sample_folder: Path, tmp_path: Path
) -> None:
    import shutil

    copy = shutil.copytree(sample_folder, tmp_path / "copy")
    (copy / "conversations/data/train-00000-of-00008.parquet").unlink()
    answer = run("check", copy)
    assert answer.returncode == 1
    assert "conversations/train has 7 shards" in answer.stdout
    assert answer.stderr.startswith("Error: ")
    assert json.loads(run("check", copy, "--json").stdout)["problems"]


def test_verify_tells_good_bad_and_missing(tmp_path: Path, real_data: Path) -> None:
    good = real_data / "conversations" / "test_rare.json"
    write_split(tmp_path, "test_rare", good.read_bytes())
    write_split(tmp_path, "test_freq", good.read_bytes())
    answer = run("verify", "topical_chat", "--data-dir", tmp_path)
    assert answer.returncode == 1
    assert re.search(r"ok +conversations/test_rare.json", answer.stdout)
    assert "1 ok, 100 missing, 1 differ" in answer.stdout
    assert "conversations/test_freq.json differs: expected blob 3731e2c9" in answer.stderr
    assert "got 2bc6ab58" in answer.stderr
    states = {
        r["path"]: r["state"]
        for r in json.loads(run("verify", "topical_chat", "--data-dir", tmp_path, "--json").stdout)
    }
    assert states["conversations/test_rare.json"] == "ok"
    assert states["conversations/train.json"] == "missing"


def test_a_dataset_has_a_command_line_of_its_own(tmp_path: Path) -> None:
    built = run("build", "--sample", "--out", tmp_path / "o", module="topical_chat")
    assert built.returncode == 0
    assert run("check", tmp_path / "o", module="topical_chat").returncode == 0
    assert (
        json.loads(run("info", "rare", "--json", module="topical_chat").stdout)["shows"]
        == "conversations"
    )
    assert list(json.loads(run("list", "--json", module="topical_chat").stdout)) == ["topical_chat"]
    assert (
        "Usage: python -m topical_chat build [OPTIONS]\n"
        in run("build", "--help", module="topical_chat").stdout
    )


SHOWING: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "info": ("info", "topical_chat"),
    "info config": ("info", "topical_chat", "utterances"),
    "stats": ("stats", "{folder}"),
    "check": ("check", "{folder}"),
    "head": ("head", "{folder}", "conversations", "test_rare", "-n", "3"),
}


@pytest.mark.parametrize("what", SHOWING)
def test_everything_fits_eighty_columns(what: str, sample_folder: Path) -> None:
    arguments = [part.format(folder=sample_folder) for part in SHOWING[what]]
    shown = run_in_terminal(*arguments)
    lines = ANSI.sub("", shown).replace("\r", "").splitlines()
    assert lines
    from rich.cells import cell_len

    too_long = [line for line in lines if cell_len(line.rstrip()) > 80]
    assert too_long == []


def test_colour_in_a_terminal_only_and_never_when_it_is_unwanted(sample_folder: Path) -> None:
    arguments = ("head", sample_folder, "conversations", "test_rare", "-n", "1")
    assert "\x1b[1;" in run_in_terminal(*arguments)
    # Bold and dim are no colours; NO_COLOR asks for no colour.
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", run_in_terminal(*arguments, NO_COLOR="1"))
    assert "\x1b" not in run(*arguments).stdout


def test_control_characters_in_the_data_do_not_act_on_the_terminal(sample_folder: Path) -> None:
    shown = run("head", sample_folder, "conversations", "valid_freq", "-n", "3").stdout
    assert "\v" not in shown
    assert "␋" in shown


def test_a_closed_pipe_is_no_error(sample_folder: Path) -> None:
    code = f"{sys.executable} -m dialogue_builders head {sample_folder} utterances train -n 8 | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(
        ["bash", "-o", "pipefail", "-c", code], capture_output=True, text=True, env=environment
    )
    assert answer.stderr == ""
    assert answer.returncode == 0


def test_progress_is_shown_in_a_terminal_and_wiped(tmp_path: Path) -> None:
    shown = run_in_terminal("build", "topical_chat", "--sample", "--out", tmp_path / "o")
    assert "utterances/train" in shown or "reading raw files" in shown
    assert "\x1b[2K" in shown


def test_shell_completion_knows_commands_and_names() -> None:
    complete = {"_DIALOGUE_BUILDERS_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    answer = run(COMP_WORDS="dialogue-builders info top", **complete)
    assert answer.stdout.split() == ["plain,topical_chat", "plain,topical_chat_judgements"]
