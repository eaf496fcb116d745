"""A table that passes by tells the same as one that is held, whoever its people are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.auditing.reading.spelled import names_of, people_of
from anachron.behind import Large, Microdata, read, read_aside
from anachron.behind.dealt import dealt, leading, ranges
from anachron.errors import TableError
from anachron.schema import EACH_ROW, Schema

SECRET = bytes(range(32))
NAMES = ["ann", "Ann", " ann", "bob", "BOB ", "é", "e\u0301", "Straße", "strasse", "x y", "zoë"]


@contextmanager
def both(table: Any, schema: Schema, most: int) -> Iterator[tuple[Microdata, Large]]:
    with closing(read(table, schema)) as held, closing(read_aside(table, schema, most)) as large:
        assert isinstance(large, Large)
        yield held, large


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path))
    yield tmp_path
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def random_table(seed: int) -> tuple[pa.Table, Schema]:
    rng = random.Random(seed)
    rows = rng.choice([2, 7, 40, 200])
    names = rng.choice([NAMES, [f"p{n}" for n in range(30)], list(range(9)), ["A", "b", "c d"]])
    columns = {
        "who": [rng.choice(names) for _ in range(rows)],
        "also": [rng.choice(["1", "2", "ü"]) for _ in range(rows)],
        "age": [rng.choice([None, 1, 2, 30]) for _ in range(rows)],
        "ill": [rng.choice([None, "flu", "gout"]) for _ in range(rows)],
        "when": [f"2024-03-{rng.randint(1, 28):02d}" for _ in range(rows)],
    }
    who = rng.choice([["who"], ["who", "also"], []])
    schema = Schema(
        subject=who or EACH_ROW,
        time=rng.choice([None, "when"]),
        quasi=["age"],
        sensitive=["ill"],
        spelling=rng.choice(["refuse", "merge", "exact"]) if who else "refuse",
    )
    return pa.table(columns), schema


@pytest.mark.parametrize("seed", range(40))
def test_rows_that_pass_are_those_that_are_held(seed: int, place: Path) -> None:
    table, schema = random_table(seed)
    if seed % 2:
        pq.write_table(table, place / "t.parquet", row_group_size=9)
    most = random.Random(seed).choice([1, 5, 64])
    with both(place / "t.parquet" if seed % 2 else table, schema, min(most, len(table) - 1)) as (
        held,
        large,
    ):
        check(held, large)
    (place / "t.parquet").unlink(missing_ok=True)


def check(held: Microdata, large: Large) -> None:
    names = held.subject_values.take(pa.array(held.subject)).to_pylist()
    passed = list(large.passing(SECRET))
    assert [name for some in passed for name in some.names.to_pylist()] == names
    assert np.concatenate([some.instants for some in passed]).tolist() == held.instants.tolist()
    assert np.concatenate([some.keys for some in passed]).tolist() == held.row_keys(SECRET).tolist()
    for column in held.quasi:
        codes = np.concatenate([some.quasi[column].codes for some in passed])
        assert codes.tolist() == held.quasi[column].codes.tolist()
        assert large.values[column].equals(held.quasi[column].values)
    ill = [value for some in passed for value in some.sensitive["ill"].to_pylist()]
    assert ill == [value for batch in held.sensitive(9) for value in batch.column(0).to_pylist()]
    assert (large.rows, large.people, large.recorded_by) == (
        held.rows,
        held.people,
        held.recorded_by,
    )
    assert large.digest() == held.digest()
    codes = np.concatenate([some.subject for some in passed])
    assert len(set(zip(codes.tolist(), names, strict=True))) == large.people
    every = {
        first + at: name for first, some in large.who for at, name in enumerate(some.to_pylist())
    }
    assert [every[code] for code in codes.tolist()] == names
    for exact in (False, True):
        mine, count = names_of(held, exact=exact)
        people, many = large.who.folded(exact=exact)
        assert many == count == people_of(large, exact=exact)
        assert len(set(zip(people[codes].tolist(), mine.tolist(), strict=True))) == count


@pytest.mark.parametrize("column", ["who", "also", "when"])
@pytest.mark.parametrize("cell", [None, "", " \u2003", "never"])
def test_what_is_wrong_is_said_of_the_same_rows(column: str, cell: str | None) -> None:
    rows = 30
    table = pa.table({
        "who": [f"p{n}" for n in range(rows)], "also": ["1"] * rows,
        "when": ["2024-03-01"] * rows, "ill": ["flu"] * rows,
    })  # fmt: skip
    cells = table[column].to_pylist()
    for row in (11, 12, 25):
        cells[row] = cell
    table = table.set_column(table.column_names.index(column), column, [cells])
    schema = Schema(subject=["who", "also"], time="when", sensitive="ill")
    told = []
    for how in (lambda: read(table, schema), lambda: read_aside(table, schema, 8)):
        try:
            with closing(how()):
                told.append("")
        except TableError as error:
            told.append(str(error))
    assert told[0] == told[1]
    assert bool(told[0]) == (cell != "never" or column == "when")


def test_names_that_have_one_hash_get_others(monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema = random_table(7)
    from anachron.behind.opened import Opened

    hashes = Opened.hashes
    monkeypatch.setattr(
        Opened,
        "hashes",
        lambda self, values, salt=0: hashes(self, values, salt) % (5 if salt < 2 else 2**63),
    )
    with both(table, schema, 9) as (held, large):
        check(held, large)


def test_what_is_dealt_is_read_again_by_its_number(place: Path) -> None:
    digests = [bytes([n % 256, n // 256, *([7] * 30)]) for n in range(1000)]
    rows = pa.table({"who": pa.array(digests, pa.binary(32)), "n": range(1000)})
    batches = [rows.slice(start, 90) for start in range(0, 1000, 90)]
    several = ((ranges(leading(some["who"]), 7), some) for some in batches)
    (place / "aside").mkdir()
    found = dealt(several, rows.schema, 7, place / "aside", 200)
    read_again = list(found)
    assert sorted(n for some in read_again for n in some["n"].to_pylist()) == list(range(1000))
    ends = [(min(some["who"].to_pylist()), max(some["who"].to_pylist())) for some in read_again]
    assert all(one[1] < other[0] for one, other in pairwise(ends))
    del found
    assert not list((place / "aside").iterdir())
