"""Points: which are on the line, what is drawn, kept, cached and told one by one."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anachron as an
from anachron.errors import InputError, PlanError
from anachron.exploring.cache import Cache
from anachron.exploring.point import Point, line_of
from anachron.exploring.yardsticks import Resolution, Yardstick
from anachron.trying.run import Looked
from tests.flow.tables import PAPER, PAPER_SCHEMA
from tests.trying import cases

PROMISE = an.TimeGranularity(k=2, granularities=["day", "week", "month"])
OVER: dict[str, list[Any]] = {"k": [2, 3, 30], "max_suppressed": [0, "1/3"]}


def planned(folder: Path) -> an.Plan:
    return an.Plan(
        "visits.csv", PAPER_SCHEMA, PROMISE, ledger=folder / "ledger", releases=folder / "out"
    )


@pytest.fixture
def found(tmp_path: Path) -> an.Frontier:
    return an.frontier(planned(tmp_path), OVER, table=PAPER)


def point(number: int, risk: float | None, loss: float | None) -> Point:
    nothing: dict[str, Any] = dict.fromkeys(("setting", "plan", "figures"))
    return Point(
        number, "none", own=False, first=True, risks={"r": risk}, losses={"l": loss},
        resolution=Resolution(""), **nothing,
    )  # fmt: skip


NUMBERS = st.one_of(st.none(), st.integers(0, 4))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12), st.booleans(), st.booleans())
def test_the_line_is_what_nothing_beats(
    pairs: list[tuple[int | None, int | None]], more_risk: bool, more_loss: bool
) -> None:
    risk, loss = Yardstick("r", "risk", "r", more=more_risk), Yardstick("l", "loss", "l")
    points = [point(at, *pair) for at, pair in enumerate(pairs, 1)]
    sign = -1 if more_risk else 1
    there = {
        one.number: (sign * one.risks["r"], one.losses["l"])
        for one in points
        if one.risks["r"] is not None and one.losses["l"] is not None
    }
    beaten = {
        one
        for one, other in product(there, there)
        if all(b <= a for a, b in zip(there[one], there[other], strict=True))  # type: ignore[operator]
        and there[one] != there[other]
    }
    line = line_of(points, risk, loss)
    assert set(line) == there.keys() - beaten
    assert [there[one][0] for one in line] == sorted(there[one][0] for one in line)


def test_settings_that_cannot_be_kept_are_points_with_a_reason(found: an.Frontier) -> None:
    lost = [one for one in found if not one.kept]
    assert lost
    assert all("fewer than k" in one.reason or "no view" in one.reason for one in lost)
    assert not {one.number for one in lost} & set(found.line)
    with pytest.raises(InputError, match=f"point {lost[0].number} cannot be kept"):
        found.use(lost[0].number)
    with pytest.raises(InputError, match="there is no point 99"):
        found.details(99)


def test_the_plan_s_own_comes_first(found: an.Frontier) -> None:
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert found.points[0].own
    assert found.points[0].first
    assert found.points[0].guarantee == PROMISE


def test_points_are_heard_of_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[Any] = []
    rows = Looked.rows
    monkeypatch.setattr(Looked, "rows", lambda self, at: log.append("tried") or rows(self, at))
    found = an.frontier(planned(tmp_path), OVER, table=PAPER, each=log.append)
    assert [one for one in log if one != "tried"] == list(found)
    assert log[:2] == ["tried", found.points[0]]


def test_figures_are_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, cache = planned(tmp_path), tmp_path / "cache"
    fresh = an.frontier(plan, OVER, table=PAPER, risk=["group", "unique"], cache=cache)
    kept = [file.read_text() for file in cache.iterdir()]
    assert len(kept) == 6
    assert not any(cell in text for text in kept for cell in ("u1", "q1", "asthma"))
    monkeypatch.setattr(Looked, "rows", lambda _self, _at: pytest.fail("tried again"))
    again = an.frontier(plan, OVER, table=PAPER, risk=["group", "unique"], cache=cache)
    assert again.points == fresh.points
    monkeypatch.undo()
    other = an.frontier(plan, OVER, table=PAPER.slice(0, 5), cache=cache)
    assert other.points != fresh.points
    more = an.frontier(plan, OVER, table=PAPER, loss=["time", "windows"], cache=cache)
    assert more.points[0].losses["windows"] is not None
    memory = Cache()
    an.frontier(plan, OVER, table=PAPER, cache=memory)
    assert an.frontier(plan, OVER, table=PAPER, cache=memory).points


def test_tables_and_drawings(found: an.Frontier) -> None:
    table = found.to_arrow()
    assert table.num_rows == len(found) == len(found.to_pandas()) == len(found.to_polars())
    assert table.column_names[:4] == ["point", "method", "k", "max_suppressed"]
    assert [row["on_line"] for row in table.to_pylist()].count(True) == len(found.line)
    json.dumps(found.to_dict(), allow_nan=False)
    light, dark = found.chart(), found.chart(dark=True)
    assert len(light.data) == len(found)
    assert light.spec["encoding"]["x"]["axis"]["title"].startswith("people in the smallest group")
    assert light.svg().count("<svg") == 1
    assert "#16191c" in dark.svg()
    assert "#16191c" not in light.svg()
    assert "<svg" in found._repr_html_()
    other = found.against(risk="row", loss="left_out")
    assert other.chart().spec["encoding"]["y"]["axis"]["title"] == "rows left out"
    with pytest.raises(InputError, match="'attack' was not measured"):
        found.against(risk="attack")


def test_plans_of_several_methods_are_compared_by_what_they_share(tmp_path: Path) -> None:
    table = cases.feed(5)
    plans = [
        cases.planned(cases.FEED, promise, tmp_path / name)
        for name, promise in {
            "a": an.TimeGranularity(k=2, max_suppressed="0.9"),
            "b": an.Reposition(l=2, window=2, repeated="one"),
        }.items()
    ]
    found = an.frontier(plans, {"k": [2, 3]}, risk="value", loss="left_out", table=table)
    assert found.methods == ("granularity", "reposition")
    assert all(one.risks["value"] is not None for one in found if one.kept)
    assert {record["method"] for record in found.chart().data} == set(found.methods)
    with pytest.raises(InputError, match="there is no risk 'group'"):
        an.frontier(plans, risk="group", table=table)
    with pytest.raises(PlanError, match="none of the promises has a part 'm'"):
        an.frontier(plans, {"m": [2]}, table=table)


def test_what_is_asked_for_must_be_there(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    with pytest.raises(InputError, match=r"there is no loss 'delay' .* there are time, left_out"):
        an.frontier(plan, loss="delay", table=PAPER)
    with pytest.raises(InputError, match="no plan was given"):
        an.frontier([], table=PAPER)
    with pytest.raises(PlanError, match="has no part 'kk'"):
        an.frontier(plan, {"kk": [2]}, table=PAPER)


def test_details_tell_counts_and_no_cells(tmp_path: Path) -> None:
    table, promise, _ = cases.events(1)
    schema = an.Schema(subject="who", time="day", quasi=["age", "ward"], sensitive="ill")
    plan = cases.planned(schema, promise, tmp_path)
    found = an.frontier(plan, {"max_suppressed": ["0.2"]}, table=table)
    closer = found.details(found.line[0])
    assert {one.holds for one in closer.views} == {True, False}
    # The last granule goes on when the table has ended: some of its rows are told of later days.
    told = sum(one.after for one in closer.over_time)
    assert 0 < told <= table.num_rows - closer.left_out["left out"]
    assert all(one.before is None or one.before >= 10 for one in closer.over_time)
    assert closer.left_out["people without any row"] >= 0
    said = json.dumps(closer.to_dict(), allow_nan=False)
    assert "canary" not in said
    assert not any(ill in said for ill in cases.ILLS)
    assert "canary" not in repr(closer) + closer._repr_html_()
    assert pa.types.is_floating(closer.to_arrow()["after"].type)


def test_releases_that_might_follow_of_a_register(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2, when_ineligible="hold"), tmp_path)
    found = an.frontier(plan, {}, table=cases.register(1))
    closer = found.details(1)
    assert [one.release for one in closer.ahead] == [2, 3, 4, 5, 6]
    assert all(one.people + one.held_back + one.left_out > 0 for one in closer.ahead)
    assert "counterfeits" in closer.charts
