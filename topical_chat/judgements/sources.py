"""The judgements' files, pinned, and where they may lie in a raw folder.

Source of the pins: the Git trees of the commits below, one repository for each set. A SHA-256 was
computed from the file itself; a file without one was not at hand.
"""

from __future__ import annotations

from dialogue_builders.spec import Pin, RawSource, Resource
from topical_chat.judgements.records import BEGIN_ROW, JUDGED_CONTEXT
from topical_chat.judgements.unieval import FILE as PREDICTIONS_FILE
from topical_chat.judgements.unieval import load_predictions

_RAW = "https://raw.githubusercontent.com"
USR_REPOSITORY = "SmartDataAnalytics/proxy_indicators"
USR_URL = f"{_RAW}/{USR_REPOSITORY}/5017317f0d03cdbc64a3a52c09fc0a6bf5c492b3/"
BEGIN_REPOSITORY = "google/BEGIN-dataset"
BEGIN_URL = f"{_RAW}/{BEGIN_REPOSITORY}/6e65f0d5a1ed1b9574643a7640ff1678d4e979b5/"
UNIEVAL_REPOSITORY = "maszhongming/UniEval"
UNIEVAL_URL = f"{_RAW}/{UNIEVAL_REPOSITORY}/d33e7b6cfebe97b2bafe435adbd818230d5a416a/"

UPSTREAM = (
    f"USR: https://github.com/{USR_REPOSITORY} at commit {USR_URL.split('/')[-2]} (a copy: the "
    f"authors' own file was not compared); BEGIN: https://github.com/{BEGIN_REPOSITORY} at commit "
    f"{BEGIN_URL.split('/')[-2]}; UniEval: https://github.com/{UNIEVAL_REPOSITORY} at commit "
    f"{UNIEVAL_URL.split('/')[-2]}"
)

USR_RESTRICTION = (
    "USR names no license, so nothing says that its judgements may be published; "
    "some of its facts are texts of news articles"
)
BEGIN_RESTRICTION = (
    "some of BEGIN's knowledge (knowledge_kind is article) are texts of news articles, which may "
    "not be redistributed"
)

USR_PATHS = ("data/usr_topical_chat", "usr_topical_chat", "tc_usr_data")
BEGIN_PATHS = ("topicalchat/begin_{split}_tc", "begin_{split}_tc")

USR_SOURCE = RawSource(
    name="usr",
    record_type=JUDGED_CONTEXT,
    # As in the pinned repository, or alone; the last one is the name on the authors' own page.
    path_templates=USR_PATHS,
    extensions=(".json", ".json.gz"),
    formats=("json_list",),
)

BEGIN_SOURCE = RawSource(
    name="begin",
    record_type=BEGIN_ROW,
    path_templates=BEGIN_PATHS,
    extensions=(".tsv", ".tsv.gz"),
    formats=("tab_separated",),
    may_lack_splits=True,
)

SOURCES = {source.name: source for source in (USR_SOURCE, BEGIN_SOURCE)}

UNIEVAL = Resource(
    "unieval",
    PREDICTIONS_FILE,
    load_predictions,
    required=False,
)
RESOURCES = {UNIEVAL.name: UNIEVAL}

_FILES = (
    Pin(
        "data/usr_topical_chat.json",
        "17b343ab96cabaaee498db4eafea34ad4da37983",
        size=318_219,
        sha256="8e4e6961585f58edb573c0153766547442bde69577e8df6ba9e24a84dc9483e5",
    ),
    Pin(
        "topicalchat/begin_dev_tc.tsv",
        "55fe659d77f211a010bc4b0b5c023400bc704d49",
        size=656_931,
        sha256="d799a8cb3635de41b7f284dcfc872544ddeadcbae0c2ffd684270cce671f7711",
        base_url=BEGIN_URL,
    ),
    Pin(
        "topicalchat/begin_test_tc.tsv",
        "e1ee758e23d2ef10be799bdc1df621beea92ea29",
        base_url=BEGIN_URL,
    ),
    Pin(
        UNIEVAL.path,
        "49e73813f47d5567fd2dfb1a4a2c84d9b7732b7e",
        size=785_420,
        base_url=UNIEVAL_URL,
    ),
)

PINS = {pin.path: pin for pin in _FILES}
