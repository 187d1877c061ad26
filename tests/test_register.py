"""`register()` as a guest of the stock library: it comes, stays and goes without breaking others."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import datasets
import datasets.inspect
import datasets.load
import pytest

import dialogue_builders
from dialogue_builders import OptionError, load_dataset, register, unregister

DOCUMENT = Path(__file__).parents[1] / "docs" / "register.md"
SEAM = "dataset_module_factory"


@pytest.fixture(autouse=True)
def stock(unregistered: None) -> Any:
    return getattr(datasets.load, SEAM)


def knows_the_name() -> bool:
    return "topical_chat" in getattr(datasets.load, SEAM)("topical_chat").module_path


def run(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "HF_HUB_OFFLINE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_after_unregister_the_library_is_as_it_was(stock: Any) -> None:
    register()
    register()
    hook = getattr(datasets.load, SEAM)
    assert hook is not stock
    assert hook.__wrapped__ is stock
    assert hook.__doc__ == stock.__doc__
    assert hook.__name__ == SEAM
    unregister()
    assert getattr(datasets.load, SEAM) is stock
    assert getattr(datasets.inspect, SEAM) is stock


def test_a_patch_that_was_there_first_and_went(stock: Any) -> None:
    with mock.patch.object(datasets.load, SEAM):
        register()
        assert knows_the_name()
    assert getattr(datasets.load, SEAM) is stock  # the patch took our hook away with it
    register()
    assert knows_the_name()
    unregister()
    assert getattr(datasets.load, SEAM) is stock


@pytest.mark.parametrize("with_wraps", [False, True])
def test_a_wrapper_that_came_later_stays(with_wraps: bool, stock: Any) -> None:
    register()
    hook = getattr(datasets.load, SEAM)
    calls = []

    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        calls.append(arguments)
        return hook(*arguments, **keywords)

    wrapper = functools.wraps(hook)(wrapper) if with_wraps else wrapper
    with mock.patch.object(datasets.load, SEAM, wrapper):
        assert knows_the_name()
        unregister()
        assert getattr(datasets.load, SEAM) is wrapper
        offline = datasets.DownloadConfig(local_files_only=True)
        with pytest.raises(Exception, match="topical_chat") as caught:
            wrapper("topical_chat", download_config=offline)
        assert not isinstance(caught.value, dialogue_builders.DialogueBuildersError)
        assert len(calls) == 2
        register()
        assert knows_the_name()
        if with_wraps:  # seen inside of the wrapper, so nothing was put around it
            assert getattr(datasets.load, SEAM) is wrapper
    unregister()
    assert getattr(datasets.load, SEAM) is stock


def test_after_a_reload_it_hooks_again(sample_raw: Path, tmp_path: Path) -> None:
    code = """if True:
        import importlib, sys, datasets.load, dialogue_builders
        before = datasets.load_dataset
        for module in (datasets.load, datasets.inspect):
            dialogue_builders.register()
            importlib.reload(module)
            dialogue_builders.register()
            assert datasets.get_dataset_config_names("topical_chat")
            given = dict(data_dir=sys.argv[1], cache_dir=sys.argv[2], streaming=True)
            assert list(before("topical_chat", "rare", split="test", **given))
    """
    answer = run(code, sample_raw, tmp_path)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("first", ["datasets.commands.test", "dialogue_builders"])
def test_the_librarys_own_command_knows_the_names(first: str) -> None:
    code = f"""if True:
        import {first}, dialogue_builders
        dialogue_builders.register()
        import datasets.load, datasets.commands.test as command
        print(command.dataset_module_factory("topical_chat").module_path)
        dialogue_builders.unregister()
        print(command.dataset_module_factory is datasets.load.dataset_module_factory)
    """
    answer = run(code)
    assert answer.returncode == 0, answer.stderr
    module, same = answer.stdout.split()
    assert module.endswith(".topical_chat")
    assert same == "True"


@pytest.mark.parametrize("position", [1, 5])
def test_parameters_of_the_hub_are_seen_by_position(position: int) -> None:
    register()
    arguments: list[Any] = ["topical_chat", None, None, None, None, None]
    arguments[position] = "x"
    with pytest.raises(OptionError, match="revision" if position == 1 else "data_files"):
        getattr(datasets.load, SEAM)(*arguments)


def test_the_documented_two_lines_reach_every_process(sample_raw: Path, tmp_path: Path) -> None:
    lines = re.search(r"```python\n(.+?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert lines is not None
    assert len(lines[1].split("\n\n")) == 2
    (tmp_path / "sitecustomize.py").write_text(lines[1])
    program = tmp_path / "program.py"
    program.write_text(
        """import multiprocessing, sys, datasets
def count(_):
    given = dict(data_dir=sys.argv[1], cache_dir=sys.argv[2])
    return datasets.load_dataset("topical_chat", "rare", split="test", **given).num_rows
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(count(0), *pool.map(count, [0]))
"""
    )
    command = [sys.executable, str(program), str(sample_raw), str(tmp_path / "cache")]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    root = str(DOCUMENT.parents[1])
    for path, works in ((f"{tmp_path}{os.pathsep}{root}", True), (root, False)):
        environment["PYTHONPATH"] = path
        answer = subprocess.run(
            command, env=environment, cwd=tmp_path / "..", capture_output=True, text=True
        )
        assert (answer.returncode == 0) is works, answer.stderr
        assert answer.stdout == ("3 3\n" if works else "")


def test_a_process_that_did_not_register_gets_no_old_rows(sample_raw: Path, tmp_path: Path) -> None:
    given = {"data_dir": str(sample_raw), "cache_dir": str(tmp_path)}
    assert load_dataset("topical_chat", "rare", split="test", **given).num_rows == 3
    code = """if True:
        import sys, datasets
        datasets.load_dataset("topical_chat", "rare", split="test", cache_dir=sys.argv[1])
    """
    answer = run(code, tmp_path, HF_DATASETS_CACHE=str(tmp_path))
    assert answer.returncode != 0
    assert "latest cached version" not in answer.stderr


def test_trust_remote_code_is_taken_with_a_warning(
    sample_raw: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = {"data_dir": str(sample_raw), "cache_dir": str(tmp_path), "split": "test"}
    with caplog.at_level("WARNING", logger="dialogue_builders"):
        rows = load_dataset("topical_chat", "rare", trust_remote_code=True, **given)
    assert rows.num_rows == 3
    assert "trust_remote_code" in caplog.text
    caplog.clear()
    load_dataset("topical_chat", "rare", trust_remote_code=False, **given)
    assert "trust_remote_code" not in caplog.text
