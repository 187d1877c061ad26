"""`view`: what a page holds, what it allows, and that it is whole or absent; browsers come later."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pages import HOSTILE, content, write_hostile_page

from dialogue_builders import FolderError, OptionError, UnknownNameError, build, view
from dialogue_builders.cli.main import main
from dialogue_builders.page import write

SOUP = "t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13"
# Conversations of the invented sample, counted by hand.
CONVERSATIONS = {"train": 8, "valid_freq": 3, "valid_rare": 3, "test_freq": 3, "test_rare": 3}


@pytest.fixture(scope="module")
def diamante(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("diamante", tmp_path_factory.mktemp("built") / "diamante", sample=True).folder


@pytest.fixture
def page(sample_folder: Path, tmp_path: Path) -> Path:
    return view(sample_folder, tmp_path / "page.html").page


def test_all_splits_of_the_default_config_are_on_the_page(page: Path) -> None:
    splits = [dialogue[1] for dialogue in content(page)["dialogues"]]
    assert {split: splits.count(split) for split in splits} == CONVERSATIONS


def test_a_section_that_many_read_is_kept_once(page: Path) -> None:
    found = content(page)
    sections = [json.dumps(section) for section in found["sections"]]
    assert len(sections) == len(set(sections))
    assert len(found["strings"]) == len(set(found["strings"]))
    assert "Soup is a dish that is mostly water and partly patience." in found["strings"]


def test_the_page_forbids_everything_but_its_own_script_and_style(page: Path) -> None:
    text = page.read_text("utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for rule, tag in (("script-src", "<script>"), ("style-src", "<style>")):
        (code,) = re.findall(f"{tag}(.*?)</", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    assert re.findall(r'(?:src|href|action)="', text) == []
    assert "innerHTML" not in text
    assert "http://" not in text
    assert "https://" not in text


def test_hostile_text_is_nowhere_in_the_document(tmp_path: Path) -> None:
    page = write_hostile_page(tmp_path / "hostile.html")
    text = page.read_text("utf-8")
    assert "hacked = 1</script>" not in text
    assert text.count("</script>") == 2
    assert "\0" not in text
    (dialogue,) = content(page)["dialogues"]
    assert [turn[1] for turn in dialogue[4]] == list(HOSTILE)


def test_the_same_dialogues_give_the_same_bytes(page: Path, sample_folder: Path) -> None:
    again = view(sample_folder, page.with_name("again.html")).page
    assert page.read_bytes() == again.read_bytes()


def test_chosen_conversations_and_a_count(sample_folder: Path, tmp_path: Path) -> None:
    one = view(sample_folder, tmp_path / "one.html", split="test_freq", conversations=[SOUP])
    assert [dialogue[0] for dialogue in content(one.page)["dialogues"]] == [SOUP]
    assert one.conversations == 1
    assert view(sample_folder, tmp_path / "two.html", split="train", count=2).conversations == 2


def test_a_conversation_that_is_not_there_leaves_no_page(
    sample_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="no conversation 't_none'"):
        view(sample_folder, tmp_path / "page.html", conversations=[SOUP, "t_none"])
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_split_is_an_error(sample_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="test_freq"):
        view(sample_folder, tmp_path / "page.html", split="test_frq")
    with pytest.raises(UnknownNameError, match="utterances"):
        view(sample_folder, tmp_path / "page.html", config="utterence")


def test_what_view_did_not_write_is_not_touched(sample_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    with pytest.raises(FolderError, match="not written by `view`"):
        view(sample_folder, page)
    assert page.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_page_of_ours_is_replaced(page: Path, sample_folder: Path) -> None:
    view(sample_folder, page, split="train", count=1)
    assert len(content(page)["dialogues"]) == 1
    assert [path.name for path in page.parent.iterdir()] == ["page.html"]


def test_many_conversations_are_on_pages_with_an_index(
    sample_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "MOST_CONVERSATIONS", 3)
    report = view(sample_folder, tmp_path / "train.html", split="train")
    assert (report.conversations, report.pages) == (8, 3)
    index = content(report.page)
    assert index["isIndex"]
    assert [dialogue[6] for dialogue in index["dialogues"]] == [
        f"train_pages/000{number}.html" for number in (1, 1, 1, 2, 2, 2, 3, 3)
    ]
    # What is read on a page is not in the index; what it is filtered by is.
    assert index["readings"] == []
    assert all(dialogue[8] for dialogue in index["dialogues"])
    for name in ("0001", "0002", "0003"):
        part = content(tmp_path / "train_pages" / f"{name}.html")
        assert not part["isIndex"]
        assert part["readings"]
    # A smaller one in its place leaves no pages behind.
    view(sample_folder, tmp_path / "train.html", split="train", count=2)
    assert [path.name for path in tmp_path.iterdir()] == ["train.html"]


def test_what_may_not_be_published_needs_the_terms_and_is_marked(
    diamante: Path, tmp_path: Path
) -> None:
    arguments = ["view", str(diamante), "--out", str(tmp_path / "page.html")]
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code == 1
    assert "--accept-terms" in refused.stderr
    assert list(tmp_path.iterdir()) == []
    accepted = CliRunner().invoke(main, [*arguments, "--accept-terms"])
    assert accepted.exit_code == 0
    (reason,) = content(tmp_path / "page.html")["restrictions"]
    assert "LUGE" in reason
    assert content(tmp_path / "page.html")["language"] == "zh"


def test_what_a_folder_beside_may_not_publish_counts_too(
    diamante: Path, sample_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(FolderError, match="LUGE"):
        view(sample_folder, tmp_path / "page.html", beside=[diamante])


def test_a_program_gets_a_report(sample_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    arguments = ["view", str(sample_folder), "conversations", "train", "--out", str(page), "--json"]
    report: dict[str, Any] = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert report == {
        "page": str(page),
        "conversations": 8,
        "pages": 1,
        "size": page.stat().st_size,
        "restrictions": [],
    }


def test_a_plug_ins_dataset_is_viewed_without_a_line_of_html(tmp_path: Path) -> None:
    """In a process that finds it by its entry point, as an installed package would be."""
    plug_in = Path(__file__).resolve().parent / "plug_in"
    metadata = tmp_path / "site" / "pen_pals-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pen-pals\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[dialogue_builders.corpora]\npen_pals = pen_pals.corpus:CORPUS\n"
    )
    out = tmp_path / "page.html"
    code = (
        f"import sys; sys.path[:0] = [{str(metadata.parent)!r}, {str(plug_in)!r}]\n"
        "from dialogue_builders import build, view\n"
        f"folder = build('pen_pals', {str(tmp_path / 'built')!r}, sample=True).folder\n"
        f"view(folder, {str(out)!r})"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    found = content(out)
    harbour = found["dialogues"][0]
    assert harbour[0] == "harbour"
    assert [turn[1] for turn in harbour[4]] == [
        "Is the ferry back?",
        "Since Monday.",
        "Then I'll come.",
    ]
    assert ["town", "Aran"] in found["labels"]
