"""How long is planned: the same on every machine, and said where it was not enough."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import anachron as an
from anachron.methods.reposition import rolling
from anachron.methods.reposition import rule as rules
from anachron.methods.reposition.plan import Rule, arrive, begin
from anachron.methods.reposition.rule import linear
from anachron.methods.reposition.window import Window
from tests.methods.reposition.test_careful import feed, published
from tests.methods.reposition.test_feed import run, said, skewed

RULE = Rule(Fraction(2), 3, linear(3), Fraction(12), solver="rolling", budget=60)


def test_it_is_counted_in_ways_and_nodes() -> None:
    rule = replace(RULE, budget=2)
    assert rule.seconds == 2
    assert rule.affordable(40) == 250  # 2 × 10,000 ways at 500 nodes, of which the first is 250
    assert rule.affordable(79) == 3
    assert rule.affordable(80) == 0
    # A second program has what the first one left.
    assert rule.affordable(20, searched=100) == 1_000 - 250 - 350
    assert rule.affordable(40, searched=1) == 0
    unbounded = replace(RULE, budget=0)
    assert (unbounded.seconds, unbounded.affordable(300_000)) == (60, 10_000)
    assert unbounded.affordable(300_001) == 0
    with pytest.raises(ValueError, match="not negative"):
        replace(RULE, budget=-1)


def test_what_is_within_it_is_planned_as_without() -> None:
    many = skewed(12, seed=3)
    assert said(run(many, RULE)) == said(run(many, replace(RULE, budget=0)))


def test_beyond_it_records_are_recycled(monkeypatch: pytest.MonkeyPatch) -> None:
    many = skewed(12, seed=3)
    monkeypatch.setattr(rules, "PACE", 0)
    dues = run(many, RULE)
    assert not all(due.proved for due in dues)
    assert not any(due.stopped for due in dues)
    recycled = run(many, replace(RULE, solver="recycle", first="cold"))
    for due, other in zip(dues, recycled, strict=True):
        for name in ("home", "value", "count"):
            assert np.array_equal(getattr(due, name), getattr(other, name))


def test_a_clock_that_ends_it_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by the next process; and a plan that is searched to the end is one again."""
    asked = iter([True, False])

    def out_of_time(*given: object) -> object:
        if next(asked, False):
            raise TimeoutError
        return solve(*given)  # type: ignore[arg-type]

    solve = rolling.solve
    monkeypatch.setattr(rolling, "solve", out_of_time)
    window = begin(RULE)
    window, _ = arrive(window, RULE, np.array([5, 1, 1]))
    assert (window.unproved, window.stopped) == (0, 0)
    window = Window.from_arrays(window.to_arrays())
    assert (window.unproved, window.stopped) == (0, 0)
    window, _ = arrive(window, RULE, np.array([1, 2, 2]))
    assert (window.unproved, window.stopped) == (-1, -1)


def test_windows_of_before_there_was_one_are_read() -> None:
    arrays = arrive(begin(RULE), RULE, np.array([5, 1, 1]))[0].to_arrays()
    old = Window.from_arrays({**arrays, "clock": arrays["clock"][:3]})
    assert (old.next, old.unproved, old.stopped) == (1, -1, -1)


def _notes(release: an.Release) -> str:
    return " ".join((release.explanation or {})["notes"])


def test_a_release_says_that_it_was_not_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = feed(1)
    enough = published(table, tmp_path / "enough")
    assert enough.explanation["proved"]
    assert "planning ended" not in _notes(enough)
    monkeypatch.setattr(rules, "PACE", 0)
    short = published(table, tmp_path / "short")
    assert not short.explanation["proved"]
    assert "planning ended before it was proved" in _notes(short)
    assert "the clock" not in _notes(short)
    assert an.audit(short, table=table, ledger=tmp_path / "short" / "ledger").holds


def test_a_release_says_that_a_clock_ended_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(rolling, "solve", never)
    table = feed(1)
    release = published(table, tmp_path)
    assert "of them the clock ended it" in _notes(release)
    assert an.audit(release, table=table, ledger=tmp_path / "ledger").holds
