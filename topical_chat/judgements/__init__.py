"""Human judgements on Topical-Chat: the builder class, imported when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topical_chat.judgements.builder import TopicalChatJudgements as TopicalChatJudgements

__all__ = ["TopicalChatJudgements"]


def __getattr__(name: str) -> Any:
    if name == "TopicalChatJudgements":
        from topical_chat.judgements.builder import TopicalChatJudgements

        return TopicalChatJudgements
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
