"""The builder class of Topical-Chat, derived from its declaration."""

from __future__ import annotations

from dialogue_builders.loading.builder_classes import builder_class
from topical_chat.corpus import CORPUS

TopicalChat = builder_class(CORPUS)
