"""Tables of PostgreSQL, with a stand-in for the driver."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pyarrow as pa
import pytest

from anachron.engines.local.load import load
from anachron.errors import TableError
from anachron.schema import Schema
from tests.source.small import SCHEMA, arrow

ADDRESS = "postgresql://me@host/db#clinic.visits"


class Cursor:
    """Knows one table, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def execute(self, query: str) -> None:
        self.asked.append(query)

    def fetch_arrow_table(self) -> pa.Table:
        numeric = pa.field("age", pa.string(), metadata={"ADBC:postgresql:typname": "numeric"})
        table = arrow()
        return table.set_column(4, numeric, table["age"].cast(pa.string()))

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def cursor(monkeypatch: pytest.MonkeyPatch) -> Cursor:
    found = Cursor()

    class Connection:
        def cursor(self) -> Cursor:
            return found

    @contextmanager
    def connect(uri: str) -> Iterator[Connection]:
        assert uri == ADDRESS.partition("#")[0]
        yield Connection()

    class Error(Exception):
        pass

    driver, dbapi = ModuleType("adbc_driver_postgresql"), ModuleType("dbapi")
    dbapi.connect, dbapi.Error, driver.dbapi = connect, Error, dbapi  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", driver)
    return found


def test_a_table_is_read_like_any_other(cursor: Cursor) -> None:
    assert load(ADDRESS, SCHEMA).digest() == load(arrow(), SCHEMA).digest()
    assert cursor.asked[1] == ('SELECT "who", "seen", "age", "zip", "note" FROM "clinic"."visits"')


def test_missing_columns_are_named(cursor: Cursor) -> None:
    with pytest.raises(TableError, match="Did you mean 'who'"):
        load(ADDRESS, Schema("whom", "seen"))


def test_failures_keep_the_address(cursor: Cursor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(query: str) -> None:
        raise sys.modules["adbc_driver_postgresql"].dbapi.Error(ADDRESS)

    monkeypatch.setattr(cursor, "execute", fail)
    with pytest.raises(TableError, match=r"clinic\.visits") as caught:
        load(ADDRESS, SCHEMA)
    assert "me@host" not in str(caught.value)


def test_without_the_driver_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(TableError, match=r"pip install 'anachron\[postgresql\]'"):
        load(ADDRESS, SCHEMA)
