"""A stock training script, which knows only two flags and the customary split names, takes the aliases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Public library calls only, as the example scripts of the trainers have them.
SCRIPT = """
import argparse, json, os
import datasets
parser = argparse.ArgumentParser()
parser.add_argument("--dataset_name")
parser.add_argument("--dataset_config_name")
arguments = parser.parse_args()
data = datasets.load_dataset(arguments.dataset_name, arguments.dataset_config_name)
turns = {name: sum(map(len, data[name]["content"])) for name in ("train", "validation", "test")}
print(json.dumps({"rows": {name: rows.num_rows for name, rows in data.items()}, "turns": turns}))
"""

# Counted by hand from the sample: turns of train, valid_* and test_*.
TURNS = {"freq": (50, 15, 17), "rare": (50, 18, 19)}


@pytest.mark.parametrize("alias", TURNS)
def test_a_stock_script_takes_an_alias(alias: str, sample_folder: Path, tmp_path: Path) -> None:
    answer = subprocess.run(
        [
            sys.executable,
            "-c",
            SCRIPT,
            "--dataset_name",
            str(sample_folder),
            "--dataset_config_name",
            alias,
        ],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(answer.stdout.splitlines()[-1])
    assert told["rows"] == {"train": 8, "validation": 3, "test": 3}
    assert tuple(told["turns"].values()) == TURNS[alias]
