"""How often the truth lies within two standard errors, by method and kind of question.

Tables and series are drawn evenly spread and lifelike (``asking_people``, ``series_cases``), as
many of each, and really published; the truth is counted on the records that were. Answers that are
exact, and answers that say that no standard error is known, are counted apart. A seed gives the
same table in every run, from the root of the repository::

    python -m tests.oracle.asking coverage --cases 40 --seed 1
"""

from __future__ import annotations

import math
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa

from anachron.asking.answer import Figure
from anachron.asking.published import Published, opened
from anachron.asking.question import EVERYTHING, Aggregate, All, Condition, Grouping, Question
from anachron.asking.run import ask_many
from anachron.errors import QuestionError, Refusal
from tests.oracle.asking import Group, meets, read
from tests.oracle.asking_cases import condition_on, under_or
from tests.oracle.asking_people import EVEN, LIFELIKE, People
from tests.oracle.asking_tables import MAKERS, Record

COUNT = Aggregate()
ROUNDING = 1e-9
WITHIN = 2.0
KEY = "anachron.ledger.keys.secrets.token_bytes"
"""What a ledger draws its key with: the same key makes the same release in every run."""
METHODS = ("granularity", "invariance", "anatomy", "generalize", "composed", "pushes")
CALLED = {
    "granularity": "granularity", "invariance": "register", "anatomy": "feed, anatomy",
    "generalize": "feed, boxes", "composed": "feed, m-invariant", "pushes": "feed, pushes",
}  # fmt: skip


@dataclass(frozen=True)
class Stated:
    """One number of an answer, and the truth."""

    kind: str
    figure: Figure
    truth: float

    @property
    def known(self) -> bool:
        """Whether it has a standard error that says something."""
        return not self.figure.exact and self.figure.error is not None

    @property
    def right(self) -> bool:
        """Whether the estimate is the truth, but for rounding."""
        assert self.figure.estimate is not None
        away = abs(self.truth - self.figure.estimate)
        return away <= ROUNDING * max(1.0, abs(self.truth))

    @property
    def away(self) -> float:
        """How many standard errors the truth is away from the estimate."""
        assert self.figure.estimate is not None
        assert self.figure.error
        return 0.0 if self.right else abs(self.truth - self.figure.estimate) / self.figure.error

    @property
    def within(self) -> bool:
        return self.away <= WITHIN * (1 + ROUNDING)

    @property
    def honest(self) -> bool:
        """Exact answers are right, and no others have a standard error of 0."""
        if self.figure.exact:
            return self.right and self.figure.error == 0
        return self.figure.error is None or self.figure.error > 0


def stated(
    method: str, seed: int, number: int, people: People = EVEN, questions: int = 3
) -> list[Stated]:
    """Publish a random table, ask it all kinds of questions, and look up the truth."""
    rng = np.random.default_rng((seed, number))
    with tempfile.TemporaryDirectory() as name, mock.patch(KEY, rng.spawn(1)[0].bytes):
        try:
            releases, records = MAKERS[method](rng, Path(name), people)
        except Refusal:
            return []
        if not releases:
            return []
        published, groups = opened(releases), read(releases)
    records = [_as_published(record, published) for record in records]
    return [
        one
        for kind, question in _questions(rng, published, groups, questions)
        for one in _told(kind, question, published, records)
    ]


def _as_published(record: Record, published: Published) -> Record:
    """Decimals as fractions, where they are published in intervals of these."""
    columns = published.catalogue.columns
    return {
        name: float(value)
        if isinstance(value, Decimal) and columns[name].storage == pa.float64()
        else value
        for name, value in record.items()
    }


def _questions(
    rng: np.random.Generator, published: Published, groups: list[Group], many: int
) -> Iterator[tuple[str, Question]]:
    catalogue = published.catalogue
    roles = {
        role: [column.name for column in catalogue.with_role(role)]
        for role in ("quasi", "sensitive", "time")
    }
    timeless = roles["quasi"] + roles["sensitive"]
    every = timeless + roles["time"]
    kinds = {**roles, "quasi and sensitive": timeless, "all with time": every}

    def where(columns: Sequence[str]) -> Condition:
        return condition_on(rng, groups, list(columns))

    numeric = [
        column.name for column in catalogue.with_role("quasi", "sensitive") if column.numeric
    ]
    for _ in range(many):
        for kind, columns in kinds.items():
            if columns and (roles["time"] or kind != "all with time"):
                yield f"COUNT, {kind}", Question("", (COUNT,), where(columns))
        for told in (Aggregate(kind, name) for name in numeric for kind in ("sum", "avg")):  # type: ignore[arg-type]
            condition = where(timeless)
            if not under_or(condition):
                yield told.kind.upper(), Question("", (told,), condition)
    for role, some in roles.items():
        for column in some:
            others = [name for name in every if name != column]
            condition = where(others) if others and rng.random() < 0.7 else EVERYTHING
            yield f"GROUP BY {role}", Question("", (COUNT,), condition, (Grouping(column),))


def _told(
    kind: str, question: Question, published: Published, records: list[Record]
) -> Iterator[Stated]:
    try:
        (answer,) = ask_many(published, [question])
        groups = [dict(published.keys(grouping)) for grouping in question.groupings]
    except QuestionError:
        return
    for row in answer.rows:
        leaves = (group[key] for group, key in zip(groups, row.keys, strict=True))
        truth = _truth(question.aggregates[0], All((question.where, *leaves)), records)
        if truth is not None and row.figures[0].estimate is not None:
            yield Stated(kind, row.figures[0], truth)


def _truth(aggregate: Aggregate, condition: Condition, records: list[Record]) -> float | None:
    met = [record for record in records if meets(condition, record)]
    if aggregate.column is None:
        return len(met)
    numbers = [float(r[aggregate.column]) for r in met if r[aggregate.column] is not None]
    if aggregate.kind == "sum":
        return math.fsum(numbers)
    return math.fsum(numbers) / len(numbers) if numbers else None


@dataclass(frozen=True)
class Share:
    """How many answers have a standard error, and how many of these reach the truth."""

    answers: int
    exact: int
    known: int
    within: int

    def __str__(self) -> str:
        if not self.answers:
            return ""
        if not self.known:
            return "exact" if self.exact == self.answers else "not known"
        return f"{100 * self.within / self.known:.1f} % of {self.known:,}"


def share_of(some: Iterable[Stated]) -> Share:
    answers = list(some)
    known = [one for one in answers if one.known]
    exact = sum(one.figure.exact for one in answers)
    return Share(len(answers), exact, len(known), sum(one.within for one in known))


def table(found: dict[str, list[Stated]]) -> list[str]:
    """Lay out, in Markdown, what was found for each method: a row for each kind of question."""
    kinds = dict.fromkeys(one.kind for some in found.values() for one in some)
    lines = ["| | " + " | ".join(found) + " |", "|---" * (len(found) + 1) + "|"]
    for kind in kinds:
        cells = (str(share_of(x for x in some if x.kind == kind)) for some in found.values())
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    answers = [one for some in found.values() for one in some]
    exact, known = sum(one.figure.exact for one in answers), sum(one.known for one in answers)
    lines.append("")
    lines.append(
        f"{len(answers):,} answers: {exact:,} exact, {known:,} with a standard error, "
        f"{len(answers) - exact - known:,} without; "
        f"{sum(not one.honest for one in answers)} exact that are not, or with an error of 0."
    )
    return lines


def main(cases: int, seed: int) -> int:
    """Print both tables; 1 if an answer claims to be exact, or to be without error, and is not."""
    from tests.oracle.asking_coverage_series import CALLED as SERIES
    from tests.oracle.asking_coverage_series import stated as stated_series

    tables: dict[str, list[Stated]] = {}
    for method in METHODS:
        tables[CALLED[method]] = [
            one
            for people in (EVEN, LIFELIKE)
            for number in range(cases)
            for one in stated(method, seed, number, people)
        ]
    print("\n".join(table(tables)), flush=True)
    series: dict[str, list[Stated]] = defaultdict(list)
    for way, called in SERIES.items():
        for number in range(2 * cases):
            series[called] += stated_series(way, seed, number)
    print("\n".join(["", *table(series)]))
    answers = [one for found in (tables, series) for some in found.values() for one in some]
    return int(not all(one.honest for one in answers))
