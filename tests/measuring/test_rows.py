"""Who is in a release is known exactly, or not at all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import anachron as an
from anachron.placing import rows_of
from tests.measuring.releases import CASES, Case, Held, published


def marked(held: Held) -> np.ndarray:
    found = np.zeros(held.loaded.rows, dtype=bool)
    for release, past in zip(held.releases, held.pasts, strict=True):
        there = rows_of(release, held.loaded, past)
        assert there is not None
        assert not (found & there).any(), "nobody twice"
        found |= there
    return found


def ills(case: Case, rows: np.ndarray) -> Counter[str]:
    return Counter(np.array(case.table["ill"].to_pylist())[rows].tolist())


def test_groups_that_are_left_out(held):
    of = held("granularity")
    there = marked(of)
    (release,) = of.releases
    assert 0 < there.sum() < len(there)
    assert there.sum() == release.rows
    assert ills(CASES["granularity"], there) == Counter(release.table()["ill"].to_pylist())


def test_people_who_are_held_back(held):
    of = held("invariance")
    there = marked(of)
    (release,) = of.releases
    assert 0 < there.sum() < len(there)
    assert there.sum() == release.rows - release.description["anachron"]["counterfeits"]
    assert rows_of(release, of.loaded, None) is None


def test_everybody_is_there_if_the_numbers_agree(tmp_path):
    case = CASES["invariance"]
    promise = an.MInvariance(m=2, orders={"ward": ["west", "north", "east"]})
    with published(Case(case.table, case.schema, promise), tmp_path) as of:
        assert rows_of(of.releases[0], of.loaded, None).all()


@pytest.mark.parametrize(
    "name", ["anatomy", "anatomy, one each", "generalize", "generalize, one each"]
)
def test_records_that_are_moved_or_left_out(held, name):
    of = held(name)
    there = marked(of)
    (release,) = of.releases
    assert 0 < there.sum() < len(there)
    assert there.sum() == release.rows
    if "generalize" in name:
        assert ills(CASES[name], there) == Counter(release.table()["ill"].to_pylist())
    assert rows_of(release, of.loaded, None) is None


def test_records_of_a_feed_that_is_m_invariant(held):
    of = held("m-invariant feed")
    there = marked(of)
    rows = sum(release.rows for release in of.releases)
    false_ones = sum(r.description["anachron"]["counterfeits"] for r in of.releases)
    assert 0 < there.sum() <= len(there)
    assert there.sum() == rows - false_ones
