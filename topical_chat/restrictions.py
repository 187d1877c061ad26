"""What in the rows may not be published: texts of articles and of facts, wherever they came from.

Upstream's repository has only their ids; its build fetches the texts. Wikipedia's are free.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from dialogue_builders.spec import Restriction, any_text
from topical_chat.knowledge import AGENTS, ARTICLE_SECTIONS, FACTUAL_SECTIONS

REASON = "Washington Post articles and Reddit facts may not be redistributed"
FREE_KIND = "wiki"


def cites_restricted_text(rows: pa.RecordBatch) -> bool:
    """Whether a piece of knowledge of `responses` is the text of a fact or of an article."""
    pieces = rows["knowledge"].flatten()
    return _any_other_text(pieces.field("kind"), pieces.field("text"))


def points_to_restricted_text(rows: pa.RecordBatch) -> bool:
    """Whether a pointer of `enriched`, of a turn or a segment, was resolved to such a text."""
    places = [
        (rows["knowledge_pointer"], rows["knowledge_text"]),
        [rows["segments"].flatten().field(n) for n in ("knowledge_pointer", "knowledge_text")],
    ]
    return any(_any_other_text(pointer.field("data_source"), text) for pointer, text in places)


def _any_other_text(kinds: pa.Array, texts: pa.Array) -> bool:
    # What does not say that it is free counts as restricted.
    free = pc.fill_null(pc.equal(kinds, FREE_KIND), False)
    return bool(pc.any(pc.and_(texts.is_valid(), pc.invert(free))).as_py())


READING_SET_TEXTS = Restriction(
    REASON,
    (
        *(f"article.{name}" for name in ("headline", *ARTICLE_SECTIONS)),
        *(f"{agent}.{name}.fun_facts" for agent in AGENTS for name in FACTUAL_SECTIONS),
    ),
    any_text,
)
RESPONSE_TEXTS = Restriction(REASON, ("knowledge",), cites_restricted_text)
ENRICHED_TEXTS = Restriction(
    REASON, ("knowledge_pointer", "knowledge_text", "segments"), points_to_restricted_text
)
