"""The builder of Diamante: `Diamante`, a `datasets` builder over `CORPUS`."""

from __future__ import annotations

from dialogue_builders.builder import GeneratingBuilder
from diamante.corpus import CORPUS


class Diamante(GeneratingBuilder):
    """Diamante from its raw files; see `GeneratingBuilder` for arguments and errors."""

    CORPUS = CORPUS
