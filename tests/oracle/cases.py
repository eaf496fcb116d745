"""Random relations, granularity sets, ladders and promises, in plain values."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache
from typing import Any

from tests.oracle.granularity import Question, Row
from tests.oracle.times import Cells, cells

ZONES = ("UTC", "UTC", "Europe/Rome", "America/New_York", "Asia/Kathmandu")
BY_DAY = ("day", "week_part", "week", "half_month", "month", "quarter", "half_year")
BY_DAY += ("year", "decade")
BY_HOUR = ("second", "minute", "quarter_hour", "hour", "part_of_day", *BY_DAY)
MOST_NODES = 150


@dataclass(frozen=True)
class Case:
    """A question, and how its rows look to a table."""

    number: int
    question: Question
    zone: str
    ladder_options: dict[str, dict[str, Any]]
    """The ladders, as plans write them."""


@cache
def _places(over: Cells) -> dict[int, int]:
    return {start: i for i, start in enumerate(over.start)}


def draw(seed: int, number: int) -> Case:
    """The numbered case of a campaign; the same one every time."""
    rng = random.Random(f"{seed}:{number}")
    hourly = rng.random() < 0.2
    zone = rng.choice(ZONES)
    over, where = _times(rng, zone, hourly)
    columns = {f"q{i}": _column(rng) for i in range(rng.choice((0, 1, 1, 2, 3)))}
    people = rng.randint(1, 12)
    rows: list[Row] = []
    for cell in where:
        row: Row = {"uid": f"u{rng.randrange(people)}", "cell": cell}
        rows.append(row | {name: rng.choice(values) for name, (values, _, _) in columns.items()})
    granularities = _granularities(rng, over, hourly)
    chosen = {name: (steps, given) for name, (_, steps, given) in columns.items() if steps}
    size = len(granularities)
    for name in list(chosen):
        size *= len(chosen[name][0])
        if size > MOST_NODES:
            del chosen[name]
    question = Question(
        cells=over,
        rows=rows,
        quasi=tuple(columns),
        granularities=granularities,
        ladders={name: steps for name, (steps, _) in chosen.items()},
        k=rng.choice((2, 2, 2, 3, 3, 4, 5, 6)),
        metric=rng.choice(("paper", "resolution")),
        keep=rng.choice(("time", "quasi", "neither")),
        max_suppressed=Fraction(rng.choice(("0", "0", "0", "0", "1/100", "1/8", "1/4", "1/2"))),
        max_share=rng.choice((None,) * 6 + (Fraction(1, 2), Fraction(1, 3), Fraction(2, 5))),
        recorded_by=rng.choice(("hour", "instant")) if hourly else "day",
    )
    return Case(number, question, zone, {name: given for name, (_, given) in chosen.items()})


def _times(rng: random.Random, zone: str, hourly: bool) -> tuple[Cells, list[int]]:
    """Cells of the rows: over days, weeks or years, evenly or in a few bursts."""
    year = rng.choice((2004, 2006, 2009, 2020))
    wide = cells(zone, year, year if hourly else year + 1, hourly)
    middle = sorted(wide.in_years)
    most = rng.choice((1, 3, 10, 40, 120, len(middle))) * (rng.choice((1, 24)) if hourly else 1)
    first = rng.randrange(len(middle))
    inside = middle[first : first + most]
    if rng.random() < 0.5:
        inside = rng.sample(inside, min(len(inside), rng.randint(1, 8)))
    where = [rng.choice(inside) for _ in range(rng.randint(1, 60))]
    years = [wide.local[i].year for i in where]
    over = cells(zone, min(years), max(years), hourly)
    return over, [_places(over)[wide.start[i]] for i in where]


def _column(rng: random.Random) -> tuple[list[Any], tuple[Any, ...], dict[str, Any]]:
    """Values of a quasi column, the steps of its ladder for the oracle and for a plan."""
    kind = rng.choice(("whole", "whole", "decimal", "text", "class", "drop", "plain"))
    size = rng.choice((1, 2, 4, 8))
    raw, drop = rng.random() < 0.8, rng.random() < 0.7
    values: list[Any]
    if kind in ("whole", "decimal"):
        unit = 1 if kind == "whole" else 0.5
        values = [rng.randint(-20, 60) * unit for _ in range(size)]
        widths = rng.choice(((5, 10, 20), (2, 4, 12), (3,), (10, 60)))
        origin = rng.choice((0, 1, -3))
        steps: tuple[Any, ...] = tuple(("bins", Fraction(w), Fraction(origin)) for w in widths)
        given: dict[str, Any] = {"bins": list(widths), "origin": origin}
    elif kind == "text":
        values = ["".join(rng.choice("ab") for _ in range(rng.randint(1, 4))) for _ in range(size)]
        lengths = rng.choice(((3, 1), (2,), (3, 2, 1)))
        steps, given = tuple(("prefix", n) for n in lengths), {"prefix": list(lengths)}
    elif kind == "class":
        values = list("uvwxyz")[: size + 1]
        table = [[v, "uvw" if v in "uvw" else "xyz", "any"] for v in "uvwxyz"]
        steps = tuple(("parents", tuple((r[0], r[i]) for r in table)) for i in (1, 2))
        given = {"hierarchy": table}
    else:
        values = list("mf")
        return values, ("raw", "drop") if kind == "drop" else (), {}
    if rng.random() < 0.2:
        values.append(None)
    steps = (("raw",) if raw else ()) + steps + (("drop",) if drop else ())
    return values, steps, given | {"raw": raw, "drop": drop}


def _granularities(rng: random.Random, over: Cells, hourly: bool) -> tuple[Any, ...]:
    names = list(BY_HOUR if hourly else BY_DAY)
    if not hourly and rng.random() < 0.1:
        names.append("part_of_day")
    found: list[Any] = []
    for number in range(rng.randint(1, 7)):
        if names and rng.random() < 0.6:
            found.append(("built_in", names.pop(rng.randrange(len(names)))))
        else:
            found.append(_own(rng, f"g{number}", over, hourly))
    return tuple(found)


def _own(rng: random.Random, name: str, over: Cells, hourly: bool) -> Any:
    kind = rng.choice(("boundaries", "boundaries", "gaps", "every", "every", "within", "business"))
    if kind == "boundaries":
        moments = _moments(rng, over, hourly)
        spans = itertools.pairwise(moments)
        return ("spans", name, tuple((a, b, f"s{i:02d}") for i, (a, b) in enumerate(spans)))
    if kind == "gaps":
        moments = _moments(rng, over, hourly)
        spans = itertools.islice(itertools.pairwise(moments), 0, None, 2)
        return ("spans", name, tuple((a, b, f"s{i:02d}") for i, (a, b) in enumerate(spans)))
    if kind == "business":
        return _business(rng, name, over)
    if kind == "every":
        of, sizes = _base(rng, name, over, hourly)
        return ("group", name, of, sizes, _midnight(rng, over))
    days = rng.choice((("built_in", "day"), ("built_in", "week_part"), _business(rng, "w", over)))
    by = rng.choice(("week", "week", "month", "half_month", "year"))
    fortnight = ("group", "f", ("built_in", "week"), (2,), _midnight(rng, over))
    return ("within", name, days, fortnight if rng.random() < 0.3 else ("built_in", by))


def _base(rng: random.Random, name: str, over: Cells, hourly: bool) -> tuple[Any, tuple[int, ...]]:
    """What to gather, and how many at a time."""
    options: list[tuple[str, tuple[tuple[int, ...], ...]]] = [
        ("day", ((2,), (3,), (7,), (10,), (1, 2), (5, 2))),
        ("week", ((2,), (4,), (4, 4, 5), (1, 2))),
        ("half_month", ((2,), (3,))),
        ("month", ((2,), (5,), (1, 3))),
        ("year", ((2,), (3,))),
    ]
    if hourly:
        options += [("hour", ((2,), (6,), (8, 4))), ("part_of_day", ((2,), (3,)))]
    if rng.random() < 0.3:
        return _business(rng, "b", over), rng.choice(((5,), (2,), (1, 2), (3,)))
    base, sizes = rng.choice(options)
    return ("built_in", base), rng.choice(sizes)


def _business(rng: random.Random, name: str, over: Cells) -> Any:
    free = tuple(sorted({_midnight(rng, over).date() for _ in range(rng.choice((0, 0, 3, 8)))}))
    weekend = rng.choice(((5, 6), (5, 6), (4, 5), (6,), ()))
    return ("business_days", name, free, weekend)


def _midnight(rng: random.Random, over: Cells) -> datetime:
    inside = [over.local[i] for i in (min(over.in_years), max(over.in_years))]
    day = date.fromordinal(rng.randint(inside[0].toordinal(), inside[1].toordinal()))
    return datetime(day.year, day.month, day.day)


def _moments(rng: random.Random, over: Cells, hourly: bool) -> list[datetime]:
    """Boundaries in the years; the outer ones may lie a little before and after."""
    grid = rng.choice((None, "month", "week"))
    moments = {_midnight(rng, over) for _ in range(rng.choice((2, 4, 12, 30)))}
    if grid == "month":
        moments = {m.replace(day=1) for m in moments}
    elif grid == "week":
        moments = {m - timedelta(days=m.weekday()) for m in moments}
    elif hourly or rng.random() < 0.1:
        moments = {m + timedelta(hours=rng.randrange(24)) for m in moments}
    low, high = over.local[min(over.in_years)], over.local[max(over.in_years)]
    if rng.random() < 0.6:
        moments |= {datetime(low.year, 1, 1), datetime(high.year + 1, 1, 1)}
    if len(moments) < 2:
        moments |= {min(moments) + timedelta(days=30)}
    return sorted(moments)
