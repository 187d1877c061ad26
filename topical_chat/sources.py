"""Upstream's files, pinned, and where they lie in a raw folder.

Source of the pins: the Git tree of the commit below. Where a SHA-256 stands, it was computed from
the file itself; a file without one was not at hand, and its Git blob id alone decides.
"""

from __future__ import annotations

from dialogue_builders.spec import Pin, RawSource, Resource
from topical_chat.asr_pins import ASR_PINS
from topical_chat.knowledge import holds_wiki_texts, load_topics, load_wiki
from topical_chat.records import (
    ACTUAL_SPEECH,
    CONVERSATION,
    ENRICHED_CONVERSATION,
    READING_SET,
    SYNTHETIC_SPEECH,
)

REPOSITORY = "https://github.com/alexa/Topical-Chat"
COMMIT = "7c939229cbcf6f55f6977b341a5a2f2fe982d53f"
DATA_VERSION = "TCS-1.1"
DOWNLOAD_URL = f"https://raw.githubusercontent.com/alexa/Topical-Chat/{COMMIT}/"

CONVERSATIONS_SOURCE = RawSource(
    name="conversations",
    record_type=CONVERSATION,
    # Upstream's layout, or the five files in the root, as the copy on the Hub has them.
    path_templates=("conversations/{split}", "{split}"),
)

READING_SETS_SOURCE = RawSource(
    name="reading_sets",
    record_type=READING_SET,
    # Who ran upstream's build has both; the built ones hold the texts.
    path_templates=("reading_sets/post-build/{split}", "reading_sets/pre-build/{split}"),
    first_match_wins=True,
)

# The ids behind the texts, where post-build files are used and the others lie beside them.
PRE_BUILD_SOURCE = RawSource(
    name="pre_build_reading_sets",
    record_type=READING_SET,
    path_templates=("reading_sets/pre-build/{split}",),
)

ACTUAL_SPEECH_SOURCE = RawSource(
    name="actual_speech",
    record_type=ACTUAL_SPEECH,
    path_templates=("TopicalChatASR/actual/{split}_audio",),
    may_lack_splits=True,
)

SYNTHETIC_SPEECH_SOURCE = RawSource(
    name="synthetic_speech",
    record_type=SYNTHETIC_SPEECH,
    path_templates=("TopicalChatASR/synthetic/{split_path}/{split}_wer_*_seed_*",),
    may_lack_splits=True,
    one_shard_per_file=True,
)

# Upstream keeps these files in the S3 bucket `enriched-topical-chat`, not in the repository: there
# are no pins for them.
ENRICHED_SOURCE = RawSource(
    name="enriched",
    record_type=ENRICHED_CONVERSATION,
    path_templates=("enriched/{split}",),
    may_lack_splits=True,
)

SOURCES = {
    source.name: source
    for source in (
        CONVERSATIONS_SOURCE,
        READING_SETS_SOURCE,
        PRE_BUILD_SOURCE,
        ACTUAL_SPEECH_SOURCE,
        SYNTHETIC_SPEECH_SOURCE,
        ENRICHED_SOURCE,
    )
}

RESOURCES = {
    resource.name: resource
    for resource in (
        Resource(
            "wiki",
            "src/wiki/wiki.json",
            load_wiki,
            # Post-build reading sets hold the texts themselves.
            spared_by=("reading_sets", holds_wiki_texts),
        ),
        Resource("topics", "src/entity_to_topic.json", load_topics),
    )
}

_FILES = (
    Pin(
        "conversations/train.json",
        "b9d7bcbc71ce9a30dd681242c9b849edb3b54055",
    ),
    Pin(
        "conversations/valid_freq.json",
        "31ef8dedd366bd98552b12b2d8d423fc8a357801",
        size=3_785_264,
        sha256="d14e8bde94fa5556d4aad8fd3fb666df674e4fef8b4193c8c3c06c72822a366b",
    ),
    Pin(
        "conversations/valid_rare.json",
        "9c9fed4696e94248b4c5c475cd3a4d6af9dd3bc5",
        size=3_779_017,
        sha256="b0f3c59584ea4ed61e368dc94feade6ba499a207a6437573b028d1f3ff918714",
    ),
    Pin(
        "conversations/test_freq.json",
        "3731e2c97d09b97c1c818f684c00b6ad2dc9a3b9",
        size=3_806_399,
        sha256="3c65693d59e40a1fb58ead35dcfe85fbcc88ea93a4d74557df620996f72c8f08",
    ),
    Pin(
        "conversations/test_rare.json",
        "2bc6ab5811452a50570be2cf8c1bdf7b66318508",
        size=3_787_189,
        sha256="4f21a18be16e310840280678e7bb4646852573b239b69183ddf8898f40119567",
    ),
    Pin(
        "reading_sets/file_hashes.json",
        "be3cc26536512104f89c1f946c570d10f18499d9",
        size=286,
        sha256="e44d5601582f387e18c0fbb74fde4ce2793daeb78a798e1e1918c86cb166b781",
    ),
    Pin(
        "reading_sets/pre-build/train.json",
        "0d5747ec8623ac1b9bad4dba74e6c3028fb358f5",
    ),
    Pin(
        "reading_sets/pre-build/valid_freq.json",
        "f29701f9a5564c7dbd0d17a5d45e7e2fa00dcedc",
        size=954_604,
        sha256="64eddf122c1ce8006b7f9bb7355a2c2fefe20b8458bdb6ee6c4fa970b3b6ad95",
    ),
    Pin(
        "reading_sets/pre-build/valid_rare.json",
        "4b55062f1b77b9ff4d0d3dbe1efda5d5f2a1f001",
        size=950_805,
        sha256="cfcde139c57f2181ef2ed633d05be6cb70117281cbf49dd9bafb07f9e29941fa",
    ),
    Pin(
        "reading_sets/pre-build/test_freq.json",
        "3000829f1c49fba13bcabb8210bcc7dab8ac1c3b",
        size=957_376,
        sha256="9fca4e9f4bebf26ffb2231d2de0614dd2e2026912f9dd4478b6f7a59c08e19ac",
    ),
    Pin(
        "reading_sets/pre-build/test_rare.json",
        "c1e30e9398cab052b42034589b26a60418af72bb",
        size=955_343,
        sha256="1c7ce89668cd23ee105871edfadcfce6a2d1940f1ded6cab44b3561ead84b842",
    ),
    Pin(
        "src/entity_to_topic.json",
        "06378b54688a187d15ac0b91e0727d128bc1935f",
        size=8_307,
        sha256="14e1296cbcff3fb00842748b3e7afceda9cd139bf1f2a51d35fa0cc508c25219",
    ),
    Pin(
        "src/wapo/NOTICE.md",
        "284391c3209766b7350b2104f54675fedaba2e7e",
        size=352,
        sha256="ad95fce135036fe417d0294ae8175fcda8831b39afc86eba07110309606f3796",
    ),
    Pin(
        "src/wiki/NOTICE.md",
        "624b7e0ddb534bfd6def3f3d3606057db9809830",
        size=266,
        sha256="50b50a2fab7bc6bccd3fdaf9c6b961510148904348acf10645e5847d67d29c12",
    ),
    Pin(
        "src/wiki/wiki.json",
        "fae966847697fe027e6bb3bd1e8ee059b99dc2a0",
        size=460_495,
        sha256="497122dbce37f5e5e15b7f5da54532a0c612f8d954858f48221a84c8b4540f91",
    ),
    Pin(
        "TopicalChatASR/actual/test_freq_audio.json",
        "2b2fb8328c67df556da01d33a3453097f9e787aa",
        size=504_235,
        sha256="a549e2846c9dfc5c5a26c1a77822878cfd1226b6350d6b0f74d738d2b02d97a7",
    ),
    Pin(
        "TopicalChatASR/actual/test_rare_audio.json",
        "565ba42d0eab107288e9d109332458d494ce2674",
        size=503_997,
        sha256="5178b8f005477aa3450b5fbb5b2c40410799cbffd3b78b440d78e40d63ddd7ed",
    ),
    Pin(
        "DATALICENSE",
        "e63a4ac9a17b4a05a866f96048e96f751a5797eb",
        size=11_350,
        sha256="a08ff57744857367fb51f27a06c9877818a102692db72fbe06aaadec4d76e5f3",
    ),
)

PINS: dict[str, Pin] = {pin.path: pin for pin in (*_FILES, *ASR_PINS)}
