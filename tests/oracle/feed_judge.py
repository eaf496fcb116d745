"""Do the releases of a feed keep their promise? Judged from the tables and what was pushed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import anachron as an
from tests.oracle.feed_books import matched
from tests.oracle.feed_cases import Row

FIRST = date(2024, 5, 1)
"""The first day of every feed."""
_DAY = 86_400_000_000


@dataclass(frozen=True)
class Shown:
    """A release, as rows; ``there`` are the people in it, for an m-invariant one."""

    number: int
    data: Sequence[Mapping[str, Any]]
    sensitive: Sequence[Mapping[str, Any]] = ()
    counterfeits: Mapping[int, int] = field(default_factory=dict)
    label: str = ""
    there: Sequence[tuple[int, int, int]] = ()
    """(who, group, home) of everyone."""


def day_of(label: str) -> int:
    return (date.fromisoformat(label) - FIRST).days


def home_of(instant: int) -> int:
    return instant // _DAY - (FIRST - date(1970, 1, 1)).days


def judge(promise: an.Reposition, taken: set[Row], shown: Sequence[Shown]) -> int:
    """Check everything; give how many records are published."""
    assert all(len(release.data) for release in shown), "no release is without rows"
    if isinstance(promise.then, an.MInvariance):
        return _invariant(promise, taken, shown)
    rows = [(release.number, row) for release in shown for row in release.data]
    groups: dict[object, Counter[str]] = defaultdict(Counter)
    days: dict[int, Counter[str]] = defaultdict(Counter)
    day = {(number, row["group"]): day_of(row["day"]) for number, row in rows}
    cells = (
        [(r.number, c["group"], c["value"], c["count"]) for r in shown for c in r.sensitive]
        if promise.then == "anatomy"
        else [(number, row["group"], row["value"], 1) for number, row in rows]
    )
    for number, group, value, count in cells:
        groups[number, group][value] += count
        days[day[number, group]][value] += count
    for counts in (*groups.values(), *days.values()):
        assert max(counts.values()) * promise.l <= sum(counts.values()), "a value is too frequent"
    sizes = Counter((number, row["group"]) for number, row in rows)
    assert {key: sum(counts.values()) for key, counts in groups.items()} == sizes
    if promise.then == "anatomy":
        _exact(promise, taken, rows, groups)
    else:
        fits = [
            [one for one in taken if one.value == row["value"]
             and row["age_low"] <= one.age <= row["age_high"]
             and one.day <= day_of(row["day"]) < one.day + promise.window]
            for _, row in rows
        ]  # fmt: skip
        assert matched(fits), "a published row is no record, or one is published twice"
    return len(rows)


def _exact(
    promise: an.Reposition,
    taken: set[Row],
    rows: Sequence[tuple[int, Mapping[str, Any]]],
    groups: Mapping[object, Counter[str]],
) -> None:
    """Quasi values are as they were: every row is one record, on time, nobody twice on a day."""
    by_age = {row.age: row for row in taken}
    records = [(number, row["group"], day_of(row["day"]), by_age[row["age"]])
               for number, row in rows]  # fmt: skip
    assert len({one.age for *_, one in records}) == len(records), "a record is published twice"
    assert all(one.day <= day < one.day + promise.window for *_, day, one in records)
    assert len({(day, one.who) for *_, day, one in records}) == len(records), "twice on a day"
    found: dict[object, Counter[str]] = defaultdict(Counter)
    for number, group, _, one in records:
        found[number, group][one.value] += 1
    assert found == groups, "the values of a group are those of its records"


def _invariant(promise: an.Reposition, taken: set[Row], shown: Sequence[Shown]) -> int:
    assert isinstance(promise.then, an.MInvariance)
    once: set[tuple[int, int]] = set()
    last: dict[int, tuple[str, frozenset[str]]] = {}
    for release in shown:
        day, groups = day_of(release.label), defaultdict(list)
        for row in release.data:
            groups[row["group"]].append(row)
        sets = {group: frozenset(row["value"] for row in rows) for group, rows in groups.items()}
        people = Counter(group for _, group, _ in release.there)
        for group, rows in groups.items():
            assert len(sets[group]) == len(rows) >= promise.then.m, "a value twice, or too few"
            assert people[group] + release.counterfeits.get(group, 0) == len(rows)
        assert len({who for who, _, _ in release.there}) == len(release.there)
        for who, group, home in release.there:
            assert (who, home) not in once, "a record is published twice"
            once.add((who, home))
            assert home <= day < home + promise.window
            low, high = groups[group][0]["age_low"], groups[group][0]["age_high"]
            fits = [one for one in taken if (one.who, one.day) == (who, home)
                    and low <= one.age <= high and one.value in sets[group]]  # fmt: skip
            assert fits, "a person without a record"
            if len(fits) == 1:
                before = last.get(who)
                if before is not None and before[0] == fits[0].value:
                    assert before[1] == sets[group], "the possible values of a person changed"
                last[who] = fits[0].value, sets[group]
            else:
                last.pop(who, None)
    return len(once)
