"""Two readers that share no code read the same: whatever a table holds, and in whatever form."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.behind import Microdata, read
from anachron.engines.local.load import load
from anachron.engines.local.table import LocalTable
from anachron.errors import TableError
from tests.source.small import FORMS, SCHEMA
from tests.source.small_files import FILES

SECRET = b"a secret of thirty-two bytes, or "
ZONES = ("UTC", "Europe/Rome", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kolkata")


def told(microdata: Microdata | LocalTable) -> dict[str, object]:
    """All that is read, in plain values."""
    names = microdata.subject_values.to_pylist()
    batches = list(microdata.sensitive(7))
    held = pa.Table.from_batches(batches) if batches else pa.table({})
    of_engine = isinstance(microdata, LocalTable)
    return {
        "who": [names[code] for code in microdata.subject],
        "when": microdata.instants.tolist(),
        "quasi": {
            name: (str(column.values.type), column.values.to_pylist(), column.codes.tolist())
            for name, column in microdata.quasi.items()
        },
        "sensitive": held.to_pydict(),
        "types": str(held.schema),
        "series": repr((microdata.matrix if of_engine else microdata.series).tolist()),
        "digest": microdata.digest(),
        "keys": microdata.row_keys(SECRET).tolist(),
    }


def same(table: object, schema: an.Schema) -> None:
    """What can be read once only is read from the copy that was made then."""
    with closing(load(table, schema)) as loaded, closing(read(loaded.given, schema)) as microdata:
        assert told(microdata) == told(loaded)
        unit = loaded.recorded_by if loaded.recorded_by in ("month", "year") else "instant"
        assert microdata.recorded_by == unit


@pytest.mark.parametrize("form", [*FORMS, *FILES], ids=lambda form: form.__name__)
def test_in_every_form(form: Callable[[Path], object], tmp_path: Path) -> None:
    same(form(tmp_path), SCHEMA)


def _some(rng: random.Random, values: list[object], rows: int) -> list[object]:
    gaps = rng.choice((0, 0.2))
    return [None if rng.random() < gaps else rng.choice(values) for _ in range(rows)]


def _moments(rng: random.Random) -> list[datetime]:
    begin = datetime(rng.choice((1890, 1969, 2011, 2024)), rng.randrange(1, 13), 1)
    step = rng.choice((timedelta(days=1), timedelta(hours=7), timedelta(microseconds=13)))
    return [begin + n * step for n in range(12)]


COLUMNS: dict[str, Callable[[random.Random], tuple[list[object], pa.DataType]]] = {
    "whole": lambda rng: ([rng.randrange(-300, 300) for _ in range(9)], pa.int64()),
    "small": lambda rng: ([rng.randrange(200) for _ in range(9)], pa.uint8()),
    "large": lambda rng: ([2**53 + rng.randrange(9) for _ in range(5)], pa.int64()),
    "float": lambda rng: ([-0.0, 0.0, 1.5, 1e16, rng.random() * 1e-7, 3.0], pa.float64()),
    "single": lambda rng: ([0.1, -2.5, float(np.float32(rng.random()))], pa.float32()),
    "decimal": lambda rng: ([Decimal(rng.randrange(999)) / 4 for _ in range(6)],
                            pa.decimal128(9, 3)),
    "long decimal": lambda _: ([Decimal("0.10"), Decimal("12345678901234567890.25")],
                               pa.decimal128(30, 4)),
    "truth": lambda _: ([True, False], pa.bool_()),
    "text": lambda _: (["a", "A ", "é", "e\u0301", "", "a,b", "007", "=1+1", "x\ny"], pa.string()),
    "day": lambda rng: ([d.date() for d in _moments(rng)], pa.date32()),
    "stamp": lambda rng: (list(_moments(rng)), pa.timestamp("us")),
    "second": lambda rng: ([d.replace(microsecond=0) for d in _moments(rng)], pa.timestamp("s")),
    "zoned": lambda rng: (list(_moments(rng)), pa.timestamp("us", "UTC")),
}  # fmt: skip


def _table(rng: random.Random) -> tuple[pa.Table, an.Schema]:
    rows = rng.randrange(1, 30)
    kinds = rng.sample(sorted(COLUMNS), 4)
    columns = {}
    for name in kinds:
        values, kind = COLUMNS[name](rng)
        columns[name] = pa.array(_some(rng, values, rows), kind)
    who: list[object] = [f"p{rng.randrange(9)}" for _ in range(rows)]
    columns["who"] = pa.array(who if rng.random() < 0.5 else range(rows))
    columns["when"], unit = _times(rng, rows)
    schema = an.Schema(
        "who", "when", kinds[:2], kinds[2:], rng.choice(ZONES), unit, spelling="exact"
    )
    return pa.table(columns), schema


def _times(rng: random.Random, rows: int) -> tuple[pa.Array, str]:
    when = [rng.choice(_moments(rng)) for _ in range(rows)]
    kind = rng.choice(("day", "text", "offset", "stamp", "zoned", "ns", "year", "month", "ms"))
    if kind == "day":
        return pa.array([moment.date() for moment in when]), "auto"
    if kind == "text":
        return pa.array([f"{moment:%Y-%m-%d}" for moment in when]), "auto"
    if kind == "offset":
        return pa.array([f"{moment:%Y-%m-%dT%H:%M:%S.%f}+01:30" for moment in when]), "auto"
    if kind in ("year", "month"):
        later = [moment.replace(year=max(moment.year, 1900)) for moment in when]
        return pa.array([int(f"{m:%Y}" if kind == "year" else f"{m:%Y%m}") for m in later]), kind
    if kind == "ms":
        since = [(max(m, datetime(1971, 1, 1)) - datetime(1970, 1, 1)) for m in when]
        return pa.array([s // timedelta(milliseconds=1) for s in since]), "ms"
    types = {"stamp": pa.timestamp("us"), "zoned": pa.timestamp("us", "UTC")}
    return pa.array(when, types.get(kind, pa.timestamp("ns"))), "auto"


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=() if n < 20 else pytest.mark.campaign) for n in range(500)]
)
def test_at_random(seed: int, tmp_path: Path) -> None:
    rng = random.Random(f"two readers {seed}")
    table, schema = _table(rng)
    form = rng.choice(("arrow", "parquet", "csv", "pandas"))
    given: object = table
    if form == "parquet":
        pq.write_table(table, tmp_path / "t.parquet")
        given = tmp_path / "t.parquet"
    elif form == "csv":
        pa.csv.write_csv(table, tmp_path / "t.csv")
        given = tmp_path / "t.csv"
    elif form == "pandas":
        given = table.to_pandas()
    try:
        load(given, schema).close()
    except TableError:
        return  # nobody publishes it
    same(given, schema)


def test_series(tmp_path: Path) -> None:
    table = pa.table({
        "who": ["a", "b", "c"],
        "t0": [1.5, None, -0.0],
        "t1": pa.array([1, 2, 3], pa.int16()),
        "t2": pa.array([Decimal("0.10"), None, Decimal("7")], pa.decimal128(20, 2)),
    })  # fmt: skip
    schema = an.Schema("who", series=["t0", "t1", "t2"])
    with closing(load(table, schema)) as loaded, closing(read(table, schema)) as microdata:
        assert np.array_equal(microdata.series, loaded.matrix, equal_nan=True)
        assert microdata.digest() == loaded.digest()


def test_years_with_a_sign() -> None:
    table = pa.table({"who": ["a", "b"], "when": ["+1974", "1975"]})
    same(table, an.Schema("who", "when", time_unit="year"))


BAD = {
    "who": ({"who": ["a", None]}, "missing in 1 row"),
    "when": ({"when": ["2024-05-01", "yesterday"]}, "is not a time"),
    "age": ({"age": [1.0, float("nan")]}, "not a finite number"),
}


@pytest.mark.parametrize("column", BAD)
def test_what_cannot_be_read_is_refused_without_a_cell(column: str) -> None:
    change, words = BAD[column]
    good = {"who": ["a", "b"], "when": ["2024-05-01", "2024-05-02"], "age": [1.0, 2.0]}
    with pytest.raises(TableError, match=words) as error:
        read(pa.table({**good, **change}), an.Schema("who", "when", "age"))
    [problem] = error.value.problems
    assert (problem.column, problem.row) == (column, 2)
    assert "yesterday" not in str(error.value)


def test_days_that_a_zone_skipped_and_hours_shown_twice() -> None:
    """In Apia there was no 30 December 2011; in Rome an autumn night has an hour twice."""
    apia = an.Schema("who", "when", time_zone="Pacific/Apia")
    day = [date(2011, 12, 29), date(2011, 12, 31)]
    same(pa.table({"who": ["a", "b"], "when": day}), apia)
    with pytest.raises(TableError, match="never shown by the clocks of Pacific/Apia"):
        read(pa.table({"who": ["a"], "when": [date(2011, 12, 30)]}), apia)
    twice = [datetime(2024, 10, 27, 2, 30), datetime(2024, 10, 27, 3, 30)]
    same(
        pa.table({"who": ["a", "b"], "when": twice}),
        an.Schema("who", "when", time_zone="Europe/Rome"),
    )
