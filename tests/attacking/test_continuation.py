"""Numbers that go on where the series ended are found, others are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from anachron.attacking.continuation import attack, told
from anachron.attacking.finding import Finding
from tests.attacking.knowing import known_of
from tests.flow import series


def found(root: Path, bill: np.ndarray, *, ledger: bool = True) -> Finding | None:
    walks = series.walks(400)
    table = series.wide(walks).set_column(1, "bill", pa.array(bill))
    release = series.released(table, root, series.promise(k=12, P=4))
    return attack(known_of(root, release, table, series.WIDE, ledger=ledger))


def last() -> np.ndarray:
    return series.walks(400)[:, -1]


def test_the_next_value_gives_the_row_away(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    finding = found(tmp_path, last() + rng.normal(0, 0.05, 400))
    assert finding is not None
    assert finding.exposed > 150
    assert finding.holds is None
    assert finding.figures["found_by_last_value"] > 2 * finding.figures["found_by_lot"]
    assert finding.figures["one_in_P"] == 0.25


def test_without_the_ledger_all_rows_that_fit_are_searched(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    finding = found(tmp_path, last() + rng.normal(0, 0.05, 400), ledger=False)
    assert finding is not None
    assert finding.exposed > 150


def test_a_straight_line_is_continued(tmp_path: Path) -> None:
    walks = series.walks(400)
    finding = found(tmp_path, 2 * walks[:, -1] - walks[:, -2])
    assert finding is not None
    by = finding.figures
    assert by["found_by_straight_line"] > 0.9
    assert by["found_by_straight_line"] > by["found_by_last_value"]


def test_other_numbers_are_not_found(tmp_path: Path) -> None:
    finding = found(tmp_path, np.random.default_rng(2).normal(0, 5, 400))
    assert finding is not None
    assert finding.exposed == 0


def test_texts_cannot_continue_a_series(tmp_path: Path) -> None:
    assert found(tmp_path, np.array([f"job {i % 7}" for i in range(400)])) is None


def test_ties_are_shared_out() -> None:
    who = np.array([0, 0, 0, 1])
    number = np.array([4.0, 6.0, 9.0, np.nan])
    own = np.array([True, False, False, True])
    result = told(who, number, own, np.array([5.0, 5.0]))
    assert result.found.tolist() == [0.5, 1.0]
    assert result.luck.tolist() == [1 / 3, 1.0]
    assert result.rows.tolist() == [3, 1]
