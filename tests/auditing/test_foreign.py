"""Tables that other tools wrote, checked against what is claimed of them."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.auditing.foreign import FORMS, MODELS, Claim, verify_table
from anachron.auditing.verdict import Verdict
from anachron.errors import InputError, PlanError, TableError
from tests.auditing.judging import assert_holds, failing

Row = dict[str, Any]

ARX = """age;zipcode;sex;ill
[20, 30[;130**;m;flu
[20, 30[;130**;m;cold
[20, 30[;130**;m;gout
[30, 40[;148**;f;flu
[30, 40[;148**;f;flu
[30, 40[;148**;f;flu
*;*;*;gout
"""


def measured(verdict: Verdict, name: str) -> str:
    return next(check.measured for check in verdict.checks if check.name == name)


def witnesses(verdict: Verdict, name: str) -> tuple[str, ...]:
    return next(check.witnesses for check in verdict.checks if check.name == name)


@pytest.fixture
def arx(tmp_path: Path) -> Path:
    file = tmp_path / "arx.csv"
    file.write_text(ARX)
    return file


def test_a_table_of_another_tool(arx: Path) -> None:
    quasi = ["age", "zipcode", "sex"]
    verdict = verify_table(arx, Claim("k-anonymity", quasi, k=3, sensitive="ill"))
    assert failing(verdict) == {"k-anonymous"}
    assert verdict.scope == "rows counted"
    assert verdict.release == "arx.csv"
    assert verdict.guarantee == "k-anonymity(k=3)"
    assert witnesses(verdict, "k-anonymous") == ("group of row 7",)
    assert verdict.figures["rows_in_smallest_group"] == 1
    assert verdict.figures["rows_suppressed"] == 1
    assert verdict.figures["groups_with_one_sensitive_value"] == 2
    assert verdict.figures["cells of age"] == "6 intervals, 1 suppressed"
    assert verdict.figures["cells of zipcode"] == "6 masked, 1 suppressed"
    assert verdict.figures["cells of sex"] == "1 suppressed, 6 exact"
    without = Claim("k-anonymity", quasi, k=3, skip_suppressed=True)
    assert verify_table(arx, without).holds


def test_people_are_counted_and_not_rows() -> None:
    table = pa.table({"who": ["a", "a", "a", "b", "c"], "age": ["2*"] * 3 + ["3*"] * 2})
    assert verify_table(table, Claim("k-anonymity", "age", k=2)).holds
    verdict = verify_table(table, Claim("k-anonymity", "age", k=2, subject="who"))
    assert failing(verdict) == {"k-anonymous"}
    assert verdict.scope == "people counted"
    assert verdict.figures["people_in_smallest_group"] == 1
    assert verdict.figures["largest_share_of_one_person"] == "1 (100.00%)"
    assert witnesses(verdict, "k-anonymous") == ("group of row 1",)


def test_a_missing_cell_is_a_value_of_its_own() -> None:
    table = pa.table({"sex": ["f", "f", None, None, None], "age": [1, 1, 1, 1, 1]})
    assert verify_table(table, Claim("k-anonymity", ["sex", "age"], k=2)).holds
    assert not verify_table(table, Claim("k-anonymity", ["sex", "age"], k=3)).holds


@pytest.mark.parametrize("name", ["age_low/age_high", "age"])
def test_an_interval_in_two_columns(name: str) -> None:
    table = pa.table({"age_low": [20, 20, 30, 30], "age_high": [29, 29, 39, 34]})
    verdict = verify_table(table, Claim("k-anonymity", name, k=2))
    assert failing(verdict) == {"k-anonymous"}
    assert witnesses(verdict, "k-anonymous") == ("group of row 4", "group of row 3")
    assert verdict.figures[f"cells of {name}"] == "4 intervals"


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        ({"age": ["[20-30]", "[30-20]"]}, 1),
        ({"age": ["20..29", "29..20"]}, 1),
        ({"age": ["[20, 30)", "(30, 40]"]}, 0),
        ({"age": ["2020-12", "2021-01"]}, 0),
        ({"age_low": [1, 3, None], "age_high": [2, 2, 5]}, 2),
        ({"age_low": ["1", "9", "a"], "age_high": ["2", "10", "b"]}, 0),
    ],
)
def test_bounds_are_in_order(columns: dict[str, list[Any]], wrong: int) -> None:
    verdict = verify_table(pa.table(columns), Claim("k-anonymity", "age", k=2))
    assert ("intervals" in failing(verdict)) == bool(wrong)
    if wrong:
        assert f"{wrong} rows in 'age'" in measured(verdict, "intervals")


def test_a_time_is_one_more_quasi_column(tmp_path: Path) -> None:
    table = pa.table(
        {"day": ["2024-01", "2024-02"], "sex": ["f", "f"], "from": [1, 1], "to": [2, 2]}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    assert verify_table(tmp_path / "t.parquet", Claim("k-anonymity", "sex", k=2)).holds
    for time, holds in (("day", False), ("from/to", True)):
        claim = Claim("k-anonymity", "sex", time=time, k=2)
        assert verify_table(tmp_path / "t.parquet", claim).holds is holds


def test_names_of_columns_do_not_clash() -> None:
    names = ["who", "size", "people", "k0", "v0", "nth", "n", "low", "a, b", 'q"']
    table = pa.table({name: ["x", "x", "y"] for name in names})
    claim = Claim("l-diversity", names[1:], l=2, sensitive="ill", subject="who")
    verdict = verify_table(table.append_column("ill", pa.array(["a", "b", "a"])), claim)
    assert witnesses(verdict, "l-diverse") == ("group of row 3",)


def test_diversity_of_fractions_and_of_missing_values() -> None:
    table = pa.table({"age": ["2*"] * 5, "ill": ["a", "a", "b", "c", None]})
    for given, form, holds in (
        ("3", "distinct", True),
        ("7/2", "distinct", False),
        ("5/2", "frequency", True),
        ("2.51", "frequency", False),
    ):
        claim = Claim("l-diversity", "age", l=given, form=form, sensitive="ill")
        assert verify_table(table, claim).holds is holds, (given, form)
    gone = pa.table({"age": ["2*"] * 3, "ill": ["*", None, "a"]})
    assert not verify_table(gone, Claim("l-diversity", "age", l=2, sensitive="ill")).holds


# Against plain Python


def table_of(rows: list[Row]) -> pa.Table:
    names = {"who": pa.string(), "age": pa.string(), "sex": pa.int64(), "ill": pa.string()}
    return pa.table({name: pa.array([r[name] for r in rows], kind) for name, kind in names.items()})


def drawn(seed: int) -> list[Row]:
    draws = np.random.default_rng(seed)
    ages, people = ["[20-30]", "3*", "*", None], [*"abcdefg", None]
    return [
        {
            "who": people[draws.integers(8)],
            "age": ages[draws.integers(4)],
            "sex": [1, 2, None][draws.integers(3)],
            "ill": ["flu", "cold", "gout", None, "*"][draws.integers(5)],
        }
        for _ in range(draws.integers(1, 40))
    ]


def grouped(rows: list[Row]) -> list[list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[row["age"], row["sex"]].append(row)
    return list(found.values())


def values_of(group: list[Row], value: object) -> set[object]:
    return {row["who"] for row in group if row["ill"] == value and row["who"] is not None}


@pytest.mark.parametrize("seed", range(10))
def test_as_plain_python_counts(seed: int) -> None:
    rows = drawn(seed)
    people = [{r["who"] for r in g if r["who"] is not None} for g in grouped(rows)]
    different = [
        len({r["ill"] for r in g if r["who"] is not None and r["ill"] not in (None, "*")})
        for g in grouped(rows)
    ]
    shares = [
        max(Fraction(len(values_of(g, v)), len(p)) for v in {r["ill"] for r in g}) if p else 1
        for g, p in zip(grouped(rows), people, strict=True)
    ]
    given: dict[str, Any] = {"quasi": ["age", "sex"], "subject": "who", "sensitive": "ill"}
    table, smallest = table_of(rows), min(map(len, people))
    for k in (2, 3):
        verdict = verify_table(table, Claim("k-anonymity", k=k, **given))
        assert verdict.holds == (smallest >= k)
        assert verdict.figures["people_in_smallest_group"] == smallest
        assert verdict.figures["values_in_smallest_group"] == min(different)
    verdict = verify_table(table, Claim("l-diversity", l=2, **given))
    assert verdict.holds == (min(different) >= 2)
    verdict = verify_table(table, Claim("l-diversity", l="3/2", form="frequency", **given))
    assert verdict.holds == all(share <= Fraction(2, 3) for share in shares)
    first = {id(g[0]): rows.index(g[0]) + 1 for g in grouped(rows)}
    wrong = {first[id(g[0])] for g, s in zip(grouped(rows), shares, strict=True) if s * 3 > 2}
    shown = {int(place.split()[-1]) for place in witnesses(verdict, "l-diverse")}
    assert len(shown) == min(len(wrong), 5)
    assert shown <= wrong


# Several releases


def release(groups: dict[str, str], missing: str = "") -> pa.Table:
    """Groups by their people, each with a value; people in ``missing`` are counterfeits."""
    rows = [
        {"who": None if who in missing else who, "age": f"{10 * n}-{10 * n + 9}", "ill": value}
        for n, (people, values) in enumerate(groups.items())
        for who, value in zip(people, values, strict=True)
    ]
    return pa.Table.from_pylist(rows)


def history(*releases: pa.Table, **more: Any) -> Verdict:
    first, *later = releases
    given: dict[str, Any] = {"m": 2, "sensitive": "ill", "subject": "who", **more}
    return verify_table(first, Claim("m-invariance", "age", releases=later, **given))


def test_a_history_that_is_m_invariant() -> None:
    verdict = history(
        release({"ab": "xy", "cd": "xz"}),
        release({"a-": "xy", "ce": "xz"}, missing="-"),
        release({"ab": "xy"}),
    )
    assert_holds(verdict)
    assert verdict.figures["releases"] == 3
    assert verdict.figures["smallest_candidate_set"] == 2
    assert verdict.figures["largest_posterior"] == "1/2 (50.00%)"
    assert verdict.figures["people"] == 5


def test_a_survivor_and_a_returner_with_other_values() -> None:
    one, other = release({"ab": "xy", "cd": "xz"}), release({"ac": "xz", "bd": "yz"})
    for verdict in (history(one, other), history(one, release({"ef": "xy"}), other)):
        assert failing(verdict) == {"candidates", "lifespans"}
        assert verdict.figures["smallest_candidate_set"] == 1
        assert "release 1, group of row 1" in witnesses(verdict, "candidates")


def test_a_value_that_changed() -> None:
    before = release({"ab": "xy", "cd": "uv"})
    assert history(before, release({"ae": "uv"})).holds, "nothing in common with the old set"
    overlapping = history(before, release({"ae": "zy"}))
    assert failing(overlapping) == {"lifespans"}


def test_groups_must_be_m_unique() -> None:
    verdict = history(release({"ab": "xx", "cd": "yz"}), subject=None)
    assert failing(verdict) == {"m-unique"}
    assert verdict.scope == "rows counted"
    assert witnesses(verdict, "m-unique") == ("group of row 1",)
    assert failing(history(release({"abc": "xyz"}), m=4)) == {"m-unique", "candidates"}
    assert failing(history(release({"aa": "xy"}))) == {"one row each"}


def test_groups_that_look_alike_need_their_number() -> None:
    table = pa.table({"age": ["2*"] * 4, "ill": ["x", "y", "x", "z"], "group": [1, 1, 2, 2]})
    assert failing(history(table, subject=None)) == {"m-unique"}
    assert history(table, subject=None, group="group").holds


@pytest.mark.parametrize("seed", range(6))
def test_histories_as_plain_python_follows_them(seed: int) -> None:
    draws = np.random.default_rng(seed)
    tables, seen = [], defaultdict(list)
    for _ in range(3):
        people = draws.permutation(list("abcdefgh"))[: 2 * draws.integers(1, 5)]
        groups = {}
        for one, other in zip(people[::2], people[1::2], strict=True):
            values = "".join(draws.permutation(list("xyz"))[:2])
            groups[one + other] = values
            for who, value in zip(one + other, values, strict=True):
                seen[who].append((value, frozenset(values)))
        tables.append(release(groups))
    verdict = history(*tables)
    left = min(
        len(frozenset.intersection(*(s for v, s in held if v == value)))
        for held in seen.values()
        for value, _ in held
    )
    crossing = any(a != b and a & b for held in seen.values() for _, a in held for _, b in held)
    assert verdict.figures["smallest_candidate_set"] == left
    assert ("candidates" in failing(verdict)) == (left < 2)
    assert ("lifespans" in failing(verdict)) == crossing


# What cannot be accepted


@pytest.mark.parametrize(
    ("model", "given", "part"),
    [
        ("t-closeness", {"k": 2}, "k-anonymity, l-diversity, m-invariance"),
        ("k-anonymity", {}, "Give k"),
        ("k-anonymity", {"k": 1}, "at least 2"),
        ("k-anonymity", {"k": 2, "m": 2}, "m says nothing"),
        ("l-diversity", {"l": 2}, "sensitive column"),
        ("l-diversity", {"l": "1", "sensitive": "ill"}, "greater than 1"),
        ("l-diversity", {"l": "a", "sensitive": "ill"}, "5/2"),
        ("l-diversity", {"l": float("inf"), "sensitive": "ill"}, "5/2"),
        ("l-diversity", {"l": 10**400, "sensitive": "ill"}, "at most"),
        ("k-anonymity", {"k": 10**400}, "at most"),
        ("l-diversity", {"l": 2, "sensitive": "ill", "form": "entropy"}, "distinct, frequency"),
        ("m-invariance", {"m": 2, "sensitive": ["a", "b"]}, "one sensitive"),
        ("k-anonymity", {"k": 2, "releases": ["b.csv"]}, "only m-invariance"),
        ("k-anonymity", {"k": 2, "subject": "age"}, "more than one role"),
        ("k-anonymity", {"k": 2, "quasi": ()}, "Name the quasi columns"),
    ],
)
def test_claims_that_say_nothing(model: str, given: dict[str, Any], part: str) -> None:
    with pytest.raises(PlanError, match=part):
        Claim(model, **{"quasi": "age", **given})


def test_errors_name_columns_and_never_cells(tmp_path: Path) -> None:
    file = tmp_path / "canary.csv"
    file.write_text("age,ill\ncanary-1,canary-2\n")
    with pytest.raises(TableError) as found:
        verify_table(file, Claim("k-anonymity", ["ages", "zip"], k=2))
    assert "Did you mean 'age'?" in str(found.value)
    assert "column 'zip'" in str(found.value)
    assert "canary-" not in str(found.value)
    verdict = verify_table(file, Claim("l-diversity", "age", l=2, sensitive="ill"))
    assert "canary-" not in str(verdict.to_dict())
    file.write_text("age,ill\n")
    with pytest.raises(InputError, match="has no rows"):
        verify_table(file, Claim("k-anonymity", "age", k=2))


def test_the_command_line_offers_all_models() -> None:
    from anachron.cli import claims

    assert claims._MODELS == MODELS
    assert claims._FORMS == FORMS
