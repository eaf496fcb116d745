"""Drawings of a closer look: the lattice of views, and rows before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anachron as an
from anachron.exploring.before_after import before_after
from anachron.exploring.details import Slice
from anachron.exploring.lattice import lattice
from tests.trying import cases

NAMES = ("day", "week", "month", "year")
EDGES = [["day", "week"], ["day", "month"], ["month", "year"]]


def told(steps: int) -> dict[str, Any]:
    """Views by four granularities and a ladder; those hold that are coarse in both."""
    nodes = [
        {
            "granularity": name,
            "steps": {"age": at},
            "state": "holds" if name != "day" and at else "fails",
            "because": "so",
        }
        for name in NAMES
        for at in range(steps)
    ]
    return {
        "nodes": nodes,
        "order": {"edges": EDGES},
        "ladders": {"age": [f"bins of {at}" for at in range(steps)]},
    }


def test_lines_lead_from_each_view_to_what_is_directly_coarser() -> None:
    chart = lattice(told(3), {"granularity": "week", "steps": {"age": 1}})
    views = {(one["x"], one["y"]): one["view"] for one in chart.data if "view" in one}
    assert len(views) == 12
    lines = {
        (views[one["x"], one["y"]], views[one["x2"], one["y2"]])
        for one in chart.data
        if "x2" in one
    }
    expected = {
        (f"{fine}; bins of {at}", f"{coarse}; bins of {at}")
        for fine, coarse in EDGES
        for at in range(3)
    } | {(f"{name}; bins of {at}", f"{name}; bins of {at + 1}") for name in NAMES for at in (0, 1)}
    assert lines == expected
    assert all(one["y2"] > one["y"] for one in chart.data if "x2" in one)
    assert [one["view"] for one in chart.data if one.get("chosen")] == ["week; bins of 1"]
    assert chart.says == "12 views, coarser ones above finer ones; 6 keep the promise."


def test_many_views_are_drawn_by_granularity() -> None:
    chart = lattice(told(30), {"granularity": "week", "steps": {"age": 1}})
    marks = {str(one["view"]): one for one in chart.data if "view" in one}
    assert set(marks) == set(NAMES)
    assert [name for name in NAMES if marks[name]["kept"]] == ["week", "month", "year"]
    assert [name for name in NAMES if marks[name]["chosen"]] == ["week"]
    assert chart.says.startswith("120 views")


def test_few_rows_of_the_table_are_not_drawn() -> None:
    chart = before_after([Slice("2024-01-01", 20, 18.0), Slice("2024-01-02", None, 3.5)])
    assert [(one["start"], one["rows"]) for one in chart.data if one["of"] == "before"] == [
        ("2024-01-01", 20)
    ]
    assert chart.rows[1] == ("2024-01-02", "fewer than 10", "4")


def test_points_are_drawn_where_time_has_no_resolution(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2, when_ineligible="hold"), tmp_path)
    found = an.frontier(plan, {"m": [2, 3]}, table=cases.register(1))
    kept = [point for point in found if point.kept]
    assert kept
    assert not any(point.resolution.name for point in kept)
    assert found.chart().svg().count('fill="#1b9e77"') == len(kept)
