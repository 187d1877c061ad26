"""Diamante, declared: its splits, configs, source, licence and published figures."""

from __future__ import annotations

from collections.abc import Mapping

from dialogue_builders.corpus import Corpus
from dialogue_builders.views import Alias
from diamante.chinese import CHINESE
from diamante.conversations import CONVERSATIONS, MESSAGES, UTTERANCES, conversation_content
from diamante.distributions import DISTRIBUTIONS
from diamante.fields import FIELDS
from diamante.labels import SPLITS
from diamante.preference import PREFERENCE, RANKING
from diamante.responses import RESPONSES
from diamante.sources import HOW_TO_GET, LICENCE_NOTE, PLATFORM, SOURCES, TERMS
from diamante.statistics import COUNTERS, PUBLISHED_ROWS, STATISTICS

ALIASES = tuple(
    Alias(split, f"the conversations of {split} alone", "conversations", {split: split})
    for split in SPLITS
)

CITATION = """\
@inproceedings{lu2023towards,
  author    = {Lu, Hua and Bao, Siqi and He, Huang and Wang, Fan and
               Wu, Hua and Wang, Haifeng},
  title     = {Towards Boosting the Open-Domain Chatbot with Human
               Feedback},
  booktitle = {Proceedings of the 61st Annual Meeting of the Association
               for Computational Linguistics (Volume 1: Long Papers)},
  pages     = {4060--4078},
  year      = {2023},
  doi       = {10.18653/v1/2023.acl-long.224},
}"""


def sample() -> Mapping[str, bytes]:
    """Return the invented sample; imported late, because only `--sample` and tests need it."""
    from diamante.sample import files

    return files()


CORPUS = Corpus(
    name="diamante",
    title="Diamante",
    summary="Chinese chit-chat of two people, who chose, revised or rewrote a model's replies",
    version="1.0.0",
    splits=SPLITS,
    views=(CONVERSATIONS, UTTERANCES, RESPONSES, PREFERENCE, RANKING, MESSAGES),
    aliases=ALIASES,
    default="conversations",
    sources=SOURCES,
    pins={},
    upstream=f"the LUGE platform, data set 52 ({PLATFORM})",
    licence="other",
    licence_note=LICENCE_NOTE,
    licence_link=PLATFORM,
    terms=TERMS,
    languages=("zh",),
    task_categories=("text-generation",),
    tags=("dialogue", "open-domain", "chit-chat", "human-feedback", "preference", "conversational"),
    homepage=PLATFORM,
    paper="https://doi.org/10.18653/v1/2023.acl-long.224",
    citation=CITATION,
    sample=sample,
    counters=COUNTERS,
    statistics=STATISTICS,
    published_rows=PUBLISHED_ROWS,
    how_to_get=HOW_TO_GET,
    fields={path: english for path, (english, _) in FIELDS.items()},
    distributions=DISTRIBUTIONS,
    translations={"zh": CHINESE},
    content=conversation_content,
    extra={"license_name": "luge-agreement"},
)
