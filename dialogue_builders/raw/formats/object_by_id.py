"""One JSON object: `{id: record, …}`, on one line or indented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dialogue_builders.errors import DialogueBuildersError
from dialogue_builders.raw.blocks import Start
from dialogue_builders.raw.diagnosis import explain_with, walk_object
from dialogue_builders.raw.files import RawBytes, RawFile
from dialogue_builders.raw.formats.base import FileHead, Key, json_decoder
from dialogue_builders.raw.formats.enclosed import Enclosed
from dialogue_builders.spec.record_type import RecordType


@dataclass(frozen=True)
class ObjectById(Enclosed):
    """One object {id: record}."""

    title = "one object {id: record}"
    has_ids = True
    outer_keys = 1
    brackets = b"{}"
    first = b'"'

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`."""
        return self.start(head) if head.opening == b"{" else None

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        decoded = json_decoder(dict[Key, record_type]).decode(buffer)
        return [(key.text, record) for key, record in decoded.items()]

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """See `Format`."""
        return explain_with(lambda text: walk_object(text, name), source, name, error)

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """See `Format`."""
        return identity
