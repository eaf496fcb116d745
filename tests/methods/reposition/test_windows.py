"""Every window costs what a search finds, and keeps order, counts, delay and eligibility."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.oracle.reposition_feeds import Played, draw, draw_large, play, play_large, play_whole


def test_windows_that_feeds_reach_are_optimal() -> None:
    rng = np.random.default_rng(1)
    total = Played()
    for _ in range(260):
        total += play(draw(rng), printed=True)
    assert total.windows >= 2_000
    assert total.recycled > 500
    assert total.printed_worse > 0, "the feeds tell the printed algorithm from an optimal one"


def test_windows_with_late_records_are_optimal() -> None:
    rng = np.random.default_rng(2)
    total = Played()
    for _ in range(40):
        total += play(draw(rng, with_late=True))
    assert total.windows == 320


def test_windows_of_many_records_cost_what_an_integer_program_finds() -> None:
    rng = np.random.default_rng(3)
    assert sum(play_large(draw_large(rng, 1_000)) for _ in range(6)) == 48


def test_windows_planned_as_a_whole_are_the_best_of_all_plans() -> None:
    rng = np.random.default_rng(4)
    assert sum(play_whole(draw(rng, length=6), most=9) for _ in range(10)) > 20


def test_windows_of_a_careful_feed_are_the_best_with_those_on_time_eligible() -> None:
    rng = np.random.default_rng(6)
    drawn = (draw(rng, length=5) for _ in range(10))
    careful = [replace(one, rule=replace(one.rule, strict=True)) for one in drawn]
    assert sum(play_whole(case, most=8) for case in careful) > 10
