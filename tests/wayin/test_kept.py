"""What is proposed can be published: a trial of each proposed plan keeps its promise."""

from __future__ import annotations

from functools import cache

import pytest

import anachron as an
from anachron.proposing.proposal import Proposal
from anachron.registry import METHODS, MethodName
from tests.wayin.making import Table
from tests.wayin.tables_gaps import GAPS
from tests.wayin.test_roles import TABLES, found

BY_NAME = {table.name: table for table in (*TABLES, *GAPS)}


@cache
def proposed(name: str, method: MethodName | None = None) -> Proposal:
    return found(BY_NAME[name], method)


def refusals(table: Table, method: MethodName | None) -> list[str]:
    """Why the proposed plan could not be published, if there is one."""
    made = proposed(table.name, method)
    if made.schema is None or made.guarantee is None:
        assert made.missing
        return []
    plan = an.Plan("table.csv", made.schema, made.guarantee)
    return [row.reason for row in an.trial(plan, table=table.made()) if row.own and not row.kept]


@pytest.mark.parametrize("table", GAPS, ids=lambda table: table.name)
@pytest.mark.parametrize("method", [None, *METHODS])
def test_what_is_refused_is_not_proposed(table: Table, method: MethodName | None) -> None:
    assert refusals(table, method) == []


@pytest.mark.parametrize("table", TABLES[::4], ids=lambda table: table.name)
def test_a_proposal_can_be_published(table: Table) -> None:
    assert refusals(table, None) == []


@pytest.mark.campaign
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize("method", [None, *METHODS])
def test_every_proposal_can_be_published(table: Table, method: MethodName | None) -> None:
    assert refusals(table, method) == []


def test_a_feed_is_not_proposed_for_what_is_mostly_empty() -> None:
    made = proposed("deaths without a brand for most")
    assert made.method == "granularity"
    assert made.columns("sensitive") == ("brand",)
    asked = proposed("deaths without a brand for most", "reposition")
    assert asked.role("brand").name == "home"
    assert "empty in" in asked.role("brand").reason
    assert "brand would be, without empty cells" in asked.missing


def test_a_full_column_is_taken_where_another_has_gaps() -> None:
    made = proposed("deaths of which one content is full", "reposition")
    assert made.columns("sensitive") == ("diagnosis",)


def test_a_column_that_you_name_is_refused_with_the_reason() -> None:
    table = BY_NAME["deaths without a brand for most"].made()
    with pytest.raises(an.AnachronError, match=r"brand.*empty in \d+ rows.*fill them in"):
        an.propose(table, "reposition", sensitive="brand")


def test_rows_of_nobody_and_of_no_time_are_asked_about() -> None:
    who = proposed("visits of which some are nobody's")
    when = proposed("visits of which some have no time")
    assert "column 'patient', row" in who.missing
    assert "column 'admitted', row" in when.missing
    for made in (who, when):
        assert made.guarantee is None
        assert "every row needs it. Fill it in, or leave those rows out" in made.missing


def test_gaps_of_series_have_a_remedy() -> None:
    names = ("inside", "at an end", "in most rows")
    made = [proposed(f"meters with a gap {name}", "patterns") for name in names]
    gaps = [getattr(one.guarantee, "gaps", None) for one in made]
    assert gaps == ["interpolate", "drop", "trim"]


def test_a_register_of_one_value_is_asked_about() -> None:
    assert "no m can be kept" in proposed("a register in which most have one value").missing


def test_truth_values_stay_at_home_where_intervals_are_made() -> None:
    made = proposed("a register with gaps in what outsiders know")
    assert made.role("retired").name == "home"
    assert made.role("age").name == "home"
    assert "weight_class" in made.columns("quasi")


def test_somebody_twice_in_a_snapshot_is_published_once() -> None:
    people = an.propose(BY_NAME["people who come twice a day"].made(), "reposition")
    assert getattr(people.guarantee, "repeated", None) == "one"


def test_so_many_people_as_are_asked_for_must_be_there() -> None:
    made = an.propose(BY_NAME["visits"].made(), "granularity", k=200)
    assert made.guarantee is None
    assert "shared by fewer than 200 people" in made.missing
