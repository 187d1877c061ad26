"""UniEval's predictions for USR's responses.

UniEval's own file of judgements repeats USR's texts with the mean of each three scores, so it is no
config. Its predictions are new: where their file is there, `usr` has them beside the scores.
"""

from __future__ import annotations

import msgspec

from dialogue_builders.spec import RawFileError
from topical_chat.judgements.constants import CRITERIA
from topical_chat.judgements.records import JudgedResponse, UniEvalPrediction

Predictions = tuple[UniEvalPrediction, ...]
Scores = dict[str, float]

FILE = "reproduce/unieval_predict/dialogue/topical_chat_result.json"
"""Where the predictions lie in UniEval's repository, and in a raw folder."""


def load_predictions(content: bytes) -> Predictions:
    """Read UniEval's file of predictions."""
    return tuple(msgspec.json.decode(content, type=list[UniEvalPrediction]))


def predicted_scores(
    predictions: Predictions | None, number: int, response: JudgedResponse, file_name: str
) -> Scores | None:
    """Return the predicted score of each criterion for one response; None without a file.

    Args:
        number: the response's place among all, from 0.
        file_name: of USR's file, for errors.

    Raises:
        RawFileError: at this place the predictions speak of another response.
    """
    if predictions is None:
        return None
    found = predictions[number] if number < len(predictions) else None
    # The two files differ in white space at the end.
    if found is None or (found.system_id, found.system_output.strip()) != (
        response.model,
        response.response.strip(),
    ):
        raise RawFileError(
            f"UniEval's prediction number {number + 1} "
            + ("is missing" if found is None else "is not of the response at this place in USR")
            + f" (in {FILE})",
            file=file_name,
            next_step="give both files as their authors published them, or leave UniEval's out",
        )
    scores = found.predict_scores
    return {column: getattr(scores, dimension) for column, (_, dimension) in CRITERIA.items()}
