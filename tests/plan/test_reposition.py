"""The promise for feeds, as a value and as a plan."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron import Granularity, Plan, Schema
from anachron.errors import PlanError
from anachron.guarantees import MInvariance, Reposition, from_dict

GOOD = """
[source]
table = "visits.parquet"
[schema]
subject = "patient"
time = "admitted"
quasi = ["age", "region"]
sensitive = ["diagnosis"]
[guarantee]
method = "reposition"
l = "5/2"
window = 4
snapshot = "shift"
solver = "rolling"
first = "cold"
mu = [0, 1.5, 3, "5", 9]
late = "recycle"
repeated = "one"
then = "generalize"
[guarantee.widths]
age = 5
[guarantee.domains]
age = [0, 120]
[guarantee.orders]
region = "regions.csv"
[guarantee.beta]
flu = 7
gout = "0.5"
"*" = 4
[calendar.shift]
every = 8
of = "hour"
anchor = "2025-01-01 06:00"
"""
REGIONS = ["Milan", "Rome", "Bari"]
SHIFT = Granularity.every("shift", 8, "hour", anchor="2025-01-01 06:00")


# The value.


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (3, Fraction(3)),
        (3.0, Fraction(3)),
        (2.2, Fraction(11, 5)),
        ("2.2", Fraction(11, 5)),
        ("7/3", Fraction(7, 3)),
        (Fraction(7, 3), Fraction(7, 3)),
        (Decimal("1.1"), Fraction(11, 10)),
    ],
)
def test_l_is_taken_as_it_is_written(given, exact):
    assert Reposition(l=given, window=3).l == exact


@pytest.mark.parametrize(
    ("mu", "window", "table", "beta"),
    [
        ("linear", 1, [0], 1),
        ("linear", 4, [0, 1, 2, 3], 4),
        ("quadratic", 4, [0, 1, 4, 9], 14),
        ([0, "1/2", 2], 3, [0, Fraction(1, 2), 2], Fraction(7, 2)),
        ([0, 3], 1, [0], 1),
        ([0, 1, 2, 4], 3, [0, 1, 2], 3),
        ((c for c in (0, 1)), 2, [0, 1], 2),
    ],
)
def test_costs_of_delays_and_what_leaving_out_costs_by_them(mu, window, table, beta):
    promise = Reposition(l=2, window=window, mu=mu)
    assert promise.mu_table == tuple(table)
    assert (promise.beta_default, promise.betas) == (beta, {})


def test_costs_of_leaving_out_by_value():
    promise = Reposition(l=2, window=3, beta={"flu": "1/3", "gout": 2.5})
    assert promise.beta_default == 3, "as if it were not given"
    assert promise.betas == {"flu": Fraction(1, 3), "gout": Fraction(5, 2)}
    assert Reposition(l=2, window=3, beta={"*": 5}) == Reposition(l=2, window=3, beta=5)
    assert Reposition(l=2, window=3, beta=3) == Reposition(l=2, window=3)


def test_m_invariance_follows():
    promise = Reposition(window=3, then=MInvariance(m=5))
    assert promise.l == 5
    assert promise == Reposition(l="5", window=3, then=MInvariance(m=5))


PROMISES = [
    Reposition(l=2, window=1),
    Reposition(l="7/3", window=3, mu="quadratic", beta="1/3", snapshot="week", first="cold"),
    Reposition(l=3, window=2, mu=[0, "0.25", 7], beta={"a": 1, "*": 2}, solver="recycle"),
    Reposition(l=3, window=2, budget=0),
    Reposition(l=3, window=2, budget=5),
    Reposition(l=3, window=2, then="generalize", widths={"x": "0.5"}, orders={"y": ["b", "a"]},
               domains={"x": [0, 1]}, late="drop", repeated="one"),
    Reposition(window=2, snapshot=SHIFT, then=MInvariance(m=2, widths={"x": 5}, mode="sticky")),
]  # fmt: skip


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_plain_values_and_back(promise):
    plain = promise.to_dict()
    assert plain["method"] == "reposition"
    assert from_dict(json.loads(json.dumps(plain))) == promise
    assert hash(promise) == hash(from_dict(plain))


WRONG = {
    "no l": ({"l": None}, "l is missing"),
    "l of 1": ({"l": 1}, "l must be more than 1, found 1"),
    "l below 1": ({"l": "1/2"}, "l must be more than 1"),
    "l of nothing": ({"l": "few"}, "l must be a number such as"),
    "l over nothing": ({"l": "1/0"}, "l must be a number such as"),
    "l true": ({"l": True}, "l must be a number such as"),
    "l nan": ({"l": float("nan")}, "l must be a number such as"),
    "l infinite": ({"l": float("inf")}, "l must be a number such as"),
    "l for ever": ({"l": "1e999999999"}, "l must be a number such as"),
    "l computed": ({"l": 7 / 3}, "l has too many digits", "'7/3'"),
    "l is not m": ({"then": MInvariance(m=3)}, "l must be the m of then, 3, found 2"),
    "no window": ({"window": 0}, "window must be a whole number from 1 to 10,000, found 0"),
    "half a window": ({"window": 1.5}, "window must be a whole number"),
    "window true": ({"window": True}, "window must be a whole number"),
    "window without end": ({"window": 10**9}, "window must be a whole number from 1 to 10,000"),
    "snapshot": ({"snapshot": "fortnight"}, "snapshot must be a granularity", "half_month"),
    "solver": ({"solver": "best"}, "solver must be one of recycle, rolling"),
    "budget": ({"budget": -1}, "budget must be"),
    "a broken budget": ({"budget": 1.5}, "budget must be"),
    "first": ({"first": "warm"}, "first must be one of exact, cold"),
    "late": ({"late": "keep"}, "late must be one of refuse, recycle, drop"),
    "repeated": ({"repeated": "all"}, "repeated must be one of refuse, one"),
    "then": ({"then": "hide"}, "then must be one of anatomy, generalize"),
    "mu in words": ({"mu": "cubic"}, "mu must be linear, quadratic, or a list"),
    "mu a number": ({"mu": 3}, "mu must be linear, quadratic, or a list"),
    "mu too short": ({"mu": [0, 1]}, "mu has 2 costs, fewer than the window has snapshots (3)"),
    "mu empty": ({"mu": []}, "mu has 0 costs"),
    "mu of words": ({"mu": [0, "x", 2]}, "mu, item 2 must be a number"),
    "mu without 0": ({"mu": [1, 2, 3]}, "mu must begin with 0"),
    "mu flat": ({"mu": [0, 1, 1]}, "mu must grow", "mu[2] is not more than mu[1]"),
    "mu falling": ({"mu": [0, -1, 2]}, "mu[1] is not more than mu[0]"),
    "mu concave": ({"mu": [0, 2, 3]}, "mu must be convex", "from mu[1] to mu[2] than from mu[0]"),
    "mu concave later": ({"mu": [0, 1, 3, 4]}, "from mu[2] to mu[3] than from mu[1] to mu[2]"),
    "beta of 0": ({"beta": 0}, "beta must be above 0"),
    "beta below 0": ({"beta": "-1/2"}, "beta must be above 0"),
    "beta in words": ({"beta": "much"}, "beta must be a number such as"),
    "beta of a value": ({"beta": {"flu": 1, "gout": 0}}, "beta, entry 2 must be above 0"),
    "beta of many digits": ({"beta": "0.123456789012"}, "mu and beta have too many digits"),
    "widths of nothing": ({"widths": {"a": 1}}, "widths has no meaning with then = 'anatomy'"),
    "two grids": ({"then": MInvariance(m=2), "orders": {"a": ["x"]}}, "orders has no meaning"),
    "width": ({"then": "generalize", "widths": {"a": 0}}, "widths.a: widths must be positive"),
    "order": ({"then": "generalize", "orders": {"a": []}}, "orders.a: the order"),
    "domain": ({"then": "generalize", "domains": {"a": [2, 1]}}, "domains.a: a domain is a pair"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values(name):
    values, *expected = WRONG[name]
    with pytest.raises(PlanError) as error:
        Reposition(**{"l": 2, "window": 3, **values})
    for part in expected:
        assert part in str(error.value)


def test_all_wrong_values_at_once():
    with pytest.raises(PlanError) as error:
        Reposition(l=1, window=0, mu=[1, 1], beta=-1, solver="x", then="y", snapshot="z")
    assert len(error.value.problems) == 8


# The plan.


def test_everything_is_read(read, tmp_path):
    assert read(GOOD) == Plan(
        tmp_path / "visits.parquet",
        Schema("patient", "admitted", ["age", "region"], "diagnosis"),
        Reposition(
            l=Fraction(5, 2),
            window=4,
            snapshot=SHIFT,
            solver="rolling",
            first="cold",
            mu=[0, "3/2", 3, 5],
            beta={"flu": 7, "gout": "1/2", "*": 4},
            late="recycle",
            repeated="one",
            then="generalize",
            widths={"age": 5},
            domains={"age": [0, 120]},
            orders={"region": REGIONS},
        ),
        tmp_path / "releases",
        tmp_path / "ledger",
    )


SHORT = GOOD.partition("[guarantee]")[0] + "[guarantee]\nmethod='reposition'\nwindow=3\n"


def test_defaults(read):
    assert read(SHORT + "l=3\n").guarantee == Reposition(l=3, window=3)


def test_m_invariance_as_a_table(read):
    text = (
        SHORT
        + """
    [guarantee.then]
    method = "invariance"
    m = 5
    mode = "sticky"
    [guarantee.then.orders]
    region = "regions.csv"
    """
    )
    follows = MInvariance(m=5, mode="sticky", orders={"region": REGIONS})
    assert read(text).guarantee == Reposition(window=3, then=follows)
    assert read(text.replace("window=3", "window=3\nl=5")).guarantee.l == 5


NESTED = SHORT + "[guarantee.then]\nmethod='invariance'\nm=5\n"
BAD = {
    "l": (GOOD.replace('"5/2"', "1.0"), "guarantee.l must be more than 1"),
    "no l": (SHORT, "guarantee.l is missing"),
    "l true": (GOOD.replace('"5/2"', "true"), "guarantee.l must be a number above 1", "found true"),
    "no window": (GOOD.replace("window = 4\n", ""), "'guarantee.window' is missing"),
    "window 0": (GOOD.replace("window = 4", "window = 0"), "guarantee.window must be a whole"),
    "mu(0)": (GOOD.replace("mu = [0,", "mu = [0.5,"), "guarantee.mu must begin with 0"),
    "mu": (GOOD.replace('"5", 9]', "3.5, 9]"), "guarantee.mu must be convex", "mu[2] to mu[3]"),
    "mu item": (GOOD.replace('"5"', "true"), "guarantee.mu must be", "item 4 is true"),
    "mu item in words": (GOOD.replace('"5"', '"x"'), "guarantee.mu, item 4 must be a number"),
    "mu too short": (GOOD.replace("window = 4", "window = 6"), "guarantee.mu has 5 costs"),
    "beta 0": (GOOD.replace("flu = 7", "flu = 0"), "guarantee.beta, entry 1 must be above 0"),
    "beta of a value": (GOOD.replace("flu = 7", "flu = [7]"), "guarantee.beta.flu must be a "
                        "number above 0; found a list"),
    "one beta": (SHORT + "l=2\nbeta=-1", "guarantee.beta must be above 0"),
    "snapshot": (GOOD.replace('= "shift"', '= "shifts"'), "guarantee.snapshot", "mean 'shift'?"),
    "solver": (GOOD.replace('"rolling"', '"best"'), "guarantee.solver must be one of recycle"),
    "then": (GOOD.replace('"generalize"', '"hide"'), "guarantee.then must be one of anatomy"),
    "then a number": (GOOD.replace('"generalize"', "5"), "guarantee.then must be anatomy, gen",
                      "found a whole number"),
    "anatomy with widths": (GOOD.replace('"generalize"', '"anatomy"'), "guarantee.widths has no "
                            "meaning with then = 'anatomy'", "guarantee.orders has no meaning"),
    "misspelt": (GOOD.replace("repeated =", "repeted ="), "Did you mean 'repeated'?"),
    "a key of another method": (GOOD.replace("window =", "m = 3\nwindow ="), "'guarantee.m'"),
    "nested without m": (NESTED.replace("m=5", ""), "'guarantee.then.m' is missing"),
    "nested m": (NESTED.replace("m=5", "m=1"), "guarantee.then.m must be a whole number"),
    "nested method": (NESTED.replace("'invariance'", "'granularity'"), "guarantee.then.method"),
    "nested key": (NESTED + "modes='x'", "'guarantee.then.modes'", "Did you mean 'mode'?"),
    "nested width": (NESTED + "[guarantee.then.widths]\nage=0", "guarantee.then.widths.age: wid"),
    "nested column": (NESTED + "[guarantee.then.widths]\nx=1", "guarantee.then.widths.x is for a "
                      "column that is not quasi"),
    "nested m is not l": (NESTED.replace("window=3", "window=3\nl=3"), "guarantee.l must be the m"),
    "order file": (GOOD.replace("regions.csv", "no.csv"), "no.csv", "order cannot be read"),
    "no time": (GOOD.replace('time = "admitted"\n', ""), "'schema.time' is missing"),
    "no content": (GOOD.replace('["diagnosis"]', "[]"), "schema.sensitive names 0 columns"),
    "not quasi": (GOOD.replace('"age", ', ""), "guarantee.widths.age is for a column", "domains"),
    "series": (GOOD.replace("quasi =", 'series = ["x"]\nquasi ='), "schema.series has no meaning"),
    "guessed method": (GOOD.replace('"reposition"', '"repos"').replace("window = 4", "window = 0"),
                       "guarantee.method must be", "mean 'reposition'?", "guarantee.window must"),
}  # fmt: skip
MANY = [
    (
        GOOD,
        {
            '"5/2"': "1",
            "window = 4": "window = 0",
            '= "shift"': '= "shifts"',
            '"rolling"': '"best"',
            "mu = [0,": "mu = [0.5,",
            "flu = 7": "flu = -7",
            "age = 5": "age = 0",
            "regions.csv": "no.csv",
            "[0, 120]": "[120, 0]",
        },
        9,
    ),
    (NESTED, {"window=3": "window=0", "m=5": "m=1\nmode='x'"}, 3),
]
SECRET = (GOOD, ['"5/2"', '"5"', '"0.5"', "[0, 120]", '"rolling"', '"generalize"', "7"])


def test_no_quasi_column_is_refused_where_it_is_needed(tmp_path):
    schema = Schema("p", "t", sensitive="s")
    assert Plan("t.csv", schema, Reposition(l=2, window=2)).schema == schema
    with pytest.raises(PlanError, match=r"schema\.quasi names no column"):
        Plan("t.csv", schema, Reposition(l=2, window=2, then="generalize"))


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_round_trip(tmp_path, promise):
    schema = Schema("p", "t", ["x", "y"], "s", "Europe/Rome")
    plan = Plan(tmp_path / "t.csv", schema, promise, tmp_path / "r", tmp_path / "l")
    path = plan.write(tmp_path / "plan.toml", notes={"guarantee.window": "three"})
    assert Plan.read(path) == plan
    assert "# three\nwindow = " in path.read_text()


def test_what_is_written():
    promise = Reposition(l="2.5", window=2, mu=[0, "1/3"])
    text = Plan("t.csv", Schema("p", "t", sensitive="s"), promise).to_toml()
    assert tomllib.loads(text)["guarantee"] == {
        "method": "reposition",
        "l": "2.5",
        "window": 2,
        "snapshot": "day",
        "solver": "rolling",
        "budget": 60,
        "first": "exact",
        "mu": [0, "1/3"],
        "beta": "2/3",
        "late": "refuse",
        "repeated": "refuse",
        "then": "anatomy",
        "careful": True,
    }


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
ratios = st.fractions(Fraction(11, 10), 50, max_denominator=50)


@settings(max_examples=50, deadline=None)
@given(
    ratios,
    st.lists(st.integers(1, 99).map(lambda n: Fraction(n, 7)), min_size=1, max_size=4),
    st.dictionaries(names, st.integers(1, 10**6).map(lambda n: Fraction(n, 100)), max_size=3),
)
def test_any_numbers_and_values_survive(tmp_path_factory, least, steps, beta):
    folder = tmp_path_factory.mktemp("plan")
    mu = [Fraction(0)]
    for step in sorted(steps):
        mu.append(mu[-1] + step)
    promise = Reposition(l=least, window=len(mu), mu=mu, beta=beta)
    plan = Plan(folder / "t", Schema("p", "t", sensitive="s"), promise, folder / "r", folder / "l")
    (folder / "p.toml").write_bytes(plan.to_toml(folder).encode())
    assert Plan.read(folder / "p.toml") == plan
