"""A card's text, taken apart: front matter, computed blocks, prose, and what was there before ours.

A rendered card ends with a digest of its own prose. As long as that digest fits, nobody has edited
the prose, and a newer version of it may take its place; where it does not fit, the prose belongs to
the person who wrote it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

BLOCK = re.compile(
    r"(?P<start><!-- computed: (?P<name>\w+) -->\n)"
    r"(?P<content>.*?)"
    r"(?P<end><!-- end: (?P=name) -->)",
    re.DOTALL,
)
FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
SIGNATURE = re.compile(r"\n?<!-- prose: (?P<digest>[0-9a-f]{16}) -->\n")
# Below this line stands what a repository's page said before ours came; no push touches it.
KEPT = "<!-- kept: what this page said before -->\n"


@dataclass(frozen=True)
class CardText:
    """A card in its parts.

    Attributes:
        yaml: the front matter without its dashes; empty where there is none.
        body: from the end of the front matter to the kept text, blocks and signature included.
        kept: the kept text with the line that opens it; empty where there is none.
    """

    yaml: str
    body: str
    kept: str

    def to_text(self) -> str:
        """Put the card together again."""
        head = f"---\n{self.yaml}---\n" if self.yaml else ""
        return head + self.body + self.kept


def parse_card(card: str) -> CardText:
    """Split a card into its parts; line ends become plain ones."""
    text = card.removeprefix("\ufeff").replace("\r\n", "\n")
    match = FRONT_MATTER.match(text)
    yaml = match["yaml"] if match else ""
    rest = text[match.end() :] if match else text
    body, opening, kept = rest.partition(KEPT)
    return CardText(yaml, body, opening + kept)


def computed_blocks(body: str) -> dict[str, str]:
    """Return the computed blocks of a card: name → content."""
    return {match["name"]: match["content"] for match in BLOCK.finditer(body)}


def prose_digest(body: str) -> str:
    """Return the digest of a card's prose: 16 hexadecimal digits that no block's content changes.

    White space at the ends of lines does not count: editors and web forms change it unasked.
    """
    prose = SIGNATURE.sub("\n", BLOCK.sub(r"\g<start>\g<end>", body))
    lines = "\n".join(line.rstrip() for line in prose.strip().split("\n"))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def add_prose_digest(card: str) -> str:
    """Return the card with the digest of its prose at its end."""
    digest = prose_digest(parse_card(card).body)
    return f"{card.rstrip()}\n\n<!-- prose: {digest} -->\n"


def is_edited(body: str) -> bool:
    """Whether somebody has changed a card's prose since it was rendered."""
    match = SIGNATURE.search(body)
    return match is None or match["digest"] != prose_digest(body)
