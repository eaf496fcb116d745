"""Questions are drawn as the papers say; those without an answer are replaced."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.asking.question import Ranges, Span
from anachron.errors import InputError
from anachron.measuring.asked import Wanted, drawn
from anachron.measuring.axes import TimeAxis, Wholes
from anachron.measuring.workloads import Workload

A, B, C = (Wholes(name, 0, 999, True) for name in "abc")
TIMES = TimeAxis("t", np.arange(0, 1000), np.arange(1, 1001))


def lengths(workload: Workload) -> dict[str, int]:
    condition = workload.draw(np.random.default_rng(0))
    return {
        leaf.column: leaf.spans[0].high - leaf.spans[0].low + leaf.spans[0].high_closed
        for leaf in condition.parts
    }


def test_ranges_have_the_share_of_the_paper():
    assert lengths(Workload((A, B), (C,), None, 0.1, None)) == dict.fromkeys("abc", 464)
    assert round(1000 * 0.1 ** (1 / 3)) == 464


def test_a_time_is_a_dimension_but_a_given_window_is_not():
    assert lengths(Workload((A,), (C,), TIMES, 0.1, None)) == dict.fromkeys("act", 464)
    week = TimeAxis("t", TIMES.start, TIMES.end, 7)
    assert lengths(Workload((A,), (C,), week, 0.1, None)) == {"a": 316, "c": 316, "t": 7}


def test_some_dimensions_are_drawn_by_lot():
    workload = Workload((A, B), (C,), None, 0.1, 1)
    rng = np.random.default_rng(0)
    named = {tuple(leaf.column for leaf in workload.draw(rng).parts) for _ in range(50)}
    assert named == {("a", "c"), ("b", "c")}


def test_one_of_several_sensitive_columns_is_asked_about():
    workload = Workload((), (B, C), None, 0.1, None)
    rng = np.random.default_rng(0)
    assert {workload.draw(rng).parts[0].column for _ in range(50)} == {"b", "c"}


def test_questions_without_an_answer_are_replaced():
    def count(conditions):
        return np.array([max(leaf.spans[0].low - 6, 0) for leaf in conditions])

    found = drawn(lambda rng: Ranges("a", (Span(int(rng.integers(10)), 99),)), count, 40, 3)
    assert len(found.conditions) == 40 == len(found.truth)
    assert found.empty > 40, "seven of ten have none"
    assert found.truth.tolist() == [leaf.spans[0].low - 6 for leaf in found.conditions]
    again = drawn(lambda rng: Ranges("a", (Span(int(rng.integers(10)), 99),)), count, 40, 3)
    assert again.conditions == found.conditions, "the seed decides"
    other = drawn(lambda rng: Ranges("a", (Span(int(rng.integers(10)), 99),)), count, 40, 4)
    assert other.conditions != found.conditions


def test_a_table_without_answers_ends():
    nothing = drawn(lambda _: Ranges("a", ()), lambda c: np.zeros(len(c), dtype=int), 5, 0)
    assert nothing.conditions == ()
    assert nothing.empty == 100


@pytest.mark.parametrize(
    "wrong", [{"questions": 0}, {"theta": 0.0}, {"theta": 1.1}, {"window": 0}, {"dimensions": 0},
              {"seed": -1}],
)  # fmt: skip
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Wanted(**wrong)
