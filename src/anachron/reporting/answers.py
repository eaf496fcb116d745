"""What the data still answer: random questions, asked of the release and of the table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from anachron.reporting.certificate import Certificate
from anachron.reporting.charts import Chart
from anachron.reporting.markup import Markup, join, mark, table, tag
from anachron.reporting.parts import section
from anachron.reporting.words import count, plural

if TYPE_CHECKING:
    from anachron.measuring.utility import Measure, Utility

__all__ = ["answers", "errors"]

BINS = 25
ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Where the axis of errors may end: beyond the errors of nine in ten questions."""


def answers(paper: Certificate) -> Markup:
    """Show how far answers are from the truth; if that was measured."""
    utility = paper.proof.utility
    if utility is None:
        return Markup("")
    told = [measure for measure in utility.measures if measure.spread]
    parts = [tag("p", _intro(utility))]
    if told:
        parts += [_table(told), errors(told).figure(_caption(told))]
    if not utility.holds:
        parts.append(
            tag("p", "Bounds that leave out the truth are a fault of the software. Please report "
                "it, and do not rely on the bounds.", class_="note")
        )  # fmt: skip
    parts += [tag("p", note, class_="small") for note in utility.notes]
    return section("What the data still answer", *parts)


def _intro(utility: Utility) -> str:
    asked = sum(measure.questions for measure in utility.measures)
    if not asked:
        return "No question could be drawn whose true answer is not nought."
    return (
        f"{plural(asked, 'random question')}, each for the number of those who fit a description, "
        "went to the release and to the original table. The error of an answer is its distance "
        "from the truth, as a part of the truth."
    )


def _table(measures: Sequence[Measure]) -> Markup:
    precise = any(measure.precision is not None for measure in measures)
    head = ["kind", "questions", "half are off by at most", "nine in ten by", "width of bounds",
            "truth within bounds"]  # fmt: skip
    rows = []
    for measure in measures:
        row = [
            measure.workload,
            count(measure.questions),
            _percent(measure.median),
            _percent(measure.quantiles[90]),
            _percent(measure.width),
            _within(measure),
        ]
        rows.append([*row, _precision(measure)] if precise else row)
    if precise:
        head.append("rightly found")
    right = (1, 2, 3, 4, 6) if precise else (1, 2, 3, 4)
    about = "Half of all bounds are no further apart than the width, as a part of the truth."
    if precise:
        about += " Rightly found: the share of those found in the release who should be found."
    return join(table(head, rows, numeric=right, class_="answers"), tag("p", about, class_="small"))


def _within(measure: Measure) -> str:
    if measure.outside is None:
        return "not known"
    if measure.outside:
        said = join(mark("fails", ""), f" not of {count(measure.outside)}")
        return tag("span", said, class_="state failing")
    return tag("span", join(mark("holds", ""), " always"), class_="state")


def _precision(measure: Measure) -> str:
    return "" if measure.precision is None else _percent(measure.precision)


def _caption(measures: Sequence[Measure]) -> str:
    several = len(measures) > 1
    return (
        "How many of the questions" + (" of each kind" if several else "") + " are answered with "
        "which error. The line with a point is the median: half of the questions are left of it. "
        "The scale is wider for small errors."
    )


def errors(measures: Sequence[Measure]) -> Chart:
    """How many questions have which error, with the median marked, for each kind of question."""
    end = _end(measures)
    edges = [end * (i / BINS) ** 2 for i in range(BINS + 1)]
    records: list[dict[str, str | int | float]] = []
    rows: list[tuple[str, ...]] = []
    for order, measure in enumerate(measures):
        # Of one kind alone the table tells the name.
        name = measure.workload if len(measures) > 1 else ""
        each: dict[str, str | int | float] = {"workload": name, "order": order}
        for (low, high), share in zip(pairwise(edges), _shares(measure.spread, edges), strict=True):
            records.append({**each, "low": low, "high": high, "share": share})
            if share:
                rows.append((measure.workload, _percent(low), _percent(high), _percent(share)))
        told = f"median {_percent(measure.median)}"
        records.append({**each, "median": min(measure.median, end), "told": told})
        beyond = sum(error > end for error in measure.spread) / len(measure.spread)
        if beyond:
            records.append({**each, "beyond": f"{_percent(beyond)} further off →"})
            rows.append((measure.workload, _percent(end), "", _percent(beyond)))
    return Chart(
        name="errors",
        says="How many questions are answered with which relative error; "
        + "; ".join(f"{m.workload}: median {_percent(m.median)}" for m in measures)
        + ".",
        records=tuple(records),
        head=("kind", "error from", "to", "share of questions"),
        rows=tuple(rows),
        numeric=(1, 2, 3),
    )


def _end(measures: Sequence[Measure]) -> float:
    most = max(measure.quantiles[90] for measure in measures)
    return next((end for end in ENDS if end >= most), ENDS[-1])


def _shares(spread: Sequence[float], edges: Sequence[float]) -> list[float]:
    """The share of errors above one edge and up to the next; none is below the first."""
    upto = [0, *(bisect_left(spread, edge, key=lambda e: e - 1e-12) for edge in edges[1:])]
    return [(b - a) / len(spread) for a, b in pairwise(upto)]


def _percent(share: float) -> str:
    digits = 0 if share >= 0.995 else 1
    return f"{100 * share:,.{digits}f}".removesuffix(".0") + " %"
