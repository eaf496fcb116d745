"""The promise for time series, as a value and as a plan; and the role of a series."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal

import pytest

from anachron import Granularity, Plan, Schema, TimeGranularity
from anachron.errors import PlanError
from anachron.guarantees import KPAnonymity, MInvariance, from_dict

WIDE = """
[source]
table = "meters.parquet"
[schema]
subject = "meter"
series = ["mon", "tue", "wed", "thu"]
sensitive = ["tariff"]
[guarantee]
method = "patterns"
k = 10
P = 3
max_level = 20
algorithm = "naive"
objective = "loss"
precision = "0.5"
l = 2
diversity = "paper"
noise = 0.01
values = ["mon", "tue"]
patterns = ["tue", "wed", "thu"]
gaps = "interpolate"
"""
LONG = """
[source]
table = "readings.parquet"
[schema]
subject = "meter"
time = "at"
series = ["kwh"]
time_zone = "Europe/Rome"
[guarantee]
method = "patterns"
k = 5
P = 2
granularity = "shift"
[calendar.shift]
every = 8
of = "hour"
anchor = "2025-01-01 06:00"
"""
SHIFT = Granularity.every("shift", 8, "hour", anchor="2025-01-01 06:00")


# The role.


def test_a_schema_without_series_is_as_it_was():
    plain = Schema("p", "t", ["q"], "s", "Europe/Rome", "ms").to_dict()
    assert plain == {
        "subject": "p",
        "time": "t",
        "quasi": ["q"],
        "sensitive": ["s"],
        "time_zone": "Europe/Rome",
        "time_unit": "ms",
    }
    assert Schema.from_dict(plain) == Schema("p", "t", ["q"], "s", "Europe/Rome", "ms")


@pytest.mark.parametrize(
    "schema",
    [Schema("p", series=["a", "b"], sensitive="s"), Schema("p", "t", series="a", sensitive="s")],
)
def test_a_schema_with_series_and_back(schema):
    plain = json.loads(json.dumps(schema.to_dict()))
    assert plain["series"] == list(schema.series)
    assert Schema.from_dict(plain) == schema
    assert schema.columns[-len(schema.series) :] == schema.series


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"series": ["a"]}, "series names one column and there is no time"),
        ({"series": ["a", "b"], "time": "t"}, "series names 2 columns and there is a time"),
        ({"series": ["a", "a"]}, "has more than one role"),
        ({"series": ["a", "p"]}, "has more than one role"),
        ({"series": ["a", "b"], "sensitive": "b"}, "has more than one role"),
        ({"series": ["a", ""]}, "not a text, or is empty"),
    ],
)
def test_wrong_series(roles, says):
    with pytest.raises(PlanError, match=says):
        Schema("p", **roles)


# The value.

PROMISES = [
    KPAnonymity(k=2, P=1),
    KPAnonymity(k=3, P=3, max_level=26, precision=Decimal("0.10"), l=3, noise="0.5"),
    KPAnonymity(k=3, P=2, algorithm="naive", objective="loss", gaps="trim", precision=5,
                values=["a"], patterns=["b", "a"]),
]  # fmt: skip
LONG_PROMISES = [
    KPAnonymity(k=9, P=2, granularity="week"),
    KPAnonymity(k=9, P=2, granularity=SHIFT, values="2025-01-01", gaps="drop"),
]


@pytest.mark.parametrize("promise", [*PROMISES, *LONG_PROMISES], ids=repr)
def test_plain_values_and_back(promise):
    plain = promise.to_dict()
    assert plain["method"] == "patterns"
    assert from_dict(json.loads(json.dumps(plain))) == promise
    assert hash(promise) == hash(from_dict(plain))


def test_equal_numbers_are_written_alike():
    assert KPAnonymity(k=2, P=1, precision="0.50").to_dict()["precision"] == "0.5"
    assert KPAnonymity(k=2, P=1, precision="0.50") == KPAnonymity(k=2, P=1, precision=0.5)


WRONG = {
    "P > k": ({"P": 6}, "P must be at most k (5), found 6"),
    "P of 0": ({"P": 0}, "P must be a whole number of at least 1, found 0"),
    "P true": ({"P": True}, "P must be a whole number"),
    "k of 1": ({"k": 1}, "k must be a whole number of at least 2, found 1"),
    "half a k": ({"k": 2.5}, "k must be a whole number"),
    "level 1": ({"max_level": 1}, "max_level must be a whole number from 2 to 26, found 1"),
    "tree of 1": ({"tree_level": 1}, "tree_level must be a whole number from 2 to 26, found 1"),
    "tree above words": ({"tree_level": 11}, "tree_level must be at most max_level (10), found 11"),
    "small cells": ({"cells": 4}, "cells must be at least k (5), found 4"),
    "cells in words": ({"cells": "all"}, "cells must be a whole number of at least 2"),
    "naive tree": ({"tree_level": 2, "algorithm": "naive"}, "tree_level has no meaning for"),
    "naive cells": ({"cells": 50, "algorithm": "naive"}, "cells has no meaning for the algorithm"),
    "level 27": ({"max_level": 27}, "max_level must be a whole number from 2 to 26, found 27"),
    "algorithm": ({"algorithm": "best"}, "algorithm must be one of kapra, naive"),
    "objective": ({"objective": "best"}, "objective must be one of level, loss"),
    "diversity": ({"diversity": "all"}, "diversity must be one of subgroup, paper"),
    "gaps": ({"gaps": "fill"}, "gaps must be one of refuse, interpolate, trim, drop"),
    "precision 0": ({"precision": 0}, "precision must be above 0"),
    "precision in words": ({"precision": "fine"}, "precision is not a number"),
    "precision nan": ({"precision": float("nan")}, "precision is not finite"),
    "l > P": ({"l": 4}, "l must be at most P (3), found 4"),
    "l of 1": ({"l": 1}, "l must be a whole number of at least 2, found 1"),
    "noise alone": ({"noise": 1}, "noise has no meaning without l"),
    "no noise": ({"l": 2, "diversity": "paper"}, "noise is missing"),
    "noise 0": ({"l": 2, "noise": 0}, "noise must be above 0"),
    "no values": ({"values": []}, "values must be a list of names"),
    "values of numbers": ({"values": [1, 2]}, "values must be a list of names"),
    "a value twice": ({"values": ["a", "b", "a"]}, "values names one twice"),
    "one pattern": ({"patterns": ["a"]}, "patterns must name at least two times"),
    "disjoint": ({"values": ["a"], "patterns": ["b", "c"]}, "patterns has no time in common"),
    "granularity": ({"granularity": "fortnight"}, "granularity must be a granularity"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values(name):
    values, says = WRONG[name]
    with pytest.raises(PlanError) as error:
        KPAnonymity(**{"k": 5, "P": 3, **values})
    assert says in str(error.value)


def test_all_wrong_values_at_once():
    with pytest.raises(PlanError) as error:
        KPAnonymity(k=1, P=0, max_level=1, gaps="x", precision=0, patterns=["a"])
    assert len(error.value.problems) == 6


# The plan.


def test_everything_is_read(read, tmp_path):
    assert read(WIDE) == Plan(
        tmp_path / "meters.parquet",
        Schema("meter", series=["mon", "tue", "wed", "thu"], sensitive="tariff"),
        KPAnonymity(
            k=10,
            P=3,
            max_level=20,
            algorithm="naive",
            objective="loss",
            precision="0.5",
            l=2,
            diversity="paper",
            noise="0.01",
            values=["mon", "tue"],
            patterns=["tue", "wed", "thu"],
            gaps="interpolate",
        ),
        tmp_path / "releases",
        tmp_path / "ledger",
    )


def test_long_tables(read):
    plan = read(LONG)
    assert plan.schema == Schema("meter", "at", series="kwh", time_zone="Europe/Rome")
    assert plan.guarantee == KPAnonymity(k=5, P=2, granularity=SHIFT)


BAD = {
    "P > k": (WIDE.replace("P = 3", "P = 11"), "guarantee.P must be at most k (10)"),
    "no P": (WIDE.replace("P = 3\n", ""), "'guarantee.P' is missing"),
    "k in words": (WIDE.replace("k = 10", 'k = "10"'), "guarantee.k must be a whole", "found text"),
    "k": (WIDE.replace("k = 10", "k = 1"), "guarantee.k must be a whole number of at least 2"),
    "level": (WIDE.replace("= 20", "= 27"), "guarantee.max_level must be a whole number from 2"),
    "algorithm": (WIDE.replace('"naive"', '"best"'), "guarantee.algorithm must be one of"),
    "precision": (WIDE.replace('"0.5"', "0"), "guarantee.precision must be above 0"),
    "l": (WIDE.replace("l = 2\n", "l = 4\n"), "guarantee.l must be at most P (3)"),
    "noise": (WIDE.replace("noise = 0.01\n", ""), "guarantee.noise is missing"),
    "values": (WIDE.replace('values = ["mon", "tue"]', 'values = ["mon"]'),
               "guarantee.patterns has no time in common"),
    "items": (WIDE.replace('values = ["mon"', "values = [1"), "guarantee.values", "item 1 is a w"),
    "a column without a series": (WIDE.replace('values = ["mon"', 'values = ["sun"'),
                                  "guarantee.values names a column", "column 'sun'"),
    "misspelt": (WIDE.replace("objective", "objectives"), "Did you mean 'objective'?"),
    "granularity of a wide table": (WIDE + 'granularity = "day"', "guarantee.granularity has no"),
    "no granularity": (LONG.replace('granularity = "shift"\n', ""), "'guarantee.granularity' is"),
    "unknown granularity": (LONG.replace('= "shift"', '= "shifts"'), "guarantee.granularity",
                            "Did you mean 'shift'?"),
    "no series": (LONG.replace('series = ["kwh"]\n', ""), "'schema.series' is missing"),
    "series without time": (LONG.replace('time = "at"\n', ""), "schema.series names one column"),
    "two series with time": (LONG.replace('"kwh"', '"kwh", "x"'), "schema.series names 2 columns"),
    "quasi": (LONG.replace("time =", 'quasi = ["x"]\ntime ='), "schema.quasi has no meaning"),
    "two contents": (WIDE.replace('"tariff"', '"tariff", "x"'), "names 2 columns. For guarantee.l"),
    "guessed method": (WIDE.replace('"patterns"', '"pattern"').replace("k = 10", "k = 1"),
                       "guarantee.method must be", "mean 'patterns'?", "guarantee.k must be"),
}  # fmt: skip
MANY = [
    (
        WIDE,
        {
            "k = 10": "k = 1",
            "= 20": "= 27",
            '"naive"': '"best"',
            '"0.5"': '"few"',
            "noise = 0.01": "noise = 0",
            '"tue", "wed", "thu"]\ngaps': '"wed"]\ngaps',
            '"tariff"': '"meter"',
        },
        7,
    )
]
SECRET = (WIDE, ['"0.5"', "0.01", '"naive"', '"interpolate"', "= 20"])


@pytest.mark.parametrize("promise", [TimeGranularity(k=2), MInvariance(m=2)])
def test_other_methods_have_no_series(promise):
    with pytest.raises(PlanError, match=r"schema\.series has no meaning for the method"):
        Plan("t.csv", Schema("p", "t", series="x"), promise)


@pytest.mark.parametrize("promise", [*PROMISES, *LONG_PROMISES], ids=repr)
def test_round_trip(tmp_path, promise):
    schema = Schema("p", series=["a", "b"], sensitive="s")
    if promise in LONG_PROMISES:
        schema = Schema("p", "t", series="a", sensitive="s", time_zone="Europe/Rome")
    plan = Plan(tmp_path / "t.csv", schema, promise, tmp_path / "r", tmp_path / "l")
    path = plan.write(tmp_path / "plan.toml", notes={"guarantee.P": "few", "schema.series": "all"})
    assert Plan.read(path) == plan
    assert "# few\nP = " in path.read_text()
    assert "# all\nseries = " in path.read_text()


def test_what_is_written():
    schema = Schema("p", series=["a", "b"], sensitive="s")
    data = tomllib.loads(Plan("t.csv", schema, KPAnonymity(k=3, P=2)).to_toml())
    assert data["schema"] == {"subject": "p", "sensitive": ["s"], "series": ["a", "b"]}
    assert data["guarantee"] == {
        "method": "patterns",
        "k": 3,
        "P": 2,
        "max_level": 10,
        "algorithm": "kapra",
        "tree_level": 2,
        "objective": "level",
        "diversity": "subgroup",
        "gaps": "refuse",
    }
