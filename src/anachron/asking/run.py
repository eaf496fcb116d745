"""Answer questions: all lines of all questions in one pass for each aggregate."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from anachron.asking.answer import Answer, Figure, Row
from anachron.asking.figures import Estimate
from anachron.asking.notes import notes
from anachron.asking.parse import in_normal_form, parse
from anachron.asking.published import Published
from anachron.asking.question import NOTHING, Aggregate, All, Condition, Grouping, Question
from anachron.asking.suggest import refusal

__all__ = ["ask", "ask_many"]

_MOST_LINES = 20_000
_COUNT = Aggregate()
_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Line:
    """One line of an answer: its keys, and the condition that its records meet."""

    keys: tuple[object, ...]
    condition: Condition


def ask(published: Published, text: str) -> Answer:
    """Answer a question in SQL from what was published.

    Parameters
    ----------
    published
        An opened release, or several.
    text
        ``SELECT COUNT(*) WHERE … GROUP BY …``.

    Raises
    ------
    QuestionError
        If the release cannot answer it; the message shows a question that it can.
    """
    return ask_many(published, [parse(text, published.catalogue)])[0]


def ask_many(published: Published, questions: Sequence[Question]) -> list[Answer]:
    """Answer many questions at once: each aggregate is evaluated for all of them together."""
    lines = [_lines(published, question) for question in questions]
    wanted: dict[Aggregate, list[Condition]] = {}
    places: list[dict[Aggregate, slice]] = []
    for question, own in zip(questions, lines, strict=True):
        places.append({})
        # Groups are counted in any case: one that cannot have records is left out.
        for aggregate in dict.fromkeys((_COUNT, *question.aggregates)):
            conditions = wanted.setdefault(aggregate, [])
            places[-1][aggregate] = slice(len(conditions), len(conditions) + len(own))
            conditions += [line.condition for line in own]
    found = {kind: published.figures(some, kind).lines for kind, some in wanted.items()}
    return [
        _answer(published, question, own, {kind: found[kind][at] for kind, at in place.items()})
        for question, own, place in zip(questions, lines, places, strict=True)
    ]


def _lines(published: Published, question: Question) -> list[_Line]:
    """The groups of a question, each within its WHERE; those that contradict it are left out."""
    if not question.groupings:
        return [_Line((), question.where)]
    keys = [published.keys(grouping) for grouping in question.groupings]
    if math.prod(len(some) for some in keys) > _MOST_LINES:
        raise refusal(published.catalogue, f"there are more than {_MOST_LINES:,} groups.")
    found = []
    for combination in itertools.product(*keys):
        parts = (question.where, *(leaf for _, leaf in combination))
        condition = in_normal_form(All(parts), published.catalogue)
        if condition != NOTHING:
            found.append(_Line(tuple(label for label, _ in combination), condition))
    return found


def _answer(
    published: Published,
    question: Question,
    lines: Sequence[_Line],
    found: dict[Aggregate, list[Estimate]],
) -> Answer:
    keys = tuple(_titled(grouping) for grouping in question.groupings)
    if keys:
        shown = [at for at, counted in enumerate(found[_COUNT]) if counted.high >= 1]
        lines = [lines[at] for at in shown]
        found = {kind: [some[at] for at in shown] for kind, some in found.items()}
    titles = question.titles or tuple(kind.title for kind in question.aggregates)
    rows = tuple(
        Row(
            line.keys,
            tuple(
                _figure(title, kind, found[kind][at])
                for title, kind in zip(titles, question.aggregates, strict=True)
            ),
        )
        for at, line in enumerate(lines)
    )
    return Answer(question.text, keys, rows, notes(published, question, found), titles)


def _figure(title: str, kind: Aggregate, line: Estimate) -> Figure:
    estimate, low, high = (_known(part) for part in line[:3])
    whole = kind.kind == "count"
    if not line.wide and estimate is not None:
        # Bounds that differ by rounding are one number, and the answer is exact.
        exact = round(estimate) if whole else estimate
        return Figure(title, float(exact), exact, exact, 0.0, whole)
    if whole and low is not None and high is not None:
        low, high = math.ceil(low - _ROUNDING), math.floor(high + _ROUNDING)
    return Figure(title, estimate, low, high, line.error, whole)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _titled(grouping: Grouping) -> str:
    if grouping.granularity is None:
        return grouping.column
    return f"{grouping.granularity}({grouping.column})"
