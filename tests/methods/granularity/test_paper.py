"""The paper's own examples, and where it had to be repaired."""

from __future__ import annotations

from fractions import Fraction

import pytest

from anachron.errors import GuaranteeError
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.choose import plan
from anachron.methods.granularity.search import FAILS
from tests.methods.granularity.small import TABLE_3, answers, names, people, table

DAYS = ("day", "week", "month")


def measures(rows: list[tuple[str, str, str, str]], name: str, k: int = 2) -> tuple[int, int]:
    return plan(table(rows), TimeGranularity(k=k, granularities=[name])).answers[0].gen_c


def test_tables_3_4_and_5() -> None:
    found = plan(table(TABLE_3), TimeGranularity(k=2, granularities=DAYS))
    assert names(found) == ["week", "month"]
    assert [answer.gen_c for answer in found.answers] == [(2, 6), (2, 5)]
    day = found.offer.lattice.order.names.index("day")
    assert found.states[day] == FAILS


def test_days_alone_are_refused_and_the_reason_counts_people() -> None:
    with pytest.raises(GuaranteeError) as refusal:
        plan(table(TABLE_3), TimeGranularity(k=2, granularities=["day"]))
    # u1 on the 11th, u4, u5, u6: four people, each alone in a group.
    assert "4 people in 4 groups" in str(refusal.value)
    assert "max_suppressed of at least 4/6" in str(refusal.value)


def test_the_first_tuple_counts() -> None:
    """Procedure 2 as printed forgets it, and would call this one-week table not 2-anonymous."""
    rows = people("2006-01-03", "u1", "u2")
    assert measures(rows, "week") == (2, 2)
    assert measures(rows, "day") == (2, 2)
    for rotation in range(len(TABLE_3)):
        assert measures(TABLE_3[rotation:] + TABLE_3[:rotation], "week") == (2, 6)


def test_sums_run_over_groups_not_tuples() -> None:
    """Per tuple, week and month would have 12 and 16, against Theorem 3."""
    assert measures(TABLE_3, "week")[1] == 6
    assert measures(TABLE_3, "month")[1] == 5
    # Theorem 3: a coarser granularity never has the larger sum.
    coarser = ("month", "quarter", "half_year", "year", "decade")
    sums = [measures(TABLE_3, name)[1] for name in coarser]
    assert sums == sorted(sums, reverse=True)


def test_people_are_counted_once_in_a_group_however_many_rows_they_have() -> None:
    rows = people("2006-01-03", *["u1"] * 5, *["u2"] * 5)
    for k in (3, 5, 10):
        with pytest.raises(GuaranteeError, match="2 different people, fewer than k"):
            answers(rows, TimeGranularity(k=k))
    assert measures(rows, "day") == (2, 2)
    crowd = rows + people("2006-08-01", "a", "b", "c", "d", "e")
    with pytest.raises(GuaranteeError, match="2 people in 1 groups"):
        answers(crowd, TimeGranularity(k=5, granularities=["day"]))


# Three people in each of five weeks; the last week crosses a month's end, one day and two.
FIVE_WEEKS = (
    [
        row
        for week, days in enumerate(
            [("02", "03", "04"), ("09", "10", "11"), ("16", "17", "18"), ("23", "24", "25")]
        )
        for person, day in enumerate(days)
        for row in people(f"2006-01-{day}", f"w{week}p{person}")
    ]
    + people("2006-01-31", "x")
    + people("2006-02-01", "y", "z")
)


def test_the_papers_metric_may_call_the_coarser_one_less_general() -> None:
    rows = [*FIVE_WEEKS]
    promise = {"k": 2, "granularities": ["week", "month"]}
    assert measures(rows, "week") == (3, 15)
    assert measures(rows, "month") == (2, 15)
    assert answers(rows, TimeGranularity(**promise)) == ["month", "week"]
    assert answers(rows, TimeGranularity(**promise, metric="resolution")) == ["week", "month"]


def test_one_isolated_row_may_be_left_out() -> None:
    rows = [*TABLE_3[:2], *people("2006-07-20", "u1", "u2", q="q1"), *people("2006-03-15", "u9")]
    with pytest.raises(GuaranteeError):
        answers(rows, TimeGranularity(k=2, granularities=["day", "year"]))
    found = plan(
        table(rows), TimeGranularity(k=2, granularities=["day", "year"], max_suppressed="1/5")
    )
    assert names(found) == ["day"]
    assert found.answers[0].counts.lost_rows == 1
    assert found.answers[0].gen_c == (2, 4)
    with pytest.raises(GuaranteeError, match="at least 1/5"):
        answers(rows, TimeGranularity(k=2, granularities=["day"], max_suppressed="0.19"))


def test_a_share_is_kept_to_the_row() -> None:
    """Nine rows of Bob and one of Eve are 2-anonymous, yet nearly all Bob's."""
    rows = people("2006-01-03", *["bob"] * 9, "eve")
    assert answers(rows, TimeGranularity(k=2, granularities=["day"], max_share="0.9")) == ["day"]
    for share in ("0.89", "1/2"):
        with pytest.raises(GuaranteeError):
            answers(rows, TimeGranularity(k=2, granularities=["day"], max_share=share))
    even = people("2006-01-03", "bob", "eve") + people("2006-01-04", "eve", "bob")
    assert answers(even, TimeGranularity(k=2, granularities=["day"], max_share=Fraction(1, 2)))


def test_day_week_month_and_year_in_one_search() -> None:
    names_on_offer = ("day", "week", "month", "year")
    assert answers(TABLE_3, TimeGranularity(k=2, granularities=names_on_offer)) == ["week", "month"]
    for k, least in ((2, ["week", "month"]), (3, [])):
        promise = TimeGranularity(k=k, granularities=names_on_offer)
        if least:
            assert answers(TABLE_3, promise) == least
            continue
        with pytest.raises(GuaranteeError):
            answers(TABLE_3, promise)
    spread = people("2006-01-03", "a", "b") + people("2006-09-05", "c")
    assert answers(spread, TimeGranularity(k=3, granularities=names_on_offer)) == ["year"]


def test_granularities_finer_than_the_records_are_set_aside() -> None:
    found = plan(table(TABLE_3), TimeGranularity(k=2))
    assert set(found.offer.dropped) == {"second", "minute", "quarter_hour", "hour", "part_of_day"}
    assert names(found)[0] in ("week_part", "week", "half_month")
