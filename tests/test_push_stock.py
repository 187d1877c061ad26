"""Pushes by the command itself, in processes of their own, and what stock `datasets` then loads."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hub_server import HubServer, Repository, RequestRecord, User, xet_available
from push_harness import WAIT_SECONDS, files_of, pushed_files, routes

pytest_plugins = ("push_fixtures",)

ROOT = Path(__file__).parent.parent
SCRIPT = [sys.executable, str(ROOT / "scripts" / "push_to_hub.py")]
TOKEN = "hf_unmistakable"

LOAD_EVERYTHING = """
import json, sys
import datasets
datasets.config.USE_PARQUET_EXPORT = False  # would ask a host that does not exist here
place, configs = sys.argv[1], sys.argv[2:]
def loaded(config, streaming):
    splits = datasets.load_dataset(place, config, streaming=streaming)
    features = {split: str(rows.features) for split, rows in splits.items()}
    return features, {split: list(rows) for split, rows in splits.items()}
names = datasets.get_dataset_config_names(place)
print(json.dumps([names, {c: [loaded(c, s) for s in (False, True)] for c in configs or names}]))
"""


def load_everything(environment: dict[str, str], place: str, cwd: Path) -> Any:
    run = subprocess.run(
        [sys.executable, "-c", LOAD_EVERYTHING, place],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def command_lines() -> str:
    """The command lines of all processes, as anybody on this machine can read them."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(process.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue  # it has ended
    return "\n".join(found)


def test_the_script_and_the_stock_library(hub: HubServer, folder: Path, tmp_path: Path) -> None:
    hub.users[TOKEN] = User("org", writes=True, sees_private=True)
    seen: list[str] = []
    hub.on_request(lambda record: seen.append(command_lines()))
    environment = hub.environment(tmp_path / "pusher", TOKEN)
    # A folder of the repository's name must not be taken for the repository.
    (tmp_path / "org" / "stock").mkdir(parents=True)
    run = subprocess.run(
        [*SCRIPT, str(folder), "org/stock", "--private"],
        env={**environment, "HF_DEBUG": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    hub.on_request(None)
    assert run.returncode == 0, run.stderr
    repository = hub.repository("org/stock")
    assert pushed_files(repository) == files_of(folder)
    assert f"Proven at {repository.head()}: {len(files_of(folder))} files by hash" in run.stdout
    assert 'Load it: datasets.load_dataset("org/stock", "conversations")' in run.stdout
    assert "curl" in run.stderr  # the client's own log was on, and yet
    assert TOKEN not in run.stdout + run.stderr
    assert any("push_to_hub.py" in lines for lines in seen)
    assert any("dialogue_builders.hub.verify_process" in lines for lines in seen)
    assert all(TOKEN not in lines for lines in seen)

    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    names, pushed = load_everything(
        hub.environment(tmp_path / "loader", TOKEN), "org/stock", nowhere
    )
    _, local = load_everything(
        hub.environment(tmp_path / "local", token=None), str(folder), nowhere
    )
    assert names == [
        *("conversations", "utterances", "reading_sets", "responses", "messages"),
        *("asr_actual", "asr_synthetic", "enriched"),
        *("train", "valid_freq", "valid_rare", "test_freq", "test_rare", "freq", "rare"),
    ]
    assert list(pushed) == names
    for config, (map_style, streamed) in pushed.items():
        assert map_style == local[config][0], config
        assert streamed == map_style, config
    _, rows = pushed["rare"][1]
    assert {split: len(each) for split, each in rows.items()} == {
        "train": 8,
        "validation": 3,
        "test": 3,
    }


def at_a_terminal(command: list[str], environment: dict[str, str], typed: bytes) -> tuple[int, str]:
    """Run a command at a terminal; return its exit code and all that was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        env={**environment, "TERM": "xterm", "COLUMNS": "120"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown, asked = b"", False
    while select.select([ours], [], [], WAIT_SECONDS)[0]:
        try:
            data = os.read(ours, 1 << 16)
        except OSError:  # how Linux says that nobody is at the other end any more
            break
        if not data:
            break
        shown += data
        if b"[y/N]" in shown and not asked:
            asked = True
            os.write(ours, typed)
    os.close(ours)
    return process.wait(WAIT_SECONDS), shown.decode()


def test_a_person_is_asked_before_anything_is_deleted(
    hub: HubServer, small_folder: Path, old_folder: Path, tmp_path: Path
) -> None:
    repository = hub.create_repository("org/asked", files_of(old_folder))
    command = [*SCRIPT, str(small_folder), "org/asked"]
    environment = hub.environment(tmp_path)
    code, shown = at_a_terminal(command, environment, b"n\n")
    assert code == 1
    assert "delete conversations/data/test_rare-00001-of-00002.parquet" in shown
    assert "Delete these 2 files" in shown
    assert "was not confirmed; nothing was pushed" in shown
    assert len(repository.commits()) == 2

    code, shown = at_a_terminal(command, environment, b"y\n")
    assert code == 0, shown
    assert pushed_files(repository) == files_of(small_folder)
    for step in ("hashing", "uploading", "proving"):
        assert step in shown
    assert "hf_owner" not in shown


def test_a_person_is_asked_before_a_repository_is_created(
    hub: HubServer, small_folder: Path, tmp_path: Path
) -> None:
    command = [*SCRIPT, str(small_folder), "org/asked-new"]
    environment = hub.environment(tmp_path)
    code, shown = at_a_terminal(command, environment, b"n\n")
    assert code == 1
    # The plan comes before the question, and nothing comes of it.
    assert shown.index("3 added") < shown.index("Create org/asked-new with its owner's default")
    assert "was not confirmed; nothing was created or pushed" in shown
    assert {record.method for record in hub.requests} <= {"GET", "HEAD"}
    with pytest.raises(KeyError):
        hub.repository("org/asked-new")

    code, shown = at_a_terminal([*command, "--private"], environment, b"y\n")
    assert code == 0, shown
    assert "Create org/asked-new as a private repository?" in shown
    assert shown.count("3 added, 0") == 0
    assert shown.count("README.zh.md") == 1
    assert hub.repository("org/asked-new").private

    code, shown = at_a_terminal([*SCRIPT, str(small_folder), "org/yes", "--yes"], environment, b"")
    assert code == 0, shown
    assert "[y/N]" not in shown
    assert pushed_files(hub.repository("org/yes")) == files_of(small_folder)


def test_elsewhere_there_are_no_bars(hub: HubServer, small_folder: Path, tmp_path: Path) -> None:
    environment = hub.environment(tmp_path)
    # The client's own bars would be shown then; ours are the only ones.
    del environment["HF_HUB_DISABLE_PROGRESS_BARS"]
    run = subprocess.run(
        [*SCRIPT, str(small_folder), "org/piped", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=WAIT_SECONDS,
    )
    assert run.stderr == ""
    assert json.loads(run.stdout)["committed"] is True


def test_help_does_not_load_the_libraries() -> None:
    code = (
        "import sys; from dialogue_builders.cli.main import main\n"
        "try: main(['push', '--help'])\n"
        "finally: print([m for m in ('datasets', 'huggingface_hub', 'pyarrow.parquet')"
        " if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--create-pr" in run.stdout
    assert run.stdout.splitlines()[-1] == "[]"


# The Xet lane


@pytest.mark.skipif(not xet_available(), reason="hf_xet is not installed")
def test_the_xet_lane_is_one_commit_too(
    folder: Path, small_folder: Path, old_folder: Path, tmp_path: Path
) -> None:
    def run(place: Path, *options: str, token: str = "hf_owner") -> dict[str, Any]:
        done = subprocess.run(
            [*SCRIPT, str(place), "org/xet", "--json", "--yes", *options],
            env=hub.environment(tmp_path / "home", token, xet=True),
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    with HubServer(xet_folder=tmp_path / "store") as hub:
        repository = hub.create_repository("org/xet", files_of(old_folder))
        assert run(folder)["committed"] is True
        assert pushed_files(repository) == files_of(folder)
        assert len(repository.commits()) == 3
        assert "xet_token" in routes(hub)
        assert "lfs_upload" not in routes(hub)
        assert run(folder)["committed"] is False
        proposed = run(small_folder, "--create-pr", token="hf_reader")
        assert proposed["pull_request"] == 1
        assert pushed_files(repository, "refs/pr/1") == files_of(small_folder)
        assert len(repository.commits()) == 3


@pytest.mark.skipif(not xet_available(), reason="hf_xet is not installed")
def test_a_hub_without_the_xet_lane_is_explained(
    hub: HubServer, small_folder: Path, tmp_path: Path
) -> None:
    repository: Repository = hub.create_repository("org/no-xet")
    environment = hub.environment(tmp_path)
    del environment["HF_HUB_DISABLE_XET"]
    run = subprocess.run(
        [*SCRIPT, str(small_folder), "org/no-xet"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert "has no Xet storage" in run.stderr
    assert "\nNext: set HF_HUB_DISABLE_XET=1" in run.stderr
    assert "hf_owner" not in run.stderr
    assert len(repository.commits()) == 1


def test_an_interrupted_push_says_how_things_stand(
    hub: HubServer, small_folder: Path, tmp_path: Path
) -> None:
    import signal

    repository = hub.create_repository("org/interrupted")
    arrived = threading.Event()
    release = threading.Event()

    def hold(record: RequestRecord) -> None:
        if record.route == "preupload":
            arrived.set()
            release.wait(WAIT_SECONDS)

    hub.on_request(hold)
    process = subprocess.Popen(
        [*SCRIPT, str(small_folder), "org/interrupted"],
        env=hub.environment(tmp_path),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert arrived.wait(WAIT_SECONDS)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_SECONDS)
    release.set()
    assert process.returncode == 130
    assert "run the same command to finish" in errors
    assert "Traceback" not in errors
    assert len(repository.commits()) == 1
