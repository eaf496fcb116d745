"""Standard errors of questions about series: see ``asking_coverage``."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from anachron.asking.question import (
    Aggregate,
    All,
    Condition,
    FeatureIn,
    Question,
    Ranges,
    Similar,
    Span,
    ValueIn,
)
from anachron.asking.run import ask_many
from anachron.errors import Refusal
from tests.asking.series_cases import KINDS, Case, loads, published, span, walks
from tests.oracle.asking_coverage import COUNT, Stated
from tests.oracle.asking_series import Person, meets

CALLED = {
    "kapra": "KAPRA", "naive": "Naive", "coarse": "coarse", "fine": "fine",
    "values within patterns": "values of some times", "overlap": "overlap",
    "patterns within values": "patterns of some times", "diverse": "l-diverse", "noisy": "noise",
}  # fmt: skip
"""Ways of ``KINDS`` to publish series, as the table calls them."""


def stated(way: str, seed: int, number: int, questions: int = 4) -> list[Stated]:
    """Publish walks or load curves, ask all kinds of questions, and look up the truth."""
    rng = np.random.default_rng((seed, number))
    lifelike = number % 2 == 1
    people = round(float(np.exp(rng.uniform(np.log(80), np.log(500))))) if lifelike else 60
    with tempfile.TemporaryDirectory() as name:
        try:
            case = published(
                Path(name), 1000 * seed + number, people=people,
                drawn=loads if lifelike else walks, **KINDS[way],
            )  # fmt: skip
        except Refusal:
            return []
        asked = list(_questions(rng, case, questions))
        answers = ask_many(case.series, [question for _, question in asked])
    found = []
    for (kind, question), answer in zip(asked, answers, strict=True):
        truth, figure = (
            _truth(question.aggregates[0], question.where, case.people),
            answer.rows[0].figures[0],
        )
        if truth is not None and figure.estimate is not None:
            found.append(Stated(kind, figure, truth))
    return found


def _questions(rng: np.random.Generator, case: Case, many: int) -> Iterator[tuple[str, Question]]:
    target = case.value_times[0]
    for _ in range(many):
        one = _value(rng, case, 1)
        yield "one value", Question("", (COUNT,), one)
        yield "several values", Question("", (COUNT,), _value(rng, case, int(rng.integers(2, 4))))
        yield "a feature", Question("", (COUNT,), _feature(rng, case))
        yield "similar", Question("", (COUNT,), _similar(rng, case))
        yield "a value and a column", Question("", (COUNT,), All((one, _bill(rng, case))))
        for kind in ("sum", "avg"):
            for column, called in ((target, "values"), ("bill", "a column")):
                aggregate = Aggregate(kind, column)  # type: ignore[arg-type]
                yield (
                    f"{kind.upper()} of {called}",
                    Question("", (aggregate,), _value(rng, case, 1)),
                )


def _value(rng: np.random.Generator, case: Case, many: int) -> ValueIn:
    """Mostly of published values; else of such that are estimated from letters."""
    times = case.value_times
    if rng.random() < 0.2:
        times = tuple(dict.fromkeys((*case.value_times, *case.pattern_times)))
    chosen = sorted(rng.choice(len(times), many, replace=False).tolist())
    signs = rng.choice([1.0, -1.0], many) if many > 1 and rng.random() < 0.5 else np.ones(many)
    weights = tuple((times[at], float(sign)) for at, sign in zip(chosen, signs, strict=True))
    sums = [sum(w * who.values[time] for time, w in weights) for who in case.people]
    return ValueIn(weights, span(rng, np.array(sums, dtype=np.float64)))


def _feature(rng: np.random.Generator, case: Case) -> FeatureIn:
    times, many = case.pattern_times, int(rng.integers(1, 3))
    chosen = sorted(rng.choice(len(times), many, replace=False).tolist())
    weights = tuple((times[at], sign) for at, sign in zip(chosen, (-1.0, 1.0), strict=False))
    sums = [sum(w * who.z[time] for time, w in weights) for who in case.people]
    return FeatureIn(weights, span(rng, np.array(sums)))


def _similar(rng: np.random.Generator, case: Case) -> Similar:
    who = case.people[int(rng.integers(len(case.people)))]
    sequence = [float(who.values[time]) for time in case.pattern_times]
    if rng.random() < 0.5:
        sequence = rng.normal(size=len(sequence)).tolist()
    return Similar(tuple(sequence), float(rng.random() * 12), bool(rng.random() < 0.8))


def _bill(rng: np.random.Generator, case: Case) -> Condition:
    """A quarter of all bills."""
    bills = sorted(who.columns["bill"] for who in case.people)
    first = int(rng.integers(len(bills)))
    last = min(first + len(bills) // 4, len(bills) - 1)
    return Ranges("bill", (Span(bills[first], bills[last]),))


def _truth(aggregate: Aggregate, condition: Condition, people: list[Person]) -> float | None:
    met = [who for who in people if meets(condition, who)]
    if aggregate.column is None:
        return len(met)
    numbers = [float({**who.columns, **who.values}[aggregate.column]) for who in met]
    if aggregate.kind == "sum":
        return math.fsum(numbers)
    return math.fsum(numbers) / len(numbers) if numbers else None
