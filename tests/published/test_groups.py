"""Groups are read back as they were published, whatever the layout."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.published.form import Form
from anachron.published.groups import Groups, groups_of, together
from anachron.published.layouts import EVENTS, OF_FEEDS, REGISTER, SERIES, Layout
from anachron.published.strict import Misfit
from anachron.published.ways import (
    AsItIs,
    Content,
    Envelope,
    Interval,
    Ordered,
    Parents,
    Way,
)

Tables = Mapping[str, Mapping[str, Any]]
AGE, ILL, WARD = Interval("age", Decimal(5)), Content("ill"), Ordered("ward", ("a", "b", "c"))
JOB = Parents("job", {"hands": ("cook", "smith")})
BOXES = {"group": [4, 2, 2, 4, 7], "age_low": [20, 0, 0, 20, None],
         "age_high": [29, 9, 9, 29, None], "ward_low": ["a", "b", "b", "a", "c"],
         "ward_high": ["b", "b", "b", "b", "c"],
         "ill": ["flu", "cold", "gout", None, "flu"]}  # fmt: skip


def read(layout: Layout, ways: list[Way], tables: Tables) -> Groups:
    form = Form(layout, {way.column: way for way in ways}, {})
    return groups_of(form, {name: pa.table(dict(t)) for name, t in tables.items()}.__getitem__)


def shown(groups: Groups, way: Way) -> list[tuple[Any, ...]]:
    """What each group shows, by its number."""
    found = groups.cells(way)
    cells = list(zip(*(part.to_pylist() for part in found.cells), strict=True))
    return [
        (int(n), *cells[code])
        for n, code in zip(groups.number, found.codes.tolist(), strict=True)
    ]  # fmt: skip


def held(groups: Groups, way: Way) -> list[tuple[Any, ...]]:
    """The values of each group, with how often each occurs."""
    found = groups.values(way)
    triples = zip(found.group.tolist(), found.coded.codes.tolist(), found.count.tolist(),
                  strict=True)  # fmt: skip
    return [(int(groups.number[g]), found.coded.values[code], n) for g, code, n in triples]


def test_a_register_shows_boxes_values_and_counterfeits() -> None:
    beside = {"group": [7, 2], "counterfeits": [1, 2]}
    groups = read(REGISTER, [AGE, WARD, ILL], {"data": BOXES, "counterfeits": beside})
    assert groups.number.tolist() == [2, 4, 7]
    assert groups.row.tolist() == [1, 0, 0, 1, 2] == groups.subgroup.tolist()
    assert groups.size.tolist() == [2, 2, 1]
    assert groups.counterfeits.tolist() == [2, 0, 1]
    assert shown(groups, AGE) == [(2, 0, 9), (4, 20, 29), (7, None, None)]
    assert groups.cells(AGE).missing.tolist() == [False, False, True]
    coded = groups.cells(WARD)
    for ends in (groups.ends(WARD), [end[coded.codes] for end in coded.ends]):
        assert [end.tolist() for end in ends] == [[1, 0, 2], [1, 1, 2]]
    assert held(groups, ILL) == [
        (2, "cold", 1), (2, "gout", 1), (4, "flu", 1), (4, None, 1), (7, "flu", 1),
    ]  # fmt: skip


def test_events_may_have_several_values_and_a_column_that_is_left_out() -> None:
    rows = {"group": [1, 1, 2], "job": ["hands", "hands", None], "ill": ["a", "b", "b"],
            "cost": [1.5, None, 2.0]}  # fmt: skip
    groups = read(EVENTS, [JOB, ILL, Content("cost")], {"data": rows})
    assert shown(groups, JOB) == [(1, "hands"), (2, None)]
    assert held(groups, Content("cost")) == [(1, 1.5, 1), (1, None, 1), (2, 2.0, 1)]
    assert not groups.counterfeits.any()


def test_anatomy_has_its_values_in_a_table_of_their_own() -> None:
    rows = {"group": [1, 1, 1, 2], "age": [30, 31, 30, 50]}
    beside = {"group": [2, 1, 1], "ill": ["flu", "flu", "gout"], "count": [1, 1, 2]}
    way = AsItIs("age")
    groups = read(OF_FEEDS["anatomy"], [way, ILL], {"data": rows, "sensitive": beside})
    assert held(groups, ILL) == [(1, "flu", 1), (1, "gout", 2), (2, "flu", 1)]
    found = groups.rows(way)
    assert [found.values[code] for code in found.codes] == rows["age"]


def test_series_have_shapes_and_envelopes() -> None:
    # A time may be called like a column of the rows.
    times = [Envelope("level", True, True), Envelope("may", True, True)]
    rows = {"group": [1, 1, 2, 1], "level": [2, 2, 2, 3], "pattern": ["ab", "ba", "ab", "ab"],
            "ill": ["a", "b", "b", "a"]}  # fmt: skip
    beside = {"group": [2, 1], "level_low": [5.0, 1.0], "level_high": [6.0, 2.0],
              "may_low": [7.0, 3.0], "may_high": [8.0, 4.0]}  # fmt: skip
    groups = read(SERIES, [*times, ILL], {"data": rows, "envelopes": beside})
    assert shown(groups, times[0]) == [(1, 1.0, 2.0), (2, 5.0, 6.0)]
    assert [end.tolist() for end in groups.ends(times[1])] == [[3.0, 7.0], [4.0, 8.0]]
    assert groups.subgroup.tolist() == [0, 1, 3, 2]
    level, pattern = groups.form.layout.shapes
    assert groups.rows(level).low[groups.rows(level).codes].tolist() == rows["level"]
    assert groups.rows(pattern).values == ["ab", "ba"]


def test_a_release_of_no_rows_has_no_groups() -> None:
    none = pa.array([], pa.int64())
    rows = {"group": none, "age_low": none, "age_high": none, "ill": pa.array([], pa.string())}
    beside = {"group": none, "counterfeits": none}
    groups = read(REGISTER, [AGE, ILL], {"data": rows, "counterfeits": beside})
    assert len(groups) == 0 == len(groups.size) == len(groups.counterfeits)
    assert shown(groups, AGE) == held(groups, ILL) == []


@pytest.mark.parametrize(
    ("layout", "data", "name", "beside", "says"),
    [
        (REGISTER, BOXES, "counterfeits", {"group": [3], "counterfeits": [1]}, "has no rows"),
        (REGISTER, BOXES, "counterfeits", {"group": [None], "counterfeits": [1]}, "has no group"),
        (OF_FEEDS["anatomy"], {"group": [1, 2]}, "sensitive",
         {"group": [1], "ill": ["flu"], "count": [1]}, "is not in it"),
        (SERIES, {"group": [1, 9]}, "envelopes", {"group": [1]}, "is not in it"),
    ],
)  # fmt: skip
def test_tables_that_do_not_belong_together_are_refused(
    layout: Layout, data: dict[str, Any], name: str, beside: dict[str, Any], says: str
) -> None:
    with pytest.raises(Misfit, match=f"{name}: .*{says}"):
        read(layout, [], {"data": data, name: beside})


def test_releases_can_be_read_behind_each_other() -> None:
    small = {"group": pa.array([1, 1], pa.int8()), "age": pa.array([1, 2], pa.int8())}
    large = {"group": [1, 2, 2], "age": [300, 2, 2]}
    way, parts = AsItIs("age"), []
    for rows in (small, large):
        groups, sizes = np.unique(np.asarray(rows["group"]), return_counts=True)
        beside = {"group": groups, "ill": ["flu"] * len(groups), "count": sizes}
        tables = {"data": rows, "sensitive": beside}
        parts.append(read(OF_FEEDS["anatomy"], [way, ILL], tables))
    both = together(parts)
    assert both.row.tolist() == [0, 0, 1, 2, 2]
    assert both.size.tolist() == [2, 1, 2]
    assert both.number.tolist() == [1, 1, 2]
    assert both.rows(way).low[both.rows(way).codes].tolist() == [1, 2, 300, 2, 2]
    assert both.values(ILL).group.tolist() == [0, 1, 2]


def test_a_published_register_is_read_as_it_stands_in_its_file(tmp_path: Any) -> None:
    people = pa.table({"who": range(40), "age": [i * 7 % 60 for i in range(40)],
                       "ill": ["flu", "gout", "cold", "cough"] * 10})  # fmt: skip
    release = an.publish(people, an.Schema(subject="who", quasi="age", sensitive="ill"),
                         an.MInvariance(m=3), ledger=tmp_path / "l", to=tmp_path / "r")  # fmt: skip
    groups = groups_of(release.form, release.table)
    rows = release.table().to_pylist()
    age, ill = release.form.columns["age"], release.form.columns["ill"]
    assert {(r["group"], r["age_low"], r["age_high"]) for r in rows} == set(shown(groups, age))
    assert sorted((r["group"], r["ill"], 1) for r in rows) == sorted(held(groups, ill))
    assert int((groups.size - groups.counterfeits).sum()) == 40
