"""Chances that add up."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import anachron as an
from anachron.attacking import cumulative
from anachron.attacking.cumulative import attack, linked
from anachron.attacking.sights import of_groups
from tests.attacking.knowing import known_of
from tests.attacking.registers import SCHEMA, released, table

FOUR = {"Ann": "a", "Ben": "b", "Cid": "c", "Dan": "d"}


def test_four_values_in_five_releases(tmp_path) -> None:
    tables = [table(FOUR, dict.fromkeys(FOUR, 30 + n)) for n in range(5)]
    found = attack(released(tmp_path, tables, m=4))
    assert found.figures["largest"] == pytest.approx(1 - 0.75**5)
    assert found.figures["largest_in_one_release"] == 0.25
    assert "76%" in found.measured
    assert (found.exposed, found.people, found.holds) == (4, 4, None)


def test_one_release_adds_nothing(tmp_path) -> None:
    found = attack(released(tmp_path, [table(FOUR)], m=4))
    assert found.exposed == 0
    assert found.figures["largest"] == 0.25


def test_a_register_needs_its_ledger(tmp_path) -> None:
    known = released(tmp_path, [table(FOUR)], m=4)
    assert attack(known_of(tmp_path, known.release, table(FOUR), SCHEMA, ledger=False)) is None


@pytest.mark.parametrize("at_once", [cumulative._AT_ONCE, 20])
def test_as_counted_by_hand(monkeypatch, at_once: int) -> None:
    monkeypatch.setattr(cumulative, "_AT_ONCE", at_once)
    rng = np.random.default_rng(2)
    sights, missed = [], defaultdict(lambda: 1.0)
    for _ in range(4):
        person, group = rng.permutation(30)[:20], rng.integers(0, 4, 20)
        value, extra = rng.integers(0, 5, 20), (np.array([0, 3]), np.array([1, 4]))
        sights.append(of_groups(person, value, group, extra))
        for who, g in zip(person.tolist(), group.tolist(), strict=True):
            rows = [*value[group == g], *extra[1][extra[0] == g]]
            for v in range(5):
                missed[who, v] *= 1 - rows.count(v) / len(rows)
    found = linked(sights)
    for who, largest in zip(found.person.tolist(), found.largest.tolist(), strict=True):
        assert largest == pytest.approx(max(1 - missed[who, v] for v in range(5)))


def test_a_group_of_one_value_is_certain() -> None:
    none = np.zeros(0, dtype=np.int64)
    sight = of_groups(np.array([7]), np.array([3]), np.array([0]), (none, none))
    assert linked([sight]).largest[0] == pytest.approx(1)


def test_events(tmp_path) -> None:
    schema = an.Schema(subject="who", time="day", sensitive="illness")
    rows = {"who": ["a", "b"] * 2, "day": ["2024-05-06"] * 2 + ["2024-05-07"] * 2,
            "illness": ["flu", "cold"] * 2}  # fmt: skip
    promise = an.TimeGranularity(k=2, granularities=["day"])
    from tests.attacking.knowing import publish

    release = publish(tmp_path, rows, schema, promise)
    found = attack(known_of(tmp_path, release, rows, schema))
    assert found.figures["largest"] == pytest.approx(0.75)
    assert found.exposed == 2
