"""Feeds as a publisher sees them: push, wait, get releases; stop and go on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError, LedgerError, PlanError, TableError

SCHEMA = an.Schema(subject="who", time="day", quasi=["age", "ward"], sensitive="diagnosis")


def feed(days: int = 12, each: int = 30, seed: int = 1, people: int | None = None) -> pa.Table:
    """A skewed feed; with ``people``, some return on later days."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(days), each)
    who = np.arange(len(day))
    if people is not None:
        who = np.concatenate([rng.permutation(people)[:each] for _ in range(days)])
    return pa.table(
        {
            "who": who,
            "day": [str(np.datetime64("2024-03-25") + int(d)) for d in day],
            "age": rng.integers(20, 90, len(day)),
            "ward": rng.choice(["east", "north", "west"], len(day)),
            "diagnosis": rng.choice(list("abcdef"), len(day), p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05]),
        }
    )


def of_day(table: pa.Table, *days: str) -> pa.Table:
    return table.filter(pc.is_in(table["day"], pa.array(days)))


def days_of(table: pa.Table) -> list[str]:
    return sorted(set(table["day"].to_pylist()))


def plan(folder: Path, guarantee: an.Reposition, csv: bool = False) -> an.Plan:
    return an.Plan(
        "feed.parquet",
        SCHEMA,
        guarantee,
        releases=folder / "releases",
        ledger=folder / "ledger",
        csv=csv,
    )


def published(releases: Iterable[an.Release]) -> Counter[tuple[object, ...]]:
    """Who was published when, by what is seen of them: not their groups."""
    seen: Counter[tuple[object, ...]] = Counter()
    for release in releases:
        table = release.table().drop(["group"])
        seen.update(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return seen


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted((folder / "releases").rglob("*"))
        if file.is_file()
    }


def largest_share(release: an.Release) -> Fraction:
    counts = release.table("sensitive")
    size = Counter[int]()
    for group, count in zip(counts["group"].to_pylist(), counts["count"].to_pylist(), strict=True):
        size[group] += count
    pairs = zip(counts["group"].to_pylist(), counts["count"].to_pylist(), strict=True)
    return max(Fraction(count, size[group]) for group, count in pairs)


@pytest.mark.parametrize("l", ["3", "5/2"])
@pytest.mark.parametrize("solver", ["recycle", "rolling"])
def test_a_whole_table_is_published_as_one_release_and_audited(
    tmp_path: Path,
    l: str,  # noqa: E741
    solver: str,
) -> None:
    table = feed()
    promise = an.Reposition(l=l, window=4, solver=solver)
    release = an.publish(
        table, SCHEMA, promise, ledger=tmp_path / "ledger", to=tmp_path / "releases"
    )
    assert largest_share(release) <= 1 / Fraction(l)
    explained = release.explanation or {}
    assert explained["published"] + explained["suppressed"] == table.num_rows
    assert release.table().num_rows == explained["published"]
    assert sum(explained["distances"]) == explained["published"]
    verdict = an.audit(release, table=table, ledger=tmp_path / "ledger")
    assert verdict.holds, str(verdict)
    assert an.audit(release).holds


def test_day_by_day_the_same_records_are_published_on_the_same_days(tmp_path: Path) -> None:
    table, promise = feed(), an.Reposition(l=3, window=4)
    once = plan(tmp_path / "once", promise)
    daily = plan(tmp_path / "daily", promise)
    # One key: the same lots are drawn.
    an.Ledger.open(once.ledger)
    shutil.copytree(once.ledger, daily.ledger)
    whole = an.publish(table, SCHEMA, promise, ledger=once.ledger, to=once.releases)
    releases = []
    for number, day in enumerate(days_of(table), 1):
        due = an.open(daily).push(of_day(table, day))
        assert len(due) == (number >= 4)
        releases += due
    releases += an.open(daily).flush()
    assert published(releases) == published([whole])
    for release in releases:
        assert an.audit(release, table=table, ledger=daily.ledger).holds


@pytest.mark.parametrize("then", ["anatomy", "generalize", "invariance"])
def test_stop_and_resume_at_every_push_gives_the_same_bytes(tmp_path: Path, then: str) -> None:
    table = feed(days=9, people=70)
    kinds: dict[str, an.Reposition] = {
        "anatomy": an.Reposition(l=3, window=3),
        "generalize": an.Reposition(
            l=3, window=3, then="generalize", orders={"ward": ["west", "north", "east"]}
        ),
        "invariance": an.Reposition(
            window=3, then=an.MInvariance(m=3, orders={"ward": ["west", "north", "east"]})
        ),
    }
    through, stopped = plan(tmp_path / "a", kinds[then]), plan(tmp_path / "b", kinds[then])
    an.Ledger.open(through.ledger)
    shutil.copytree(through.ledger, stopped.ledger)
    publisher = an.open(through)
    for day in days_of(table):
        publisher.push(of_day(table, day))
        an.open(stopped).push(of_day(table, day).take(np.random.permutation(30)))
    publisher.flush()
    an.open(stopped).flush()
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert len(files(tmp_path / "a")) > 10
    assert an.Ledger.open(through.ledger).check() == []


@pytest.mark.campaign
def test_two_hundred_days_stopped_and_resumed_at_every_push(tmp_path: Path) -> None:
    table = feed(days=200, each=24, people=400, seed=8)
    promise = an.Reposition(l=3, window=7)
    through, stopped = plan(tmp_path / "a", promise), plan(tmp_path / "b", promise)
    an.Ledger.open(through.ledger)
    shutil.copytree(through.ledger, stopped.ledger)
    publisher = an.open(through)
    for day in days_of(table):
        publisher.push(of_day(table, day))
        code = (
            "import anachron as an, pyarrow.parquet as pq, sys\n"
            "an.open(sys.argv[1]).push(pq.read_table(sys.argv[2]))"
        )
        pq.write_table(of_day(table, day), tmp_path / "day.parquet")
        if not (tmp_path / "plan.toml").exists():
            stopped.write(tmp_path / "plan.toml")
        arguments = [tmp_path / "plan.toml", tmp_path / "day.parquet"]
        subprocess.run([sys.executable, "-c", code, *map(str, arguments)], check=True)
    publisher.flush()
    an.open(stopped).flush()
    assert files(tmp_path / "a") == files(tmp_path / "b")
    # Data, values and description of each of the 200 snapshots but those of the last push.
    assert len(an.Ledger.open(through.ledger).entries()) == 195


def test_a_snapshot_pushed_again_changes_nothing(tmp_path: Path) -> None:
    table = feed(days=5)
    days = days_of(table)
    daily = plan(tmp_path, an.Reposition(l=3, window=2))
    first = an.open(daily).push(of_day(table, *days[:3]))
    before = files(tmp_path)
    again = an.open(daily).push(of_day(table, *days[:3]))
    assert [r.path for r in again] == [r.path for r in first] != []
    assert files(tmp_path) == before
    # A file that grows: what is known is recognised, and what is new is taken.
    grown = an.open(daily).push(of_day(table, *days[:4]))
    assert [r.number for r in grown] == [1, 2]
    assert [r.number for r in an.open(daily).flush()] == [3]
    assert [r.number for r in an.open(daily).flush()] == [3]


def test_a_snapshot_pushed_again_with_other_records_is_refused_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    table = feed(days=4)
    days = days_of(table)
    daily = plan(tmp_path, an.Reposition(l=3, window=2))
    an.open(daily).push(of_day(table, *days[:2]))
    before = files(tmp_path)
    with pytest.raises(AlreadyPublished, match="pushed before, with other records"):
        an.open(daily).push(of_day(table, days[1]).slice(1))
    assert files(tmp_path) == before
    an.open(daily).push(of_day(table, *days[2:]))
    an.open(daily).flush()
    with pytest.raises(AlreadyPublished, match="this feed has ended"):
        an.open(daily).push(feed(days=6, seed=1).slice(30 * 5))


def test_out_of_order_pushes_are_refused_unless_late_records_are_welcome(tmp_path: Path) -> None:
    table = feed(days=6)
    days = days_of(table)
    for late, arrives in (("refuse", None), ("drop", 0), ("recycle", 1)):
        folder = tmp_path / late
        daily = plan(folder, an.Reposition(l=3, window=3, late=late))
        kept = of_day(table, days[2]).slice(0, 29)
        straggler = of_day(table, days[2]).slice(29)
        an.open(daily).push(of_day(table, *days[:2]))
        an.open(daily).push(kept)
        if arrives is None:
            with pytest.raises((TableError, AlreadyPublished)):
                an.open(daily).push(straggler)
            continue
        an.open(daily).push(straggler)
        assert an.open(daily).push(kept.slice(0, 3)) == [], "records that wait are recognised"
        an.open(daily).push(of_day(table, *days[3:]))
        an.open(daily).flush()
        entries = an.Ledger.open(daily.ledger).entries()
        rows = sum(entry.explanation["rows"] for entry in entries)
        assert rows == table.num_rows - 1 + arrives


def test_days_without_records_pass_and_count_as_days(tmp_path: Path) -> None:
    table = feed(days=3)
    days = days_of(table)
    moved = table.set_column(1, "day", pc.replace_substring(table["day"], days[2], "2024-04-20"))
    daily = plan(tmp_path, an.Reposition(l=3, window=3))
    assert an.open(daily).push(of_day(moved, *days[:2])) == []
    # Three weeks later everything that waited is due.
    [release] = an.open(daily).push(of_day(moved, "2024-04-20"))
    shown = set(release.table()["day"].to_pylist())
    assert set(days[:2]) <= shown
    assert shown <= {*days[:2], "2024-03-27", "2024-03-28"}
    an.open(daily).flush()


def test_a_person_is_never_twice_in_a_published_snapshot(tmp_path: Path) -> None:
    table = feed(days=20, each=25, people=32, seed=4)
    promise = an.Reposition(l=3, window=5)
    release = an.publish(
        table, SCHEMA, promise, ledger=tmp_path / "ledger", to=tmp_path / "releases"
    )
    explained = release.explanation or {}
    assert explained["moved"] > 0
    verdict = an.audit(release, table=table, ledger=tmp_path / "ledger")
    assert verdict.holds, str(verdict)


def test_several_records_of_a_person_in_a_snapshot(tmp_path: Path) -> None:
    table = pa.concat_tables([feed(), feed(seed=2)])  # everyone twice a day
    with pytest.raises(TableError, match="in the same snapshot twice"):
        an.publish(table, SCHEMA, an.Reposition(l=3, window=3),
                   ledger=tmp_path / "ledger", to=tmp_path / "releases")  # fmt: skip
    release = an.publish(
        table,
        SCHEMA,
        an.Reposition(l=3, window=3, repeated="one"),
        ledger=tmp_path / "ledger",
        to=tmp_path / "releases",
    )
    assert (release.explanation or {})["rows"] == table.num_rows // 2


def test_one_of_several_records_m_invariantly_is_audited_with_the_whole_table(
    tmp_path: Path,
) -> None:
    table = pa.concat_tables([feed(days=5), feed(days=5, seed=2)])  # everyone twice a day
    orders = {"ward": ["west", "north", "east"]}
    wish = an.Reposition(
        window=2, repeated="one", first="cold", then=an.MInvariance(m=3, orders=orders)
    )
    folder = tmp_path / "ledger"
    an.publish(table, SCHEMA, wish, ledger=folder, to=tmp_path / "releases")
    for entry in an.Ledger.open(folder).entries():
        verdict = an.audit(entry.path, table=table, ledger=folder)
        assert verdict.holds, str(verdict)
    # A release of which the table holds no fitting record fails.
    other = table.set_column(2, "age", pc.add(table["age"], 100))
    assert not an.audit(entry.path, table=other, ledger=folder).holds


def test_the_promise_and_the_schema_of_a_feed_must_not_change(tmp_path: Path) -> None:
    table = feed(days=4)
    an.open(plan(tmp_path, an.Reposition(l=3, window=3))).push(of_day(table, "2024-03-25"))
    with pytest.raises(PlanError, match="must not change"):
        an.open(plan(tmp_path, an.Reposition(l=2, window=3))).push(of_day(table, "2024-03-26"))
    with pytest.raises(PlanError, match="must not change"):
        an.open(plan(tmp_path, an.Reposition(l=2, window=3))).flush()


def test_too_few_values_are_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    table = feed(days=3)
    with pytest.raises(GuaranteeError, match="6 different sensitive values, fewer than l = 7"):
        an.publish(table, SCHEMA, an.Reposition(l=7, window=2),
                   ledger=tmp_path / "ledger", to=tmp_path / "releases")  # fmt: skip
    assert not list(tmp_path.glob("releases/*"))
    assert an.Ledger.open(tmp_path / "ledger").feed() is None


def test_an_old_backup_of_the_ledger_beside_newer_releases_is_noticed(tmp_path: Path) -> None:
    table = feed(days=5)
    days = days_of(table)
    daily = plan(tmp_path, an.Reposition(l=3, window=2))
    an.open(daily).push(of_day(table, days[0]))
    shutil.copytree(daily.ledger, tmp_path / "backup")
    an.open(daily).push(of_day(table, days[1]))
    shutil.rmtree(daily.ledger)
    shutil.copytree(tmp_path / "backup", daily.ledger)
    with pytest.raises(LedgerError, match="not in the ledger"):
        an.open(daily).push(of_day(table, days[2]))


def test_ending_a_feed_that_never_began_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="nothing was pushed yet"):
        an.open(plan(tmp_path, an.Reposition(l=3, window=2))).flush()


def test_only_feeds_are_opened(tmp_path: Path) -> None:
    other = an.Plan("x.csv", an.Schema(subject="who", time="day"), an.TimeGranularity(k=2),
                    ledger=tmp_path / "l", releases=tmp_path / "r")  # fmt: skip
    with pytest.raises(PlanError, match="only feeds are opened"):
        an.open(other)


def test_weeks_in_a_zone_with_a_change_of_the_clock(tmp_path: Path) -> None:
    schema = an.Schema(
        subject="who",
        time="day",
        quasi=["age", "ward"],
        sensitive="diagnosis",
        time_zone="Europe/Rome",
    )
    release = an.publish(
        feed(days=30),
        schema,
        an.Reposition(l=3, window=2, snapshot="week"),
        ledger=tmp_path / "ledger",
        to=tmp_path / "releases",
    )
    weeks = sorted(set(release.table()["day"].to_pylist()))
    assert weeks == ["2024-W13", "2024-W14", "2024-W15", "2024-W16", "2024-W17"]


def test_csv_too_and_missing_sensitive_values_are_refused(tmp_path: Path) -> None:
    table = feed(days=3)
    an.open(plan(tmp_path, an.Reposition(l=3, window=1), csv=True)).push(table)
    assert (tmp_path / "releases" / "0001" / "sensitive.csv").exists()
    later = feed(days=4).slice(90)
    holes = later.set_column(4, "diagnosis", pa.array(["a"] * 29 + [None]))
    with pytest.raises(TableError, match=r"diagnosis.*row 30.*empty in 1 rows"):
        an.open(plan(tmp_path, an.Reposition(l=3, window=1), csv=True)).push(holes)


def test_records_move_into_another_year_of_the_calendar(tmp_path: Path) -> None:
    # Months differ in length, and the calendar is laid out from January on.
    monthly = plan(tmp_path, an.Reposition(l=2, window=3, snapshot="month"))
    months = {"2023-11": "ab", "2023-12": "aaab", "2024-01": "bc", "2024-02": "bc", "2024-03": "bc"}
    pushed = [
        pa.table(
            {
                "who": [f"{month} {i}" for i in range(len(values))],
                "day": [f"{month}-15"] * len(values),
                "age": range(len(values)),
                "ward": ["east"] * len(values),
                "diagnosis": list(values),
            }
        )
        for month, values in months.items()
    ]
    releases = [release for table in pushed for release in an.open(monthly).push(table)]
    releases += an.open(monthly).flush()
    assert sum((release.explanation or {})["moved"] for release in releases) == 2
    for release in releases:
        assert an.audit(release, table=pa.concat_tables(pushed), ledger=monthly.ledger).holds


def test_a_certificate_of_exact_columns_shows_what_they_teach(tmp_path: Path) -> None:
    table = feed(days=6)
    promise = an.Reposition(l=3, window=2, first="cold")
    work = plan(tmp_path, promise)
    an.open(work).push(table)
    [*_, release] = an.open(work).flush()
    with_all = an.report(
        release, tmp_path / "all.html", ledger=work.ledger, table=table, schema=work.schema
    )
    assert "of values guessed" in with_all.read_text()
    alone = an.report(release, tmp_path / "alone.html").read_text()
    assert "of values guessed" not in alone
    assert "How often such a guess is right, its owner can tell" in alone
