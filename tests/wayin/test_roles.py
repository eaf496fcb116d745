"""From any table to roles that a careful person would give."""

from __future__ import annotations

from functools import cache

import pytest

from anachron.proposing.proposal import Proposal
from anachron.proposing.propose import propose
from anachron.registry import MethodName
from tests.wayin import tables_one, tables_two
from tests.wayin.making import Table

TABLES = (
    *tables_one.ENGLISH,
    *tables_one.GERMAN,
    *tables_two.FRENCH,
    *tables_two.ITALIAN,
    *tables_two.SPANISH,
    *tables_two.DUTCH,
    *tables_two.POLISH,
    *tables_two.TRAPS,
)


def found(table: Table, method: MethodName | None = None) -> Proposal:
    return propose(table.made(), method)


@cache
def by_name(name: str) -> Proposal:
    """What fits a table, looked at once for all tests."""
    return found(next(table for table in TABLES if table.name == name))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_nothing_that_identifies_is_published_as_it_is(table: Table) -> None:
    made = by_name(table.name)
    assert not {*made.columns("sensitive")} & {*table.known, *table.person}


def test_person_and_time_are_found() -> None:
    missed = {}
    for table in TABLES:
        made = by_name(table.name)
        seen = (made.columns("subject"), next(iter(made.columns("time")), None))
        time = table.time if made.method != "invariance" else None
        if seen != (table.person, time):
            missed[table.name] = seen
    assert len(TABLES) >= 40
    assert len(missed) <= 4, missed


@pytest.mark.parametrize("table", [t for t in TABLES if t.method], ids=lambda table: table.name)
def test_the_method_fits_the_shape(table: Table) -> None:
    assert by_name(table.name).method == table.method
