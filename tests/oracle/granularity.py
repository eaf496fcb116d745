"""The whole method again, slowly: every node of the lattice, sets of people, no pruning.

A relation is a list of dicts with ``uid``, ``cell`` (an index into the cells) and one entry per
quasi column. Definitions are those of Mascetti, Bettini, Wang, Jajodia (TIME 2006), with
frequency sets summed per group.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.oracle.times import SUB_HOUR, Cells, Labels, Refused, labels

Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A relation and a promise, in plain values."""

    cells: Cells
    rows: list[Row]
    quasi: tuple[str, ...]
    granularities: tuple[Any, ...]
    ladders: dict[str, tuple[Any, ...]]
    k: int
    metric: str = "paper"
    keep: str = "time"
    max_suppressed: Fraction = Fraction(0)
    max_share: Fraction | None = None
    recorded_by: str = "instant"


@dataclass(frozen=True)
class Result:
    """What one node costs."""

    name: str
    steps: tuple[int, ...]
    holds: bool
    gen_m: int
    gen_s: int
    suppressed: int
    mean_length: Fraction
    loss: Fraction


@dataclass(frozen=True)
class Reply:
    """All nodes, the least that hold (the chosen one first), and who is finer than whom."""

    refused: str | None
    nodes: dict[tuple[str, tuple[int, ...]], Result]
    answers: list[Result]
    finer: dict[tuple[str, str], bool]


def solve(question: Question) -> Reply:
    """Test every node, then look for those below which nothing holds."""
    if len({row["uid"] for row in question.rows}) < question.k:
        return Reply("too few people", {}, [], {})
    try:
        offered = _offered(question)
        if not offered:
            return Reply("no granularity fits", {}, [], {})
        finer = finer_relation(question, offered)
    except Refused as reason:
        return Reply(str(reason), {}, [], {})
    nodes = {}
    lengths = {name: _lengths(question.cells, name, found) for name, found in offered.items()}
    climbed = [_climb(question, column) for column in question.quasi]
    for name, *steps in itertools.product(offered, *(range(len(rungs)) for rungs in climbed)):
        shown = {c: r[s] for c, r, s in zip(question.quasi, climbed, steps, strict=True)}
        figures = _measure(question, offered[name], lengths[name], shown)
        loss = sum((_loss(question, c, hides) for c, hides in shown.items()), Fraction(0))
        nodes[name, tuple(steps)] = Result(name, tuple(steps), *figures, loss)
    least = [
        node
        for node in nodes.values()
        if node.holds
        and not any(
            other.holds and other is not node and _below(other, node, finer)
            for other in nodes.values()
        )
    ]
    least.sort(key=lambda node: _order(node, question))
    if not least:
        return Reply("nothing holds", nodes, [], finer)
    return Reply(None, nodes, least, finer)


def _offered(question: Question) -> dict[str, Labels]:
    """Labels of the granularities that do not cut the units in which times are recorded."""
    offered = {}
    for spec in question.granularities:
        found = labels(spec, question.cells)
        if all(found[i] is None for i in question.cells.in_years):
            continue
        if question.recorded_by != "instant" and _cuts_recorded(spec, found, question):
            continue
        offered[spec[1]] = found
    return offered


def _cuts_recorded(spec: Any, found: Labels, question: Question) -> bool:
    if spec[1] in SUB_HOUR or (question.recorded_by == "day" and _cuts_days(spec)):
        return True
    recorded = labels(("built_in", question.recorded_by), question.cells)
    return not _one_each(recorded, found, question.cells)


def _cuts_days(spec: Any) -> bool:
    """Whether a boundary falls inside a day, where the cells of a table by day cannot see it."""
    kind, name, *rest = spec
    if kind == "spans":
        return any(t.hour for start, end, _ in rest[0] for t in (start, end))
    return name in ("hour", "part_of_day") or (kind == "group" and _cuts_days(rest[0]))


def _one_each(fine: Labels, coarse: Labels, over: Cells) -> bool:
    """Whether each granule of ``fine`` in the years lies in one of ``coarse``, or in none."""
    here = {fine[i] for i in over.in_years} - {None}
    pairs = {(a, b) for a, b in set(zip(fine, coarse, strict=True)) if a in here}
    return len(pairs) == len({a for a, _ in pairs})


def finer_relation(question: Question, offered: dict[str, Labels]) -> dict[tuple[str, str], bool]:
    """Compare all pairs on all cells; a pair that agrees on the span is told apart by size."""
    over = question.cells
    held = [row["cell"] for row in question.rows]
    span = range(min(held), max(held) + 1)
    fine_names = [name for name in SUB_HOUR if name in offered]
    finer = {}
    for a, b in itertools.product(offered, offered):
        if b in fine_names:
            # Everything else is made of whole cells, so these are finer than all, in their order.
            finer[a, b] = a in fine_names and fine_names.index(a) <= fine_names.index(b)
            continue
        one = _one_each(offered[a], offered[b], over)
        covered = all(offered[b][i] is not None for i in span if offered[a][i] is not None)
        finer[a, b] = a == b or (one and covered)
    for middle, a, b in itertools.product(offered, offered, offered):
        if finer[a, middle] and finer[middle, b]:
            finer[a, b] = True
    for a, b in itertools.combinations(offered, 2):
        if finer[a, b] and finer[b, a]:
            _tell_apart(a, b, offered, over, finer)
    return finer


def _tell_apart(
    a: str, b: str, offered: dict[str, Labels], over: Cells, finer: dict[tuple[str, str], bool]
) -> None:
    one, two = _only_years(offered[a], over), _only_years(offered[b], over)
    pairs = set(zip(one, two, strict=True))
    if len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs}) and not any(
        (x is None) != (y is None) for x, y in pairs
    ):
        raise Refused("shift equivalent")
    finer[(b, a) if _held(one, over) <= _held(two, over) else (a, b)] = False


def _held(found: list[Any], over: Cells) -> int:
    return sum(n for n, label in zip(over.length, found, strict=True) if label is not None)


def _only_years(found: Labels, over: Cells) -> list[Any]:
    here = {found[i] for i in over.in_years}
    return [label if label in here else None for label in found]


def _published(step: Any, value: Any) -> Any:
    """What one step of a ladder makes of one value."""
    kind, *rest = step if isinstance(step, tuple) else (step,)
    if kind == "drop":
        return "*"
    if value is None or kind == "raw":
        return value
    if kind == "bins":
        width, origin = rest
        return (Fraction(str(value)) - origin) // width
    if kind == "prefix":
        return value[: rest[0]]
    return dict(rest[0])[str(value)]


def _climb(question: Question, column: str) -> list[dict[Any, Any]]:
    """For each step of the column's ladder: what every value is published as."""
    values = {row[column] for row in question.rows}
    rungs = question.ladders.get(column, ("raw",))
    return [{value: _published(rung, value) for value in values} for rung in rungs]


def _measure(
    question: Question,
    found: Labels,
    length: dict[Any, int],
    shown: dict[str, dict[Any, Any]],
) -> tuple[bool, int, int, int, Fraction]:
    """Build the view R_H literally and count people in each of its groups."""
    groups: dict[Any, list[Row]] = {}
    suppressed = lengths = inside = 0
    for row in question.rows:
        label = found[row["cell"]]
        if label is None:
            suppressed += 1
            continue
        inside += 1
        lengths += length[label]
        quasi = [shown[column][row[column]] for column in question.quasi]
        groups.setdefault((*quasi, label), []).append(row)
    frequencies = []
    for members in groups.values():
        people = {row["uid"] for row in members}
        if len(people) >= question.k and _fair(members, people, question.max_share):
            frequencies.append(len(people))
        else:
            suppressed += len(members)
    holds = bool(frequencies) and suppressed <= question.max_suppressed * len(question.rows)
    gen_m, gen_s = min(frequencies, default=0), sum(frequencies)
    return holds, gen_m, gen_s, suppressed, Fraction(lengths, max(inside, 1))


def _fair(members: list[Row], people: set[Any], max_share: Fraction | None) -> bool:
    if max_share is None:
        return True
    return all(
        Fraction(sum(row["uid"] == uid for row in members), len(members)) <= max_share
        for uid in people
    )


def _lengths(over: Cells, name: str, found: Labels) -> dict[Any, int]:
    """How long the granule of each label is."""
    total: dict[Any, int] = {}
    for n, label in zip(over.length, found, strict=True):
        total[label] = SUB_HOUR[name] if name in SUB_HOUR else total.get(label, 0) + n
    return total


def _loss(question: Question, column: str, shown: dict[Any, Any]) -> Fraction:
    """Mean over rows of the share of the column's other values that look the same."""
    alike = Counter(shown.values())
    hidden = sum(alike[shown[row[column]]] - 1 for row in question.rows)
    return Fraction(hidden, max(len(question.rows) * (len(shown) - 1), 1))


def _below(a: Result, b: Result, finer: dict[tuple[str, str], bool]) -> bool:
    return finer[a.name, b.name] and all(x <= y for x, y in zip(a.steps, b.steps, strict=True))


def _order(node: Result, question: Question) -> Any:
    """Definition 7's order, or the resolution metric; ties to shorter granules, then names."""
    if question.metric == "paper":
        metric: tuple[Any, ...] = (node.gen_m, -node.gen_s, node.mean_length)
    else:
        metric = (node.mean_length, -node.gen_s)
    if question.ladders and question.keep == "time":
        return (node.mean_length, node.loss, *metric, node.name, node.steps)
    if question.ladders and question.keep == "quasi":
        return (node.loss, *metric, node.name, node.steps)
    return (*metric, node.loss, node.name, node.steps)
