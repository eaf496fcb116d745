"""The most frequent value of a group is told by runs as it is by counting."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.auditing.reading.runs import longest_run

KINDS = {
    pa.string(): ["", "a", "b", "ä", None],
    pa.int64(): [0, 1, 2**62, None],
    pa.float64(): [0.5, -1.0, 0.0, None],
    pa.bool_(): [True, False, None],
    pa.date32(): [date(2024, 1, 1), date(2024, 1, 2), None],
    pa.decimal128(5, 2): [Decimal("1.00"), Decimal("1.01"), None],
    pa.binary(): [b"", b"a", None],
}


@pytest.mark.parametrize("seed", range(30))
def test_runs_tell_the_largest_share(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    kind = rng.choice(list(KINDS))
    rows: list[tuple[int, object]] = []
    for group in range(1, rng.choice([2, 3, 30])):
        for value in rng.sample(KINDS[kind], rng.randint(1, len(KINDS[kind]))):
            rows += [(group, value)] * rng.choice([1, 1, 2, 9, 40])
    counts, sizes = Counter(rows), Counter(group for group, _ in rows)
    table = pa.table({"group": pa.array([g for g, _ in rows], pa.int64()),
                      "ill": pa.array([v for _, v in rows], kind)})  # fmt: skip
    cut = rng.randint(0, len(rows))
    files = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for file, part in zip(files, (table[:cut], table[cut:]), strict=True):
        pq.write_table(part, file, row_group_size=rng.choice([1, 2, 7, 1000]))
    assert longest_run(files, "ill") == max(
        Fraction(many, sizes[group]) for (group, _), many in counts.items()
    )


def test_zeros_of_both_signs_are_one_value(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    nan = float("nan")
    table = pa.table({"group": [1] * 6, "ill": [-0.0, 0.0, 0.0, nan, nan, 1.0]})
    pq.write_table(table, file, row_group_size=2)
    assert longest_run([file], "ill") == Fraction(1, 2)


def test_no_rows_have_no_share(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    pq.write_table(pa.table({"group": pa.array([], pa.int64()), "ill": pa.array([], "str")}), file)
    assert longest_run([file], "ill") == 0
