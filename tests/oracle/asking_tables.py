"""Small random tables, published by every method, and the records that were published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any as Anything
from unittest.mock import patch
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.making import feeds
from anachron.methods.reposition.records import NOWHERE
from anachron.release.read import Release
from tests.oracle.asking import Choice, Group, Head, micros, plain, read
from tests.oracle.asking_people import EVEN, REGIONS, TOWNS, People

__all__ = ["MAKERS", "Record"]

ZONE = "Europe/Rome"
QUASI = ("age", "weight", "dose", "zip", "town", "flag")
START = date(2024, 3, 25)
"""The clock changes within the first week."""

Record = dict[str, Anything]
Maker = Callable[[np.random.Generator, Path, People], tuple[list[Release], list[Record]]]


def _times(rng: np.random.Generator, n: int, days: int, busy: int = 3) -> list[datetime]:
    """Some days have most of the events, some have none."""
    chosen = rng.choice(days, size=max(2, days - 2), replace=False)
    day = np.where(rng.random(n) < 0.5, rng.choice(chosen[:busy], n), rng.choice(chosen, n))
    return [
        datetime(START.year, START.month, START.day, 8) + timedelta(days=int(d), hours=int(h))
        for d, h in zip(day, rng.integers(0, 12, n), strict=True)
    ]


def _nulled(rng: np.random.Generator, values: list[Anything], share: float) -> list[Anything]:
    return [None if rng.random() < share else value for value in values]


def _granularity(
    rng: np.random.Generator, folder: Path, people: People = EVEN
) -> tuple[list[Release], list[Record]]:
    n = people.many(rng)
    made = people.columns(rng, n)
    columns = {name: _nulled(rng, made[name], 0.1) for name in QUASI} | {"born": made["born"]}
    ladders = {
        "age": an.Ladder.bins(5, 20, raw=False, drop=bool(rng.random() < 0.3)),
        "weight": an.Ladder.bins("0.5", "2.5", raw=False, origin="-0.5", drop=False),
        "dose": an.Ladder.bins("0.02", "0.1", drop=False),
        "zip": an.Ladder.prefix(2, 1, raw=False, drop=False),
        "town": an.Ladder.hierarchy(REGIONS, raw=bool(rng.random() < 0.3), drop=False),
    }
    quasi = [str(c) for c in rng.choice(list(columns), size=int(rng.integers(1, 4)), replace=False)]
    table: dict[str, Anything] = {name: columns[name] for name in quasi}
    table["who"] = [f"p{i}" for i in rng.integers(0, n, n)]
    table["at"] = _times(rng, n, 12)
    table["ill"] = _nulled(rng, [str(x % 3) for x in made["ill"]], 0.1)
    table["cost"] = _nulled(rng, made["cost"], 0.1)
    promise = an.TimeGranularity(
        k=max(2, n // 40),
        granularities=["day", "week", "month"],
        ladders={name: ladders[name] for name in quasi if name in ladders},
        max_suppressed="1/2",
    )
    release = an.publish(
        pa.table(table),
        an.Schema(subject="who", time="at", quasi=quasi, sensitive=["ill", "cost"], time_zone=ZONE),
        promise,
        ledger=folder / "ledger",
        to=folder / "releases",
    )
    records = _plain_records(table, [*quasi, "ill", "cost"], "at")
    return [release], [r for r in records if _is_published(r, release, quasi)]


def _plain_records(table: dict[str, Anything], names: list[str], time: str) -> list[Record]:
    found = []
    for i in range(len(table[time])):
        record = {name: plain(table[name][i]) for name in names}
        record[time] = micros(table[time][i].replace(tzinfo=ZoneInfo(ZONE)))
        found.append(record)
    return found


def _is_published(record: Record, release: Release, quasi: list[str]) -> bool:
    """Groups are suppressed whole: a record is out if no published box and granule holds it."""
    return any(_holds(group, record, quasi) for group in read([release]))


def _holds(group: Group, record: Record, quasi: list[str]) -> bool:
    row = group.rows[0]
    ((start, end),) = row["at"].spans  # type: ignore[union-attr]
    return start <= record["at"] < end and all(
        name not in row or _may_be(row[name], record[name]) for name in quasi
    )


def _may_be(cell: Anything, value: Anything) -> bool:
    if value is None or isinstance(cell, Choice):
        return isinstance(cell, Choice) and value in cell.values
    if isinstance(cell, Head):
        return bool(value[: cell.length] == cell.text)
    return bool(cell.low <= float(value) < cell.high)


def _register(
    rng: np.random.Generator, names: list[str], people: People
) -> dict[str, list[Anything]]:
    made = people.columns(rng, len(names))
    return {"who": names} | {name: made[name] for name in ("age", "weight", "town", "ill")}


WIDTHS, ORDERS = {"weight": "0.5", "age": 2}, {"town": TOWNS}


def _apart(
    rng: np.random.Generator, folder: Path, people: People = EVEN
) -> tuple[list[Release], list[Record]]:
    """The same by anatomy."""
    return _invariance(rng, folder, people, "anatomy")


def _invariance(
    rng: np.random.Generator, folder: Path, people: People = EVEN, then: str = "generalize"
) -> tuple[list[Release], list[Record]]:
    """A register of which people leave, so that there are counterfeits; in mode sticky, values of
    some who stay become another one of their set."""
    n, m = people.many(rng), int(rng.integers(2, 4))
    table = _register(rng, [f"p{i}" for i in range(n)], people)
    quasi = [str(c) for c in rng.choice(["age", "weight", "town"], int(rng.integers(1, 4)), False)]
    schema = an.Schema(subject="who", quasi=quasi, sensitive="ill")
    grid: dict[str, Anything] = {
        "widths": {c: w for c, w in WIDTHS.items() if c in quasi},
        "orders": {c: o for c, o in ORDERS.items() if c in quasi},
    }
    mode = str(rng.choice(["paper", "transparent", "sticky"]))
    promise = an.MInvariance(m=m, mode=mode, **(grid if then == "generalize" else {}), then=then)
    for step in range(3):
        now = pa.table(table).select(["who", *quasi, "ill"])
        release = an.publish(now, schema, promise, ledger=folder / "l", to=folder / "r")
        if step < 2:
            if promise.mode == "sticky":
                table["ill"] = _another_inside(rng, folder / "l", release, table)
            stay = np.flatnonzero(rng.random(len(table["who"])) < 0.7)
            come = _register(rng, [f"q{step}{i}" for i in range(max(4, n // 8))], people)
            shown = dict(table)
            table = {k: [v[i] for i in stay] + come[k] for k, v in table.items()}
        else:
            shown = table
    records = [{name: shown[name][i] for name in (*quasi, "ill")} for i in range(len(shown["who"]))]
    return [release], records


def _another_inside(
    rng: np.random.Generator, ledger: Path, release: Release, table: dict[str, list[Anything]]
) -> list[Anything]:
    """Give half of the people any value of their group, most often the lowest."""
    book = an.Ledger.open(ledger)
    state = book.state(book.entries()[-1]).table()
    subjects = dict(zip(state["subject"].to_pylist(), state["group"].to_pylist(), strict=True))
    sets: dict[int, list[Anything]] = {}
    for row in release.table("sensitive" if release.form.layout.apart else "data").to_pylist():
        sets.setdefault(row["group"], []).append(row["ill"])
    found = []
    who = book.pseudonyms(pa.array(table["who"])).to_pylist()
    for person, ill in zip(who, table["ill"], strict=True):
        among = sets[subjects[person]]
        other = min(among) if rng.random() < 0.6 else among[int(rng.integers(len(among)))]
        found.append(other if rng.random() < 0.5 else ill)
    return found


@contextmanager
def _watched() -> Iterator[list[Record]]:
    """Note which records of a feed are published, and when they happened."""
    seen: list[Record] = []

    def note(feed: Anything, schema: Anything, rows: Anything, time: str) -> None:
        values = feeds.apply.typed(feed)[0].to_pylist()
        starts = feed.time.bounds(feed.held.home[rows])[0].tolist()
        for row, start in zip(rows.tolist(), starts, strict=True):
            quasi = {n: plain(c[row].as_py()) for n, c in feed.held.quasi.items()}
            value = {schema.sensitive[0]: values[feed.held.value[row]]}
            seen.append({**quasi, **value, time: start})

    written, composed = feeds.apply.outcome, feeds.compose.outcome

    def on_written(feed: Anything, promise: Anything, schema: Anything) -> Anything:
        note(feed, schema, np.flatnonzero(feed.held.position != NOWHERE), schema.time)
        return written(feed, promise, schema)

    def on_composed(
        feed: Anything, promise: Anything, schema: Anything, past: Anything, *others: Anything
    ) -> Anything:
        result, after = composed(feed, promise, schema, past, *others)
        rows = np.flatnonzero(feed.held.position != NOWHERE)
        state = result.state.table()
        here = state.filter(pa.compute.is_valid(state["group"]))["subject"].to_pylist()
        held = feed.held.people.take(pa.array(rows))
        people = feed.records.pseudonyms(held, past).to_pylist()
        kept = [row for row, person in zip(rows, people, strict=True) if person in set(here)]
        note(feed, schema, np.array(kept, dtype=np.int64), "snapshot")
        return result, after

    with (
        patch.object(feeds.apply, "outcome", on_written),
        patch.object(feeds.compose, "outcome", on_composed),
    ):
        yield seen


def _feed(then: Anything, pushes: bool = False) -> Maker:
    def make(
        rng: np.random.Generator, folder: Path, people: People = EVEN
    ) -> tuple[list[Release], list[Record]]:
        n = people.many(rng)
        made = _register(rng, [f"p{i}" for i in range(n)], people)
        quasi = [str(c) for c in rng.choice(["age", "weight", "town"], 2, replace=False)]
        if then == "anatomy":
            made[quasi[0]] = _nulled(rng, made[quasi[0]], 0.1)
        if people is EVEN:
            made["ill"] = np.minimum(rng.geometric(0.4, n), 5).tolist()
        made["at"] = sorted(_times(rng, n, 7))
        table = pa.table({name: made[name] for name in ("who", "at", *quasi, "ill")})
        grid: dict[str, Anything] = {
            "widths": {c: w for c, w in WIDTHS.items() if c in quasi},
            "orders": {c: o for c, o in ORDERS.items() if c in quasi},
        }
        window, what = int(rng.integers(1, 4)), then
        if then == "invariance":
            what, grid = an.MInvariance(m=2, **grid), {}
        elif then == "invariance apart":
            what, grid = an.MInvariance(m=2, then="anatomy"), {}
        elif then == "anatomy":
            grid = {}
        schema = an.Schema(subject="who", time="at", quasi=quasi, sensitive="ill", time_zone=ZONE)
        promise = an.Reposition(l=2, window=window, then=what, **grid)
        with _watched() as seen:
            if not pushes:
                release = an.publish(table, schema, promise, ledger=folder / "l", to=folder / "r")
                found = sorted(release.path.parent.iterdir())
            else:
                plan = an.Plan("x", schema, promise, ledger=folder / "l", releases=folder / "r")
                feed = an.open(plan)
                cut = int(np.searchsorted(np.array(made["at"]), _midday(made["at"])))
                for part in (table.slice(0, cut), table.slice(cut)):
                    if part.num_rows:
                        feed.push(part)
                feed.flush()
                found = sorted((folder / "r").iterdir()) if (folder / "r").exists() else []
        return [Release(path) for path in found], seen

    return make


def _midday(times: list[datetime]) -> datetime:
    """The first instant of the day in the middle: snapshots are pushed whole."""
    middle = times[len(times) // 2]
    return datetime(middle.year, middle.month, middle.day)


MAKERS: dict[str, Maker] = {
    "granularity": _granularity,
    "invariance": _invariance,
    "anatomy": _feed("anatomy"),
    "generalize": _feed("generalize"),
    "composed": _feed("invariance"),
    "register apart": _apart,
    "composed apart": _feed("invariance apart"),
    "pushes": _feed("anatomy", pushes=True),
}
