"""Privacy bugs in releases that were really published: each is caught, and for its own reason.

The releases are spoilt on disk and their digests put right, so that only what they say betrays
them. The hand-made releases of the other files have many more bugs; these are the classic ones.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.auditing.history import remembered
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import read
from anachron.ledger import Ledger
from tests.auditing.judging import assert_holds, assert_witnesses
from tests.release.forging import reseal, restate, write_parquet

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True)
class Made:
    """The newest release of a history, with its table and its ledger."""

    release: Path
    ledger: Path
    table: pa.Table
    schema: an.Schema

    def judged(self, release: Path | None = None) -> Verdict:
        held = Ledger.open(self.ledger)
        past = remembered(held, held.entries())
        with closing(read(self.table, self.schema)) as microdata:
            return verify(an.Release(release or self.release), microdata=microdata, history=past)


def events() -> pa.Table:
    draws = np.random.default_rng(1)
    size = 400
    return pa.table(
        {
            "who": [f"p{n}" for n in draws.integers(0, 90, size)],
            "when": pa.array(np.datetime64("2024-01-01") + draws.integers(0, 60, size)),
            "age": draws.integers(20, 60, size),
            "ill": [f"ill {n}" for n in draws.integers(0, 9, size)],
        }
    )


def register(first: int) -> pa.Table:
    people = np.arange(first, first + 60)
    return pa.table(
        {"who": people, "age": people * 37 % 71, "ill": [f"ill {n * 5 % 7}" for n in people]}
    )


def series() -> pa.Table:
    walks = np.cumsum(np.random.default_rng(3).normal(size=(80, 6)), axis=1)
    table = {f"t{i}": walks[:, i] for i in range(6)}
    return pa.table({"who": np.arange(80), "tariff": np.arange(80) % 9, **table})


def feed() -> pa.Table:
    nth = np.arange(210)
    return pa.table(
        {
            "who": nth,
            "when": pa.array(np.datetime64("2024-01-01") + nth // 35),
            "age": nth * 37 % 80,
            "ill": [f"ill {n}" for n in np.array([0, 0, 0, 1, 1, 2, 3])[nth % 7]],
        }
    )


BINS = {"age": an.Ladder.bins(20, 40)}
WORK: dict[str, tuple[tuple[pa.Table, ...], an.Schema, Any]] = {
    "events": (
        (events(),),
        an.Schema("who", "when", "age", "ill"),
        an.TimeGranularity(k=5, granularities=["day", "week", "month"], ladders=BINS),
    ),
    "register": (
        (register(0), register(20), register(10)),
        an.Schema("who", None, "age", "ill"),
        an.MInvariance(m=3, mode="transparent", widths={"age": 5}),
    ),
    "series": (
        (series(),),
        an.Schema("who", series=[f"t{i}" for i in range(6)], sensitive="tariff"),
        an.KPAnonymity(k=6, P=3, precision="0.1"),
    ),
    "feed": (
        (feed(),),
        an.Schema("who", "when", "age", "ill"),
        an.Reposition(l="7/3", window=3, then="generalize", widths={"age": 5}),
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    found = {}
    for name, (tables, schema, promise) in WORK.items():
        folder = tmp_path_factory.mktemp(name)
        with pytest.MonkeyPatch.context() as patch:
            # Always the same lots, so that always the same checks fail.
            patch.setattr(
                "anachron.ledger.keys.secrets.token_bytes", lambda size: bytes(range(size))
            )
            Ledger.open(folder / "ledger")
        for table in tables:
            release = an.publish(
                table, schema, promise, ledger=folder / "ledger", to=folder / "releases"
            )
        found[name] = Made(release.path, folder / "ledger", tables[-1], schema)
    return found


def members(rows: Rows, number: int) -> Rows:
    return [row for row in rows if row["group"] == number]


# Each bug changes the rows of one file of a release, or gives others.


def rows_in_input_order(rows: Rows) -> Rows:
    return [*members(rows, 1)[::-1], *(row for row in rows if row["group"] != 1)]


def groups_numbered_as_processed(rows: Rows) -> Rows:
    last = max(row["group"] for row in rows)
    return [row | {"group": last + 1 - row["group"]} for row in rows]


def each_row_generalised_for_itself(rows: Rows) -> Rows:
    day = np.timedelta64(1, "D").astype("timedelta64[us]").item()
    start = rows[0]["when_start"]
    label = {"when": start.date().isoformat(), "when_end": start + day}
    return [row | label if n == 0 else row for n, row in enumerate(rows)]


def a_value_is_repeated(rows: Rows) -> Rows:
    one, other, *_ = members(rows, 4)
    return [row | {"ill": other["ill"]} if row is one else row for row in rows]


def a_survivor_gets_another_signature(rows: Rows) -> Rows:
    held = {row["ill"] for row in members(rows, 4)}
    new = next(row["ill"] for row in rows if row["ill"] not in held)
    one = members(rows, 4)[0]
    changed = [row | {"ill": new} if row is one else row for row in rows]
    return sorted(changed, key=lambda row: (row["group"], row["ill"]))


def an_interval_does_not_cover(rows: Rows) -> Rows:
    return [row | {"age_low": row["age_high"] - 4} if row["group"] == 1 else row for row in rows]


def a_bound_is_somebodys_age(rows: Rows) -> Rows:
    return [row | {"age_high": row["age_high"] - 1} if row["group"] == 1 else row for row in rows]


def a_counterfeit_is_not_told(rows: Rows) -> Rows:
    return rows[1:]


def a_wrong_pattern_after_recycling(rows: Rows) -> Rows:
    like = next(row for row in rows if row["level"] > 1)
    same = ("group", "level", "pattern")
    swap = str.maketrans("ab", "ba")
    return [
        row | {"pattern": row["pattern"].translate(swap)}
        if all(row[name] == like[name] for name in same)
        else row
        for row in rows
    ]


# Or what is promised, as if a lesser release had passed for it.


def the_first_person_is_not_counted(said: Row) -> None:
    """The smallest group has 14 rows of 13 people."""
    said["k"] = 14


def a_leaf_of_too_few_is_called_good(said: Row) -> None:
    """The smallest patterns have three rows."""
    said["P"] = 4


def l_is_a_rounded_number(said: Row) -> None:
    """A value has 3/7 of a group, which a binary fraction cannot tell from a bit more."""
    said["l"] = str(Fraction(7, 3) + Fraction(1, 3_000))


def m_is_met_on_average_only(said: Row) -> None:
    """The smallest groups have three rows, some have more."""
    said["m"] = 4


BUGS: list[tuple[str, Callable[..., Any], set[str]]] = [
    ("events", rows_in_input_order, {"order"}),
    ("events", groups_numbered_as_processed, {"groups"}),
    ("events", each_row_generalised_for_itself,
     {"granules", "groups", "people", "rows", "whole groups"}),
    ("events", the_first_person_is_not_counted, {"people"}),
    ("register", rows_in_input_order, {"order"}),
    ("register", groups_numbered_as_processed,
     {"groups", "order", "candidates", "coverage", "real rows", "signatures"}),
    ("register", a_value_is_repeated, {"m-unique", "candidates", "coverage", "signatures"}),
    ("register", a_survivor_gets_another_signature, {"signatures", "candidates", "coverage"}),
    ("register", an_interval_does_not_cover, {"coverage", "order"}),
    ("register", a_bound_is_somebodys_age, {"intervals"}),
    ("register", a_counterfeit_is_not_told, {"counterfeits", "real rows"}),
    ("register", m_is_met_on_average_only,
     {"m-unique", "candidates", "lifespans", "earlier releases"}),
    ("series", rows_in_input_order, {"order"}),
    ("series", groups_numbered_as_processed, {"order", "state", "rows"}),
    ("series", a_leaf_of_too_few_is_called_good, {"P", "breach"}),
    ("series", a_wrong_pattern_after_recycling, {"shape", "rows"}),
    ("feed", rows_in_input_order, {"order"}),
    ("feed", groups_numbered_as_processed, {"groups", "order"}),
    ("feed", an_interval_does_not_cover, {"coverage"}),
    ("feed", a_bound_is_somebodys_age, {"intervals"}),
    ("feed", l_is_a_rounded_number, {"l-diverse", "l-eligible", "on time"}),
]  # fmt: skip
"""Of which release, what is wrong, and all checks that must fail for it."""


@pytest.mark.parametrize("name", WORK)
def test_the_clean_ones_hold(name: str, made: dict[str, Made]) -> None:
    verdict = made[name].judged()
    assert_holds(verdict)


@pytest.mark.parametrize(
    ("name", "bug", "checks"), BUGS, ids=[f"{name}-{bug.__name__}" for name, bug, _ in BUGS]
)
def test_it_is_caught_for_its_own_reason(
    name: str,
    bug: Callable[..., Any],
    checks: set[str],
    made: dict[str, Made],
    tmp_path: Path,
) -> None:
    bad = tmp_path / made[name].release.name
    shutil.copytree(made[name].release, bad)
    if "said" in bug.__annotations__:
        restate(bad, lambda said: bug(said["anachron"]["guarantee"]))
    else:
        spoil(bad, "counterfeits" if bug is a_counterfeit_is_not_told else "data", bug)
    verdict = made[name].judged(bad)
    assert {check.name for check in verdict.failures} == checks
    assert_witnesses(verdict)
    assert "ill 1" not in str(verdict.to_dict())


def spoil(release: Path, resource: str, bug: Callable[[Rows], Rows]) -> None:
    """Write a file anew with a bug, and put the description right."""
    file = release / f"{resource}.parquet"
    table = pq.read_table(file)
    write_parquet(file, pa.Table.from_pylist(bug(table.to_pylist()), table.schema))
    reseal(release)
