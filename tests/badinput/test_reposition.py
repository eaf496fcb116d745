"""Feeds that cannot be accepted: the error says where and what to do, and nothing happens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AnachronError, InputError, PlanError, TableError

SECRET = "syphilis"


def table(**changes: object) -> pa.Table:
    columns: dict[str, object] = {
        "who": [1, 2, 3, 4, 5, 6],
        "day": ["2024-05-06"] * 3 + ["2024-05-07"] * 3,
        "age": [30, 41, 52, 33, 44, 55],
        "diagnosis": [SECRET, "flu", "cold", SECRET, "flu", "cold"],
    }
    return pa.table({**columns, **changes})


def schema(**changes: object) -> an.Schema:
    roles: dict[str, object] = {
        "subject": "who",
        "time": "day",
        "quasi": ["age"],
        "sensitive": "diagnosis",
    }
    return an.Schema(**{**roles, **changes})  # type: ignore[arg-type]


def promise(**changes: object) -> an.Reposition:
    return an.Reposition(**{"l": 3, "window": 2, **changes})  # type: ignore[arg-type]


def opened(folder: Path, wish: an.Reposition) -> Any:
    return an.open(an.Plan("t", schema(), wish, ledger=folder / "l", releases=folder / "r"))


CASES: dict[str, tuple[Callable[[], tuple[pa.Table, an.Schema, an.Reposition]], str]] = {
    "no time column": (lambda: (table(), schema(time=None), promise()), "needs a time column"),
    "no sensitive column": (lambda: (table(), schema(sensitive=()), promise()), "sensitive"),
    "two sensitive columns": (
        lambda: (table(other=[1] * 6), schema(sensitive=["diagnosis", "other"]), promise()),
        "one sensitive column",
    ),
    "a missing sensitive value": (
        lambda: (table(diagnosis=["a", "b", None, "a", "b", "c"]), schema(), promise()),
        r"column 'diagnosis'.*row 3.*empty in 1 rows",
    ),
    "a missing subject": (
        lambda: (table(who=[1, None, 3, 4, 5, 6]), schema(), promise()),
        r"column 'who'.*row 2",
    ),
    "a time that is none": (
        lambda: (table(day=["2024-05-06"] * 5 + ["soon"]), schema(), promise()),
        r"column 'day'.*row 6",
    ),
    "a person twice in a day": (
        lambda: (table(who=[1, 1, 3, 4, 5, 6]), schema(), promise()),
        r"column 'who'.*twice.*repeated",
    ),
    "fewer values than l": (lambda: (table(), schema(), promise(l=4)), "fewer than l = 4"),
    "values that look alike": (
        lambda: (table(diagnosis=["a", "a ", "b", "a", "b", "c"]), schema(), promise()),
        r"column 'diagnosis', row 2.*differ from others only in .*blanks",
    ),
    "text that has no order, as intervals": (
        lambda: (
            table(age=list("abcdef")),
            schema(),
            promise(then="generalize"),
        ),
        r"column 'age'.*no order",
    ),
    "fractions without a width, as intervals": (
        lambda: (table(age=[0.5] * 6), schema(), promise(then="generalize")),
        r"column 'age'.*least width",
    ),
    "a missing quasi value, as intervals": (
        lambda: (table(age=[1, 2, None, 4, 5, 6]), schema(), promise(then="generalize")),
        r"column 'age', row 3: is empty in 1 rows",
    ),
    "a missing quasi value, m-invariant": (
        lambda: (table(age=[1, 2, None, 4, 5, 6]), schema(), promise(then=an.MInvariance(m=3))),
        r"column 'age', row 3: is empty in 1 rows",
    ),
    "a name that is taken": (
        lambda: (table(Group=[1] * 6), schema(quasi=["age", "Group"]), promise()),
        "column 'Group': two published columns",
    ),
    "a name that is taken in the table of values": (
        lambda: (
            table().rename_columns({"diagnosis": "count"}),
            schema(sensitive="count"),
            promise(),
        ),
        "column 'count': two published columns",
    ),
    "a name that a bound takes": (
        lambda: (
            table().rename_columns({"diagnosis": "age_low"}),
            schema(sensitive="age_low"),
            promise(then="generalize"),
        ),
        "column 'age_low': two published columns",
    ),
    "a day of no snapshot": (
        lambda: (
            table(day=["2024-05-04"] * 3 + ["2024-05-07"] * 3),
            schema(),
            promise(snapshot=an.Granularity.business_days("work")),
        ),
        r"column 'day'.*in no snapshot",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_feed_that_cannot_be_accepted(tmp_path: Path, name: str) -> None:
    make, says = CASES[name]
    given, roles, wish = make()
    with pytest.raises(AnachronError, match=f"(?s){says}") as caught:
        an.publish(given, roles, wish, ledger=tmp_path / "ledger", to=tmp_path / "releases")
    assert SECRET not in str(caught.value)
    assert not list(tmp_path.glob("releases/*"))
    if (tmp_path / "ledger").exists():
        assert an.Ledger.open(tmp_path / "ledger").feed() is None


WISHES: dict[str, tuple[dict[str, object], str]] = {
    "l of one": ({"l": 1}, "l must be more than 1"),
    "l below one": ({"l": "1/2"}, "l must be more than 1"),
    "no window": ({"window": 0}, "window"),
    "mu that begins above 0": ({"mu": [1, 2]}, "mu"),
    "mu that is not convex": ({"window": 3, "mu": [0, 2, 3]}, "mu"),
    "beta of 0": ({"beta": 0}, "beta"),
    "beta below 0": ({"beta": {"flu": -1, "*": 2}}, "beta"),
    "an unknown way to go on": ({"then": "shuffle"}, "then"),
    "an unknown solver": ({"solver": "guess"}, "solver"),
}


@pytest.mark.parametrize("name", WISHES)
def test_a_promise_that_makes_no_sense(name: str) -> None:
    changes, says = WISHES[name]
    with pytest.raises(PlanError, match=says):
        promise(**changes)


BETAS: dict[str, tuple[dict[str, object], str]] = {
    "a misspelt value": ({}, "do not occur in the column 'diagnosis': 'plague'"),
    "a value with a blank": ({"beta": {"flu ": 9}}, "only in .*blanks"),
}


@pytest.mark.parametrize("name", BETAS)
def test_a_cost_for_what_is_no_value_of_the_table(tmp_path: Path, name: str) -> None:
    changes, says = BETAS[name]
    wish = promise(**{"l": 2, "beta": {"plague": 9, "flu": 3, "*": 2}, **changes})
    with pytest.raises(PlanError, match=says):
        an.publish(table(), schema(), wish, ledger=tmp_path / "l", to=tmp_path / "r")
    assert an.Ledger.open(tmp_path / "l").feed() is None


def test_a_feed_may_give_a_cost_to_a_value_that_has_not_come_yet(tmp_path: Path) -> None:
    wish = promise(l=2, beta={"plague": 9, "*": 2})
    feed = opened(tmp_path, wish)
    [release] = feed.push(table())
    assert "1 of the values that beta names has not come so far" in release.explanation["notes"]
    assert len(feed.flush()) == 1


@pytest.mark.parametrize("text", ["flu", "07", "1.5"])
def test_a_feed_refuses_a_cost_for_what_can_never_come(tmp_path: Path, text: str) -> None:
    wish = promise(l=2, beta={text: 9, "*": 2})
    feed = opened(tmp_path, wish)
    with pytest.raises(PlanError, match=f"cannot be values of the column 'diagnosis': '{text}'"):
        feed.push(table(diagnosis=[7, 8, 9, 7, 8, 9]))
    assert an.Ledger.open(tmp_path / "l").feed() is None


LATER: dict[str, tuple[dict[str, object], an.Reposition, str]] = {
    "a text that its order does not list": (
        {"age": list("aabaax")},
        promise(window=3, then="generalize", orders={"age": ["a", "b"]}),
        "its order does not list",
    ),
    "a number outside its domain, m-invariant": (
        {"age": [1, 2, 3, 4, 5, 600]},
        promise(window=3, then=an.MInvariance(m=3, domains={"age": [0, 120]})),
        "outside its declared domain",
    ),
    "times of the day, m-invariant": (
        {"diagnosis": [time(8), time(9), time(10)] * 2},
        promise(window=3, then=an.MInvariance(m=3)),
        "times of the day",
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_what_can_never_be_published_is_refused_when_it_comes_not_when_it_is_due(
    tmp_path: Path, name: str
) -> None:
    changes, wish, says = LATER[name]
    feed = opened(tmp_path, wish)
    with pytest.raises(TableError, match=says):
        feed.push(table(**changes))
    assert an.Ledger.open(tmp_path / "l").feed() is None


def test_another_type_in_a_later_snapshot_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    feed = opened(tmp_path, promise())
    feed.push(table().slice(0, 3))
    for other in ({"age": list("abcdef")}, {"diagnosis": [1, 2, 3, 1, 2, 3]}):
        with pytest.raises(TableError, match="another type"):
            feed.push(table(**other).slice(3))
    assert [r.table().num_rows for r in feed.push(table().slice(3))] == [3]


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    feed = opened(tmp_path, promise())
    with pytest.raises(InputError, match="no rows"):
        feed.push(table().slice(0, 0))


TYPED = {
    "decimal": pa.array([Decimal("1.50"), Decimal("2.25")] * 3),
    "instant": pa.array([0, 1] * 3, pa.timestamp("us", "UTC")),
    "time of day": pa.array([time(8), time(9)] * 3),
    "date": pa.array([date(2020, 1, 1), date(2020, 1, 2)] * 3),
    "large number": pa.array([1, 2**64 - 1] * 3, pa.uint64()),
    "truth": pa.array([True, False] * 3),
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("then", ["anatomy", "generalize", "invariance"])
def test_sensitive_values_of_any_type_are_published_as_they_are(
    tmp_path: Path, name: str, then: str
) -> None:
    given = table(diagnosis=TYPED[name])
    wish = promise(l=2, then=an.MInvariance(m=2) if then == "invariance" else then, first="cold")
    places = {"ledger": tmp_path / "l", "to": tmp_path / "r"}
    if name == "time of day" and then == "invariance":
        with pytest.raises(TableError, match="times of the day"):
            an.publish(given, schema(), wish, **places)
        return
    release = an.publish(given, schema(), wish, **places)
    published = release.table("sensitive" if then == "anatomy" else "data")["diagnosis"]
    assert published.type == TYPED[name].type
    assert set(published.to_pylist()) == set(TYPED[name].to_pylist())
