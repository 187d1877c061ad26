"""Damaged raw files of every kind, through every door: the right rows, or an error that names the file.

The short form runs within `make test`, always with the same cases. `make faults` runs as many as it
is told, from a seed that it prints.
"""

from __future__ import annotations

import gzip
import json
import resource
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pytest
from doors import DOORS, Refusal, enter
from fault_cases import CASES, SEED, print_seed
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from mutations import damaged_bytes, damaged_json
from raw_kinds import BY_NAME, KINDS, NotPlainError, RawKind, parse, plain_rows

SHORT_CASES = 12  # of each kind of file and of damage
SECONDS = 60  # A case takes milliseconds; one that takes this long hangs.
MEGABYTES = 1024

seen: Counter[str] = Counter()


def cases() -> settings:
    """Draw the same few cases in `make test`; as many new ones as asked for in `make faults`."""
    count = -(-CASES // (3 * len(KINDS))) if CASES else SHORT_CASES
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=not CASES,
        # Shrinking takes minutes; who looks for the cause asks for it by the long form.
        phases=[Phase.generate, Phase.shrink] if CASES else [Phase.generate],
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def sample_files(corpus: str) -> dict[str, bytes]:
    from importlib import import_module

    packages = {"topical_chat_judgements": "topical_chat.judgements.sample"}
    module = import_module(packages.get(corpus, f"{corpus}.sample"))
    return dict(module.files())


@pytest.fixture(scope="module", autouse=True)
def _caches() -> Iterator[None]:
    """No user's caches, and no library's progress."""
    with tempfile.TemporaryDirectory() as folder:
        before = datasets.config.HF_DATASETS_CACHE
        datasets.config.HF_DATASETS_CACHE = Path(folder)
        yield
        datasets.config.HF_DATASETS_CACHE = before


class Case:
    """A raw folder with one damaged file, and room for what the doors write."""

    def __init__(self, kind: RawKind, content: bytes, suffix: str = "") -> None:
        self.kind = kind
        self.place = Path(tempfile.mkdtemp())
        self.raw = self.place / "raw"
        self.name = kind.path.removeprefix("luge_Diamante/") + suffix
        for name, whole in sample_files(kind.corpus).items():
            if name != kind.path and name.startswith(kind.others or ("?",)):
                self.write(name, whole)
        self.write(self.name, content)

    def write(self, name: str, content: bytes) -> None:
        (self.raw / name).parent.mkdir(parents=True, exist_ok=True)
        (self.raw / name).write_bytes(content)

    def __enter__(self) -> Case:
        self.began = time.monotonic()
        return self

    def __exit__(self, *failure: object) -> None:
        shutil.rmtree(self.place)
        assert time.monotonic() - self.began < SECONDS

    def through(self, door: str) -> Any:
        return enter(door, self.kind, self.raw, self.place)

    def names_the_file(self, refusal: Refusal) -> bool:
        """By its whole name: a part of it, such as `test`, stands in other words too."""
        return Path(self.name).name in str(refusal)


def agrees(expected: Any, found: Any) -> bool:
    """Compare what a plain reading tells with a row, which may say more."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            name in found and agrees(value, found[name]) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(map(agrees, expected, found))
        )
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def judge(case: Case, content: bytes, door: str) -> None:
    """One case: two doors, of which one builds; both agree with the plain reading."""
    outcomes = {name: case.through(name) for name in dict.fromkeys(("build", door))}
    built = outcomes["build"]
    for name, outcome in outcomes.items():
        if isinstance(outcome, list):
            assert isinstance(built, list), f"{name} gives rows; build refuses: {built}"
            assert outcome == built, f"{name} gives other rows than build"
        else:
            assert not isinstance(built, list), f"build gives rows; {name} refuses: {outcome}"
            assert case.names_the_file(outcome), f"{name} does not name the file: {outcome}"
            assert "Traceback" not in str(outcome)
    seen["rows" if isinstance(built, list) else "refusals"] += 1
    if case.kind.rows is None:
        return
    try:
        expected = plain_rows(case.kind, content)
    except NotPlainError as reason:
        if isinstance(built, list):
            pytest.fail(f"the file has to be refused: {reason}")
        return
    if isinstance(built, list):
        assert agrees(expected, built), f"expected {expected!r}\nfound {built!r}"
    else:
        assert not expected, f"the file has to be read: {built}"


kinds = pytest.mark.parametrize("name", [kind.name for kind in KINDS])
of_json = pytest.mark.parametrize("name", [k.name for k in KINDS if not k.path.endswith(".tsv")])
# The others are read as they are only, never packed.
packed = pytest.mark.parametrize(
    "name", [k.name for k in KINDS if k.name not in ("wikipedia", "topics", "unieval")]
)
doors = st.sampled_from(sorted(DOORS))


def attack(kind: RawKind, damaged: st.SearchStrategy[bytes], suffix: str = "") -> None:
    """Send damaged files through the doors, as many as are asked for."""

    @cases()
    @given(content=damaged, door=doors)
    def one(content: bytes, door: str) -> None:
        with Case(kind, content, suffix) as case:
            judge(case, content, door)

    print_seed()
    seed(SEED)(one)() if CASES else one()
    in_bounded_memory()


@of_json
def test_damaged_records(name: str) -> None:
    kind = BY_NAME[name]
    records = parse(kind, sample_files(kind.corpus)[kind.path])
    attack(kind, damaged_json(records, lines=kind.records == "lines"))


@kinds
def test_damaged_bytes(name: str) -> None:
    kind = BY_NAME[name]
    attack(kind, damaged_bytes(sample_files(kind.corpus)[kind.path]))


@packed
def test_damaged_gzip(name: str) -> None:
    kind = BY_NAME[name]
    content = gzip.compress(sample_files(kind.corpus)[kind.path], mtime=0)
    attack(kind, damaged_bytes(content), ".gz")


def in_bounded_memory() -> None:
    """The files have a few kilobytes: a process that ever needed so much read beyond a bound."""
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MEGABYTES * 2**10


@kinds
def test_what_is_whole_is_read(name: str) -> None:
    """The suite itself: the sample passes every door, and its rows are not few."""
    kind = BY_NAME[name]
    content = sample_files(kind.corpus)[kind.path]
    with Case(kind, content) as case:
        for door in DOORS:
            rows = case.through(door)
            assert isinstance(rows, list), (door, rows)
            assert len(rows) >= 2
            if kind.rows is not None:
                expected = plain_rows(kind, content)
                assert expected
                assert agrees(expected, rows)


def test_the_judge_notices_a_changed_text() -> None:
    """A suite that can't find a fault is worth nothing."""
    kind = BY_NAME["dialogues"]
    content = sample_files(kind.corpus)[kind.path]
    with Case(kind, content) as case:
        other = content.replace("面包".encode(), "面条".encode(), 1)
        assert json.loads(other.splitlines()[0])
        with pytest.raises(AssertionError, match="expected"):
            judge(case, other, "build")


@pytest.mark.parametrize(
    ("field", "label", "known"),
    [
        ("Maintains Context", 7, "1, 2, 3"),
        ("Overall", 0, "1, 2, 3, 4, 5"),
        ("model", "x", "Argmax"),
    ],
)
def test_a_label_of_a_field_with_a_name_of_its_own(field: str, label: Any, known: str) -> None:
    """Found by the suite: the name in the file is not the struct's."""
    kind = BY_NAME["usr"]
    records = parse(kind, sample_files(kind.corpus)[kind.path])
    response = records[1]["responses"][2]
    response[field] = label if field == "model" else [label, *response[field][1:]]
    with Case(kind, json.dumps(records).encode()) as case:
        refusal = case.through("build")
        assert case.names_the_file(refusal)
        assert f"responses[2].{field}" in str(refusal)
        assert known in str(refusal)
