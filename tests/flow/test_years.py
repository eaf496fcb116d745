"""Times that are years or months: they are counted, not taken for the first day of each."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

import anachron as an
from anachron.calendar.definitions import BUILT_IN
from anachron.errors import AnachronError, PlanError, QuestionError, TableError

WOMEN = 6


def panel(year: object = None) -> pa.Table:
    """A small panel in the manner of labour surveys: a row for each person and year."""
    asked = [(who, 1972 + turn) for who in range(WOMEN) for turn in range(4)]
    return pa.table({
        "idcode": [who for who, _ in asked],
        "year": [when for _, when in asked] if year is None else year,
        "race": [who % 2 for who, _ in asked],
        "union": ["yes" if (who + when) % 3 else "no" for who, when in asked],
    })  # fmt: skip


def months() -> list[int]:
    return [202401 + turn for _ in range(WOMEN) for turn in range(4)]


def schema(unit: str = "year", zone: str = "UTC", **other: object) -> an.Schema:
    roles = {"quasi": "race", "sensitive": "union"} | other
    return an.Schema(subject="idcode", time="year", time_zone=zone, time_unit=unit, **roles)


def published(
    folder: Path, table: pa.Table, roles: an.Schema, promise: object, name: str = "one"
) -> an.Release:
    return an.publish(
        table, roles, promise, ledger=folder / name / "ledger", to=folder / name / "releases"
    )


@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome", "America/Sao_Paulo"])
def test_a_year_is_published_as_a_year(tmp_path: Path, zone: str) -> None:
    release = published(tmp_path, panel(), schema(zone=zone), an.TimeGranularity(k=3))
    assert release.table().column("year").unique().to_pylist() == ["1972", "1973", "1974", "1975"]
    lengths = {
        (end - start).days
        for start, end in zip(*(release.table()[f"year_{e}"].to_pylist() for e in ("start", "end")),
                              strict=True)
    }  # fmt: skip
    assert lengths == {365, 366}
    verdict = an.audit(release, table=panel(), schema=schema(zone=zone))
    assert verdict.holds


def test_granularities_finer_than_a_year_are_left_out_with_the_reason(tmp_path: Path) -> None:
    release = published(tmp_path, panel(), schema(), an.TimeGranularity(k=3))
    told = release.explanation
    assert (told["recorded_by"], told["first"], told["last"]) == ("year", "1972", "1975")
    dropped = release.explanation["order"]["dropped"]
    assert set(dropped) == set(BUILT_IN) - {"year", "decade"}
    for name in ("day", "week", "month", "half_year"):
        assert dropped[name] == "it is finer than the times are recorded, by year"


def test_a_question_gets_the_whole_year_or_none(tmp_path: Path) -> None:
    release = published(tmp_path, panel(), schema(), an.TimeGranularity(k=3))
    assert str(release.ask("SELECT COUNT(*) WHERE year = '1974'")) == "6 exactly"
    assert str(release.ask("SELECT COUNT(*) WHERE year >= DATE '1974-01-01'")) == "12 exactly"
    for inside in ("year BETWEEN '1974-03-01' AND '1974-12-31'", "year < DATE '1974-01-02'"):
        with pytest.raises(QuestionError, match="cuts '1974'"):
            release.ask(f"SELECT COUNT(*) WHERE {inside}")


@pytest.mark.parametrize("kind", ["numbers", "numbers as text", "text"])
def test_a_month_is_published_as_a_month(tmp_path: Path, kind: str) -> None:
    told = {
        "numbers": months(),
        "numbers as text": [str(m) for m in months()],
        "text": [f"{m // 100}-{m % 100:02d}" for m in months()],
    }[kind]
    table = panel(told)
    release = published(tmp_path, table, schema("month"), an.TimeGranularity(k=3))
    assert set(release.table()["year"].to_pylist()) == {f"2024-0{m}" for m in range(1, 5)}
    dropped = release.explanation["order"]["dropped"]
    assert {"day", "week", "week_part", "half_month"} < set(dropped)
    assert not {"month", "quarter", "year"} & set(dropped)
    assert an.audit(release, table=table, schema=schema("month")).holds
    with pytest.raises(QuestionError, match="cuts '2024-02'"):
        release.ask("SELECT COUNT(*) WHERE year < DATE '2024-02-10'")


def test_weeks_do_not_fit_even_if_nothing_else_is_offered(tmp_path: Path) -> None:
    for unit, times in (("year", None), ("month", months())):
        with pytest.raises(PlanError, match=f"recorded by {unit}: week: it is finer") as refused:
            published(
                tmp_path,
                panel(times),
                schema(unit),
                an.TimeGranularity(k=2, granularities=["week"]),
                unit,
            )
        assert f"Offer {unit!r} or granules of whole {unit}s." in str(refused.value)


def test_years_of_ones_own_that_begin_in_autumn_are_told_apart_from_finer_ones(
    tmp_path: Path,
) -> None:
    begins = [f"{y}-09-01" for y in range(1970, 1978)]
    school = an.Granularity.boundaries("school", begins)
    release = published(
        tmp_path, panel(), schema(), an.TimeGranularity(k=3, granularities=[school, "year"])
    )
    assert release.explanation["order"]["dropped"]["school"].startswith(
        "a granule of it begins or ends inside one year, at 1972-09-01"
    )


def test_dates_are_dates_whatever_the_unit_says(tmp_path: Path) -> None:
    days = [f"{1972 + i % 4}-01-01" for i in range(4 * WOMEN)]
    release = published(tmp_path, panel(days), schema(), an.TimeGranularity(k=3))
    assert release.explanation["recorded_by"] == "day"


FEEDS = {
    "anatomy": an.Reposition(l=2, window=2, snapshot="month"),
    "generalize": an.Reposition(l=2, window=2, snapshot="week", then="generalize"),
    "composed": an.Reposition(l=2, window=2, snapshot="day", then=an.MInvariance(m=2)),
}


def feed(folder: Path, promise: an.Reposition, unit: str = "year") -> object:
    return an.open(
        an.Plan(
            "panel.csv", schema(unit), promise,
            ledger=folder / "ledger", releases=folder / "releases",
        )
    )  # fmt: skip


@pytest.mark.parametrize("form", FEEDS)
def test_a_feed_of_years_has_no_snapshots_of_months(tmp_path: Path, form: str) -> None:
    promise = FEEDS[form]
    with pytest.raises(TableError) as refused:
        feed(tmp_path, promise).push(panel())
    [problem] = refused.value.problems
    assert problem.column == "year"
    assert f"snapshots by {promise.snapshot.name}" in problem.what
    assert "recorded by year" in problem.what
    assert problem.remedy == "Choose snapshots by 'year' or granules of whole years."
    assert not (tmp_path / "releases" / "0001").exists()


@pytest.mark.parametrize("then", ["anatomy", "generalize", an.MInvariance(m=2)], ids=str)
@pytest.mark.parametrize("snapshot", ["year", "decade"])
def test_a_feed_of_years_by_years(tmp_path: Path, then: object, snapshot: str) -> None:
    half = ["yes" if i // 4 % 2 else "no" for i in range(4 * WOMEN)]
    table = panel().set_column(3, "union", pa.array(half))
    if snapshot == "decade":
        table = table.take(list(range(0, 4 * WOMEN, 4)))
    promise = an.Reposition(l=2, window=1, snapshot=snapshot, then=then)
    opened = feed(tmp_path, promise)
    releases = [*opened.push(table), *opened.flush()]
    labels = {"year": ["1972", "1973", "1974", "1975"], "decade": ["1970s"]}[snapshot]
    assert releases
    if then == "anatomy":
        assert sorted(set(releases[0].table()["year"].to_pylist())) == labels
    for release in releases:
        assert an.audit(release, table=table, schema=schema(), ledger=tmp_path / "ledger").holds


@pytest.mark.parametrize(
    "forms", [("anatomy",), pytest.param(("composed",), marks=pytest.mark.campaign)]
)
def test_the_audit_knows_by_itself_that_days_of_years_are_made_up(
    tmp_path, monkeypatch, forms: tuple[str, ...]
) -> None:
    half = pa.array(["yes" if i // 4 % 2 else "no" for i in range(4 * WOMEN)])
    table = panel().set_column(3, "union", half)
    monkeypatch.setattr("anachron.making.conduct.verify", _believing)
    monkeypatch.setattr("anachron.methods.recorded.CALENDAR_UNITS", ())
    monkeypatch.setattr("anachron.methods.granularity.offer.cutting", lambda *_: None)
    promise = an.TimeGranularity(k=3, granularities=["month"])
    made = {"granularity": (published(tmp_path, table, schema(), promise), None)}
    for form in forms:
        opened = feed(tmp_path / form, FEEDS[form])
        pushed = [*opened.push(table), *opened.flush()]
        made[form] = (pushed[0], tmp_path / form / "ledger")
    for release, ledger in made.values():
        verdict = an.audit(release, table=table, schema=schema(), ledger=ledger)
        assert "recorded times" in [check.name for check in verdict.checks if not check.holds]


def _believing(*_: object, **__: object) -> object:
    return SimpleNamespace(holds=True, checks=())


def test_series_of_years_are_not_told_by_the_month(tmp_path: Path) -> None:
    roles = schema(quasi=(), sensitive=(), series="wage")
    wages = pa.array([float(100 * (i // 4) + i % 4) for i in range(4 * WOMEN)])
    table = panel().append_column("wage", wages)
    with pytest.raises(TableError, match="recorded by year") as refused:
        published(
            tmp_path, table, roles, an.KPAnonymity(k=3, P=2, precision=1, granularity="month")
        )
    assert refused.value.problems[0].column == "year"
    by_year = an.KPAnonymity(k=3, P=2, precision=1, granularity="year")
    release = published(tmp_path, table, roles, by_year, "two")
    assert release.table("envelopes").column_names[1] == "1972_low"


def test_a_plan_and_the_command_line_know_months(tmp_path: Path) -> None:
    import pyarrow.parquet as pq
    from click.testing import CliRunner

    from anachron.cli.main import anachron as main

    pq.write_table(panel(months()).rename_columns(["idcode", "month", "race", "union"]),
                   tmp_path / "panel.parquet")  # fmt: skip
    plan = tmp_path / "plan.toml"
    run = CliRunner().invoke(
        main, ["init", str(tmp_path / "panel.parquet"), "--subject", "idcode", "--time", "month",
               "--sensitive", "union", "-k", "3", "-o", str(plan)],
    )  # fmt: skip
    assert run.exit_code == 0, run.output
    assert 'time_unit = "month"' in plan.read_text()
    assert "whole numbers that look like months" in run.output
    run = CliRunner().invoke(main, ["publish", str(plan)])
    assert run.exit_code == 0, run.output


def test_all_errors_are_ours(tmp_path: Path) -> None:
    for years in ([1974.5] * 24, [-1974] * 24, [0] * 24, [10_000] * 24, [197403] * 24):
        with pytest.raises(AnachronError):
            published(tmp_path, panel(years), schema(), an.TimeGranularity(k=3))
