"""Shapes, distances and what is found of them, against the definitions of the paper."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from anachron.asking.question import (
    All,
    Among,
    FeatureIn,
    Similar,
    Span,
    ValueIn,
)
from anachron.kernels.sax import letters, normalised
from anachron.measuring.sequences import Sequences, distances, rebuilt, satisfied
from anachron.measuring.series import precisions
from anachron.measuring.series_workloads import KINDS, SeriesWorkload
from anachron.placing.series import levels_of, series_view

RNG = np.random.default_rng(2)
VALUES = np.cumsum(RNG.normal(size=(300, 5)), axis=1)
TIMES = tuple("abcde")
WALKS = Sequences(VALUES, normalised(VALUES), TIMES, TIMES)


def features(z: np.ndarray) -> np.ndarray:
    return np.array([z[j] - z[i] for i, j in combinations(range(len(z)), 2)])


def test_distances_are_those_of_all_differences():
    other = WALKS.z[7] + 0.25  # a shift changes no difference
    expected = [np.linalg.norm(features(z) - features(other)) for z in WALKS.z]
    assert distances(WALKS.z, other) == pytest.approx(expected)
    assert distances(WALKS.z, WALKS.z).max() == 0


def test_conditions():
    value = ValueIn((("b", 1.0), ("a", -1.0)), (Span(0, None, False),))
    assert satisfied(value, WALKS).tolist() == (VALUES[:, 1] > VALUES[:, 0]).tolist()
    feature = FeatureIn((("c", 2.0),), (Span(None, -1.0), Span(1.0, 2.0, True, False)))
    doubled = 2 * WALKS.z[:, 2]
    expected = (doubled <= -1) | ((doubled >= 1) & (doubled < 2))
    assert satisfied(feature, WALKS).tolist() == expected.tolist()
    near = Similar(tuple(VALUES[3] * 5 + 2), 1.5)
    assert satisfied(near, WALKS).tolist() == (distances(WALKS.z, WALKS.z[3]) <= 1.5).tolist()
    far = Similar(near.sequence, 1.5, inside=False)
    assert (satisfied(far, WALKS) != satisfied(near, WALKS)).all()
    both = satisfied(All((value, near)), WALKS)
    assert both.tolist() == (satisfied(value, WALKS) & satisfied(near, WALKS)).tolist()
    with pytest.raises(TypeError):
        satisfied(Among("a", frozenset()), WALKS)


def test_what_is_rebuilt_has_the_same_word():
    level = RNG.integers(2, 9, len(WALKS))
    level[0] = 0
    found = rebuilt(WALKS.z, level)
    assert np.isnan(found[0]).all()
    for row in range(1, 50):
        one = int(level[row])
        own, theirs = letters(WALKS.z[[row]], one), letters(found[[row]], one)
        assert (own == theirs).all()
    # Section 5.1: at level 2 the letters stand for the quartiles of the normal distribution.
    assert np.unique(np.abs(rebuilt(WALKS.z[:2], np.array([2, 2])))).round(4).tolist() == [0.6745]


def test_precision_is_the_share_that_is_right():
    found = Sequences(WALKS.values, rebuilt(WALKS.z, np.full(300, 4)), TIMES, TIMES)
    ask = FeatureIn((("a", -1.0), ("e", 1.0)), (Span(0.5, 9.0),))
    nobody = FeatureIn((("a", 1.0),), (Span(50.0, 60.0),))
    precision = precisions([ask, nobody], WALKS, found)
    here, there = satisfied(ask, WALKS), satisfied(ask, found)
    assert precision[0] == (here & there).sum() / there.sum()
    assert 0.5 < precision[0] < 1
    assert np.isnan(precision[1])


@pytest.mark.parametrize("kind", KINDS)
def test_questions_are_of_their_kind(kind):
    workload = SeriesWorkload(WALKS, 0.5, 0.1)
    rng = np.random.default_rng(1)
    asked = [workload.draw(kind, rng).parts for _ in range(200)]
    kinds = {
        "range": {ValueIn}, "pattern range": {FeatureIn}, "similarity": {Similar},
        "complex": {ValueIn, FeatureIn, Similar},
    }  # fmt: skip
    assert {type(leaf) for parts in asked for leaf in parts} == kinds[kind]
    for parts in asked:
        ranges = [leaf for leaf in parts if isinstance(leaf, ValueIn)]
        features = [leaf for leaf in parts if isinstance(leaf, FeatureIn)]
        similar = [leaf for leaf in parts if isinstance(leaf, Similar)]
        assert max(len(ranges), len(features)) <= 3
        assert len(similar) <= 1
        assert not (similar and features)
        assert all(0.5 <= leaf.delta <= 5 for leaf in similar)
        assert len({leaf.weights for leaf in parts if not isinstance(leaf, Similar)}) == len(
            ranges
        ) + len(features)


def test_a_range_holds_its_share():
    workload = SeriesWorkload(WALKS, None, 0.1, dimensions=1)
    assert workload.kinds == ("range", "pattern range")
    rng = np.random.default_rng(1)
    for kind in workload.kinds:
        found = [satisfied(workload.draw(kind, rng), WALKS).mean() for _ in range(100)]
        assert np.mean(found) == pytest.approx(0.1, abs=0.01)
    two = SeriesWorkload(WALKS, None, 0.1, dimensions=2)
    share = [satisfied(two.draw("range", rng).parts[0], WALKS).mean() for _ in range(100)]
    assert np.mean(share) == pytest.approx(0.1**0.5, abs=0.01)


def test_times_at_which_all_are_the_same_are_not_asked_about():
    values = VALUES.copy()
    values[:, 1] = 7.0
    values[:, 2] = np.round(values[:, 2])
    z = WALKS.z.copy()
    z[:, 3] = z[:, 4]
    workload = SeriesWorkload(Sequences(values, z, TIMES, TIMES), 1.0, 0.01, dimensions=9)
    rng = np.random.default_rng(1)
    for _ in range(30):
        parts = workload.draw("range", rng).parts
        assert {leaf.weights[0][0] for leaf in parts} == set("acde")
        assert all(leaf.spans[0].low < leaf.spans[0].high for leaf in parts)
        parts = workload.draw("pattern range", rng).parts
        assert len(parts) == 9, "of ten pairs, one has no difference"
        assert all(leaf.spans[0].low < leaf.spans[0].high for leaf in parts)


def test_a_question_has_no_more_predicates_than_there_are_times():
    short = Sequences(VALUES[:, :2], normalised(VALUES[:, :2]), TIMES[:2], TIMES[:2])
    parts = SeriesWorkload(short, 1.0, 0.1, dimensions=9).draw("range", np.random.default_rng())
    assert len(parts.parts) == 2


def test_everyone_gets_the_level_of_a_row(held):
    of = held("patterns")
    view = series_view(of.releases[0], of.loaded, of.pasts[0])
    assert view is not None
    assert view.group is not None
    rows, group = view.rows, view.group
    level = levels_of(view, group)
    assert ((level > 0) == (group > 0)).all()
    ours = sorted(zip(group[group > 0].tolist(), level[group > 0].tolist(), strict=True))
    theirs = sorted(zip(rows.group.tolist(), rows.level.tolist(), strict=True))
    assert ours == theirs, "as many at each level of each group as are published"
    assert len(set(level.tolist())) > 2
