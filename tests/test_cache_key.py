"""The cache key: code that can reach rows makes new ones, and nothing else does.

The code that is changed is a copy. It is run in a fresh interpreter, which finds the copy before the
installed packages; the dataset is a small plug-in that lies beside it, a package with a subfolder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import toy_dialogues

from dialogue_builders import load_dataset

ROOT = Path(__file__).resolve().parent.parent

CORPUS_MODULE = """
import msgspec
from dialogue_builders.dialogue.turns import FlatTurns
from dialogue_builders.spec import Corpus, RawSource, RecordType, View
from small_talk.words.dress import dress


class Talk(msgspec.Struct, forbid_unknown_fields=True):
    lines: list[str]


def features():
    from datasets import Features, Value

    kinds = {"conversation_id": "string", "turn_index": "int32", "text": "string"}
    return Features({name: Value(kind) for name, kind in kinds.items()})


def columns(batch, options):
    texts = [dress(line) for talk in batch.records for line in talk.lines]
    lengths = [len(talk.lines) for talk in batch.records]
    turns = FlatTurns(batch.ids, lengths, [""] * len(texts), texts, "b")
    return {**turns.keys(), "text": turns.text_array}


VIEW = View("turns", "turns", "talks", features, columns, ("conversation_id", "turn_index"), None)
CORPUS = Corpus(
    name="small_talk", title="t", summary="s", version="1.0.0", splits=("train",), views=(VIEW,),
    default="turns", sources={"talks": RawSource("talks", RecordType("talk", Talk), ("{split}",))},
    upstream="u", license="mit", license_note="n", languages=("en",), homepage="", citation="",
    sample=dict, how_to_get="h", fields={"conversation_id": "c", "turn_index": "i", "text": "t"},
)
"""

LOAD = """
import json, sys
import dialogue_builders, small_talk
from dialogue_builders import load_dataset
rows = load_dataset("small_talk", data_dir="raw", cache_dir="cache", split="train")
homes = [dialogue_builders.__file__, small_talk.__path__[0]]
print(json.dumps({"homes": homes, "rows": [list(row.values()) for row in rows]}))
"""

ROWS = [["talk-a", 0, "hello"], ["talk-a", 1, "you"], ["talk-b", 0, "rain"]]


class Entry(NamedTuple):
    """One Arrow file of a cache; a file that was written anew differs in time or inode."""

    path: str
    inode: int
    modified_ns: int


def entries(cache: Path) -> set[Entry]:
    files = [(path, path.stat()) for path in cache.rglob("*.arrow")]
    return {Entry(str(p.relative_to(cache)), s.st_ino, s.st_mtime_ns) for p, s in files}


def load(place: Path) -> list[Any]:
    """Load the plug-in with the code of a place, in a fresh interpreter."""
    environment = {**os.environ, "PYTHONPATH": str(place / "code"), "PYTHONDONTWRITEBYTECODE": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=place, env=environment, capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    told = json.loads(answer.stdout)
    assert all(home.startswith(str(place / "code")) for home in told["homes"])
    rows: list[Any] = told["rows"]
    return rows


@pytest.fixture(scope="module")
def loaded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the engine, the plug-in, its raw file, and a cache that holds its rows."""
    place = tmp_path_factory.mktemp("cache_key")
    code = place / "code"
    shutil.copytree(
        ROOT / "dialogue_builders",
        code / "dialogue_builders",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    sources = {
        "small_talk/__init__.py": "",
        "small_talk/corpus.py": CORPUS_MODULE,
        "small_talk/words/__init__.py": "",
        "small_talk/words/dress.py": "def dress(text):\n    return text\n",
        "small_talk-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: small-talk\nVersion: 1.0\n",
        "small_talk-1.0.dist-info/entry_points.txt": (
            "[dialogue_builders.corpora]\nsmall_talk = small_talk.corpus:CORPUS\n"
        ),
        "../raw/train.json": json.dumps(
            {"talk-a": {"lines": ["hello", "you"]}, "talk-b": {"lines": ["rain"]}}
        ),
    }
    for name, text in sources.items():
        (code / name).parent.mkdir(parents=True, exist_ok=True)
        (code / name).write_text(text)
    assert load(place) == ROWS
    assert len(entries(place / "cache")) == 1
    return place


@pytest.fixture
def place(loaded_once: Path, tmp_path: Path) -> Path:
    """That place once more, to be changed; times are copied too."""
    return Path(shutil.copytree(loaded_once, tmp_path / "place"))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


# what is changed → the file, the old and the new text, the rows that follow from it
REACHING = {
    "a dataset's subfolder": (
        "small_talk/words/dress.py",
        "return text",
        "return text.upper()",
        [["talk-a", 0, "HELLO"], ["talk-a", 1, "YOU"], ["talk-b", 0, "RAIN"]],
    ),
    "a raw format": (
        "dialogue_builders/raw/formats/object_by_id.py",
        "(key.text, record)",
        "(key.text.upper(), record)",
        [["TALK-A", 0, "hello"], ["TALK-A", 1, "you"], ["TALK-B", 0, "rain"]],
    ),
    "the shared turns": (
        "dialogue_builders/dialogue/turns.py",
        "pa.array(self.texts, pa.string())",
        "pa.array([text[::-1] for text in self.texts], pa.string())",
        [["talk-a", 0, "olleh"], ["talk-a", 1, "uoy"], ["talk-b", 0, "niar"]],
    ),
    "a declaration": (
        "dialogue_builders/spec/view.py",
        "    columns = view.columns(batch, options)\n",
        (
            "    columns = dict(view.columns(batch, options))\n"
            '    columns["text"] = ["-"] * len(columns["text"])\n'
        ),
        [["talk-a", 0, "-"], ["talk-a", 1, "-"], ["talk-b", 0, "-"]],
    ),
    "the builder": (
        "dialogue_builders/loading/builder.py",
        "yield Key(place, number), pa.Table.from_batches([batch])",
        "yield Key(place, number), pa.Table.from_batches([batch]).slice(1)",
        # Each of the two talks is a batch of its own here, and loses its first turn.
        [["talk-a", 1, "you"]],
    ),
}


@pytest.mark.parametrize("change", REACHING)
def test_code_that_reaches_rows_makes_new_ones(change: str, place: Path) -> None:
    """A stale cache would show the old rows: that is the fault which no user could see."""
    name, old, new, expected = REACHING[change]
    before = entries(place / "cache")
    edit(place / "code" / name, old, new)
    assert load(place) == expected
    # The old rows stay for whoever goes back to the old code.
    after = entries(place / "cache")
    assert before < after
    assert len(after) == 2


def test_code_that_can_not_reach_rows_keeps_the_cache(place: Path) -> None:
    """Work on cards, the terminal or pushing must not cost every user a new generation."""
    before = entries(place / "cache")
    engine = place / "code" / "dialogue_builders"
    rooms = ("card", "cli", "hub", "fetch", "folder", "workflows")
    changed = [file for room in rooms for file in (engine / room).rglob("*.py")]
    assert engine / "cli" / "terminal.py" in changed
    for file in changed:
        file.write_text(file.read_text() + "\n# Another word.\nANOTHER = 1\n")
    # A package that was run, or whose card was written, is still the same code.
    package = place / "code" / "small_talk"
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "corpus.cpython-300.pyc").write_bytes(b"x")
    (package / "dataset_cards").mkdir()
    (package / "dataset_cards" / "small_talk.md").write_text("# Small talk\n")
    assert load(place) == ROWS
    assert entries(place / "cache") == before


def test_a_dataset_without_an_init_module_is_looked_at_too(place: Path) -> None:
    """Python imports such a folder all the same, so its code counts all the same."""
    (place / "code" / "small_talk" / "__init__.py").unlink()
    (place / "code" / "small_talk" / "words" / "__init__.py").unlink()
    assert load(place) == ROWS
    dress = place / "code" / "small_talk" / "words" / "dress.py"
    edit(dress, "return text", "return text.title()")
    assert load(place) == [["talk-a", 0, "Hello"], ["talk-a", 1, "You"], ["talk-b", 0, "Rain"]]


def test_another_version_of_a_plug_in_is_another_key(place: Path) -> None:
    """Its code may lie where no look at files finds it, such as in a compiled module."""
    before = entries(place / "cache")
    edit(place / "code" / "small_talk-1.0.dist-info" / "METADATA", "Version: 1.0", "Version: 1.1")
    assert load(place) == ROWS
    assert len(entries(place / "cache") - before) == 1


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    toy_dialogues.install(monkeypatch)
    return toy_dialogues.write_raw(tmp_path / "raw")


def texts_of(toy: Path, **options: Any) -> list[str]:
    rows = load_dataset(
        "toy_dialogues", data_dir=str(toy), cache_dir=str(toy.parent / "cache"), **options
    )
    found: list[str] = rows["train"]["text"][:]
    return found


def test_an_untouched_raw_folder_is_kept_and_its_content_counts(toy: Path) -> None:
    plain = ["hello / " + "x" * n for n in (6, 7, 8)]
    cache = toy.parent / "cache"
    assert texts_of(toy) == plain
    first = entries(cache)
    assert len(first) == 2  # one file for each of the two splits
    assert texts_of(toy) == plain
    assert entries(cache) == first
    # New times, as after a copy or a checkout, are no new content; nor is a file beside the corpus.
    for file in toy.rglob("*.json"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    (toy / "notes.txt").write_text("mine")
    assert texts_of(toy) == plain
    assert entries(cache) == first
    file = toy / "talks" / "train.json"
    file.write_text(file.read_text().replace("hello", "HELLO"))
    assert texts_of(toy) == [text.replace("hello", "HELLO") for text in plain]
    assert first < entries(cache)


def test_options_are_part_of_the_key(toy: Path) -> None:
    cache = toy.parent / "cache"
    assert texts_of(toy)[0] == "hello / xxxxxx"
    plain = entries(cache)
    assert texts_of(toy, loud=True)[0] == "HELLO / XXXXXX"
    loud = entries(cache)
    assert plain < loud
    # Each value's rows are kept, and found again; the default may be spelt out.
    assert texts_of(toy, loud=True)[0] == "HELLO / XXXXXX"
    assert texts_of(toy)[0] == "hello / xxxxxx"
    assert entries(cache) == loud
