"""Everything the engine promises, asked of this corpus; the rows were counted by hand."""

from dialogue_builders.testing import BuilderContract


class TestPenPals(BuilderContract):
    NAME = "pen_pals"
    ROWS = {"conversations": {"train": 2, "test": 1}, "utterances": {"train": 5, "test": 2}}
    KEYS = {
        "conversations": ("conversation_id",),
        "utterances": ("conversation_id", "turn_index"),
    }
