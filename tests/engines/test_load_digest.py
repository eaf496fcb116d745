"""The digest: the same for the same rows in any order and form, another for any other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import permutations
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.engines.local.load import load
from anachron.schema import Schema
from tests.source.small import NAMES, ROWS, SCHEMA, arrow


def digest(table: object, schema: Schema = SCHEMA) -> str:
    loaded = load(table, schema)
    found = loaded.digest()
    loaded.close()
    return found


def test_the_order_of_rows_does_not_matter() -> None:
    assert len({digest(arrow(list(rows))) for rows in permutations(ROWS)}) == 1


def test_it_is_the_same_in_every_version() -> None:
    """Ledgers remember it: a change here locks owners out of their history."""
    assert digest(arrow()) == "04bf38dda1311251bd5f99dc6fc807477be54b586cf425d87b62fa3b62f31051"


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_every_cell_matters(place: int) -> None:
    found = {digest(arrow())}
    for row in range(len(ROWS)):
        changed = [list(cells) for cells in ROWS]
        other: dict[str, object] = {"seen": datetime(2025, 1, 1), "age": 99}
        changed[row][place] = other.get(NAMES[place], "other")
        found.add(digest(arrow([tuple(cells) for cells in changed])))
    assert len(found) == 1 + len(ROWS)


CHANGES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a row twice": lambda table: pa.concat_tables([table, table[:1]]),
    "a row less": lambda table: table[1:],
    "cells swapped between columns": lambda table: table.rename_columns(
        ["left", "zip", "who", "note", "age", "seen"]
    ),
    "cells swapped between rows": lambda table: table.set_column(
        4, "age", table["age"].take(pa.array([1, 0, 2, 3]))
    ),
    "empty text for a missing one": lambda table: table.set_column(
        1, "note", table["note"].fill_null("")
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_other_rows_give_another(change: Callable[[pa.Table], pa.Table]) -> None:
    assert digest(change(arrow())) != digest(arrow())


def test_roles_matter_and_their_order_does_not() -> None:
    swapped = Schema("who", "seen", ["zip", "age"], "note", time_zone="Europe/Rome")
    other = Schema("who", "seen", ["zip", "note"], "age", time_zone="Europe/Rome")
    assert digest(arrow(), swapped) == digest(arrow())
    assert digest(arrow(), other) != digest(arrow())


def test_the_zone_matters_for_times_without_offset_only() -> None:
    aware = arrow().set_column(5, "seen", arrow()["seen"].cast(pa.timestamp("us", "UTC")))
    plain, utc = SCHEMA, Schema("who", "seen", ["age", "zip"], "note")
    assert digest(arrow(), plain) != digest(arrow(), utc)
    assert digest(aware, plain) == digest(aware, utc) == digest(arrow(), utc)


def test_equal_numbers_of_other_types_are_equal(tmp_path: Path) -> None:
    def of(age: pa.Array) -> str:
        return digest(arrow().set_column(4, "age", age))

    assert of(pa.array([30.0, 41, 30, 5])) == digest(arrow())
    assert of(pa.array([30, 41, 30, 5], pa.decimal128(9, 2))) == digest(arrow())
    assert of(pa.array([0.0, 1, 1, 1])) == of(pa.array([-0.0, 1, 1, 1]))
    assert of(pa.array([0.5, 1, 1, 1])) == of(pa.array([0.5, 1, 1, 1], pa.float32()))
