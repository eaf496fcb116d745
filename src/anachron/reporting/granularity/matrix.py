"""The searched product of ladders and granularities, as a table of signs."""

from __future__ import annotations

from anachron.reporting.granularity.diagram import SIGNS, state
from anachron.reporting.granularity.search import Search, Steps
from anachron.reporting.markup import Markup, join, mark, tag
from anachron.reporting.words import name

__all__ = ["MOST_ROWS", "matrix", "shown"]

MOST_ROWS = 30


def shown(search: Search) -> tuple[list[Steps], int]:
    """The combinations of steps to show, finest first, and how many there are in all.

    Those with an answer come first when there are too many; then those that were measured.
    """
    answered = {answer.steps for answer in search.answers}
    measured = {node.steps for node in search.nodes if node.measured} | answered
    ranked = sorted(measured, key=lambda steps: (steps not in answered, sum(steps), steps))
    return sorted(ranked[:MOST_ROWS], key=lambda steps: (sum(steps), steps)), len(measured)


def matrix(search: Search) -> Markup:
    """Draw the table: a row for each combination of steps, a column for each granularity."""
    combinations, _ = shown(search)
    head = [
        *(tag("th", column, class_="step") for column in search.ladders),
        *(tag("th", tag("span", name(g)), class_="turned") for g in search.names),
    ]
    rows = [_row(search, steps) for steps in combinations]
    body = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="matrix")
    return tag("div", body, class_="wide")


def _row(search: Search, steps: Steps) -> Markup:
    chosen = search.chosen
    cells = [tag("td", word, class_="step") for word in search.step_names(steps)]
    for granularity in search.names:
        status = state(search, granularity, steps)
        node = search.at(steps).get(granularity)
        faint = "cell" if node is not None and node.measured else "cell inferred"
        cells.append(tag("td", mark(status, SIGNS[status]), class_=f"{faint} {status}"))
    this = chosen is not None and chosen.steps == steps
    return tag("tr", join(*cells), class_="chosen" if this else None)
