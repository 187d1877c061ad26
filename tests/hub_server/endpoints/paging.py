"""Long lists, one page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from ..answers import Answer, json_answer
from ..request import Request
from ..state import HubState


def page_answer(state: HubState, request: Request, entries: Sequence[object]) -> Answer:
    """Answer with a page of `entries`, and where the next one is, in the form of GitHub's API."""
    size = int(request.option("limit") or state.page_size)
    start = int(request.option("cursor") or 0)
    headers = {}
    if start + size < len(entries):
        query = {name: values[-1] for name, values in request.query.items()}
        target = f"{request.path}?{urlencode({**query, 'cursor': str(start + size)})}"
        headers["Link"] = f'<{state.url}{target}>; rel="next"'
    return json_answer(entries[start : start + size], headers=headers)
