"""Random conditions lie in their domains, have the wanted length, and any place."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.asking.catalogue import Column as Published
from anachron.measuring.axes import TimeAxis, Wholes, axis_of, times_of
from anachron.measuring.truth import PlainColumn
from anachron.published import ways


def drawn(axis, share, times=400):
    rng = np.random.default_rng(1)
    return [axis.draw(share, rng) for _ in range(times)]


def column_of(*values: object) -> PlainColumn:
    return PlainColumn(np.zeros(1, dtype=np.int64), values)


def test_whole_numbers():
    axis = axis_of(Published(ways.Interval("age", Decimal(1)), pa.int64()), column_of(10, 12, 19))
    spans = [leaf.spans[0] for leaf in drawn(axis, 0.42)]
    assert {span.high - span.low + 1 for span in spans} == {4}, "of ten numbers, 4.2 rounded"
    assert {span.low for span in spans} == set(range(10, 17)), "all places, and none outside"
    assert all(span.low_closed and span.high_closed for span in spans)


def test_numbers_further_apart_than_a_machine_counts():
    far = column_of(-(2**63), 2**64 - 1)
    axis = axis_of(Published(ways.AsItIs("id"), pa.uint64()), far)
    for leaf in drawn(axis, 0.1):
        [span] = leaf.spans
        assert -(2**63) <= span.low <= span.high <= 2**64 - 1


def test_dates_end_before_their_end():
    axis = axis_of(Published(ways.AsItIs("born"), pa.date32()), column_of(0, 9))
    spans = [leaf.spans[0] for leaf in drawn(axis, 0.3)]
    assert {span.high - span.low for span in spans} == {3}
    assert not any(span.high_closed for span in spans)


def test_other_numbers():
    axis = axis_of(Published(ways.AsItIs("lat"), pa.float64()), column_of(1.0, 2.0, 5.0))
    spans = [leaf.spans[0] for leaf in drawn(axis, 0.25)]
    assert all(abs(span.high - span.low - 1.0) < 1e-12 for span in spans)
    assert min(span.low for span in spans) >= 1.0
    assert max(span.high for span in spans) <= 5.0
    assert min(span.low for span in spans) < 1.1
    assert max(span.high for span in spans) > 4.9


def test_texts_with_an_order_are_neighbours():
    order = tuple("cafebd")
    axis = axis_of(Published(ways.Ordered("c", order), pa.string()), column_of("a", "c"))
    for leaf in drawn(axis, 0.5):
        places = sorted(order.index(value) for value in leaf.values)
        assert places == list(range(places[0], places[0] + 3))


def test_texts_without_an_order_are_any():
    axis = axis_of(Published(ways.Content("c"), pa.string()), column_of(*"abcd"))
    found = {tuple(sorted(leaf.values)) for leaf in drawn(axis, 0.5)}
    assert len(found) == 6, "all pairs of four"


def test_prefixes_are_as_published():
    published = Published(ways.Prefix("zip", 2), pa.string())
    axis = axis_of(published, column_of("1011", "1023", "2011", "3"))
    leaves = drawn(axis, 0.4)
    assert {prefix for leaf in leaves for prefix in leaf.prefixes} == {"10", "20", "3"}
    assert {len(leaf.prefixes) for leaf in leaves} == {1}


@pytest.mark.parametrize("share", [1e-9, 1.0])
def test_a_range_has_at_least_one_value_and_at_most_all(share):
    (leaf,) = drawn(Wholes("n", 3, 7, True), share, 1)
    assert leaf.spans[0].high - leaf.spans[0].low + 1 == (5 if share == 1 else 1)


def test_what_was_left_out_or_is_empty_is_not_asked():
    assert axis_of(Published(ways.LeftOut("c")), column_of("a")) is None
    assert axis_of(Published(ways.AsItIs("c"), pa.string()), column_of()) is None
    assert axis_of(Published(ways.AsItIs("c"), pa.float64()), column_of(0.5)) is None


def test_windows_cut_no_granule():
    day = 86_400_000_000
    weeks = times_of("t", an.Granularity.named("week"), "UTC", 0, 40 * day, None)
    assert weeks.start[0] == -3 * day, "1970 began on a Thursday"
    assert weeks.end[-1] == 46 * day
    for leaf in drawn(weeks, 0.3):
        (span,) = leaf.spans
        assert span.low in weeks.start
        assert span.high in weeks.end
        assert span.high - span.low == 14 * day
        assert not span.high_closed
    given = TimeAxis("t", weeks.start, weeks.end, window=3)
    assert {leaf.spans[0].high - leaf.spans[0].low for leaf in drawn(given, 0.3)} == {21 * day}
    long = TimeAxis("t", weeks.start, weeks.end, window=300)
    assert long.draw(0.5, np.random.default_rng()).spans[0].high == weeks.end[-1]
