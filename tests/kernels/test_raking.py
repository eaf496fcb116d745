"""Raking: intervals that are spread by the fitted density add up to the margins."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.kernels.raking import raked


def spread(edges, density, start, end, rows):
    """People in each class, if each interval is spread by a density: plainly, class by class."""
    found = [0.0] * (len(edges) - 1)
    for low, high, many in zip(start, end, rows, strict=True):
        parts = [
            d * max(min(high, b) - max(low, a), 0.0)
            for a, b, d in zip(edges, edges[1:], density, strict=False)
        ]
        for k, part in enumerate(parts):
            found[k] += many * part / sum(parts)
    return np.array(found)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_margins_that_can_be_met_are_met(data):
    """Margins of a density that is there are found again, to a hundredth of the people."""
    classes = data.draw(st.integers(2, 8))
    edges = np.arange(classes + 1.0)
    truth = np.array(data.draw(st.lists(st.floats(0.2, 5), min_size=classes, max_size=classes)))
    ends = st.tuples(st.integers(0, classes - 1), st.integers(1, classes), st.integers(1, 50))
    boxes = [(a, max(b, a + 1), n) for a, b, n in data.draw(st.lists(ends, min_size=1, max_size=9))]
    start, end, rows = np.array([(0, classes, 100), *boxes], dtype=np.float64).T
    margin = spread(edges, truth, start, end, rows)
    found = raked(edges, start, end, rows, margin, margin)
    assert (found > 0).all()
    off = np.abs(spread(edges, found, start, end, rows) - margin).sum()
    assert off <= 0.01 * rows.sum()


def test_what_agrees_with_a_margin_is_left_even():
    edges, start, end, rows = np.arange(3.0), np.zeros(1), np.full(1, 2.0), np.full(1, 60.0)
    assert raked(edges, start, end, rows, np.full(2, 25.0), np.full(2, 49.0)).tolist() == [1, 1]


def test_classes_without_a_name_share_what_is_left():
    edges, start, end, rows = np.arange(4.0), np.zeros(1), np.full(1, 3.0), np.full(1, 100.0)
    found = raked(edges, start, end, rows, np.array([90.0, 0, 0]), np.array([90.0, 24, 24]))
    people = spread(edges, found, start, end, rows)
    assert np.allclose(people, [90, 5, 5])
