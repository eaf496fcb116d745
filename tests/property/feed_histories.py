"""Random feeds of several pushes, and what became of their records, counted by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")
FIRST = np.datetime64("2024-02-26")
Row = dict[str, Any]


@dataclass
class History:
    """A feed as it is pushed, and all that its pushes gave."""

    plan: an.Plan
    pushed: list[Row] = field(default_factory=list)
    """All rows that were accepted."""
    releases: dict[int, an.Release] = field(default_factory=dict)
    last: str = ""
    """The last day that was pushed."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Rows that came late where these are dropped, and second ones of a person, by their day."""

    @property
    def table(self) -> pa.Table:
        """What was pushed, as one table."""
        return pa.Table.from_pylist(self.pushed)

    def push(self, rows: list[Row]) -> bool:
        """Push some rows; give whether they were accepted."""
        try:
            due = an.open(self.plan).push(pa.Table.from_pylist(rows))
        except (AlreadyPublished, GuaranteeError):
            return False
        self.pushed += rows
        self.dropped.update(row["day"] for row in rows if row["day"] <= self.last)
        people = Counter((row["who"], row["day"]) for row in rows if row["day"] > self.last)
        for (_, day), many in people.items():
            self.dropped[day] += many - 1
        self.last = max(self.last, *(row["day"] for row in rows))
        self.releases |= {release.number: release for release in due}
        return True

    def end(self) -> None:
        """End the feed."""
        due = an.open(self.plan).flush()
        self.releases |= {release.number: release for release in due}

    def arrived(self) -> Counter[str]:
        """How many rows were pushed, by the day on which they happened."""
        return Counter(row["day"] for row in self.pushed)

    def published(self) -> int:
        """How many rows the releases have, without counterfeits."""
        fake = 0
        for release in self.releases.values():
            if "counterfeits" in {one["name"] for one in release.description["resources"]}:
                fake += sum(release.table("counterfeits")["counterfeits"].to_pylist())
        return sum(release.rows for release in self.releases.values()) - fake

    def published_by_day(self) -> Counter[str]:
        """Likewise by the day on which they happened: of a feed by anatomy ages tell who it is."""
        home = {row["age"]: row["day"] for row in self.pushed}
        ages = (r.table()["age"].to_pylist() for r in self.releases.values())
        return Counter(home[age] for some in ages for age in some)


def promise(rng: np.random.Generator, then: str) -> an.Reposition:
    """A promise with options at random."""
    options: dict[str, Any] = {
        "window": int(rng.integers(1, 5)),
        "solver": str(rng.choice(["recycle", "rolling"])),
        "first": str(rng.choice(["exact", "cold"])),
        "late": str(rng.choice(["drop", "recycle"])),
        "repeated": str(rng.choice(["refuse", "one"])),
    }
    if then == "invariance":
        options["late"] = "drop"  # late ones that join are half a push, if it goes on after them
        return an.Reposition(then=an.MInvariance(m=2, when_ineligible="hold"), **options)
    return an.Reposition(l=str(rng.choice(["2", "3/2", "3"])), then=then, **options)


def history(folder: Path, seed: int, then: str) -> Iterator[History]:
    """Give a feed after each of its pushes and after its end."""
    rng = np.random.default_rng(seed)
    kept = promise(rng, then)
    feed = History(
        an.Plan("feed.csv", SCHEMA, kept, ledger=folder / "ledger", releases=folder / "releases")
    )
    day, number = 0, 0
    for push in range(int(rng.integers(3, 7))):
        rows: list[Row] = []
        days = [day + int(d) for d in np.flatnonzero(rng.random(int(rng.integers(1, 4))) < 0.8)]
        if push and rng.random() < 0.5:
            days += [int(d) for d in rng.integers(max(day - 3, 0), day + 1, 1) if d < day]
        for at in sorted(set(days)) or [day]:
            # The first day has enough values for any l.
            values = list("abc") if not push and not rows else []
            values += rng.choice(list("aaabcd"), int(rng.integers(1, 6))).tolist()
            for value in values:
                number += 1
                again = kept.repeated == "one" and rows and rng.random() < 0.1
                person = rows[-1]["who"] if again else f"p{number}"
                if not again and then == "invariance" and rng.random() < 0.3:
                    person = f"q{int(rng.integers(0, 6))}"
                mine = {"who": person, "day": str(FIRST + at), "age": number, "ill": value}
                if kept.repeated == "refuse" and _there(mine, [*rows, *feed.pushed]):
                    continue
                rows.append(mine)
        day = max(day, max(int((np.datetime64(r["day"]) - FIRST).astype(int)) for r in rows) + 1)
        if feed.push(rows):
            yield feed
    feed.end()
    yield feed


def _there(mine: Row, rows: list[Row]) -> bool:
    return any(row["who"] == mine["who"] and row["day"] == mine["day"] for row in rows)
