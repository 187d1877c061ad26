"""What all tests share: caches of their own, no network beyond loopback, the sample and the real data."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Read when `datasets` is imported, so it has to be set before.
_HOME = tempfile.TemporaryDirectory(prefix="dialogue-builders-tests-")
os.environ.update(
    HF_HOME=_HOME.name,
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_XET="1",
    HF_UPDATE_DOWNLOAD_COUNTS="0",
)
for name in ("HF_TOKEN", "HF_ENDPOINT", "HF_DATASETS_CACHE", "COLUMNS", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)

ROOT = Path(__file__).resolve().parent.parent
REAL_DATA = ROOT.parent / "shared" / "data" / "Topical-Chat"
OLD_DATA = REAL_DATA.with_name("Topical-Chat-TCS-1.0")
JUDGEMENTS = REAL_DATA.with_name("judgements")
REAL_SPLITS = ("valid_freq", "test_freq", "test_rare")

# The tests of the plug-in run where it is installed; see test_plug_in.py.
collect_ignore = ["plug_in"]

sys.path.insert(0, str(ROOT / "tests"))
pytest.register_assert_rewrite("dialogue_builders.testing")


def pytest_configure(config: pytest.Config) -> None:
    import datasets

    # A shell starts what runs in its background deaf to Ctrl-C, and children inherit that; the tests
    # that interrupt a process need it to hear.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    datasets.disable_progress_bars()
    datasets.config.USE_PARQUET_EXPORT = False


# Families of tests that need an extra: a marker of this name, and what the extra installs.
FAMILIES = {
    "train": ("torch", "torchdata", "transformers", "trl", "accelerate"),
    "browser": ("selenium",),
    "engines": ("duckdb", "polars", "pandas", "dask", "pyspark", "ray", "datafusion"),
    "more_engines": ("duckdb", "pyspark", "ray", "daft", "chdb", "fastparquet"),
}
# What runs a family, where it is not `make test-FAMILY`.
TARGETS = {"more_engines": "engines-all"}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose extra is not installed; fail it where CI says that it must run."""
    for family, modules in FAMILIES.items():
        if item.get_closest_marker(family) is None:
            continue
        absent = [name for name in modules if importlib.util.find_spec(name) is None]
        if absent:
            problem = f"the extra [{family}] is not installed ({', '.join(absent)})"
            if os.environ.get(f"REQUIRE_{family.upper()}"):
                pytest.fail(problem)
            pytest.skip(f"{problem}; `make test-{TARGETS.get(family, family)}` runs this")


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test reach anything but this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            raise AssertionError(f"a test tried to reach {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The real raw files; a test that needs them is skipped where they are absent."""
    if not (REAL_DATA / "conversations").is_dir():
        # CI sets this where the files must be there, so that a skip can't pass unnoticed.
        if os.environ.get("REQUIRE_REAL_DATA"):
            pytest.fail(f"the real raw files are not at {REAL_DATA}")
        pytest.skip("the real raw files are not here")
    return REAL_DATA


@pytest.fixture(scope="session")
def sample_raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The invented sample of Topical-Chat as raw files."""
    from dialogue_builders import write_sample

    return write_sample("topical_chat", tmp_path_factory.mktemp("raw"))


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The invented sample of Topical-Chat, built with all configs; tests must not change it."""
    from dialogue_builders import build

    return build("topical_chat", tmp_path_factory.mktemp("built") / "sample", sample=True).folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `make demo` leaves, for every dataset; recipes run in it."""
    from recipes import make_demo

    return make_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def real_folder(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real splits at hand, built; tests must not change it."""
    from dialogue_builders import build

    out = tmp_path_factory.mktemp("built") / "real"
    return build("topical_chat", out, data_dir=real_data, splits=REAL_SPLITS).folder


@pytest.fixture
def unregistered() -> Iterator[None]:
    """Make sure that a test's `register()` does not outlive it."""
    import dialogue_builders

    yield
    dialogue_builders.unregister()
