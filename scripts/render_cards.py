"""Write the documents that are computed from the code; with --check, fail where one is stale."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from dialogue_builders import build
from dialogue_builders.cli.main import main as command_line
from dialogue_builders.cli.reference import (
    card_sources,
    command_line_reference,
    configs_reference,
    replace_blocks,
)
from dialogue_builders.spec.registry import corpus_names, find_corpus

ROOT = Path(__file__).resolve().parent.parent


def documents() -> dict[Path, str]:
    """Return every computed document: its place → its text as it ought to be."""
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in corpus_names():
            built = build(name, Path(folder) / name, sample=True).built
            for file, text in card_sources(built).items():
                texts[ROOT / "dataset_cards" / file] = text
    texts[ROOT / "docs" / "command_line.md"] = command_line_reference(command_line)
    readme = ROOT / "README.md"
    configs = configs_reference(map(find_corpus, corpus_names()))
    texts[readme] = replace_blocks(readme.read_text("utf-8"), {"configs": configs})
    return texts


def run() -> int:
    """Write or check all documents; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell which files are stale")
    check = parser.parse_args().check
    stale = [
        (path, text)
        for path, text in documents().items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]
    for path, text in stale:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.write_text(text, "utf-8")
    if check and stale:
        print("Next: python scripts/render_cards.py", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(run())
