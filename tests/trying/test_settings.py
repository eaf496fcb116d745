"""Which settings are tried: combinations of parts, the plan's own, and what cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anachron as an
from anachron.errors import PlanError
from anachron.parts.part import parts_of
from anachron.registry import METHODS
from anachron.trying.settings import settings
from tests.trying import cases

EVENTS = an.TimeGranularity(k=3, granularities=["day", "week"])


def test_the_own_setting_is_always_tried_and_never_twice() -> None:
    found = settings(EVENTS, cases.EVENTS, {"k": [2, 3, 5, 3]})
    assert [(one.parts["k"], one.own) for one in found] == [(2, False), (3, True), (5, False)]
    found = settings(EVENTS, cases.EVENTS, {"k": [2]})
    assert [(one.parts["k"], one.own) for one in found] == [(3, True), (2, False)]
    [only] = settings(EVENTS, cases.EVENTS, {})
    assert only.guarantee == EVENTS
    assert only.own


def test_parts_are_combined_and_kept_as_the_promise_keeps_them() -> None:
    over = {"k": [2, 3], "max_suppressed": [0, "0.5"], "granularities": ["month", ["day", "year"]]}
    found = settings(EVENTS, cases.EVENTS, over)
    assert len(found) == 1 + 8
    names = {tuple(g.name for g in one.parts["granularities"]) for one in found}
    assert names == {("day", "week"), ("month",), ("day", "year")}


def test_a_granularity_of_ones_own_is_known_by_its_name() -> None:
    term = an.Granularity.spans("term", [("2024-01-01", "2024-05-01", "spring")])
    own = an.TimeGranularity(k=2, granularities=["day", term])
    found = settings(own, cases.EVENTS, {"granularities": [["term"], ["day", "term", "year"]]})
    assert found[1].guarantee == an.TimeGranularity(k=2, granularities=[term])


def test_what_followed_from_other_parts_follows_from_the_new_ones() -> None:
    own = an.Reposition(l=2, window=3)
    _, longer = settings(own, cases.FEED, {"window": [7]})
    assert longer.guarantee == an.Reposition(l=2, window=7)
    own = an.Reposition(l=2, window=3, beta=50)
    _, longer = settings(own, cases.FEED, {"window": [7]})
    assert longer.guarantee == an.Reposition(l=2, window=7, beta=50)
    own = an.Reposition(window=2, then=an.MInvariance(m=2))
    _, other = settings(own, cases.FEED, {"then": ["anatomy"], "l": [4]})
    assert other.guarantee == an.Reposition(l=4, window=2)
    _, more = settings(own, cases.FEED, {"then": [an.MInvariance(m=3)]})
    assert more.guarantee == an.Reposition(window=2, then=an.MInvariance(m=3))


def test_parts_that_do_not_fit_together_are_settings_that_cannot_be_kept() -> None:
    own = an.KPAnonymity(k=5, P=2)
    found = settings(own, cases.SERIES, {"k": [2, 5], "P": [2, 3]})
    [wrong] = [one for one in found if one.guarantee is None]
    assert wrong.parts == {"k": 2, "P": 3}
    assert "P must be at most k" in str(wrong.refused)


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"k": [1, 5]}, "k must be a whole number of at least 2, found 1"),
        ({"m": [2]}, "TimeGranularity has no part 'm'. It has: k, granularities"),
        ({"k": 5}, "k: give a list of values to try"),
        ({"k": "5"}, "k: give a list of values to try"),
        ({"k": []}, "k: the list of values to try is empty"),
        ({"max_share": ["2"]}, "max_share must be more than 0 and at most 1"),
        ({"k": range(2, 2002), "max_suppressed": [0, "0.1", "0.2", "0.3", "0.4", "0.5"]},
         "these are 12,000 settings"),
    ],
)  # fmt: skip
def test_what_no_promise_could_have_is_refused(over: Any, words: str, tmp_path: Path) -> None:
    plan = cases.planned(cases.EVENTS, EVENTS, tmp_path)
    with pytest.raises(PlanError, match=words):
        an.trial(plan, over, table=cases.events(0)[0])


def test_no_column_of_a_table_has_two_meanings() -> None:
    for method in METHODS.values():
        parts = set(parts_of(method.promise.load()))
        figures = set(method.trial.load().figures.__dataclass_fields__)
        flags = {"own", "kept", "chosen", "reason"}
        assert not parts & figures | parts & flags | figures & flags
