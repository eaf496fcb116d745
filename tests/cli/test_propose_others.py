"""Plans to begin with, for feeds and for time series."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron import Plan
from anachron.demo.visits import visits
from anachron.errors import InputError
from anachron.guarantees import KPAnonymity, Reposition
from anachron.proposing.propose import propose


def made(folder, **columns):
    path = folder / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.fixture(scope="module")
def feed(tmp_path_factory):
    path = tmp_path_factory.mktemp("feed") / "visits.parquet"
    pq.write_table(visits().slice(0, 2_000), path)
    return str(path)


def wide(folder, **more):
    return made(
        folder,
        meter=[f"m{i}" for i in range(60)],
        age=list(range(60)),
        mon=[i / 7 for i in range(60)],
        tue=[i * 3 for i in range(60)],
        tariff=["a", "b"] * 30,
        **more,
    )


def long(folder):
    return made(
        folder,
        meter=[f"m{i % 50}" for i in range(500)],
        at=[datetime(2024, 1, 1) + timedelta(hours=i // 50) for i in range(500)],
        kwh=[float(i % 37) / 10 for i in range(500)],
        tariff=["a", "b"] * 250,
    )


def test_a_feed_has_one_sensitive_column_and_snapshots_with_enough_records(feed):
    found = propose(feed, "reposition")
    assert (found.schema.subject, found.schema.time) == ("patient", "admitted")
    assert (found.schema.quasi, found.schema.sensitive) == (("age", "sex", "ward"), ("diagnosis",))
    assert found.guarantee.snapshot.name == "week"
    assert propose(feed, "reposition", sensitive=["ward"]).schema.sensitive == ("ward",)


def test_few_records_make_long_snapshots(tmp_path):
    days = [date(2024, 1, 1) + timedelta(i) for i in range(90)]
    user, ages = [f"u{i % 60}" for i in range(90)], [20 + i % 60 for i in range(90)]
    table = made(tmp_path, user=user, day=days, age=ages, reason=["a", "b"] * 45)
    assert propose(table, "reposition").guarantee.snapshot.name == "quarter"


def test_a_feed_without_content_is_refused(tmp_path):
    days = [date(2024, 1, 1 + i) for i in range(18)]
    table = made(tmp_path, user=[f"u{i % 9}" for i in range(18)], day=days)
    assert "no column looks sensitive" in propose(table, "reposition").missing


def test_wide_series(tmp_path):
    found = propose(wide(tmp_path), "patterns", sensitive=["tariff"])
    assert (found.schema.subject, found.schema.time) == ("meter", "")
    assert (found.schema.series, found.schema.sensitive) == (("mon", "tue"), ("tariff",))
    assert found.guarantee == KPAnonymity(k=5, P=2, precision="0.1")
    assert found.columns("home") == ("age",)


def test_long_series(tmp_path):
    found = propose(long(tmp_path), "patterns")
    assert (found.schema.subject, found.schema.time) == ("meter", "at")
    assert found.schema.series == ("kwh",)
    promise = KPAnonymity(k=5, P=2, precision="0.001", granularity="hour")
    assert found.guarantee == promise


def test_no_series_is_refused(tmp_path):
    table = made(tmp_path, meter=["a", "b"], mon=[1, 2])
    missing = propose(table, "patterns", subject="meter").missing
    assert "fewer than two columns look like the values" in missing
    table = made(tmp_path, meter=["a", "b"] * 2, day=[date(2024, 1, 1)] * 4)
    missing = propose(table, "patterns", subject="meter").missing
    assert "no column looks like the values" in missing
    table = made(tmp_path, meter=["a", "b"] * 2, kwh=[1, 2, 3, 4])
    assert propose(table, "patterns", subject="meter").guarantee is None
    with pytest.raises(InputError, match="is not in the table"):
        propose(table, sensitive=["none"])


def test_plans_are_written_with_reasons_and_can_be_read(run, run_json, here, feed, tmp_path):
    proposed = run("init", feed, "--for", "reposition", "-o", "feed.toml")
    assert proposed.exit_code == 0
    assert "anachron push feed.toml" in proposed.output
    assert Plan.read(here / "feed.toml").guarantee == Reposition(
        l=3, window=3, snapshot="week", repeated="one"
    )
    assert "# Records are published at most window - 1" in (here / "feed.toml").read_text()
    code, data = run_json("init", wide(tmp_path), "--for", "patterns", "-o", "w.toml", "-k", "7")
    assert (code, data["schema"]["series"]) == (0, ["mon", "tue"])
    assert Plan.read(here / "w.toml").guarantee == KPAnonymity(k=7, P=2, precision="0.1")
    assert "# mon: numbers, 60 different values" in (here / "w.toml").read_text()
    done = run("init", long(tmp_path), "--for", "patterns", "-o", "long.toml")
    assert "series" in done.stdout
    promise = KPAnonymity(k=5, P=2, precision="0.001", granularity="hour")
    assert Plan.read(here / "long.toml").guarantee == promise


def test_wrong_usage(run, feed):
    assert run("init", feed, "--for", "magic").exit_code == 2
    refused = run("init", feed, "--for", "patterns", "--quasi", "age", "-o", "p.toml")
    assert refused.exit_code == 2
    assert "cannot be quasi" in refused.output
    with pytest.raises(InputError, match="method must be one of"):
        propose(feed, "magic")


def test_without_a_person_and_a_time_no_plan_is_written(run, here, tmp_path):
    refused = run("init", made(tmp_path, insured=["yes", "no"] * 45), "-o", "none.toml")
    assert (refused.exit_code, (here / "none.toml").exists()) == (2, False)
    assert "Name the column of the person with --subject" in refused.output
