"""Random tables with everything in them that machines could read in two ways."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import anachron as an
from anachron.guarantees import Guarantee

__all__ = ["METHODS", "Case", "case"]

METHODS = ("events", "register", "feed", "series")

_TEXTS = ["a", "A b", "ü", "U\u0308", "\U0001f600", "\ufffc", "z", "", "0", "-0"]
_WIDE = [Decimal("9999999999999999999999999999.0000000001"), Decimal("-0.1"), Decimal("1e-10")]
_ZONES = ["UTC", "Europe/Rome", "Australia/Lord_Howe", "America/Havana"]


_SPOILED = 0.2
"""The share of histories of which the last table holds what may be refused."""


@dataclass(frozen=True)
class Case:
    """Tables that are published one after the other, and how."""

    schema: an.Schema
    promise: Guarantee
    tables: Sequence[pa.Table]
    accept: tuple[Any, ...] = ("strangers", "changes")


def case(method: str, seed: int) -> Case:
    """Make the tables of a seed."""
    rng = random.Random(f"{method} {seed}")
    make = {"events": _events, "register": _register, "feed": _feed, "series": _series}
    made = make[method](rng)
    if rng.random() > _SPOILED:
        return made
    return replace(made, tables=[*made.tables[:-1], _spoiled(rng, made.tables[-1])])


def _spoiled(rng: random.Random, table: pa.Table) -> pa.Table:
    """The table with cells that are refused, or not, in some of its columns."""
    for name in rng.sample(table.column_names, min(2, table.num_columns)):
        column = table.column(name)
        cells: list[Any] = column.to_pylist()
        wrong: list[Any] = [None]
        if pa.types.is_floating(column.type):
            wrong += [float("nan"), float("inf")]
        elif pa.types.is_string(column.type):
            wrong += ["", " ", "2021-13-45", "p\u0308 ", "P\u0308"]
        for row in rng.sample(range(len(cells)), min(3, len(cells))):
            cells[row] = rng.choice(wrong)
        changed = pa.array(cells, column.type)
        table = table.set_column(table.column_names.index(name), name, changed)
    return table


def _moment(rng: random.Random, days: int) -> datetime:
    return datetime(2021, 3, 20) + timedelta(
        days=rng.randrange(days), minutes=15 * rng.randrange(96)
    )


def _times(rng: random.Random, rows: int, kind: str) -> pa.Array:
    times = [_moment(rng, rng.choice([3, 40])) for _ in range(rows)]
    if kind == "date":
        return pa.array([time.date() for time in times], pa.date32())
    if kind == "text":
        return pa.array([time.date().isoformat() for time in times])
    if kind == "instants":
        return pa.array([time.replace(tzinfo=UTC) for time in times], pa.timestamp("us", "UTC"))
    if kind == "walls":
        # No time of these nights, of which some never were.
        return pa.array([time.replace(hour=12 + time.hour % 12) for time in times],
                        pa.timestamp("us"))  # fmt: skip
    return pa.array([int(time.replace(tzinfo=UTC).timestamp()) for time in times], pa.int64())


def _column(rng: random.Random, rows: int, kind: str, different: int) -> pa.Array:
    """A column of few different values, some of them missing."""
    make = {
        "text": lambda: rng.choice(_TEXTS),
        "long": lambda: rng.choice(_WIDE),
        "whole": lambda: rng.randrange(-5, 90),
        "double": lambda: rng.choice([0.0, -0.0, 0.1, 1e23, -2.5, rng.random()]),
        "single": lambda: rng.choice([0.5, -0.0, 3.25, 1e9]),
        "decimal": lambda: Decimal(rng.randrange(-500, 500)) / 100,
        "date": lambda: date(1960, 1, 1) + timedelta(days=rng.randrange(20000)),
        "flag": lambda: rng.random() < 0.5,
        "bytes": lambda: rng.randbytes(2),
        "moment": lambda: _moment(rng, 900).replace(tzinfo=UTC),
        "wall": lambda: _moment(rng, 900),
    }[kind]
    values = [make() for _ in range(different)]
    if rng.random() < 0.5:
        values.append(None)
    types = {
        "text": pa.string(), "whole": rng.choice([pa.int8(), pa.int16(), pa.int32(), pa.int64()]),
        "long": pa.decimal128(38, 10), "single": pa.float32(),
        "double": pa.float64(), "decimal": pa.decimal128(9, 2), "date": pa.date32(),
        "flag": pa.bool_(), "bytes": pa.binary(), "moment": pa.timestamp("us", "UTC"),
        "wall": pa.timestamp("us"),
    }  # fmt: skip
    return pa.array([rng.choice(values) for _ in range(rows)], types[kind])


def _people(rng: random.Random, rows: int, many: int) -> pa.Array:
    if rng.random() < 0.5:
        return pa.array([rng.randrange(many) for _ in range(rows)], pa.int64())
    return pa.array([f"P{rng.randrange(many):03}é" for _ in range(rows)])


def _events(rng: random.Random) -> Case:
    rows = rng.choice([1, 30, 120, 120, 400])
    quasi = [f"q{n}" for n in range(rng.choice([0, 1, 1, 2]))]
    content = [f"s {n}" for n in range(rng.choice([0, 1, 2, 3]))]
    kind = rng.choice(["date", "text", "instants", "walls", "seconds"])
    table = pa.table({
        "who": _people(rng, rows, rng.choice([3, 40])),
        "when": _times(rng, rows, kind),
        **{name: _column(rng, rows, rng.choice(["text", "whole", "decimal", "date", "flag"]), 3)
           for name in quasi},
        **{name: _column(rng, rows, rng.choice(["text", "whole", "double", "decimal", "date",
                                                "flag", "bytes", "moment", "wall", "long",
                                                "single"]), 4)
           for name in content},
    })  # fmt: skip
    schema = an.Schema(
        subject="who", time="when", quasi=quasi, sensitive=content,
        time_zone=rng.choice(_ZONES), time_unit="s" if kind == "seconds" else "auto",
        spelling=rng.choice(["refuse", "merge", "exact"]),
    )  # fmt: skip
    promise = an.TimeGranularity(
        k=rng.choice([2, 3]),
        granularities=["day", "week", "month", "year"],
        max_suppressed=rng.choice(["0", "1/4", "9/10"]),
        max_share=rng.choice([None, "1/2"]),
    )
    return Case(schema, promise, [table])


def _named(rng: random.Random) -> Callable[[int, int], Any]:
    """How people are called: by numbers, or by texts that machines could order in two ways."""
    if rng.random() < 0.3:
        return lambda first, number: 1000 * (first + 1) - number
    sign = rng.choice(["é", "E\u0301", "\U0001f600", "\ufffc", "p"])
    return lambda first, number: f"{sign}{first}-{number}"


def _cells(rng: random.Random, kind: str) -> tuple[pa.DataType, list[Any]]:
    """A type, and values of it to draw from."""
    if kind == "text":
        return pa.string(), ["z", "A b", "ü", "\U0001f600", "\ufffc", "-0", "0"]
    column = _column(rng, 200, kind, 12)
    return column.type, [value for value in column.unique().to_pylist() if value is not None]


def _other(
    rng: random.Random, kind: pa.DataType, values: list[Any]
) -> tuple[list[str], dict[str, Any]]:
    """Whether there is one more quasi column, and what a promise says of it."""
    if rng.random() < 0.5:
        return [], {"orders": {}, "widths": {}}
    fractions = pa.types.is_decimal(kind) or pa.types.is_floating(kind)
    return ["other"], {
        "orders": {"other": values} if pa.types.is_string(kind) else {},
        "widths": {"other": "0.25"} if fractions else {},
    }


def _register(rng: random.Random) -> Case:
    people = rng.choice([24, 24, 120])
    mode = rng.choice(["paper", "transparent", "sticky"])
    kind = rng.choice(["text", "text", "whole", "date", "decimal"])
    ill, values = _cells(rng, kind)
    values = [f"v{n}" for n in range(8)] if kind == "text" and rng.random() < 0.5 else values[:8]
    sizes, size = rng.choice([
        (pa.float64(), [0.5, 1.5, 2.25, 9.0, -0.0]), (pa.float64(), [0.5, 1.5, 2.25, 9.0]),
        (pa.decimal128(9, 2), [Decimal("0.50"), Decimal("2.25"), Decimal("9.00")]),
        (pa.decimal128(30, 4), [Decimal("0.5"), Decimal("2.25"), Decimal("-9.0001")]),
    ])  # fmt: skip
    more, others = _cells(rng, rng.choice(["text", "text", "whole", "decimal", "decimal", "date"]))
    other, further = _other(rng, more, others)
    schema = an.Schema(subject="who", quasi=["age", "size", *other], sensitive="ill")
    promise = an.MInvariance(
        m=2, mode=mode, values=values if kind == "text" else None,
        orders=further["orders"], widths={"size": "0.25", "age": 2, **further["widths"]},
    )  # fmt: skip
    called, ages = _named(rng), rng.choice([pa.int8(), pa.int32(), pa.int64()])
    tables, held = [], {}
    for release in range(rng.choice([1, 1, 2, 3])):
        for one in [*held]:
            if rng.random() < 0.2:
                del held[one]
            elif rng.random() < 0.1:
                held[one] = (*held[one][:3], rng.choice(values))
        for new in range(people // (release + 1)):
            held[called(release, new)] = (
                rng.randrange(90), rng.choice(size), rng.choice(others), values[new % len(values)]
            )  # fmt: skip
        names = rng.sample(sorted(held), len(held))
        tables.append(pa.table({
            "who": names, "age": pa.array([held[n][0] for n in names], ages),
            "size": pa.array([held[n][1] for n in names], sizes),
            "other": pa.array([held[n][2] for n in names], more),
            "ill": pa.array([held[n][3] for n in names], ill),
        }))  # fmt: skip
    return Case(schema, promise, tables)


def _feed(rng: random.Random) -> Case:
    days, each = rng.choice([3, 8]), rng.choice([6, 40])
    rows = [(day, n) for day in range(days) for n in range(each + rng.randrange(4))]
    rng.shuffle(rows)
    then = rng.choice(["anatomy", "generalize"])
    called = _named(rng)
    kind, ills = _cells(rng, rng.choice(["text", "text", "whole", "decimal", "date"]))
    often = ills[:3]
    other_kind, others = _cells(rng, rng.choice(["text", "text", "decimal", "double", "whole"]))
    other, further = _other(rng, other_kind, others)
    if then == "anatomy" and rng.random() < 0.3:
        others = [*others, None]
    first = rng.choice([datetime(2024, 5, 1), datetime(2024, 3, 30), datetime(1969, 12, 30)])
    times, zone = rng.choice(["date", "date", "walls", "instants", "text"]), "UTC"
    moments = [first + timedelta(days=day, hours=12 + n % 8) for day, n in rows]
    if times == "date":
        when = pa.array([moment.date() for moment in moments])
    elif times == "text":
        when = pa.array([moment.date().isoformat() for moment in moments])
    else:
        zone = rng.choice(_ZONES)
        of = pa.timestamp("us", "UTC" if times == "instants" else None)
        when = pa.array([m.replace(tzinfo=UTC) if of.tz else m for m in moments], of)
    table = pa.table({
        "who": [called(day, n) for day, n in rows],
        "day": when,
        "age": [rng.randrange(90) for _ in rows],
        "other": pa.array([rng.choice(others) for _ in rows], other_kind),
        "ill": pa.array([rng.choice([often[0], often[0], *often, rng.choice(ills)]) for _ in rows],
                        kind),
    })  # fmt: skip
    schema = an.Schema(
        subject="who", time="day", quasi=["age", *other], sensitive="ill", time_zone=zone
    )
    more = further if then == "generalize" else {}
    return Case(schema, an.Reposition(l=2, window=3, then=then, **more), [table])


def _series(rng: random.Random) -> Case:
    people, times = rng.choice([12, 40, 90]), rng.choice([4, 8])
    kind = rng.choice([pa.float64(), pa.float64(), pa.float32(), pa.int32(), pa.decimal128(12, 3)])
    lines = [[rng.choice([0.0, 1.0, 2.5, rng.gauss(0, 9)]) for _ in range(times)]
             for _ in range(people)]  # fmt: skip
    names = rng.sample([f"P{number:03}é" for number in range(people)], people)
    if kind == pa.int32():
        lines = [[float(int(value)) for value in line] for line in lines]
    if pa.types.is_decimal(kind):
        lines = [[round(value, 3) for value in line] for line in lines]
    if rng.random() < 0.5:
        schema = an.Schema(subject="who", series=[f"t{at}" for at in range(times)])
        table = pa.table(
            {
                "who": names,
                **{
                    f"t{at}": pa.array([line[at] for line in lines]).cast(kind)
                    for at in range(times)
                },
            }
        )
    else:
        schema = an.Schema(subject="who", time="day", series="kwh")
        cells = [(who, at) for who in range(people) for at in range(times)]
        rng.shuffle(cells)
        table = pa.table({
            "who": [names[who] for who, _ in cells],
            "day": [date(2024, 2, 27) + timedelta(days=at) for _, at in cells],
            "kwh": pa.array([lines[who][at] for who, at in cells]).cast(kind),
        })  # fmt: skip
    whole = kind == pa.int32()
    table, gaps = _with_gaps(table, schema, rng) if rng.random() < 0.3 else (table, "refuse")
    if rng.random() < 0.15:
        table, whole = _unfit(table, schema, rng), False
    dials: dict[str, Any] = rng.choice([{}, {}, {"cells": 6}, {"tree_level": 4}, {"segments": 3}])
    algorithm = (
        "kapra" if {"cells", "tree_level"} & dials.keys() else rng.choice(["kapra", "naive"])
    )
    if rng.random() < 0.4:
        worth = {name: rng.choice([None, 1.5, 2.0, -0.0, 7.25]) for name in names}
        if rng.random() < 0.6:
            worth = dict(zip(names, itertools.cycle([1.0, 2.5, -0.0]), strict=False))
            dials = {**dials, "l": 2}
        table = table.append_column("worth", pa.array(
            [worth[who] for who in table["who"].to_pylist()], pa.float64()))  # fmt: skip
        schema = replace(schema, sensitive=("worth",))
    if not schema.time and rng.random() < 0.3:
        dials = {**dials, "values": ["t0", "t2"], "patterns": ["t1", "t2", "t3"]}
    promise = an.KPAnonymity(
        k=rng.choice([3, 4]),
        P=2,
        algorithm=algorithm,
        precision=None if whole else "0.5",
        granularity="day" if schema.time else None,
        gaps=gaps,
        **dials,
    )
    return Case(schema, promise, [table])


def _with_gaps(table: pa.Table, schema: an.Schema, rng: random.Random) -> tuple[pa.Table, Any]:
    """The same with some values missing, and what is done then."""
    gaps = rng.choice(["refuse", "interpolate", "trim", "drop"])
    inner = schema.series[1:-1] if gaps == "interpolate" and not schema.time else schema.series
    for name in inner:
        mask = np.array([rng.random() < 0.05 for _ in range(len(table))])
        column = pc.if_else(pa.array(mask), None, table[name])
        table = table.set_column(table.column_names.index(name), name, column)
    return table, gaps


def _unfit(table: pa.Table, schema: an.Schema, rng: random.Random) -> pa.Table:
    """The same with cells that are no numbers to compute with."""
    wrong: tuple[list[object], pa.DataType] = rng.choice([
        ([float("inf"), float("nan"), None, 1.0], pa.float64()), ([1e300, 1.0, 2.0], pa.float64()),
        (["1", "2.5", None], pa.string()), (["1", "two", "drei"], pa.string()),
        ([2**60, 3, -(2**55)], pa.int64()),
    ])  # fmt: skip
    name = rng.choice(schema.series)
    cells = pa.array([rng.choice(wrong[0]) for _ in range(len(table))], wrong[1])
    return table.set_column(table.column_names.index(name), name, cells)
