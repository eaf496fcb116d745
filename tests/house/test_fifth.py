"""A fifth method through the registry alone: published, audited, asked, attacked, reported, shown.

``tests/house/toy`` is all that there is of it. Where the house makes such a method hard, the house
is at fault.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from click.testing import CliRunner

import anachron as an
import anachron.cli.init  # the module of four methods, which other tests get back
from anachron.auditing.whole import verify_history
from anachron.cli.main import anachron
from anachron.errors import AlreadyPublished, InternalError, PlanError
from anachron.guarantees import from_dict
from anachron.plan import Plan
from anachron.registry import METHODS, registered
from tests.house.toy import FREQUENT
from tests.house.toy.promise import Frequent

ROWS = {
    "ann": ["eye flu", "eye gout", "ear flu", "ear cold"],
    "bob": ["eye flu", "ear flu", "ear cold"],
    "cem": ["eye gout", "eye flu", "ear cold"],
    "dan": ["eye rare"],
    "eve": ["ear flu"],
}
VISITS = pa.table(
    {
        "who": [who for who, rows in ROWS.items() for _ in rows],
        "ward": [row.split()[0] for rows in ROWS.values() for row in rows],
        "ill": [row.split()[1] for rows in ROWS.values() for row in rows],
        "day": ["2024-05-01"] * 12,
    }
)
SCHEMA = an.Schema(subject="who", quasi="ward", sensitive="ill")


@pytest.fixture(autouse=True)
def fifth() -> Iterator[None]:
    with registered(FREQUENT):
        yield
    assert "frequent" not in METHODS


@pytest.fixture
def release(tmp_path: Path) -> an.Release:
    return published(tmp_path)


def published(folder: Path, table: pa.Table = VISITS) -> an.Release:
    return an.publish(
        table, SCHEMA, Frequent(n=3), ledger=folder / "ledger", to=folder / "releases", csv=True
    )


def test_few_files_make_a_method() -> None:
    files = [p for p in (Path(__file__).parent / "toy").rglob("*.*") if p.suffix != ".pyc"]
    assert len(files) <= 8
    assert max(len(file.read_text().splitlines()) for file in files) <= 150


def test_the_promise_is_said_once(tmp_path: Path) -> None:
    promise = Frequent(n=3)
    assert from_dict(promise.to_dict()) == promise
    assert repr(promise) == "Frequent(n=3)"
    with pytest.raises(PlanError, match="n must be"):
        Frequent(n=0)
    with pytest.raises(PlanError, match="time has no meaning"):
        Plan("visits.csv", replace(SCHEMA, time="day"), promise, releases="r", ledger="l")


def test_published(release: an.Release, tmp_path: Path) -> None:
    assert release.table().num_rows == release.rows == 10
    assert "rare" not in release.table()["ill"].to_pylist()
    assert release.description["anachron"]["suppressed_rows"] == 2
    assert published(tmp_path).path == release.path
    with pytest.raises(AlreadyPublished):
        published(tmp_path, VISITS.slice(0, 9))


def test_audited(release: an.Release, tmp_path: Path) -> None:
    alone = an.audit(release)
    assert alone.holds
    assert "people" not in {check.name for check in alone.checks}
    ledger = tmp_path / "ledger"
    whole = an.audit(release, table=VISITS, schema=SCHEMA, ledger=ledger)
    assert whole.holds
    assert {"people", "left out", "rows", "groups"} <= {check.name for check in whole.checks}
    *_, history = verify_history(release.path.parent, ledger=an.Ledger.open(ledger))
    assert history.holds
    assert "once" in {check.name for check in history.checks}


def test_a_seeded_bug_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The method takes anybody for frequent; its audit does not."""
    from tests.house.toy import making

    right = making.carry_out

    def wrong(table, promise, *rest):  # type: ignore[no-untyped-def]
        return right(table, Frequent(n=1), *rest)

    monkeypatch.setattr(making, "carry_out", wrong)
    with pytest.raises(InternalError, match=r"people, remembered people"):
        published(tmp_path)
    assert not list((tmp_path / "releases").glob("[0-9]*"))


def test_another_table_is_noticed(release: an.Release) -> None:
    verdict = an.audit(release, table=VISITS.slice(1), schema=SCHEMA)
    (wrong,) = (check for check in verdict.checks if check.name == "people")
    assert wrong.measured == "1 rows of somebody who has fewer"


def test_asked(release: an.Release) -> None:
    answer = release.ask("SELECT COUNT(*) WHERE ill = 'flu' AND ward = 'eye'")
    assert answer.low <= answer.estimate == 3 <= answer.high
    assert an.ask(release, "SELECT COUNT(*) GROUP BY ward").rows


def test_attacked_and_measured(release: an.Release, tmp_path: Path) -> None:
    given = {"table": VISITS, "schema": SCHEMA, "ledger": tmp_path / "ledger"}
    found = {one.attack: one for one in an.attack(release, **given)}
    assert found.keys() == FREQUENT.attacks
    assert found["homogeneity"].people == 3
    (measure,) = an.utility(release, questions=20, **given).measures
    assert measure.outside == 0


def test_reported(release: an.Release, tmp_path: Path) -> None:
    file = an.report(
        release, tmp_path / "certificate.html", table=VISITS, schema=SCHEMA,
        ledger=tmp_path / "ledger", attacks=True, questions=20,
    )  # fmt: skip
    page = file.read_text()
    assert "The promise is kept." in page
    assert "Whoever is published has at least 3 rows." in page
    assert list(release.charts) == ["groups", "values"]
    assert "<svg" in release.charts.groups.svg()


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # A command is loaded when it is asked for: what it offers then includes the fifth method.
    monkeypatch.delitem(sys.modules, "anachron.cli.init")
    pyarrow.csv.write_csv(VISITS, "visits.csv")
    told = run("init", "visits.csv", "--for", "frequent", "--subject", "who",
               "--quasi", "ward", "--sensitive", "ill")  # fmt: skip
    assert "Wrote plan.toml" in told
    text = Path("plan.toml").read_text()
    assert "# Whoever has fewer rows is left out.\nn = 2" in text
    Path("plan.toml").write_text(text.replace("n = 2", "n = 3"))
    assert "People  3 with at least 3 rows" in run("publish", "plan.toml")
    data = json.loads(run("publish", "plan.toml", "--json"))
    assert (data["people"], data["published_rows"], data["new"]) == (3, 10, False)
    assert data["guarantee"] == {"method": "frequent", "n": 3}
    assert "holds: frequent(n=3)" in run("audit", "releases/0001", "--plan", "plan.toml")
    assert "5" in run("ask", "releases/0001", "SELECT COUNT(*) WHERE ill = 'flu'")
    run("report", "releases/0001", "--plan", "plan.toml", "-o", "certificate.html")
    assert "frequent, n = 3" in run("ledger", "show", "ledger")


def run(*words: str) -> str:
    result = CliRunner().invoke(anachron, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_settings_are_tried(tmp_path: Path) -> None:
    plan = Plan("visits.csv", SCHEMA, Frequent(n=3), releases=tmp_path / "r", ledger=tmp_path / "l")
    tried = an.trial(plan, {"n": [1, 3, 4]}, table=VISITS)
    assert [(row.own, row.figures.people) for row in tried] == [(False, 5), (True, 3), (False, 1)]  # type: ignore[union-attr]
    assert not list(tmp_path.iterdir())


def test_candidates_are_explored(tmp_path: Path) -> None:
    plan = Plan("visits.csv", SCHEMA, Frequent(n=3), releases=tmp_path / "r", ledger=tmp_path / "l")
    found = an.frontier(plan, {"n": [1, 4]}, table=VISITS)
    assert [point.losses["people"] for point in found] == [3, 5, 1]
    assert all(0 <= (point.risks["attack"] or 0) <= 1 for point in found)
    assert found.use(2).guarantee == Frequent(n=1)
    assert not list(tmp_path.iterdir())
