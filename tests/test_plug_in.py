"""A dataset in somebody else's package has all that ours have, and a broken one harms no other.

`tests/plug_in` is such a package. It is installed as a wheel, beside a wheel of ours, into an
environment of its own that borrows nothing but the libraries.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_server import HubServer
from push_harness import files_of, pushed_files

from dialogue_builders.folder.provenance import parse_provenance

pytest_plugins = ("push_fixtures",)

TESTS = Path(__file__).parent
PLUG_IN = TESTS / "plug_in"
MOST_LINES = 250

# Nothing may come from a package index, nor from settings of the machine.
PIP = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check")
OFFLINE = ("--quiet", "--no-index", "--no-deps")
QUIET_PIP = {"PIP_CONFIG_FILE": os.devnull}

OURS = ["diamante", "topical_chat", "topical_chat_judgements"]


def call(
    *command: str | Path, cwd: Path, code: int = 0, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command without the settings of the test run around it."""
    foreign = ("PYTHON", "PYTEST", "PIP_")
    own = {name: text for name, text in os.environ.items() if not name.startswith(foreign)}
    answer = subprocess.run(
        list(map(str, command)), cwd=cwd, env=own | variables, capture_output=True, text=True
    )
    assert answer.returncode == code, answer.stdout + answer.stderr
    return answer


class Environment:
    """A virtual environment with packages that are really installed, and a folder to work in."""

    def __init__(self, place: Path, *wheels: Path) -> None:
        self.work = place / "work"
        self.work.mkdir()
        self.home = place / "home"
        self.bin = place / "venv" / "bin"
        call(sys.executable, "-m", "venv", "--without-pip", place / "venv", cwd=place)
        self.install(*wheels)
        # The libraries are borrowed. What is installed here comes first on the path, so neither our
        # checkout nor its metadata can stand in for the wheel.
        (site_packages,) = (place / "venv" / "lib").glob("python*/site-packages")
        borrowed = sysconfig.get_path("purelib")
        (site_packages / "borrowed.pth").write_text(f"import site; site.addsitedir({borrowed!r})\n")

    def install(self, *wheels: Path) -> None:
        pip = (*PIP, "--python", self.bin / "python")
        call(*pip, "install", "--no-compile", *OFFLINE, *wheels, cwd=self.work, **QUIET_PIP)

    def run(
        self, *command: str | Path, code: int = 0, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment, by default without any Hub."""
        settings = {"HF_HOME": str(self.home), "HF_HUB_OFFLINE": "1", **variables}
        return call(self.bin / command[0], *command[1:], cwd=self.work, code=code, **settings)

    def python(self, script: str, **variables: str) -> Any:
        """Run a script; return the JSON that it prints."""
        return json.loads(self.run("python", "-c", script, **variables).stdout)


Wheel = Callable[..., Path]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    """Make the wheel of a project's folder, under another version if one is given."""

    def make(project: Path, version: str | None = None) -> Path:
        place = tmp_path_factory.mktemp("wheel")
        if version:
            project = Path(shutil.copytree(project, place / "project"))
            declaration = project / "pyproject.toml"
            text = re.sub(
                r'(?m)^version = ".*"$', f'version = "{version}"', declaration.read_text()
            )
            declaration.write_text(text)
        command = (*PIP, "wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", place)
        call(*command, project, cwd=place, **QUIET_PIP)
        (made,) = place.glob("*.whl")
        return made

    return make


@pytest.fixture(scope="module")
def engine(wheel: Wheel) -> Path:
    return wheel(TESTS.parent)


@pytest.fixture(scope="module")
def environment(
    engine: Path, wheel: Wheel, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment"), engine, wheel(PLUG_IN))


@pytest.fixture(scope="module")
def built(environment: Environment) -> Path:
    """The plug-in's sample, built on its command line."""
    environment.run("dialogue-builders", "build", "pen_pals", "--sample", "--out", "built")
    return environment.work / "built"


# --- what it is made of ----------------------------------------------------------------------------


def test_it_is_short() -> None:
    """With its metadata, card and tests; caches aside."""
    files = [p for kind in ("py", "md", "toml") for p in PLUG_IN.rglob(f"*.{kind}")]
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) <= MOST_LINES


def test_it_knows_only_what_is_public() -> None:
    text = "\n".join(file.read_text("utf-8") for file in (PLUG_IN / "pen_pals").rglob("*.py"))
    imported = set(re.findall(r"^(?:from|import) (dialogue_builders\S*)", text, re.MULTILINE))
    assert imported == {
        "dialogue_builders.spec",
        "dialogue_builders.dialogue.compare",
        "dialogue_builders.dialogue.turns",
        "dialogue_builders.cli.main",
    }


# --- installed -------------------------------------------------------------------------------------


def test_both_are_really_installed(environment: Environment) -> None:
    places = environment.python(
        "import json, pen_pals, dialogue_builders as ours\n"
        "print(json.dumps([pen_pals.__file__, ours.__file__]))"
    )
    assert all(Path(place).is_relative_to(environment.bin.parent) for place in places), places


def test_the_command_line_knows_it(environment: Environment) -> None:
    answer = environment.run("dialogue-builders", "list", "--json")
    splits = {"train": None, "test": None}
    listed = json.loads(answer.stdout)
    assert list(listed) == [*OURS, "pen_pals"]  # ours come first
    assert listed["pen_pals"] == {"conversations": splits, "utterances": splits}
    assert answer.stderr == ""
    completed = environment.run(
        "dialogue-builders",
        _DIALOGUE_BUILDERS_COMPLETE="bash_complete",
        COMP_WORDS="dialogue-builders info pen",
        COMP_CWORD="2",
    )
    assert completed.stdout.strip() == "plain,pen_pals"


def test_what_it_lacks_leaves_no_empty_headings(environment: Environment, built: Path) -> None:
    """It has no aliases, citation, pins nor counters; ours have them all."""
    run = environment.run
    assert "alias" not in run("python", "-m", "pen_pals", "list").stdout
    assert "citation" not in run("dialogue-builders", "info", "pen_pals").stdout
    answer = run("dialogue-builders", "verify", "pen_pals", "--data-dir", ".", code=1)
    assert "pen_pals has no pinned files to compare with\nNext: " in answer.stderr
    answer = run("dialogue-builders", "stats", built, code=1)
    assert "pen_pals declares nothing to count, so it has no statistics\nNext: " in answer.stderr


def test_it_is_built_and_checked(environment: Environment, built: Path) -> None:
    checked = environment.run("dialogue-builders", "check", built, "--json")
    assert json.loads(checked.stdout)["problems"] == []
    card = (built / "README.md").read_text("utf-8")
    provenance = parse_provenance(card)
    assert provenance is not None
    assert provenance.plug_in == "pen-pals 0.1.0"
    assert "Invented letters between a host and a guest." in card


def test_it_has_a_command_line_of_its_own(environment: Environment, built: Path) -> None:
    run = environment.run
    assert "pen_pals: invented letters" in run("python", "-m", "pen_pals", "list").stdout
    run("python", "-m", "pen_pals", "build", "--sample", "--out", "again")
    assert files_of(environment.work / "again") == files_of(built)


LOADED_THREE_WAYS = """
import json, datasets, dialogue_builders
dialogue_builders.write_sample("pen_pals", "raw")
given = {"data_dir": "raw", "split": "train"}
rows = list(dialogue_builders.load_dataset("pen_pals", "utterances", **given))
streamed = list(dialogue_builders.load_dataset("pen_pals", "utterances", streaming=True, **given))
dialogue_builders.register()
stock = list(datasets.load_dataset("pen_pals", "utterances", **given))
assert rows == streamed == stock, (rows, streamed, stock)
print(json.dumps(rows))
"""


def test_it_loads_by_name_and_streams_and_stock_datasets_know_it(environment: Environment) -> None:
    rows = environment.python(LOADED_THREE_WAYS)
    assert [(row["conversation_id"], row["turn_index"]) for row in rows] == [
        *(("harbour", turn) for turn in range(3)),
        *(("orchard", turn) for turn in range(2)),
    ]
    assert rows[1] == {
        "conversation_id": "harbour",
        "turn_index": 1,
        "writer": "guest",
        "text": "Since Monday.",
        "town": "Aran",
    }


def test_its_own_tests_pass(environment: Environment) -> None:
    shutil.copy(PLUG_IN / "test_pen_pals.py", environment.work)
    command = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_pen_pals.py")
    answer = environment.run(*command)
    assert " passed" in answer.stdout
    assert "skipped" not in answer.stdout


def test_it_is_pushed(environment: Environment, built: Path, hub: HubServer) -> None:
    settings = hub.environment(environment.home) | {"HF_HUB_OFFLINE": "0"}
    variables = {name: text for name, text in settings.items() if name.startswith("HF_")}
    answer = environment.run(
        "dialogue-builders", "push", built, "org/pen-pals", "--json", **variables
    )
    assert pushed_files(hub.repository("org/pen-pals")) == files_of(built)
    assert json.loads(answer.stdout)["proof"]["rows"]["utterances"] == {"train": 5, "test": 2}
    card = hub.repository("org/pen-pals").files("main")["README.md"].decode()
    assert '"plug_in": "pen-pals 0.1.0"' in card


CACHE_KEYS = """
import json
from dialogue_builders.raw.fingerprint import code_fingerprint, fingerprint
from dialogue_builders.spec.registry import find_corpus
corpus = find_corpus("pen_pals")
print(json.dumps([code_fingerprint(corpus), fingerprint(corpus, corpus.views[0], [])]))
"""


def test_another_version_is_another_cache_key(engine: Path, wheel: Wheel, tmp_path: Path) -> None:
    """Although its code is the same: a version may stand for another library that it uses."""
    environment = Environment(tmp_path, engine, wheel(PLUG_IN))
    code, key = environment.python(CACHE_KEYS)
    environment.install(wheel(PLUG_IN, "0.2.0"))
    new_code, new_key = environment.python(CACHE_KEYS)
    assert new_code == code.replace("pen-pals 0.1.0", "pen-pals 0.2.0") != code
    assert new_key != key


# --- broken ones -----------------------------------------------------------------------------------


def leave_package(folder: Path, name: str, entry: str, code: str | None = None) -> None:
    """Put a package into a folder of the path as an installer leaves it: `name` 1.0, one module."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[dialogue_builders.corpora]\n{entry}\n")
    if code is not None:
        (folder / f"{name}.py").write_text(code)


UNFIT_VIEW = """
from dialogue_builders.spec import View
View(name="v", summary="s", source="s", features=dict, columns=dict, key=(), turns=None)
"""
# What is broken → the entry point's value, the module's code, and what is said of it.
BROKEN = {
    "lost": ("nowhere:CORPUS", None, "No module named 'nowhere'"),
    "torn": ("torn:CORPUS", "CORPUS = (", "SyntaxError"),
    "bare": ("bare:CORPUS", "", "has no attribute 'CORPUS'"),
    "number": ("number:CORPUS", "CORPUS = 1", "which is no Corpus"),
    "misnamed": ("pen_pals.corpus:CORPUS", None, "which is the corpus 'pen_pals'"),
    "quitting": ("quitting:CORPUS", "raise SystemExit('goodbye')", "SystemExit: goodbye"),
    "malformed": ("no module!", None, "can't be imported from no module!"),
    "unfit": ("unfit:CORPUS", UNFIT_VIEW, "view v, field id_column"),
    "nameless": ("nowhere:CORPUS", None, "an unnamed package"),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment variable with which every broken plug-in is installed too."""
    folder = tmp_path_factory.mktemp("broken")
    for name, (value, code, _) in BROKEN.items():
        leave_package(folder, name, f"{name} = {value}", code)
    # As after half of an uninstallation.
    (folder / "nameless-1.0.dist-info" / "METADATA").unlink()
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize("options", [["--json"], []])
def test_a_broken_one_is_left_out_of_the_list(
    options: list[str], environment: Environment, broken: dict[str, str]
) -> None:
    answer = environment.run("dialogue-builders", "list", *options, **broken)
    sound = environment.run("dialogue-builders", "list", *options)
    assert answer.stdout == sound.stdout
    lines = answer.stderr.splitlines()
    assert len(lines) == len(BROKEN), answer.stderr
    for name, (_, _, reason) in BROKEN.items():
        (line,) = (line for line in lines if line.startswith(f"{name} is left out: "))
        assert reason in line
        assert "; next: " in line


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_that_is_asked_for_is_an_error(
    name: str, environment: Environment, broken: dict[str, str]
) -> None:
    answer = environment.run("dialogue-builders", "info", name, code=1, **broken)
    assert answer.stdout == ""
    assert answer.stderr.startswith("Error: ")
    assert "Traceback" not in answer.stderr
    assert BROKEN[name][2] in answer.stderr
    assert "\nNext: " in answer.stderr


OTHERS_WORK = """
import json, pickle, datasets, dialogue_builders
from dialogue_builders import errors

def refused(load, name):
    try:
        load(name)
    except errors.DeclarationError:
        return True

dialogue_builders.build("topical_chat", "others", sample=True, overwrite=True)
raw = str(dialogue_builders.write_sample("topical_chat", "topical_chat_raw"))
stream = dialogue_builders.load_dataset("topical_chat", data_dir=raw, split="train", streaming=True)
rows = [len(list(pickle.loads(pickle.dumps(stream))))]
dialogue_builders.register()
rows.append(datasets.load_dataset("topical_chat", data_dir=raw, split="train").num_rows)
ways = (dialogue_builders.load_dataset, datasets.load_dataset)
print(json.dumps([rows, [name for name in NAMES if not all(refused(way, name) for way in ways)]]))
"""


def test_a_broken_one_harms_no_other(environment: Environment, broken: dict[str, str]) -> None:
    """Build, load, unpickle and `register()`; and each way to load refuses the broken ones alike."""
    names = f"NAMES = {list(BROKEN)}\n"
    assert environment.python(names + OTHERS_WORK, **broken) == [[8, 8], []]


def test_two_packages_with_one_name(environment: Environment, tmp_path: Path) -> None:
    leave_package(tmp_path, "twin", "pen_pals = pen_pals.corpus:CORPUS")
    both = {"PYTHONPATH": str(tmp_path)}
    said = "the dataset pen_pals is declared by pen-pals 0.1.0 and twin 1.0"
    answer = environment.run("dialogue-builders", "list", "--json", **both)
    assert list(json.loads(answer.stdout)) == OURS
    (line,) = answer.stderr.splitlines()
    assert line.startswith(f"pen_pals is left out: {said}")
    answer = environment.run("python", "-m", "pen_pals", "info", code=1, **both)
    assert answer.stderr.startswith(f"Error: {said}")
    assert "\nNext: uninstall one of them" in answer.stderr
    assert environment.python("NAMES = ['pen_pals']\n" + OTHERS_WORK, **both) == [[8, 8], []]
