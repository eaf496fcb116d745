"""The demo's data is always the same, and its folder is its own."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from anachron import Plan
from anachron.demo import JOBS, prepare
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
    ((_, plan),) = prepare(tmp_path)
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
