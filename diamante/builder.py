"""The builder class of Diamante, derived from its declaration."""

from __future__ import annotations

from dialogue_builders.loading.builder_classes import builder_class
from diamante.corpus import CORPUS

Diamante = builder_class(CORPUS)
