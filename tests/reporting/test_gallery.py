"""Charts of a release for notebooks, and the look that all results share."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import anachron as an
from anachron.notebook import facts, framed, rows
from anachron.reporting.charts import Chart
from anachron.reporting.gallery import Charts
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting import stand_ins as events

NAMES = {
    "granularity": ["groups", "time", "values"],
    "invariance": ["groups", "values", "counterfeits"],
    "reposition": ["groups", "time", "shares", "values"],
    "m-invariant feed": ["groups", "values", "counterfeits"],
    "patterns": ["groups", "envelopes", "shapes", "levels", "values"],
}


def given(method: str, folder: Path) -> SimpleNamespace:
    if method == "granularity":
        return events.release(folder, events.table())
    if method == "invariance":
        return register.release(folder)
    if method == "patterns":
        return series.release(folder)
    tables = None if method == "reposition" else feed.invariant()
    return feed.release(folder, tables)


@pytest.mark.parametrize("method", NAMES)
def test_each_release_has_the_charts_of_its_method(method: str, tmp_path: Path) -> None:
    charts = Charts(given(method, tmp_path))
    assert list(charts) == NAMES[method]
    assert set(charts) <= set(dir(charts))
    for name in charts:
        chart = getattr(charts, name)
        assert isinstance(chart, Chart)
        assert chart.data
        assert len(chart.rows) >= 1
        drawn = chart.svg()
        root = ElementTree.fromstring(drawn)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.attrib["aria-label"] == chart.says
        assert "NaN" not in drawn
        assert "undefined" not in drawn
        if name in ("groups", "counterfeits"):
            assert not re.search(r"h0v[1-9]", drawn)  # a bar without width, which nobody sees


def test_a_chart_gives_itself_away_to_a_notebook(tmp_path: Path) -> None:
    chart = Charts(given("invariance", tmp_path)).counterfeits
    assert chart.data == [
        {"counterfeits": 0, "groups": 3}, {"counterfeits": 1, "groups": 1},
        {"counterfeits": 2, "groups": 1},
    ]  # fmt: skip
    shown = chart._repr_mimebundle_()
    spec = shown["application/vnd.vegalite.v5+json"]
    assert isinstance(spec, dict)
    assert spec["data"]["values"] == chart.data
    assert spec["$schema"].endswith("vega-lite/v5.json")
    assert str(shown["image/svg+xml"]).startswith("<svg")
    assert shown["text/plain"] == repr(chart)


def test_values_are_counted_and_the_rare_ones_put_together(tmp_path: Path) -> None:
    values = [f"v{n:02d}" for n in range(20) for _ in range(20 - n)] + [None]
    data = events.table(60).slice(0, len(values)).set_column(7, "diagnosis", pa.array(values))
    charts = Charts(events.release(tmp_path, data))
    told = [(record["value"], record["rows"]) for record in charts.values.data]
    assert told[:2] == [("v00", 20), ("v01", 19)]
    assert told[-1] == ("6 other values", 5 + 4 + 3 + 2 + 1 + 1)
    assert len(told) == 16


def test_counts_of_a_feed_are_those_of_the_table_beside(tmp_path: Path) -> None:
    charts = Charts(given("reposition", tmp_path))
    tables = feed.anatomy()
    assert sum(int(r["rows"]) for r in charts.values.data) == tables["data"].num_rows


def test_a_release_without_sensitive_columns_has_no_chart_of_values(tmp_path: Path) -> None:
    charts = Charts(events.release(tmp_path, events.table().drop_columns(["diagnosis"])))
    assert list(charts) == ["groups", "time"]
    with pytest.raises(AttributeError, match=r"no chart 'values'; there are groups, time\."):
        _ = charts.values
    with pytest.raises(AttributeError):
        _ = charts._nothing


def test_an_empty_release_can_be_drawn(tmp_path: Path) -> None:
    charts = Charts(events.release(tmp_path, events.table().slice(0, 0)))
    for name in charts:
        assert getattr(charts, name).svg().startswith("<svg")


def test_the_list_of_charts_is_shown_in_words(tmp_path: Path) -> None:
    charts = Charts(given("patterns", tmp_path))
    assert repr(charts) == "<Charts of release 1: groups, envelopes, shapes, levels, values>"
    assert "release.charts.envelopes" in charts._repr_html_()


def test_a_release_shows_itself_and_its_charts(tmp_path: Path) -> None:
    visits = pa.table({"who": ["a", "b", "c"], "when": ["2024-05-01"] * 3})
    release = an.publish(visits, an.Schema(subject="who", time="when"), an.TimeGranularity(k=3),
                         ledger=tmp_path / "ledger", to=tmp_path / "releases")  # fmt: skip
    assert release.charts is release.charts
    assert release.charts.groups.data == [{"size": "3", "groups": 1}]
    shown = release._repr_html_()
    assert shown.startswith('<div class="anachron">')
    assert '<th scope="row">k</th><td>3</td>' in shown


def test_opening_charts_loads_nothing_heavy() -> None:
    code = "import sys, anachron.reporting.gallery, anachron.notebook; " \
        "print(*sorted({'vl_convert', 'numba', 'scipy', 'duckdb'} & set(sys.modules)))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_what_is_shown_is_escaped_and_stays_in_its_frame() -> None:
    evil = "<script>alert(1)</script>"
    shown = framed(facts(evil, {evil: evil}) + rows(evil, [evil], [[evil]], numeric=[0]))
    assert "<script>" not in shown
    assert shown.count("&lt;script&gt;") == 6
    style = shown[shown.index("<style>") + 7 : shown.index("</style>")]
    assert all(".anachron" in part for part in style.split("}")[:-1])
