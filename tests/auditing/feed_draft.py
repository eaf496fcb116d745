"""Releases of a feed made by hand, as plainly as can be, to be right or to be spoilt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.auditing.history import FeedPast
from anachron.behind import Microdata
from anachron.guarantees import Reposition
from anachron.release.read import Release
from anachron.schema import Schema
from anachron.streamed import Streamed
from tests.auditing.drafting import (
    BOUNDS,
    GRID,
    Row,
    as_csv,
    box,
    digests,
    meanings,
    place,
    shuffled,
)
from tests.auditing.held import held, keys_held
from tests.release.forging import describe, write_parquet

SECRET = b"a secret of thirty-two bytes ...."
SCHEMA = Schema(subject="who", time="when", quasi=["age", "pay", "region"], sensitive="ill")
TIMES = [("group", pa.int64()), ("when", pa.string())]
TIMES += [(f"when_{side}", pa.timestamp("us", "UTC")) for side in ("start", "end")]
PLAIN = pa.schema([*TIMES, ("age", pa.int64()), ("pay", pa.float64()), ("region", pa.string())])
BOXED = pa.schema([*TIMES, *BOUNDS])
COUNTS = pa.schema([("group", pa.int64()), ("ill", pa.string()), ("count", pa.int64())])
STATE = pa.schema([("record", pa.binary(16)), ("home", pa.int64()), ("snapshot", pa.int64())])


def instant(day: str, days: int = 0) -> int:
    """The first instant of a day, or of one some days later."""
    at = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days)
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


@dataclass(frozen=True)
class Record:
    """A row of the feed."""

    who: str
    when: str
    age: int
    pay: float
    region: str
    ill: str

    @property
    def home(self) -> str:
        """The day on which it happened."""
        return self.when[:10]


@dataclass
class Group:
    """A group that will be published; its box covers its members unless another is given."""

    day: str
    members: list[str]
    box: Row = field(default_factory=dict)
    values: list[str] | None = None
    """Those of the members, unless others are given."""


def promise(then: str, **settings: Any) -> Row:
    """What the drafts promise."""
    grid = GRID if then == "generalize" else {}
    # Groups are drafted without a look at who came late: no careful feed.
    usual: Row = {"l": 2, "window": 3, "then": then, "careful": False}
    found: Row = Reposition(**{**usual, **grid, **settings}).to_dict()
    return found


@dataclass
class Draft:
    """A release of a feed that is not written yet."""

    then: str
    number: int
    records: dict[str, Record]
    days: list[str]
    """The snapshots that are due, empty ones too."""
    groups: list[Group]
    promise: Row = field(default_factory=dict)
    columns: Row = field(default_factory=dict)
    types: pa.Schema = PLAIN
    count_types: pa.Schema = COUNTS
    stated_rows: int | None = None
    note: str = ""
    sort: bool = True
    zone: str = "UTC"
    rows: Callable[[list[Row]], list[Row]] = lambda rows: rows
    counts: Callable[[list[Row]], list[Row]] = lambda counts: counts
    commas: Callable[[list[Row]], list[Row]] | None = None
    table: Callable[[pa.Table], pa.Table] = lambda table: table
    state: Callable[[dict[str, Row]], None] = lambda state: None
    said: Callable[[Row], None] = lambda said: None
    state_types: Callable[[pa.Table], pa.Table] = lambda table: table
    after: Callable[[Path], None] = lambda folder: None
    shown: Callable[[dict[str, Record]], None] = lambda records: None
    """Changes what the audit is shown of the feed."""

    def __post_init__(self) -> None:
        self.promise = self.promise or promise(self.then)
        self.columns = self.columns or _meanings(self.then)
        self.types = PLAIN if self.then == "anatomy" else BOXED

    def group(self, member: str) -> Group:
        """The group of a record."""
        return next(group for group in self.groups if member in group.members)

    def values(self, group: Group) -> list[str]:
        """The published sensitive values of a group."""
        held = [self.records[name].ill for name in group.members]
        return sorted(held if group.values is None else group.values)

    def box(self, group: Group) -> Row:
        """The published bounds of a group."""
        return box([self.records[name] for name in group.members]) | group.box

    def ordered(self) -> list[Group]:
        """The groups in the order in which they are published."""
        if not self.sort:
            return self.groups
        boxed = self.then == "generalize"
        return sorted(
            self.groups, key=lambda group: (group.day, *(place(self.box(group)) if boxed else ()))
        )

    def write(self, folder: Path) -> Release:
        """Write the release with digests that are right."""
        folder.mkdir(parents=True)
        rows, counts = self._rows()
        rows, counts = self.rows(rows), self.counts(counts)
        table = self.table(pa.Table.from_pylist(rows, self.types))
        write_parquet(folder / "data.parquet", table, self.note)
        tables = {"data": (rows, self.types)}
        if self.then == "anatomy":
            tables["sensitive"] = (counts, self.count_types)
            held = pa.Table.from_pylist(counts, self.count_types)
            write_parquet(folder / "sensitive.parquet", held)
        if self.commas is not None:
            for name, (cells, types) in tables.items():
                said = self.commas(cells) if name == "data" else cells
                (folder / f"{name}.csv").write_text(as_csv(said, types.names), newline="")
        stated = {name: len(held) for name, (held, _) in tables.items()}
        if self.stated_rows is not None:
            stated["data"] = self.stated_rows
        describe(
            folder,
            {name: types for name, (_, types) in tables.items()},
            stated,
            number=self.number,
            previous="0" * 64 if self.number > 1 else None,
            guarantee=self.promise,
            columns=self.columns,
            time_zone=self.zone,
        )
        self.after(folder)
        return Release(folder)

    def _rows(self) -> tuple[list[Row], list[Row]]:
        rows: list[Row] = []
        counts: list[Row] = []
        for number, group in enumerate(self.ordered(), 1):
            start = datetime.fromisoformat(group.day).replace(tzinfo=UTC)
            times = {"group": number, "when": group.day, "when_start": start}
            times["when_end"] = start + timedelta(1)
            if self.then == "generalize":
                rows += [times | self.box(group) | {"ill": ill} for ill in self.values(group)]
                continue
            held = [vars(self.records[name]) for name in group.members]
            quasi = [{name: row[name] for name in SCHEMA.quasi} for row in held]
            quasi.sort(key=lambda row: tuple(row.values()))
            rows += [times | row for row in quasi]
            counted = sorted(Counter(self.values(group)).items())
            counts += [{"group": number, "ill": ill, "count": n} for ill, n in counted]
        return rows, counts

    def listed(self) -> dict[str, Row]:
        """The records that are not published in their own snapshot."""
        there = {name: group.day for group in self.groups for name in group.members}
        found: dict[str, Row] = {}
        for name, record in self.records.items():
            home, day = record.home, there.get(name)
            if day != home and (home in self.days or day is not None):
                at = None if day is None else instant(day)
                found[name] = {"record": name, "home": instant(home), "snapshot": at}
        return found

    def state_table(self) -> pa.Table:
        """The state of the ledger after the release."""
        state = self.listed()
        self.state(state)
        keys = keys_of(self.records)
        rows = [row | {"record": keys.get(row["record"], b"?" * 16)} for row in state.values()]
        rows.sort(key=lambda row: row["record"])
        said: Row = {"snapshots": [[instant(day), instant(day, 1)] for day in self.days]}
        self.said(said)
        table = self.state_types(pa.Table.from_pylist(rows, STATE))
        return table.replace_schema_metadata({b"anachron": json.dumps(said).encode()})

    def microdata(self) -> dict[str, Record]:
        """What the audit is shown of the feed."""
        records = dict(self.records)
        self.shown(records)
        return records


def _meanings(then: str) -> Row:
    """What the description says of the columns."""
    published = ["when", "when_start", "when_end"]
    time = {"role": "time", "step": "snapshot", "granularity": "day", "published": published}
    return {"when": time, **meanings("as it is" if then == "anatomy" else "interval")}


def as_table(records: dict[str, Record]) -> pa.Table:
    """The feed as a table, out of order."""
    return pa.Table.from_pylist(shuffled([vars(record) for record in records.values()]))


def keys_of(records: dict[str, Record]) -> dict[str, bytes]:
    """The keyed hash of each record, by its name."""
    read = held([vars(record) for record in records.values()], SCHEMA)
    return {
        name: int(high).to_bytes(8, "big") + int(low).to_bytes(8, "big")
        for name, (high, low) in zip(records, keys_held(read, SECRET), strict=True)
    }


def loaded(records: dict[str, Record], schema: Schema = SCHEMA) -> Microdata:
    """The feed as the audit gets it."""
    return held(as_table(records).to_pylist(), schema)


who = digests("")


def past(draft: Draft, *before: pa.Table, waiting: pa.Table | None = None) -> FeedPast:
    """What the ledger would show beside a release."""
    states = [Streamed.of(table) for table in (draft.state_table(), *before)]
    return FeedPast(states[0], waiting, SECRET, who, states[1:])


def waiting_table(records: dict[str, Record], first: str) -> pa.Table:
    """What the ledger remembers of records that wait, before the snapshot ``first`` is out."""
    keys, values = keys_of(records), sorted({record.ill for record in records.values()})
    rows = [
        {
            "subject": who(pa.array([record.who]))[0].as_py(),
            "home": 7 + (instant(record.home) - instant(first)) // 86_400_000_000,
            "value": values.index(record.ill),
            "key_high": int.from_bytes(keys[name][:8], "big"),
            "key_low": int.from_bytes(keys[name][8:], "big"),
            **{f"quasi {column}": getattr(record, column) for column in SCHEMA.quasi},
        }
        for name, record in records.items()
    ]
    types = pa.schema(
        [
            ("subject", pa.binary(32)),
            ("home", pa.int64()),
            ("value", pa.int64()),
            ("key_high", pa.uint64()),
            ("key_low", pa.uint64()),
            *((f"quasi {field.name}", field.type) for field in list(PLAIN)[4:]),
        ]
    )
    said = {"values": values, "opens": instant(first), "window": {"clock": [10, 7, -1]}}
    table = pa.Table.from_pylist(rows, types)
    return table.replace_schema_metadata({b"anachron": json.dumps(said).encode()})


def changed(record: Record, **to: Any) -> Record:
    """The record with other cells."""
    return replace(record, **to)
