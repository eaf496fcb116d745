"""From an empty folder to a plan, page by page."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

import anachron as an
from tests.studio.conftest import Opened, Reader

PLAN = "visits/plan.toml"


def test_home_tells_of_nothing_and_of_what_is_there(planned: Reader, folder: Path) -> None:
    page = planned.get("/")
    assert "visits" in page
    assert "nothing published yet" in page
    (folder / "broken.toml").write_text("[guarantee]\nk = ")
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    page = planned.get("/")
    assert "broken" in page
    assert "pyproject" not in page


def test_a_table_shows_shapes_and_never_cells(reader: Reader) -> None:
    page = reader.waited("/table", file="visits.csv")
    for word in ("patient", "diagnosis", "400", "60", "the name says that it is the person"):
        assert word in page
    for cell in ("Zebedee", "asthma", "2023-0", "ward 1"):
        assert cell not in page
    assert "anachron init visits.csv --output visits/plan.toml" in html.unescape(page)


def test_the_plan_is_the_one_that_init_writes(planned: Reader, folder: Path) -> None:
    plan = an.Plan.read(folder / PLAN)
    found = an.propose(folder / "visits.csv")
    assert (plan.schema, plan.guarantee) == (found.schema, found.guarantee)
    assert plan.ledger == folder / "visits" / "ledger"
    assert Path(str(plan.table)) == folder / "visits.csv"
    assert "the name says" in (folder / PLAN).read_text()
    again = planned.post("/table", 422, file="visits.csv", name="visits")
    assert "exists already" in again


def test_what_is_missing_can_be_said(reader: Reader, folder: Path) -> None:
    (folder / "german.csv").write_text(
        "kunde;wann;art\n"
        + "".join(f"K{i % 30};{1 + i % 28:02}.03.2024;x{i % 3}\n" for i in range(90))
    )
    assert "as you said" not in reader.waited("/table", file="german.csv")
    page = reader.waited("/table", file="german.csv", time="wann", time_format="%d.%m.%Y")
    assert "as you said" in page
    bad = reader.waited("/table", 422, file="german.csv", time="wann", time_format="%Y")
    assert "time-format" in bad
    assert "K1" not in bad
    asked = {"file": "german.csv", "time": "wann", "time_format": "%d.%m.%Y", "name": "g"}
    assert reader.post("/table", **asked).startswith("/roles")
    assert an.Plan.read(folder / "g" / "plan.toml").schema.time_format == "%d.%m.%Y"


def test_roles_tell_who_is_unique_and_are_written(planned: Reader, folder: Path) -> None:
    page = planned.waited("/roles", plan=PLAN)
    assert "Who is unique" in page
    assert "Zebedee" not in page
    form = planned.form(page)
    roles = {name: value for name, value in form.items() if name.startswith("role-")}
    assert list(roles.values()) == ["subject", "time", "quasi", "home", "sensitive"]
    live = planned.post("/roles/unique", 200, **{**form, "role-3": "quasi"})
    assert 'id="unique"' in live
    assert "<b>age</b>" in live
    before = (folder / PLAN).read_text()
    there = planned.post("/roles", **{**form, "role-3": "quasi"})
    assert there == "/promise?plan=visits%2Fplan.toml"
    plan = an.Plan.read(folder / PLAN)
    assert plan.schema.quasi == ("age", "ward")
    assert (folder / "visits" / "plan.toml.before").read_text() == before


def test_counts_are_those_of_looking_at_everybody(planned: Reader) -> None:
    from tests.studio.conftest import visits

    held: dict[tuple[object, ...], set[str]] = {}
    for row in visits().to_pylist():
        held.setdefault((row["age"], row["ward"]), set()).add(row["patient"])
    alone = {next(iter(who)) for who in held.values() if len(who) == 1}
    form = planned.form(planned.waited("/roles", plan=PLAN))
    page = planned.post("/roles/unique", 200, **{**form, "role-3": "quasi"})
    assert f"<dd>{len(alone)} <small>of 60 people" in page


def test_a_plan_that_changed_meanwhile_is_not_overwritten(planned: Reader, folder: Path) -> None:
    form = planned.form(planned.waited("/roles", plan=PLAN))
    text = (folder / PLAN).read_text() + "# by hand\n"
    (folder / PLAN).write_text(text)
    assert "changed by somebody else" in planned.post("/roles", 422, **form)
    assert (folder / PLAN).read_text() == text


def test_roles_that_no_plan_can_have_are_told_and_not_written(
    planned: Reader, folder: Path
) -> None:
    form = planned.form(planned.waited("/roles", plan=PLAN))
    before = (folder / PLAN).read_text()
    told = planned.post("/roles", 422, **{**form, "role-1": "home"})
    assert "schema.time" in html.unescape(told)
    assert (folder / PLAN).read_text() == before


@pytest.mark.parametrize("path", ["/table", "/roles"])
def test_an_officer_only_reads(planned: Reader, opened: Opened, folder: Path, path: str) -> None:
    before = sorted(folder.rglob("*"))
    officer = opened(read_only=True)
    form = officer.form(officer.waited("/roles", plan=PLAN))
    assert "only reads" in officer.post(path, 409, **{**form, "file": "visits.csv", "name": "n"})
    assert "reads only" in officer.get("/")
    assert sorted(folder.rglob("*")) == before
