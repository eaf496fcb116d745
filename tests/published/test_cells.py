"""Cells that no method writes are refused, and named by table and column alone."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from anachron.calendar.definitions import Granularity
from anachron.published.cells import check_cells
from anachron.published.form import Form
from anachron.published.layouts import EVENTS, OF_FEEDS, REGISTER, SERIES, Layout
from anachron.published.strict import Misfit
from anachron.published.ways import Bins, Content, Envelope, Granules, Interval, Ordered, Way

DAY = 86_400_000_000
AGE, ILL = Interval("age", Decimal(5)), Content("ill")
WARD = Ordered("ward", ("eye", "ear", "lung"))
SEEN = Granules("seen", Granularity.named("day"))
LOAD = Envelope("t0", is_shown=True, pattern=True)
BIN = Bins("age", Decimal(10), Decimal(0))


def instant(*micros: int | None) -> pa.Array:
    return pa.array(micros, pa.int64()).cast(pa.timestamp("us", "UTC"))


REGISTERED = {
    "group": [1, 2],
    "age_low": [20, -5],
    "age_high": [20, 9],
    "ward_low": ["eye", "ear"],
    "ward_high": ["lung", "ear"],
    "ill": ["flu", None],
}
SEEN_ROWS = {
    "group": [1, 1],
    "age_low": [20.5, None],
    "age_high": [29.5, None],
    "seen": ["2024-05-01", "2024-05-02"],
    "seen_start": instant(0, DAY),
    "seen_end": instant(DAY, 2 * DAY),
    "ill": instant(5, None),
}
SERIES_ROWS = {"group": [1], "t0_low": [-(2**53)], "t0_high": [2**53]}
COUNTED = {"group": [1], "ill": ["flu"], "count": [2]}
Case = tuple[Layout, list[Way], str, dict[str, Any]]
RIGHT: list[Case] = [
    (REGISTER, [AGE, WARD, ILL], "data", REGISTERED),
    (EVENTS, [BIN, SEEN, ILL], "data", SEEN_ROWS),
    (SERIES, [LOAD], "envelopes", SERIES_ROWS),
    (OF_FEEDS["anatomy"], [ILL], "sensitive", COUNTED),
]
WRONG: list[tuple[Case, str, Any]] = [
    (RIGHT[0], "group", [1, None]),
    (RIGHT[0], "group", [-1, 1]),
    (RIGHT[0], "group", ["a", "b"]),
    (RIGHT[0], "age_low", [21, 0]),
    (RIGHT[0], "age_low", [None, 0]),
    (RIGHT[0], "age_low", [-(2**63), 0]),
    (RIGHT[0], "age_low", [1.5, 0.0]),
    (RIGHT[0], "ward_low", ["eye", "nose"]),
    (RIGHT[0], "ward_high", ["lung", "eye"]),
    (RIGHT[0], "ward_high", ["lung", None]),
    (RIGHT[1], "age_high", [float("inf"), None]),
    (RIGHT[1], "age_high", [29.5, 30.5]),
    (RIGHT[1], "seen", [None, "2024-05-02"]),
    (RIGHT[1], "seen_end", instant(DAY, DAY)),
    (RIGHT[1], "seen_end", instant(DAY, 2**63 - 1)),
    (RIGHT[1], "seen_start", instant(-(2**63), DAY)),
    (RIGHT[1], "seen_start", [0, 1]),
    (RIGHT[1], "ill", instant(2**62, None)),
    (RIGHT[1], "ill", pa.array([2**31 - 1, 0], pa.int32()).cast(pa.date32())),
    (RIGHT[2], "t0_high", [2**53 + 2]),
    (RIGHT[3], "count", [0]),
    (RIGHT[3], "count", [None]),
]


def check(case: Case, **changed: Any) -> None:
    layout, ways, name, columns = case
    table = pa.table({**columns, **changed})
    check_cells(Form(layout, {way.column: way for way in ways}, {}), name, table)


@pytest.mark.parametrize("case", RIGHT)
def test_what_methods_write_is_right(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(("case", "column", "cells"), WRONG)
def test_what_none_writes_is_refused(case: Case, column: str, cells: Any) -> None:
    cells = pa.array(cells, pa.int64()) if cells == [None] else cells
    with pytest.raises(Misfit, match=rf"^{case[2]}\.\w+: it holds cells that no release has$"):
        check(case, **{column: cells})
