"""Find where in Topical-Chat the judged responses belong, and write the table of ids.

It needs the real files: both releases' `conversations/`, `src/wiki/wiki.json`, and the files of the
judgements. The table holds digests and ids, no text.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from topical_chat.judgements.joins import Place, letters_and_digits, text_digest
from topical_chat.judgements.sample import files as sample_files
from topical_chat.sample.conversations import CONVERSATIONS as SAMPLE

TABLE = Path(__file__).parent.parent / "topical_chat" / "judgements" / "join_table.py"
EVALUATION = ("valid_freq", "valid_rare", "test_freq", "test_rare")
# So many letters and digits tell a Wikipedia text; BEGIN's copies lost some of the later ones.
WIKI_HEAD = 40

Messages = Mapping[str, list[str]]
"""Conversation → its messages."""

HEADER = '''"""Where each judged response belongs; written by scripts/join_judgements.py.

Digests (see `joins.text_digest`) and ids, worked out from the real files and from the sample.
"""

from __future__ import annotations

from topical_chat.judgements.joins import Place

'''


def read_release(folder: Path) -> dict[str, Messages]:
    """Return split → conversation → messages, for the evaluation splits that are there."""
    splits: dict[str, Messages] = {}
    for split in EVALUATION:
        path = folder / "conversations" / f"{split}.json"
        if path.is_file():
            records = json.loads(path.read_text("utf-8"))
            splits[split] = {i: [t["message"] for t in r["content"]] for i, r in records.items()}
    return splits


def join_usr(contexts: Iterable[Any], test: Messages, newer: Mapping[str, str]) -> dict[str, Place]:
    """Return digest → place of the contexts that are at one place with their ground truth.

    Args:
        contexts: USR's records.
        test: TCS-1.0's `test_freq`.
        newer: conversation → its evaluation split in TCS-1.1.
    """
    plain = {i: [letters_and_digits(m) for m in messages] for i, messages in test.items()}
    places = {}
    for record in contexts:
        context, truth = record["context"], record["responses"][0]["response"]
        wanted = (letters_and_digits(context), letters_and_digits(truth))
        found = [
            Place(conversation, turn, newer.get(conversation))
            for conversation, messages in plain.items()
            for turn in range(1, len(messages))
            if messages[turn] == wanted[1] and "".join(messages[:turn]).endswith(wanted[0])
        ]
        if len(found) == 1:
            places[text_digest(context, truth)] = found[0]
    return places


def join_begin(rows: Iterable[Mapping[str, str]], test: Messages) -> dict[str, Place]:
    """Return digest → place of the messages that are at one place: the turn after it is judged."""
    found = defaultdict(list)
    for conversation, messages in test.items():
        for turn, message in enumerate(messages, start=1):
            found[text_digest(message)].append(Place(conversation, turn, "test_freq"))
    digests = {text_digest(row["message"]) for row in rows}
    return {d: found[d][0] for d in sorted(digests) if len(found[d]) == 1}


def knowledge_kinds(rows: Iterable[Mapping[str, str]], wiki: Any) -> dict[str, str]:
    """Return digest → whether a row's knowledge is from Wikipedia or from an article.

    BEGIN's knowledge is a Wikipedia text with facts behind it, or else a section of an article.
    """
    heads = {_ascii(text)[:WIKI_HEAD] for texts in wiki.values() for text in texts}
    return {
        text_digest(row["knowledge"]): (
            "wiki" if any(head in _ascii(row["knowledge"]) for head in heads) else "article"
        )
        for row in rows
    }


def _ascii(text: str) -> str:
    return "".join(c for c in letters_and_digits(text) if c.isascii())


def read_table(text: str) -> list[dict[str, str]]:
    """Return the rows of one of BEGIN's tables; nothing is quoted in them."""
    header, *lines = (line.split("\t") for line in text.replace("\r\n", "\n").split("\n") if line)
    return [dict(zip(header, line, strict=True)) for line in lines]


def real_tables(data: Path) -> tuple[dict[str, Place], dict[str, Place], dict[str, str]]:
    """Return the three tables of the real files below a folder."""
    old = read_release(data / "Topical-Chat-TCS-1.0")
    new = read_release(data / "Topical-Chat")
    newer = {conversation: split for split, texts in new.items() for conversation in texts}
    judgements = data / "judgements"
    usr = json.loads((judgements / "usr_topical_chat.json").read_text("utf-8"))
    begin = read_table((judgements / "begin_dev_tc.tsv").read_bytes().decode("utf-8"))
    wiki = json.loads((data / "Topical-Chat" / "src" / "wiki" / "wiki.json").read_text("utf-8"))
    return (
        join_usr(usr, old["test_freq"], newer),
        join_begin(begin, new["test_freq"]),
        knowledge_kinds(begin, wiki),
    )


def sample_tables() -> tuple[dict[str, Place], dict[str, Place]]:
    """Return the tables of the invented sample, as if its contexts had been TCS-1.0's."""
    texts = sample_files()
    messages = {
        split: {c.id: [turn[4] for turn in c.turns] for c in conversations}
        for split, conversations in SAMPLE.items()
    }
    newer = {i: split for split in EVALUATION for i in messages[split]}
    usr = json.loads(texts["data/usr_topical_chat.json"])
    rows = [
        row
        for name, content in texts.items()
        if name.endswith(".tsv")
        for row in read_table(content.decode("utf-8"))
    ]
    everything = {**messages["train"], **messages["test_freq"]}
    return join_usr(usr, everything, newer), join_begin(rows, messages["test_freq"])


def write(usr: Mapping[str, Place], begin: Mapping[str, Place], kinds: Mapping[str, str]) -> str:
    """Return the table's Python text."""
    parts = [HEADER]
    for name, places in (("USR_PLACES", usr), ("BEGIN_PLACES", begin)):
        parts.append(f"{name}: dict[str, Place] = {{\n")
        for digest, (conversation, turn, split) in places.items():
            shown = "None" if split is None else f'"{split}"'
            parts.append(f'    "{digest}": Place("{conversation}", {turn}, {shown}),\n')
        parts.append("}\n\n")
    parts.append("KNOWLEDGE_KINDS: dict[str, str] = {\n")
    parts += [f'    "{digest}": "{kind}",\n' for digest, kind in sorted(kinds.items())]
    return "".join([*parts, "}\n"])


def run() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder that holds the real files")
    usr, begin, kinds = real_tables(parser.parse_args().data)
    sample_usr, sample_begin = sample_tables()
    TABLE.write_text(write({**usr, **sample_usr}, {**begin, **sample_begin}, kinds), "utf-8")


if __name__ == "__main__":
    run()
