"""The demo's data is always the same, and its folder is its own."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from anachron import Plan
from anachron.demo import JOBS, prepare
from anachron.demo.admissions import DIAGNOSES, FLU, admissions
from anachron.demo.loads import HOURS, OCCUPATIONS, loads
from anachron.demo.register import snapshots
from anachron.demo.visits import visits
from anachron.errors import InputError


def test_the_visits_are_always_the_same():
    table = visits()
    assert table.equals(visits())
    text = repr(table.to_pydict()).encode()
    assert hashlib.sha256(text).hexdigest()[:16] == "544e892fbccf1496"


def test_the_visits_look_like_visits():
    columns = visits().to_pydict()
    per_person = Counter(columns["patient"])
    ages = set(zip(columns["patient"], columns["age"], columns["sex"], strict=True))
    weekend = sum(when.weekday() > 4 for when in columns["admitted"])
    assert (len(per_person), per_person.total(), len(ages)) == (2_000, 12_000, 2_000)
    assert 10 < max(per_person.values()) < 100
    assert 0.1 < weekend / 12_000 < 0.2
    assert (columns["admitted"][-1] - columns["admitted"][0]).days == 730
    assert columns["admitted"] == sorted(columns["admitted"])


def test_the_register_is_always_the_same():
    tables = snapshots()
    assert all(a.equals(b) for a, b in zip(tables, snapshots(), strict=True))
    text = repr([table.to_pydict() for table in tables]).encode()
    assert hashlib.sha256(text).hexdigest()[:16] == "f724b552e7aa5904"


def test_people_of_the_register_come_leave_return_and_change():
    quarters = [{row["patient"]: row for row in table.to_pylist()} for table in snapshots()]
    assert [len(quarter) for quarter in quarters] == [len(t["age"]) for t in snapshots()]
    first, second, third, last = quarters
    assert len(quarters) == 4
    assert second.keys() - first.keys(), "some come"
    assert first.keys() - second.keys(), "some leave"
    assert (first.keys() & third.keys()) - second.keys(), "some return"
    both = first.keys() & last.keys()
    for column in ("age", "district", "diagnosis"):
        assert 0 < sum(first[who][column] != last[who][column] for who in both) < len(both)
    most = max(Counter(row["diagnosis"] for row in first.values()).values())
    assert 3 * most < len(first), "three diagnoses for each person can be found"


def test_the_admissions_are_always_the_same():
    table = admissions()
    assert table.equals(admissions())
    text = repr(table.to_pydict()).encode()
    assert hashlib.sha256(text).hexdigest()[:16] == "0f7550dc2a34c16a"


def test_the_admissions_are_skewed_on_some_days_only():
    rows = admissions().to_pylist()
    of_day: dict[object, Counter[str]] = {}
    for row in rows:
        of_day.setdefault(row["admitted"].date(), Counter())[row["diagnosis"]] += 1
    assert len(of_day) == 91
    assert {row["diagnosis"] for row in rows} == {*DIAGNOSES, FLU}
    too_skewed = [day for day, n in of_day.items() if 3 * max(n.values()) > n.total()]
    assert 5 < len(too_skewed) < 45, "some days cannot be published as they are"
    total = Counter(row["diagnosis"] for row in rows)
    assert 3 * max(total.values()) < total.total(), "all days together can"
    assert len({(row["patient"], row["admitted"].date()) for row in rows}) == len(rows)
    assert len({row["patient"] for row in rows}) < len(rows), "some people return"


def test_the_loads_are_always_the_same():
    table = loads()
    assert table.equals(loads())
    text = repr(table.to_pydict()).encode()
    assert hashlib.sha256(text).hexdigest()[:16] == "2dfb0d1bb8c19e1b"


def test_the_loads_have_a_few_shapes_and_many_sizes():
    rows = loads().to_pylist()
    assert len({row["meter"] for row in rows}) == len(rows) == 1_200
    assert {row["occupation"] for row in rows} == {*OCCUPATIONS}
    peaks = Counter(max(HOURS, key=row.__getitem__) for row in rows)
    assert sum(many > 100 for many in peaks.values()) >= 3, "curves have their peaks at any time"
    total = sorted(sum(row[hour] for hour in HOURS) for row in rows)
    assert total[-1] > 5 * total[0] > 0


def test_preparing_twice_changes_nothing(tmp_path):
    folder = tmp_path / "deep" / "demo"
    first = prepare(folder)
    before = {f: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()}
    assert prepare(folder) == first
    assert {f: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()} == before
    for job, file in first:
        plan = Plan.read(file)
        assert (plan.schema, plan.guarantee) == (job.schema, job.guarantee)


def test_what_a_person_changed_stays(tmp_path):
    plan = prepare(tmp_path)[0][1]
    plan.write_text(plan.read_text().replace("k = 5", "k = 7"))
    prepare(tmp_path)
    assert "k = 7" in plan.read_text()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_other_peoples_folders_are_left_alone(tmp_path, kind):
    other = tmp_path / "other"
    if kind == "file":
        other.write_text("mine")
    else:
        other.mkdir()
        (other / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="not a folder of the demo"):
        prepare(other)
    assert not (other / "visits.parquet").exists()


def test_every_job_has_places_of_its_own():
    for place in ("table", "plan", "releases", "ledger", "certificate"):
        assert len({getattr(job, place) for job in JOBS}) == len(JOBS)
    tables = [table for job in JOBS for table in job.tables]
    assert len(set(tables)) == len(tables)


def test_only_missing_snapshots_are_made_again(tmp_path):
    prepare(tmp_path)
    kept, lost = tmp_path / "register-2.parquet", tmp_path / "register-3.parquet"
    before = lost.read_bytes()
    kept.write_bytes(b"mine")
    lost.unlink()
    prepare(tmp_path)
    assert kept.read_bytes() == b"mine"
    assert lost.read_bytes() == before
