"""One JSON list: `[record, …]`, on one line or indented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dialogue_builders.errors import DialogueBuildersError
from dialogue_builders.raw.blocks import WHITE_SPACE, Start
from dialogue_builders.raw.diagnosis import explain_with, walk_list
from dialogue_builders.raw.files import RawBytes, RawFile
from dialogue_builders.raw.formats.base import FileHead, json_decoder
from dialogue_builders.raw.formats.enclosed import Enclosed
from dialogue_builders.raw.unrecognised import ONE_LIST
from dialogue_builders.spec.record_type import RecordType


@dataclass(frozen=True)
class JsonList(Enclosed):
    """One list [{record}, …]."""

    title = f"{ONE_LIST} [{{record}}]"
    has_ids = False
    outer_keys = 0
    brackets = b"[]"
    first = b"{"

    def recognise(self, head: FileHead, record_type: RecordType) -> Start | None:
        """See `Format`."""
        holds_records = head.text[1:].lstrip(WHITE_SPACE)[:1] in (b"{", b"]", b"")
        return self.start(head) if head.opening == b"[" and holds_records else None

    def decode(self, buffer: bytearray, record_type: Any) -> list[tuple[str, Any]]:
        """See `Format`."""
        return [("", record) for record in json_decoder(list[record_type]).decode(buffer)]

    def explain(
        self, source: RawBytes, name: str, start: Start, error: Exception
    ) -> DialogueBuildersError:
        """See `Format`."""
        return explain_with(lambda text: walk_list(text, name), source, name, error)

    def place(self, file: RawFile, number: int, identity: str) -> str:
        """See `Format`."""
        return identity or f"number {number + 1} of the list"
