"""The builder of Topical-Chat: `TopicalChat`, a `datasets` builder over `CORPUS`."""

from __future__ import annotations

from dialogue_builders.builder import GeneratingBuilder
from topical_chat.corpus import CORPUS


class TopicalChat(GeneratingBuilder):
    """Topical-Chat from its raw files; see `GeneratingBuilder` for arguments and errors."""

    CORPUS = CORPUS
