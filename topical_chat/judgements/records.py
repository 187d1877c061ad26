"""The typed shape of the files: USR's list, BEGIN's table, UniEval's predictions.

Source: the files themselves, but for BEGIN's test file, which is known by its README only.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dialogue_builders.spec import RecordType

System = Literal[
    "Original Ground Truth",
    "Argmax Decoding",
    "Nucleus Decoding (p = 0.3)",
    "Nucleus Decoding (p = 0.5)",
    "Nucleus Decoding (p = 0.7)",
    "New Human Generated",
]
BeginLabel = Literal["Fully attributable", "Not fully attributable", "Generic"]

YesOrNo = Literal[0, 1]
OneToThree = Literal[1, 2, 3]
OneToFive = Literal[1, 2, 3, 4, 5]


class JudgedResponse(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One response of USR, with each annotator's score under each criterion."""

    response: str
    model: System
    understandable: list[YesOrNo] = msgspec.field(name="Understandable")
    natural: list[OneToThree] = msgspec.field(name="Natural")
    maintains_context: list[OneToThree] = msgspec.field(name="Maintains Context")
    engaging: list[OneToThree] = msgspec.field(name="Engaging")
    uses_knowledge: list[YesOrNo] = msgspec.field(name="Uses Knowledge")
    overall: list[OneToFive] = msgspec.field(name="Overall")


class JudgedContext(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One record of USR's list: a context and the responses to it."""

    context: str
    fact: str
    annotators: list[str]
    responses: list[JudgedResponse]


class BeginRow(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One line of BEGIN's table."""

    model_name: str
    data_source: str
    knowledge: str
    message: str
    response: str
    begin_label: BeginLabel


class UniEvalScores(msgspec.Struct, gc=False):
    """A score for each of UniEval's six dimensions."""

    naturalness: float
    coherence: float
    engagingness: float
    groundedness: float
    understandability: float
    overall: float


class UniEvalPrediction(msgspec.Struct, gc=False):
    """One record of UniEval's predictions, as far as it is not USR's once more."""

    system_id: str
    system_output: str
    predict_scores: UniEvalScores


JUDGED_CONTEXT = RecordType(name="judged context", type=JudgedContext, keyed=False)
BEGIN_ROW = RecordType(
    name="judged response",
    type=BeginRow,
    keyed=False,
)
