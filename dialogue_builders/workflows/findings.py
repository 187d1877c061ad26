"""What `check` finds in rows: which rules compared how much, and the problems."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_SHOWN = 3


@dataclass
class Findings:
    """What was found.

    Attributes:
        compared: rule → how many rows it looked at, in the order in which the rules were met; a
            rule that looked at none is not in it.
        problems: one line each.
    """

    compared: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, rule: str, rows: int) -> None:
        """Note that a rule looked at so many rows more."""
        if rows:
            self.compared[rule] = self.compared.get(rule, 0) + rows
