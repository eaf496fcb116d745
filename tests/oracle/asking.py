"""Figures of a release in the plainest way: row by row, value by value, in exact fractions.

It shares no code with what it checks but the conditions themselves. Run it from the root of the
repository::

    python -m tests.oracle.asking --cases 2000 --seed 1
    python -m tests.oracle.asking coverage --cases 40 --seed 1

Every case publishes a small random table by one of the methods, and asks random questions. The
figures must be those of this file, and the truth, counted on the rows that were published, must
lie within the bounds. It prints every difference and exits with 1 if there is one. The second
command tells how often the truth lies within two standard errors: see ``asking_coverage``.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any as Anything
from zoneinfo import ZoneInfo

from anachron.asking.question import All, Among, Any, Begins, Condition, Ranges
from anachron.release.read import Release

Judgement = tuple[bool, bool, Fraction]
"""Whether all that a cell may be meets a leaf, whether anything does, and the share that does."""
NEVER: Judgement = (False, False, Fraction(0))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Choice:
    """A cell that is one of some values, each as likely as the others."""

    values: tuple[Anything, ...]

    def judge(self, leaf: Condition) -> Judgement:
        met = [holds(leaf, value) for value in self.values]
        return all(met), any(met), Fraction(sum(met), len(met))


@dataclass(frozen=True)
class Interval:
    """A cell that is a number between two ends."""

    low: float
    high: float
    half_open: bool

    def judge(self, leaf: Condition) -> Judgement:
        assert isinstance(leaf, Ranges)
        must = may = False
        inside = Fraction(0)
        for span in leaf.spans:
            low = self.low if span.low is None else max(self.low, float(span.low))
            high = self.high if span.high is None else min(self.high, float(span.high))
            inside += max(Fraction(high) - Fraction(low), Fraction(0))
            may |= low < high or (low == high and span.holds(low) and not self._ends_at(low))
            must |= span.holds(self.low) and (
                span.holds(self.high) or (self.half_open and high == self.high)
            )
        length = Fraction(self.high) - Fraction(self.low)
        return must, may, Fraction(1) if must else inside / length

    def _ends_at(self, number: float) -> bool:
        return self.half_open and number == self.high


@dataclass(frozen=True)
class Late:
    """The snapshots in which a published record may have happened; the last is its own."""

    spans: tuple[tuple[int, int], ...]

    def judge(self, leaf: Condition) -> Judgement:
        met = [holds(leaf, start) and holds(leaf, end - 1) for start, end in self.spans]
        return all(met), any(met), Fraction(met[-1])


@dataclass(frozen=True)
class Head:
    """The first characters of a text; all of it, if it is shorter than was published."""

    text: str
    length: int

    def judge(self, leaf: Condition) -> Judgement:
        assert isinstance(leaf, Begins | Among)
        met = holds(leaf, self.text)
        return met, met, Fraction(met)


Cell = Choice | Interval | Late | Head
Row = dict[str, Cell]


@dataclass(frozen=True)
class Group:
    """Rows, how many of them are counterfeits, and sensitive values if they stand apart."""

    rows: tuple[Row, ...]
    fakes: int
    values: tuple[Row, ...] | None
    candidates: bool = False
    """Whether every person has one of the rows, and two may have the same."""


def holds(condition: Condition, value: Anything) -> bool:
    """Whether a leaf is true of a value."""
    assert isinstance(condition, Ranges | Among | Begins)
    if value is None:
        return condition.nulls
    if isinstance(condition, Ranges):
        return any(span.holds(value) for span in condition.spans)
    if isinstance(condition, Among):
        return (value in condition.values) == condition.inside
    return any(value.startswith(p) for p in condition.prefixes) == condition.inside


def meets(condition: Condition, record: dict[str, Anything]) -> bool:
    """Whether a condition is true of a record of the table."""
    if isinstance(condition, All):
        return all(meets(part, record) for part in condition.parts)
    if isinstance(condition, Any):
        return any(meets(part, record) for part in condition.parts)
    assert isinstance(condition, Ranges | Among | Begins)
    return holds(condition, record[condition.column])


def judge(condition: Condition, row: Row) -> Judgement:
    """Put leaves together as if columns were independent."""
    if isinstance(condition, All | Any):
        parts = [judge(part, row) for part in condition.parts]
        every = isinstance(condition, All)
        must, may = ((all if every else any)(part[i] for part in parts) for i in (0, 1))
        shares = [part[2] if every else 1 - part[2] for part in parts]
        share = math.prod(shares, start=Fraction(1))
        return must, may, share if every else 1 - share
    assert isinstance(condition, Ranges | Among | Begins)
    return row[condition.column].judge(condition)


def figures(groups: Sequence[Group], condition: Condition) -> tuple[Fraction, int, int, Fraction]:
    """The estimate, the bounds and the variance of a count."""
    estimate = variance = Fraction(0)
    low = high = 0
    for group in groups:
        quasi, values = _apart(group, condition)
        n, r = len(group.rows), len(group.rows) - group.fakes
        judged = [judge(quasi, row) for row in group.rows]
        if group.values is not None:
            r = n
            if values != All(()):
                # A counterfeit is somebody who has a value, and meets nothing.
                r, n = sum(judge(values, value)[0] for value in group.values), len(group.values)
                judged += [(False, False, Fraction(0))] * (n - len(group.rows))
            if group.candidates:
                share, once = Fraction(r, n), sum((p for _, _, p in judged), Fraction(0))
                low += sum(must for must, _, _ in judged) * (r == n)
                high += sum(may for _, may, _ in judged) * (r > 0)
                estimate += once * share
                variance += once * share * (1 - share)
                continue
        elif group.candidates:
            share = sum((p for _, _, p in judged), Fraction(0)) / n
            low += r * all(must for must, _, _ in judged)
            high += r * any(may for _, may, _ in judged)
            estimate += r * share
            variance += r * share * (1 - share)
            continue
        low += max(0, sum(must for must, _, _ in judged) - (n - r))
        high += min(sum(may for _, may, _ in judged), r)
        once, twice = (sum((p**i for _, _, p in judged), Fraction(0)) for i in (1, 2))
        estimate += once * r / n
        variance += (once - twice) * r / n
        if n > 1:
            variance += Fraction(r * (n - r), n * (n - 1)) * (twice - once**2 / n)
    return estimate, low, high, variance


def _apart(group: Group, condition: Condition) -> tuple[Condition, Condition]:
    """What is asked of rows, and of the values beside them."""
    if not group.values:
        return condition, All(())
    parts = condition.parts if isinstance(condition, All) else (condition,)
    beside = group.values[0].keys()
    of_values = tuple(part for part in parts if columns(part) & beside)
    return All(tuple(part for part in parts if part not in of_values)), All(of_values)


def columns(condition: Condition) -> set[str]:
    """The columns that a condition speaks of."""
    if isinstance(condition, All | Any):
        return set().union(*(columns(part) for part in condition.parts))
    assert isinstance(condition, Ranges | Among | Begins)
    return {condition.column}


def read(releases: Iterable[Release]) -> list[Group]:
    """Read releases as groups of rows of cells."""
    found: list[Group] = []
    for release in releases:
        ours = release.description["anachron"]
        names = {resource["name"] for resource in release.description["resources"]}
        fakes = {}
        if "counterfeits" in names:
            fakes = {
                r["group"]: r["counterfeits"] for r in release.table("counterfeits").to_pylist()
            }
        cell_of = {
            name: _reader(name, meaning, release) for name, meaning in ours["columns"].items()
        }
        if "snapshot" in ours:
            span = _late(ours["snapshot"]["start"], ours["snapshot"]["end"], release)
            cell_of["snapshot"] = lambda _row, span=span: span
        beside: dict[int, list[Row]] = {}
        if "sensitive" in names:
            (column,) = (n for n, m in ours["columns"].items() if m["role"] == "sensitive")
            del cell_of[column]
            for row in release.table("sensitive").to_pylist():
                copies = [{column: Choice((row[column],))}] * row["count"]
                beside.setdefault(row["group"], []).extend(copies)
        rows = release.table().to_pylist()
        for number, some in itertools.groupby(rows, key=lambda row: row["group"]):
            cells = tuple({n: f(row) for n, f in cell_of.items() if f is not None} for row in some)
            values = tuple(beside[number]) if beside else None
            found.append(Group(cells, fakes.get(number, 0), values, _candidates(release)))
    return found


def _candidates(release: Release) -> bool:
    """Whether values may have changed within groups: in mode sticky, after the first release."""
    then = release.guarantee.get("then")
    promise = then if isinstance(then, dict) else release.guarantee
    constant = promise.get("changes") and not any(promise["changes"].values())
    return promise.get("mode") == "sticky" and release.number > 1 and not constant


def _reader(
    name: str, meaning: dict[str, Anything], release: Release
) -> Callable[[dict[str, Anything]], Cell] | None:
    """How the published columns of a column are read, by what the description says of them."""
    step = meaning.get("step", "as it is")
    if meaning["role"] == "time":
        return lambda row: _late(
            micros(row[f"{name}_start"]), micros(row[f"{name}_end"]), release, step == "snapshot"
        )
    if step == "left out":
        return None
    if step == "prefix":
        return lambda row: (
            Choice((None,)) if row[name] is None else Head(row[name][:-1], meaning["length"])
        )
    if step == "parents":
        return lambda row: Choice(tuple(meaning["covers"].get(row[name], (None,))))
    if step in ("bins", "interval"):
        order = meaning.get("order")
        return lambda row: _interval(row[f"{name}_low"], row[f"{name}_high"], order, step == "bins")
    return lambda row: Choice((plain(row[name]),))


def _interval(low: Anything, high: Anything, order: list[str] | None, half_open: bool) -> Cell:
    if low is None:
        return Choice((None,))
    if order:
        return Choice(tuple(order[order.index(low) : order.index(high) + 1]))
    if isinstance(low, int):
        return Choice(tuple(range(low, high + 1)))
    return Interval(low, high, half_open)


def _late(start: int, end: int, release: Release, feed: bool = True) -> Late:
    """A granule; of a feed by days, all days on which what is published in it may have happened."""
    if not feed:
        return Late(((start, end),))
    guarantee, zone = release.guarantee, release.description["anachron"]["time_zone"]
    assert guarantee["snapshot"] == "day"
    day = (EPOCH + timedelta(microseconds=start)).astimezone(ZoneInfo(zone)).date()
    days = [day - timedelta(back) for back in reversed(range(guarantee["window"]))]
    return Late(tuple(day_span(one, zone) for one in days))


def day_span(day: date, zone: str) -> tuple[int, int]:
    """From when to when a civil day goes, in microseconds."""
    clock = ZoneInfo(zone)
    start, end = (
        datetime(one.year, one.month, one.day, tzinfo=clock) for one in (day, day + timedelta(1))
    )
    return micros(start), micros(end)


def micros(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def plain(value: Anything) -> Anything:
    """A value as conditions speak of it: dates as days, instants as microseconds."""
    if isinstance(value, datetime):
        return micros(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date):
        return (value - date(1970, 1, 1)).days
    return value


def main() -> int:
    from tests.oracle.asking_cases import KINDS, differences, draw

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["figures", "coverage"], default="figures")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    asked = parser.parse_args()
    if asked.what == "coverage":
        from tests.oracle.asking_coverage import main as coverage

        return coverage(asked.cases, asked.seed)
    began, wrong, questions = time.perf_counter(), 0, Counter[str]()
    for number in range(asked.first, asked.first + asked.cases):
        case = draw(asked.kinds[number % len(asked.kinds)], asked.seed, number)
        if case is None:
            questions["nothing could be published"] += 1
            continue
        questions[case.kind] += len(case.conditions)
        for line in differences(case):
            wrong += 1
            print(f"case {number}, {case.kind}: {line}", flush=True)
    for kind, many in questions.items():
        print(f"{kind}: {many}")
    seconds = time.perf_counter() - began
    print(f"{asked.cases} cases, {wrong} differences, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
