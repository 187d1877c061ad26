"""Human judgements on Topical-Chat, declared: what others published about responses to it."""

from __future__ import annotations

from collections.abc import Mapping

from dialogue_builders.spec import Corpus
from topical_chat.judgements.begin import BEGIN
from topical_chat.judgements.constants import SPLITS
from topical_chat.judgements.fields import FIELDS
from topical_chat.judgements.sources import PINS, RESOURCES, SOURCES, UPSTREAM, USR_URL
from topical_chat.judgements.statistics import COUNTERS, PUBLISHED_ROWS, STATISTICS
from topical_chat.judgements.translations_zh import CHINESE
from topical_chat.judgements.usr import USR

CITATION = """\
@inproceedings{mehri2020usr,
  author    = {Mehri, Shikib and Eskenazi, Maxine},
  title     = {{USR}: An Unsupervised and Reference Free Evaluation Metric
               for Dialog Generation},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association
               for Computational Linguistics},
  pages     = {681--707},
  year      = {2020},
  doi       = {10.18653/v1/2020.acl-main.64},
}

@article{dziri2022evaluating,
  author  = {Dziri, Nouha and Rashkin, Hannah and Linzen, Tal and
             Reitter, David},
  title   = {Evaluating Attribution in Dialogue Systems: The {BEGIN}
             Benchmark},
  journal = {Transactions of the Association for Computational
             Linguistics},
  volume  = {10},
  year    = {2022},
  eprint  = {2105.00071},
}

@inproceedings{zhong2022towards,
  author    = {Zhong, Ming and Liu, Yang and Yin, Da and Mao, Yuning and
               Jiao, Yizhu and Liu, Pengfei and Zhu, Chenguang and
               Ji, Heng and Han, Jiawei},
  title     = {Towards a Unified Multi-Dimensional Evaluator for Text
               Generation},
  booktitle = {Proceedings of the 2022 Conference on Empirical Methods in
               Natural Language Processing},
  year      = {2022},
  doi       = {10.18653/v1/2022.emnlp-main.131},
}"""

LICENSE_NOTE = (
    "USR: no license is stated, so what is allowed is not known; BEGIN: CDLA-Sharing-1.0 with a "
    "notice, but some of its knowledge is text of news articles; UniEval's predictions: MIT (its "
    "repository's)"
)


def sample() -> Mapping[str, bytes]:
    """Return the invented sample; imported late, because only `--sample` and tests need it."""
    from topical_chat.judgements.sample import files

    return files()


CORPUS = Corpus(
    name="topical_chat_judgements",
    title="Human judgements on Topical-Chat",
    summary="human judgements of responses to Topical-Chat: USR and BEGIN, joined to the corpus",
    version="1.0.0",
    splits=SPLITS,
    views=(USR, BEGIN),
    default="usr",
    sources=SOURCES,
    resources=RESOURCES,
    pins=PINS,
    upstream=UPSTREAM,
    license="unknown",
    license_note=LICENSE_NOTE,
    languages=("en",),
    task_categories=("text-classification",),
    tags=("dialogue", "evaluation", "human-judgements", "knowledge-grounded", "attribution"),
    homepage="https://doi.org/10.18653/v1/2020.acl-main.64",
    paper="https://doi.org/10.18653/v1/2020.acl-main.64",
    citation=CITATION,
    sample=sample,
    counters=COUNTERS,
    statistics=STATISTICS,
    published_beside=True,
    published_rows=PUBLISHED_ROWS,
    fields={path: english for path, (english, _) in FIELDS.items()},
    translations={"zh": CHINESE},
    download_url=USR_URL,
    package="topical_chat.judgements",
    how_to_get=(
        "fetch them with `dialogue-builders download topical_chat_judgements --to DIR` and give "
        "the folder as data_dir (command line: --data-dir); files that you have already may also "
        "lie side by side in one folder: usr_topical_chat.json, begin_dev_tc.tsv, begin_test_tc.tsv"
    ),
)
