"""The builder class of the judgements, derived from their declaration."""

from __future__ import annotations

from dialogue_builders.loading.builder_classes import builder_class
from topical_chat.judgements.corpus import CORPUS

TopicalChatJudgements = builder_class(CORPUS)
