"""Releases of series made by hand, as plainly as can be, to be right or to be spoilt."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist, mean, stdev

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.history import TablePast
from anachron.behind import Microdata
from anachron.guarantees import KPAnonymity
from anachron.release.read import Release
from anachron.release.write import write
from anachron.schema import Schema
from anachron.streamed import Streamed
from tests.auditing.drafting import Row, digests, shuffled
from tests.auditing.held import held
from tests.release.forging import claimed, reseal, write_parquet

Series = tuple[float, ...]

TIMES = ["mon", "tue", "wed", "thu"]
SCHEMA = Schema(subject="who", series=TIMES, sensitive="pay")
PROMISE = KPAnonymity(k=4, P=2, max_level=5, precision="0.5")
STATE = pa.schema([("subject", pa.binary(32)), ("group", pa.int32())])


def word(series: Sequence[float], level: int, segments: Sequence[int] | None = None) -> str:
    """Spell a series at a level, step by step as the paper tells it, or its segments."""
    spread = stdev(series)
    cuts = [NormalDist().inv_cdf(j / level) for j in range(1, level)]
    z = [(value - mean(series)) / spread if spread > 1e-12 else 0.0 for value in series]
    if segments is not None:
        left = iter(z)
        z = [mean([next(left) for _ in range(length)]) for length in segments]
    return "".join("abcdefghijklmnopqrstuvwxyz"[bisect_right(cuts, round(v, 9))] for v in z)


digest = digests("who")


@dataclass
class Person:
    """A row of the table, and what is published of it if that is not the truth."""

    series: Series
    pay: int


@dataclass
class Draft:
    """A release of series that is not written yet."""

    people: dict[str, Person]
    groups: list[list[tuple[int, list[str]]]]
    """Of each group the levels and members of its subgroups."""
    promise: Row = field(default_factory=PROMISE.to_dict)
    step: float = 0.5
    segments: list[int] | None = None
    rows: Callable[[list[Row]], list[Row]] = lambda rows: rows
    envelopes: Callable[[list[Row]], list[Row]] = lambda envelopes: envelopes
    table: Callable[[pa.Table], pa.Table] = lambda table: table
    frame: Callable[[pa.Table], pa.Table] = lambda table: table
    said: Callable[[Row], None] = lambda said: None
    state: Callable[[list[Row]], list[Row]] = lambda state: state
    after: Callable[[Path], None] = lambda folder: None
    register: Callable[[list[Row]], list[Row]] = lambda register: register
    csv: bool = False
    sort: bool = True

    def diverse(self, l: int = 2) -> None:  # noqa: E741
        """Promise l: then nobody may be left out."""
        self.promise["l"] = l
        del self.people["Pia"]

    def over_segments(self, *lengths: int) -> None:
        """Give the means of so many times a letter, as is promised."""
        self.segments, self.promise["segments"] = [*lengths], len(lengths)
        # Two people who agree at each time need not agree in the mean.
        at = next(i for i, (_, names) in enumerate(self.groups[1]) if "Fay" in names)
        self.groups[1][at] = (1, self.groups[1][at][1])

    def members(self, group: list[tuple[int, list[str]]]) -> list[str]:
        """Everyone of a group."""
        return [name for _, names in group for name in names]

    def bounds(self, group: list[tuple[int, list[str]]]) -> Row:
        """The envelope of a group."""
        found = {}
        for i, time in enumerate(TIMES):
            steps = [self.people[name].series[i] / self.step for name in self.members(group)]
            found[f"{time}_low"] = math.floor(min(steps)) * self.step
            found[f"{time}_high"] = math.ceil(max(steps)) * self.step
        return found

    def ordered(self) -> list[list[tuple[int, list[str]]]]:
        """The groups in the order in which they are published."""
        if not self.sort:
            return self.groups
        return sorted(self.groups, key=lambda group: tuple(self.bounds(group).values()))

    def published(self) -> tuple[list[Row], list[Row]]:
        """The rows and the envelopes."""
        rows: list[Row] = []
        envelopes: list[Row] = []
        for number, group in enumerate(self.ordered(), 1):
            envelopes.append({"group": number, **self.bounds(group)})
            for level, names in group:
                for name in names:
                    person = self.people[name]
                    told = {"pattern": word(person.series, level, self.segments), "pay": person.pay}
                    rows.append({"group": number, "level": level, **told})
        rows.sort(key=lambda row: tuple(row.values()))
        return self.rows(rows), self.envelopes(envelopes)

    def past(self) -> TablePast:
        """What the ledger remembers."""
        state = [
            {"subject": name, "group": number}
            for number, group in enumerate(self.ordered(), 1)
            for name in self.members(group)
        ]
        state = self.state(state)
        subjects = digest(pa.array([row.pop("subject") for row in state]))
        table = pa.Table.from_pylist(state)
        kinds = {"group": pa.int32()}
        columns = {n: table[n].cast(kinds.get(n, table[n].type)) for n in table.column_names}
        return TablePast(Streamed.of(pa.table({"subject": subjects, **columns})), digest)

    def write(self, folder: Path) -> Release:
        """Write the release with digests that are right."""
        folder.mkdir(parents=True)
        rows, envelopes = self.published()
        table, frame = self.table(pa.Table.from_pylist(rows)), pa.Table.from_pylist(envelopes)
        frame = self.frame(frame)
        published = len(rows)
        columns: dict[str, Row] = {
            t: {"role": "series", "published": [f"{t}_low", f"{t}_high"], "pattern": True}
            for t in TIMES
        }
        columns["pay"] = {"role": "sensitive", "published": ["pay"]}
        description = {
            "number": 1,
            "previous": None,
            "guarantee": self.promise,
            "time_zone": "UTC",
            "columns": columns,
            "times": {"values": TIMES, "patterns": TIMES},
            "precision": str(self.promise["precision"] or 1),
            "break_points": 1,
            "highest_level": max(row["level"] or 0 for row in rows),
            "suppressed_series": max(len(self.people) - published, 0),
            "dropped_series": 0,
        }
        if self.segments is not None:
            description["segments"] = self.segments
        self.said(description)
        resources = {
            "data": (table.schema, iter(table.to_batches())),
            "envelopes": (frame.schema, iter(frame.to_batches())),
        }
        description["columns"] = claimed(columns)
        write(folder, resources, description, self.csv)
        self.after(folder)
        return Release(folder)

    def loaded(self) -> Microdata:
        """The table as the audit gets it, out of order."""
        rows = [
            {"who": name, **dict(zip(TIMES, person.series, strict=True)), "pay": person.pay}
            for name, person in self.people.items()
        ]
        return held(self.register(shuffled(rows)), SCHEMA)


def rewrite(folder: Path, name: str, change: Callable[[Path], None]) -> None:
    """Change a file of a release, and let its description know the new digest."""
    change(folder / name)
    reseal(folder)


def annotated(file: Path) -> None:
    """Leave a note in a Parquet file."""
    write_parquet(file, pq.read_table(file), "table.csv")


def good() -> Draft:
    """A release of 15 people: three groups of a few shapes, and one person who is suppressed."""
    people = {
        "Ann": Person((10.2, 11.1, 12.3, 13.4), 31),
        "Bob": Person((10.9, 12.0, 13.1, 14.2), 35),
        "Cid": Person((14.1, 12.7, 11.9, 10.3), 40),
        "Dan": Person((13.9, 12.6, 11.7, 10.1), 44),
        "Eve": Person((14.8, 13.4, 12.2, 11.1), 48),
        "Fay": Person((30.0, 35.0, 31.0, 30.2), 52),
        "Gus": Person((31.5, 36.5, 32.0, 31.1), 55),
        "Hal": Person((30.4, 31.0, 36.2, 31.3), 58),
        "Ivy": Person((30.0, 31.2, 37.7, 31.3), 61),
        "Jan": Person((30.6, 31.9, 33.2, 34.4), 64),
        "Kim": Person((34.9, 33.7, 32.1, 30.8), 67),
        "Lea": Person((50.5, 50.5, 50.5, 50.5), 71),
        "Max": Person((51.0, 51.0, 51.0, 51.0), 75),
        "Nan": Person((50.2, 50.9, 51.7, 52.9), 79),
        "Oda": Person((50.3, 51.1, 51.8, 53.2), 83),
        "Pia": Person((70.3, 60.1, 72.2, 68.3), 87),
    }
    groups: list[list[tuple[int, list[str]]]] = [
        [(4, ["Ann", "Bob"]), (3, ["Cid", "Dan", "Eve"])],
        [(3, ["Fay", "Gus"]), (4, ["Hal", "Ivy"]), (1, ["Jan", "Kim"])],
        [(5, ["Lea", "Max"]), (5, ["Nan", "Oda"])],
    ]
    return Draft(people, groups)
