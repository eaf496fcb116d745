"""Releases of every method, asked and compared with the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import anachron as an
from anachron.behind import read
from anachron.errors import InputError
from anachron.measuring import tables
from anachron.measuring.asked import Wanted
from anachron.measuring.run import measure
from anachron.progress import Tell, silent
from tests.measuring.releases import CASES, Case, Held, published


def asked(held: Held, tell: Tell = silent, **more: object):
    return measure(held.releases, Wanted(**more), microdata=held.loaded, past=held.pasts, tell=tell)


@pytest.mark.parametrize("name", CASES)
def test_the_truth_is_within_all_bounds(held, name):
    told: list[float] = []
    found = asked(held(name), questions=120, seed=3, tell=lambda _, share: told.append(share))
    assert found.holds
    assert told == sorted(told)
    assert told[-1] <= 1
    for one in found.measures:
        assert (one.questions, one.outside) == (120, 0)
        assert one.width > 0 or one.mean >= 0
    kinds = [one.workload for one in found.measures]
    if name in ("patterns", "customized"):
        assert kinds == ["range", "pattern range", "similarity", "complex"]
        precisions = [one.precision for one in found.measures]
        assert precisions[0] is precisions[3] is None
        assert all(0 < p <= 1 for p in precisions[1:3])


@pytest.mark.parametrize("name", ["invariance", "patterns"])
def test_the_seed_decides(held, name):
    first, again, other = (
        asked(held(name), questions=30, seed=seed).to_dict() for seed in (3, 3, 4)
    )
    assert first == again
    assert first["workloads"] != other["workloads"]


def test_answers_that_leave_out_the_truth_are_a_failure(held, monkeypatch):
    class Wrong:
        def __init__(self, inner):
            self.inner, self.catalogue = inner, inner.catalogue

        def figures(self, conditions, aggregate):
            found = self.inner.figures(conditions, aggregate)
            found.low[:] += 2
            found.high[:] += 2
            return found

    right = tables.opened
    monkeypatch.setattr(tables, "opened", lambda releases: Wrong(right(releases)))
    found = asked(held("granularity"), questions=100, window=2)
    assert not found.holds
    assert found.measures[0].outside > 50


def test_a_wider_question_has_a_smaller_error(held):
    of = held("generalize")
    errors = [asked(of, theta=theta, questions=200).measures[0].median for theta in (0.02, 0.5)]
    assert errors[1] < errors[0]


def test_exact_columns_are_answered_exactly(tmp_path):
    """Every group is one point, and windows are whole granules: nothing is left to estimate."""
    table = pa.table({
        "who": np.arange(400), "day": ["2024-05-06", "2024-05-09"] * 200,
        "ward": np.repeat(["east", "west"], 200), "ill": ["a", "b", "c", "d"] * 100,
    })  # fmt: skip
    schema = an.Schema(subject="who", time="day", quasi="ward", sensitive="ill")
    case = Case(table, schema, an.TimeGranularity(k=2, granularities=["day", "week"]))
    with published(case, tmp_path) as held:
        (found,) = asked(held, questions=100).measures
    assert (found.mean, found.width, found.outside) == (0, 0, 0)


def test_without_the_ledger_bounds_are_not_checked(held):
    of = held("invariance")
    found = measure(of.releases[0], Wanted(50), microdata=of.loaded)
    assert found.measures[0].outside is None
    assert "Without the ledger" in found.notes[0]


def test_without_the_ledger_nobody_knows_whose_pattern_it_is(held):
    of = held("patterns")
    found = measure(of.releases[0], Wanted(50), microdata=of.loaded)
    assert [one.workload for one in found.measures] == ["range", "pattern range"]
    assert all(one.precision is None for one in found.measures)
    assert all(one.outside == 0 for one in found.measures), "everybody is published"


def test_a_window_of_several_releases(tmp_path):
    """Pushes of one feed are asked together; who moved into a later one is still found."""
    case = CASES["generalize"]
    days = sorted(set(case.table["day"].to_pylist()))
    plan = an.Plan(
        "feed.parquet", case.schema, case.promise,
        ledger=tmp_path / "l", releases=tmp_path / "r",
    )  # fmt: skip
    publisher = an.open(plan)
    for some in (days[:5], days[5:9], days[9:]):
        publisher.push(case.table.filter(pc.is_in(case.table["day"], pa.array(some))))
    publisher.flush()
    with held_of(case, tmp_path) as held:
        assert len(held.releases) > 2
        found = asked(held, questions=100, window=4)
    assert found.holds
    assert found.measures[0].workload == "ranges and windows of 4"


def held_of(case: Case, folder: Path):
    """What the owner holds of releases that are there already."""
    from contextlib import contextmanager

    from anachron.auditing.history import remembered
    from anachron.ledger import Ledger

    @contextmanager
    def opened():
        ledger = Ledger.open(folder / "l", create=False)
        entries = ledger.entries()
        loaded = read(case.table, case.schema)
        pasts = [remembered(ledger, entries[: i + 1]) for i in range(len(entries))]
        yield Held([an.Release(entry.path) for entry in entries], loaded, pasts)
        loaded.close()

    return opened()


@pytest.mark.parametrize("name", ["granularity", "patterns"])
def test_another_table_is_refused(held, name):
    case, of = CASES[name], held(name)
    fewer = {"quasi": ["age"], "sensitive": ["ill"]}
    if name == "patterns":
        fewer = {"series": [f"t{i}" for i in range(5)]}
    other = read(case.table, an.Schema.from_dict({**case.schema.to_dict(), **fewer}))
    with pytest.raises(InputError, match="ward" if name == "granularity" else "other times"):
        measure(of.releases[0], microdata=other, past=of.pasts[0])
    other.close()


def test_a_table_of_another_time_is_refused(held):
    case, of = CASES["granularity"], held("granularity")
    later = case.table.set_column(1, "day", pa.array(["2031-01-01"] * len(case.table)))
    other = read(later, case.schema)
    with pytest.raises(InputError, match="no question has an answer"):
        measure(of.releases[0], Wanted(10), microdata=other)
    other.close()
