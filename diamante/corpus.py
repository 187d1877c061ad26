"""Diamante, declared: its splits, configs, source, license and published figures."""

from __future__ import annotations

from collections.abc import Mapping

from dialogue_builders.spec import Corpus, split_aliases
from diamante.constants import SPLITS
from diamante.conversations import CONVERSATIONS, MESSAGES, UTTERANCES, conversation_digests
from diamante.fields import FIELDS
from diamante.preference import PREFERENCE, RANKING
from diamante.responses import RESPONSES
from diamante.sources import HOW_TO_GET, LICENSE_NOTE, PLATFORM, SOURCES, TERMS
from diamante.statistics import COUNTERS, HISTOGRAMS, PUBLISHED_ROWS, STATISTICS
from diamante.translations_zh import CHINESE

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
    aliases=split_aliases("conversations", SPLITS),
    default="conversations",
    sources=SOURCES,
    upstream_is_public=False,
    upstream=f"the LUGE platform, data set 52 ({PLATFORM})",
    license="other",
    license_name="luge-agreement",
    license_note=LICENSE_NOTE,
    license_link=PLATFORM,
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
    histograms=HISTOGRAMS,
    shards={"train": 16},
    translations={"zh": CHINESE},
    conversation_digest=conversation_digests,
)
