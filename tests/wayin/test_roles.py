"""From any table to roles that a careful person would give."""

from __future__ import annotations

import pytest

from anachron.proposing.propose import propose
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


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_nothing_that_identifies_is_published_as_it_is(table: Table) -> None:
    found = propose(table.made())
    assert not {*found.columns("sensitive")} & {*table.known, *table.person}


def test_person_and_time_are_found() -> None:
    missed = {}
    for table in TABLES:
        found = propose(table.made())
        seen = (found.columns("subject"), next(iter(found.columns("time")), None))
        time = table.time if found.method != "invariance" else None
        if seen != (table.person, time):
            missed[table.name] = seen
    assert len(TABLES) >= 40
    assert len(missed) <= 4, missed


@pytest.mark.parametrize("table", [t for t in TABLES if t.method], ids=lambda table: table.name)
def test_the_method_fits_the_shape(table: Table) -> None:
    assert propose(table.made()).method == table.method
