"""A database that is used again is as new: nothing of the last one is seen, set or put aside."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from anachron import instances
from anachron.database import connected, cursor_of


@pytest.fixture(autouse=True)
def _none_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    instances._close_all()


def test_what_was_made_registered_and_set_is_gone() -> None:
    with connected() as con:
        con.execute('CREATE TABLE "a ""table""" AS FROM range(3)')
        con.execute('CREATE VIEW seen AS FROM "a ""table"""')
        con.execute("CREATE SEQUENCE line")
        con.register("given", pa.table({"who": ["Ann"]}))
        con.execute("SET GLOBAL TimeZone = 'Asia/Tokyo'")
        with cursor_of(con) as other:
            other.execute("CREATE TEMP TABLE aside AS FROM range(3)")
    assert len(instances._idle) == 1
    with connected() as con, cursor_of(con) as other:
        assert not instances._idle
        for one in (con, other):
            assert one.execute("FROM duckdb_tables()").fetchall() == []
            assert one.execute("FROM duckdb_views() WHERE NOT internal").fetchall() == []
            assert one.execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]
            with pytest.raises(duckdb.CatalogException):
                one.execute("FROM given")


def test_two_at_a_time_are_two() -> None:
    with connected() as one, connected() as other:
        one.execute("CREATE TABLE mine AS FROM range(3)")
        assert other.execute("SHOW TABLES").fetchall() == []
    assert len(instances._idle) == 2


def test_one_that_failed_is_not_used_again() -> None:
    with pytest.raises(duckdb.CatalogException), connected() as con:
        con.execute("FROM nothing")
    assert not instances._idle


def test_one_with_a_file_attached_is_not_used_again(tmp_path: Path) -> None:
    with connected() as con:
        con.execute(f"ATTACH '{tmp_path / 'a.duckdb'}' AS attached")
    assert not instances._idle


def test_one_that_put_rows_aside_is_not_used_again() -> None:
    with connected("60MB") as con:
        con.execute("CREATE TABLE big AS SELECT range AS n, hash(range) AS h FROM range(8000000)")
    assert not instances._idle


@pytest.mark.skipif(os.name != "posix", reason="needs fork")
def test_a_child_has_databases_of_its_own() -> None:
    with connected():
        pass
    assert len(instances._idle) == 1
    child = os.fork()
    if not child:
        with connected() as con:
            found = con.execute("SELECT 42").fetchall()
        sys.stdout.flush()
        instances._close_all()
        os._exit(0 if found == [(42,)] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not instances._idle
