"""TCS-1.0, the release before the pinned one: the same file names with other conversations.

Source of the pins: the Git tree of the commit below. A file without a size was not at hand. TCS-1.0
has no `src/entity_to_topic.json`, and no files of speech.
"""

from __future__ import annotations

from dialogue_builders.spec import Pin, Release
from topical_chat.sources import REPOSITORY
from topical_chat.statistics import published_rows, published_table

NAME = "TCS-1.0"
COMMIT = "bc2107056178cec64ee17692c55da36bc6b28e6f"

_FILES = (
    Pin(
        "conversations/test_freq.json",
        "bad74d77176af7ac4857385d8625db3f9b220695",
        size=3_769_009,
        sha256="94f90ef2e377472f55b7010688ba113cb04519366510e81896facc9356b98d94",
    ),
    Pin(
        "conversations/test_rare.json",
        "378adcf3299b7b9964ccd2ca567eec4a7688cda5",
        size=3_783_884,
        sha256="a99aae99a16399a8a08462666e669bc8b2dec24ec572ec8eff42da5cca9376a3",
    ),
    Pin(
        "conversations/train.json",
        "6309f0b63eee84fc18e966c96d34e81fcf1f734a",
    ),
    Pin(
        "conversations/valid_freq.json",
        "f0e3a95f9b99fad9fd27ba57c6dd17e8bf6afadb",
        size=3_811_206,
        sha256="797802b38ddf7862a695d14593a23b254e6aaa20faea152a4cccd8c67e95c76a",
    ),
    Pin(
        "conversations/valid_rare.json",
        "f13d47f13f98b4c581e0bb4803039431eef43f20",
        size=3_804_583,
        sha256="5d7810e81382431aba44453526f3f924e67bbebf2600be0c0c787e2f222c65e0",
    ),
    Pin(
        "reading_sets/post-build/post_build_file_hashes.json",
        "73b154e1647d231f188bd8b065489068859c72b8",
        size=286,
        sha256="3b035b1e4b136e76156d0dcab51bef53ed46eae0c129faea9babf5530361ad35",
    ),
    Pin(
        "reading_sets/pre-build/test_freq.json",
        "3a49ceae33f112e369ab07a3cb3ccc6b78bcad60",
        size=954_315,
        sha256="6c8c1477773786631dc334791034767d3a46f0d6d5846677e0e5cd801308f9d5",
    ),
    Pin(
        "reading_sets/pre-build/test_rare.json",
        "e29592cb9791c56a72f9d5db379ab96fb6bd5091",
        size=951_401,
        sha256="4cda9dee9357b167d1cb24bbaad267e71539c2340547d18d8fee76f57b197e31",
    ),
    Pin(
        "reading_sets/pre-build/train.json",
        "4a9826b807e9116eba89d6933364022d446d53e9",
    ),
    Pin(
        "reading_sets/pre-build/valid_freq.json",
        "c36ccd16a8b641e64c2aa3e6234eb6f246310670",
        size=953_520,
        sha256="78063073f2f5970aa10681bd3745fb67afd26b78e87b10795d2dcaf09b5acc0a",
    ),
    Pin(
        "reading_sets/pre-build/valid_rare.json",
        "9c9fb5bf7c1a13811190467148d15f17dc4c2eab",
        size=953_986,
        sha256="0b080bf47fa9526623373d205fbf791cdbeaf4467d4b4c4f3167c6888224dd0e",
    ),
    Pin(
        "src/wiki/wiki.json",
        "fae966847697fe027e6bb3bd1e8ee059b99dc2a0",
        size=460_495,
        sha256="497122dbce37f5e5e15b7f5da54532a0c612f8d954858f48221a84c8b4540f91",
    ),
)

# Source: the table in the README of that commit, as it is printed there.
_STATISTICS = published_table(
    conversations=(8636, 539, 540, 540, 537, 10792),
    utterances=(188345, 11813, 11786, 11747, 11743, 235434),
    turns=(21.9, 21.9, 21.8, 21.7, 21.8),
    words=(19.6, 19.6, 19.8, 19.2, 19.5),
)

TCS_1_0 = Release(
    name=NAME,
    upstream=f"{REPOSITORY} at commit {COMMIT} ({NAME})",
    pins={pin.path: pin for pin in _FILES},
    download_url=f"https://raw.githubusercontent.com/alexa/Topical-Chat/{COMMIT}/",
    statistics=_STATISTICS,
    published_rows=published_rows(_STATISTICS),
)
