"""Ask a release many questions, in blocks."""

from __future__ import annotations

from collections.abc import Sequence

from anachron.asking.figures import Estimates, joined
from anachron.asking.published import Published
from anachron.asking.question import Aggregate, Condition
from anachron.errors import InputError
from anachron.measuring.wanted import Tell

__all__ = ["answers", "refuse_none"]

_BLOCK = 1024


def answers(
    published: Published, conditions: Sequence[Condition], tell: Tell, done: float, until: float
) -> Estimates:
    """Count what the release says of each condition; the share of the work goes up meanwhile."""
    parts = []
    for at in range(0, len(conditions), _BLOCK):
        tell("asking the release", done + (until - done) * at / len(conditions))
        parts.append(published.figures(conditions[at : at + _BLOCK], Aggregate("count")))
    return joined(parts)


def refuse_none(questions: int) -> None:
    """Refuse a table that answers nothing."""
    if not questions:
        raise InputError(
            "no question has an answer in the table. Give the table that the release was made "
            "from, or a larger theta, a longer window, or fewer dimensions."
        )
