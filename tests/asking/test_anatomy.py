"""Counts where sensitive values stand in a table of their own."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.asking.compiling import counts
from anachron.asking.layout import CellLayout
from anachron.asking.question import EVERYTHING, All, Any, Condition
from anachron.errors import QuestionError
from tests.asking.made import between, made, one_of, sensitive, text, whole
from tests.asking.tiny import apart, condition
from tests.oracle.asking import figures as oracle
from tests.oracle.asking_worlds import extremes

COLUMNS = [whole("age", "exact"), text("sex"), sensitive("ill")]
ROWS = {
    "group": [0, 0, 0, 0, 1, 1],
    "age": [20, 25, 30, 60, 40, 41],
    "sex": ["f", "m", "f", "f", "m", None],
}
VALUES = {
    "group": [0, 0, 0, 1, 1],
    "ill": ["cold", "flu", "ulcer", "cold", "flu"],
    "count": [1, 2, 1, 1, 1],
}


def figures(asked: Condition, layout: CellLayout | None = None) -> dict[str, float]:
    layout = layout or made(COLUMNS, ROWS, None, VALUES)
    return {name: float(value[0]) for name, value in vars(counts(layout, [asked])).items()}


def test_the_hypergeometric_count_by_hand() -> None:
    # First group: q = 3 of n = 4 rows are young, c = 2 of its 4 values are flu: q c / n, with
    # variance q c/n (1 − c/n) (n − q)/(n − 1). Nobody of the second is.
    found = figures(All((between("age", 0, 30), one_of("ill", "flu"))))
    assert found["estimate"] == pytest.approx(3 * 2 / 4)
    assert (found["low"], found["high"]) == (1, 2)
    assert found["variance"] == pytest.approx(3 * 2 / 4 * (1 - 2 / 4) * (4 - 3) / (4 - 1))
    assert found["cut"] == 3


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (EVERYTHING, 6),
        (between("age", 25, 40), 3),
        (one_of("sex", "f", inside=False), 2),
        (one_of("sex", "f", inside=False, nulls=True), 3),
        (one_of("ill", "flu", "cold"), 5),
        (one_of("ill", "plague"), 0),
        (All((between("age", 0, 60), one_of("ill", "flu"))), 3),
        (Any((between("age", 0, 20), one_of("sex", "m"))), 3),
    ],
)
def test_what_one_table_tells_is_exact(asked: Condition, expected: int) -> None:
    found = figures(asked)
    assert list(found.values()) == [expected, expected, expected, *[0] * 6]


def test_the_two_tables_can_only_be_joined_by_and() -> None:
    with pytest.raises(QuestionError, match=r"joined by AND only[\s\S]*This one works: SELECT"):
        figures(Any((between("age", 0, 30), one_of("ill", "flu"))))
    with pytest.raises(QuestionError, match="joined by AND only"):
        figures(All((Any((one_of("sex", "f"), one_of("ill", "flu"))), between("age", 0, 30))))


@pytest.mark.parametrize("number", range(60))
def test_bounds_are_those_of_all_worlds(number: int) -> None:
    rng = np.random.default_rng(number)
    layout, groups = apart(rng)
    for _ in range(4):
        asked = condition(rng, beside=True)
        found = figures(asked, layout)
        assert (found["low"], found["high"]) == extremes(groups, asked, "ill")["count"]
        estimate, _, _, variance = oracle(groups, asked)
        assert found["estimate"] == pytest.approx(float(estimate), abs=1e-12)
        assert found["variance"] == pytest.approx(float(variance), abs=1e-12)


def test_variance_is_that_of_the_model() -> None:
    rng = np.random.default_rng(1)
    found = figures(All((between("age", 0, 40), one_of("ill", "flu"))))
    total = np.zeros(40_000)
    for young, flu in (([1, 1, 1, 0], [0, 1, 1, 0]), ([1, 0], [0, 1])):
        dealt = rng.permuted(np.tile(flu, (len(total), 1)), axis=1)
        total += dealt @ np.array(young)
    assert total.mean() == pytest.approx(found["estimate"], rel=0.02)
    assert total.var() == pytest.approx(found["variance"], rel=0.03)
