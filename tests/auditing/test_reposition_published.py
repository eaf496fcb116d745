"""The audit of feeds that were really published, and of what was spoilt afterwards."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.evidence import records
from anachron.auditing.history import FeedPast, History, remembered
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import Microdata, read
from anachron.guarantees import MInvariance, Reposition
from anachron.ledger import Ledger
from anachron.release import Release
from anachron.streamed import Streamed
from tests.auditing.judging import assert_holds
from tests.release.forging import said_by, say

SCHEMA = an.Schema(subject="who", time="when", quasi=["age", "sex"], sensitive="ill")
GRID: dict[str, Any] = {"widths": {"age": 5}, "orders": {"sex": ["m", "f"]}}
DAY = 86_400_000_000
DAYS = 9


@dataclass(frozen=True)
class Feed:
    """A feed that was pushed day by day, or at once."""

    table: pa.Table
    ledger: Path
    releases: list[Release]

    def audits(self, release: Release) -> list[Verdict]:
        """The release alone, with the ledger, with both, and with the rows alone."""
        return [
            an.audit(release),
            an.audit(release, ledger=self.ledger),
            an.audit(release, ledger=self.ledger, table=self.table),
            an.audit(release, table=self.table, schema=SCHEMA),
        ]

    def past(self, release: Release) -> Any:
        """What the ledger remembers of a release."""
        held = Ledger.open(self.ledger)
        return remembered(held, held.entries()[: release.number])


def rows(seed: int = 1) -> tuple[pa.Table, Any]:
    """Skewed days, one of them empty."""
    draws = np.random.default_rng(seed)
    day = np.sort(draws.integers(0, DAYS, 260))
    day = day[day != 4]
    person = draws.integers(0, 150, len(day))
    _, first = np.unique(day * 1000 + person, return_index=True)
    day, person = day[first], person[first]
    ill = draws.choice(5, len(day), p=[0.3, 0.25, 0.2, 0.15, 0.1])
    ill = np.where((day % 3 == 1) & (draws.random(len(day)) < 0.3), 0, ill)
    when = 1_714_953_600_000_000 + day * DAY + draws.integers(0, DAY, len(day))
    table = pa.table(
        {
            "who": [f"u{number}" for number in person],
            "when": pa.array(when, pa.timestamp("us")),
            "age": draws.integers(0, 90, len(day)),
            "sex": draws.choice(["f", "m"], len(day)),
            "ill": [f"v{value}" for value in ill],
        }
    )
    return table, day


def pushed(guarantee: Reposition, folder: Path, step: int) -> Feed:
    table, day = rows()
    plan = an.Plan(
        "feed.csv", SCHEMA, guarantee, ledger=folder / "ledger", releases=folder / "releases"
    )
    publisher = an.open(plan)
    releases = []
    for at in range(0, DAYS, step):
        here = (day >= at) & (day < at + step)
        if here.any():
            releases += publisher.push(table.filter(pa.array(here)))
    releases += publisher.flush()
    return Feed(table, folder / "ledger", releases)


@pytest.mark.parametrize("solver", ["recycle", "rolling"])
@pytest.mark.parametrize(("then", "l"), [("anatomy", 3), ("generalize", "5/2")])
def test_a_whole_table(then: str, l: Any, solver: str, tmp_path: Path) -> None:  # noqa: E741
    grid = GRID if then == "generalize" else {}
    promise = Reposition(l=l, window=3, then=then, solver=solver, **grid)
    table, _ = rows()
    release = an.publish(
        table, SCHEMA, promise, csv=True, ledger=tmp_path / "ledger", to=tmp_path / "releases"
    )
    feed = Feed(table, tmp_path / "ledger", [release])
    for verdict in feed.audits(release):
        assert_holds(verdict)
    figures, told = feed.audits(release)[2].figures, release.explanation
    assert told is not None
    for name in ("moved", "suppressed", "loss"):
        assert figures[name] == told[name]
    assert figures["moved"]
    # Who has a twin in the snapshot is covered, even if nobody took care of it.
    assert int(figures["uncovered"]) <= told["missing" if then == "anatomy" else "uncovered"]


@pytest.mark.parametrize("told", ["as it is", "nothing"])
def test_rows_are_hashed_only_where_somebody_may_be_elsewhere(
    told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all of them, if one who is listed is not found among those."""
    table, _ = rows()
    release = an.publish(
        table, SCHEMA, Reposition(l=3, window=3), ledger=tmp_path / "l", to=tmp_path / "r"
    )
    if told == "nothing":
        monkeypatch.setattr(records, "_unlike", lambda *_: [])
    hashed: list[bool] = []
    whole = Microdata.row_keys

    def noted(self: Microdata, secret: bytes, some: Any = None) -> Any:
        hashed.append(some is None)
        return whole(self, secret, some)

    monkeypatch.setattr(Microdata, "row_keys", noted)
    assert an.audit(release, ledger=tmp_path / "l", table=table).holds
    assert hashed == ([False] if told == "as it is" else [False, True])


@pytest.mark.parametrize(("then", "step"), [("anatomy", 1), ("generalize", 2)])
def test_push_by_push(then: str, step: int, tmp_path: Path) -> None:
    grid = GRID if then == "generalize" else {}
    feed = pushed(Reposition(l=3, window=3, then=then, **grid), tmp_path, step)
    assert len(feed.releases) > 2
    for release in feed.releases:
        for verdict in feed.audits(release):
            assert_holds(verdict)


# Snapshots that are published m-invariantly


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Feed:
    promise = Reposition(window=3, then=MInvariance(m=2, when_ineligible="hold", **GRID))
    return pushed(promise, tmp_path_factory.mktemp("register"), 3)


def test_m_invariant_snapshots(register: Feed) -> None:
    assert len(register.releases) > 2
    for release in register.releases:
        for verdict in register.audits(release)[:3]:
            assert_holds(verdict)
    names = {check.name for check in register.audits(release)[2].checks}
    assert {"candidates", "delay", "snapshots", "coverage", "records"} <= names


@pytest.mark.parametrize(("days", "right"), [(-3, False), (-2, True), (0, True), (1, False)])
def test_homes_that_do_not_fit(register: Feed, days: int, right: bool) -> None:
    release = register.releases[2]
    past = register.past(release)
    assert isinstance(past, History)
    home = release.description["anachron"]["snapshot"]["start"] + days * DAY
    held = past.state.table()
    homes = pa.array([None if group is None else home for group in held["group"].to_pylist()])
    state = held.set_column(held.column_names.index("home"), "home", homes)
    verdict = verify(release, history=replace(past, state=Streamed.of(state)))
    assert {failed.name for failed in verdict.failures} == (set() if right else {"delay"})
    bare = replace(past, state=Streamed.of(held.drop_columns(["home"])))
    assert {failed.name for failed in verify(release, history=bare).failures} == {"delay"}


def test_records_that_are_not_there(register: Feed) -> None:
    release = register.releases[2]
    older = pa.array(register.table["age"].to_numpy() + 50)
    at = register.table.column_names.index("age")
    for table, check in (
        (register.table.slice(0, 3), "records"),
        (register.table.set_column(at, "age", older), "coverage"),
    ):
        held = read(table, SCHEMA)
        try:
            verdict = verify(release, microdata=held, history=register.past(release))
        finally:
            held.close()
        assert check in {failed.name for failed in verdict.failures}


def test_a_snapshot_that_is_none(register: Feed, tmp_path: Path) -> None:
    release = register.releases[0]
    folder = tmp_path / release.path.name
    folder.mkdir()
    for file in release.path.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    said = said_by(folder)
    for change in ({"label": "2024-01-01"}, {"end": said["anachron"]["snapshot"]["end"] + DAY}):
        spoilt = copy.deepcopy(said)
        spoilt["anachron"]["snapshot"] |= change
        say(folder, spoilt)
        assert {check.name for check in verify(Release(folder)).failures} == {"snapshots"}


def test_a_feed_has_the_memory_of_a_feed(tmp_path: Path) -> None:
    feed = pushed(Reposition(l=2, window=2), tmp_path, 3)
    past = feed.past(feed.releases[-1])
    assert isinstance(past, FeedPast)
    assert len(past.before) == len(feed.releases) - 1
    assert past.waiting is None
