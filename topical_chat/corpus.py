"""Topical-Chat, declared: its splits, configs, sources, license and published figures."""

from __future__ import annotations

from collections.abc import Mapping

from dialogue_builders.spec import Alias, Corpus, split_aliases
from topical_chat.asr import ASR_ACTUAL, ASR_SYNTHETIC
from topical_chat.constants import SPLITS
from topical_chat.conversations import CONVERSATIONS, UTTERANCES
from topical_chat.enriched import ENRICHED
from topical_chat.fields import FIELDS
from topical_chat.histograms import HISTOGRAMS
from topical_chat.messages import MESSAGES
from topical_chat.reading_sets import READING_SETS
from topical_chat.releases import TCS_1_0
from topical_chat.responses import RESPONSES
from topical_chat.sources import (
    COMMIT,
    DATA_VERSION,
    DOWNLOAD_URL,
    PINS,
    REPOSITORY,
    RESOURCES,
    SOURCES,
)
from topical_chat.statistics import COUNTERS, PUBLISHED_ROWS, STATISTICS
from topical_chat.translations_zh import CHINESE

# A split's name is a config too, and `freq` and `rare` go by the customary split names.
ALIASES = (
    *split_aliases("conversations", SPLITS),
    *(
        Alias(
            part,
            f"conversations with {word} entities, under the customary split names",
            "conversations",
            {"train": "train", "validation": f"valid_{part}", "test": f"test_{part}"},
        )
        for part, word in (("freq", "frequent"), ("rare", "rare"))
    ),
)

CITATION = """\
@inproceedings{gopalakrishnan2019topical,
  author    = {Gopalakrishnan, Karthik and Hedayatnia, Behnam and
               Chen, Qinlang and Gottardi, Anna and Kwatra, Sanjeev and
               Venkatesh, Anu and Gabriel, Raefer and
               Hakkani-T{\\"u}r, Dilek},
  title     = {{Topical-Chat}: Towards Knowledge-Grounded Open-Domain
               Conversations},
  booktitle = {Proceedings of Interspeech 2019},
  pages     = {1891--1895},
  year      = {2019},
  doi       = {10.21437/Interspeech.2019-3079},
}"""

LICENSE_NOTE = (
    "conversations and reading sets: CDLA-Sharing-1.0; Wikipedia texts: CC BY-SA 3.0; "
    "Washington Post texts (only where you built them yourself): CC BY-NC-ND 4.0"
)


def sample() -> Mapping[str, bytes]:
    """Return the invented sample; imported late, because only `--sample` and tests need it."""
    from topical_chat.sample import files

    return files()


CORPUS = Corpus(
    name="topical_chat",
    title="Topical-Chat",
    summary="English conversations of two people about eight topics, grounded in reading sets",
    version="1.1.0",
    splits=SPLITS,
    views=(
        CONVERSATIONS,
        UTTERANCES,
        READING_SETS,
        RESPONSES,
        MESSAGES,
        ASR_ACTUAL,
        ASR_SYNTHETIC,
        ENRICHED,
    ),
    aliases=ALIASES,
    default="conversations",
    sources=SOURCES,
    resources=RESOURCES,
    pins=PINS,
    release=DATA_VERSION,
    releases=(TCS_1_0,),
    upstream=f"{REPOSITORY} at commit {COMMIT} ({DATA_VERSION})",
    license="cdla-sharing-1.0",
    license_note=LICENSE_NOTE,
    languages=("en",),
    task_categories=("text-generation", "text-classification"),
    tags=("dialogue", "knowledge-grounded", "open-domain", "conversational", "sentiment"),
    homepage=REPOSITORY,
    paper="https://arxiv.org/abs/2308.11995",
    citation=CITATION,
    sample=sample,
    counters=(COUNTERS,),
    statistics=STATISTICS,
    published_rows=PUBLISHED_ROWS,
    fields={path: english for path, (english, _) in FIELDS.items()},
    histograms=HISTOGRAMS,
    # 8,628 conversations in 16 shards make shards as large as the evaluation splits.
    shards={"train": 16},
    translations={"zh": CHINESE},
    download_url=DOWNLOAD_URL,
    how_to_get=(
        "fetch them with `dialogue-builders download topical_chat --to DIR` (or clone "
        f"{REPOSITORY}) and give the folder as data_dir (command line: --data-dir); the files of "
        "Enriched Topical-Chat lie in the S3 bucket enriched-topical-chat: put them there as "
        "enriched/<split>.json"
    ),
)
