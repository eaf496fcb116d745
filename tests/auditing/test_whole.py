"""Whole histories: every release, and what they are together."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing import chain
from anachron.auditing.chain import nobody_twice
from anachron.auditing.history import History
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.auditing.whole import verify_history
from anachron.behind import read
from anachron.errors import ReleaseError
from anachron.ledger import Ledger
from tests.auditing.judging import assert_holds, failing
from tests.release.forging import Said, restate

REGISTER = an.Schema(subject="who", quasi=["age"], sensitive="ill")
FEED = an.Schema(subject="who", time="day", quasi=["age"], sensitive="ill")
EVENTS = an.Schema(subject="who", time="day", quasi=["sex"], sensitive="ill")


@dataclass(frozen=True)
class Published:
    """A history that was really published."""

    folder: Path
    schema: an.Schema
    tables: tuple[pa.Table, ...]

    @property
    def releases(self) -> Path:
        return self.folder / "releases"

    def copy(self, to: Path) -> Published:
        """The same history elsewhere, to be spoilt."""
        shutil.copytree(self.folder, to, copy_function=shutil.copy2)
        return Published(to, self.schema, self.tables)

    def audit(self, *, ledger: bool = True, table: pa.Table | None = None) -> tuple[Verdict, ...]:
        held = Ledger.open(self.folder / "ledger", create=False) if ledger else None
        if table is None:
            return verify_history(self.releases, ledger=held)
        with closing(read(table, self.schema)) as microdata:
            return verify_history(self.releases, ledger=held, microdata=microdata)


def register(first: int, count: int = 40) -> pa.Table:
    people = np.arange(first, first + count)
    return pa.table(
        {
            "who": [f"p{n}" for n in people],
            "age": people * 7 % 60,
            "ill": [f"ill {n % 5}" for n in people],
        }
    )


def days(first: int, count: int) -> pa.Table:
    nth = np.arange(first * 12, (first + count) * 12)
    return pa.table(
        {
            "who": [f"p{n}" for n in nth],
            "day": pa.array(np.datetime64("2024-05-06") + nth // 12),
            "age": nth * 7 % 60,
            "ill": [f"ill {n % 4 if n % 12 < 9 else 0}" for n in nth],
        }
    )


def events(first: int, month: int) -> pa.Table:
    return pa.table(
        {
            "who": [f"p{n}" for n in range(first, first + 12)],
            "day": [f"2024-{month:02}-{1 + n:02}" for n in range(12)],
            "sex": ["f", "m"] * 6,
            "ill": ["flu", "cold", "gout"] * 4,
        }
    )


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Published]:
    made: dict[str, Published] = {}
    work: dict[str, tuple[an.Schema, Any, tuple[pa.Table, ...]]] = {
        "register": (REGISTER, an.MInvariance(m=3), tuple(register(n) for n in (0, 5, 10))),
        "events": (EVENTS, an.TimeGranularity(k=3), (events(0, 3), events(6, 7))),
    }
    for name, (schema, promise, tables) in work.items():
        folder = tmp_path_factory.mktemp(name)
        for table in tables:
            an.publish(table, schema, promise, ledger=folder / "ledger", to=folder / "releases")
        made[name] = Published(folder, schema, tables)
    folder = tmp_path_factory.mktemp("feed")
    places = {"ledger": str(folder / "ledger"), "releases": str(folder / "releases")}
    feed = an.open(an.Plan("none.csv", FEED, an.Reposition(l=2, window=3), **places))
    for first in (0, 4):
        feed.push(days(first, 4))
    feed.flush()
    made["feed"] = Published(folder, FEED, (days(0, 8),))
    return made


def places(verdict: Verdict, name: str) -> tuple[str, ...]:
    return next(check.witnesses for check in verdict.checks if check.name == name)


@pytest.mark.parametrize("name", ["register", "events", "feed"])
def test_good_histories_hold(name: str, histories: dict[str, Published]) -> None:
    made = histories[name]
    for scope, given in (
        ("published", {"ledger": False}),
        ("with ledger", {}),
        ("with microdata", {"table": made.tables[-1]}),
    ):
        *each, whole = made.audit(**given)
        assert len(each) == len(list(made.releases.iterdir()))
        for verdict in (*each, whole):
            assert_holds(verdict)
        assert each[-1].scope == scope
        assert whole.figures["releases"] == len(each)
        assert whole.checks[0].name == "releases"
        assert "largest_posterior" in whole.figures


def test_the_history_tells_what_only_all_releases_tell(histories: dict[str, Published]) -> None:
    names = {key: {c.name for c in made.audit()[-1].checks} for key, made in histories.items()}
    shared = {"releases", "same promise", "numbers", "chain"}
    over_time = {"candidates", "lifespans", "memory", "earlier releases"}
    assert names["register"] == shared | over_time
    assert names["events"] == shared | {"once"}
    assert names["feed"] == shared | {"order of snapshots"}
    whole = histories["register"].audit()[-1]
    assert whole.release == "0001 to 0003"
    assert whole.figures["smallest_candidate_set"] == 3


def test_a_table_is_laid_against_the_release_it_made(histories: dict[str, Published]) -> None:
    made = histories["register"]
    *each, whole = made.audit(table=made.tables[1])
    assert [v.scope for v in each] == ["with ledger", "with microdata", "with ledger"]
    assert whole.scope == "with ledger"
    *_, whole = made.audit(table=register(100))
    assert failing(whole) == {"table"}
    feed = histories["feed"]
    assert {v.scope for v in feed.audit(table=feed.tables[0])} == {"with microdata"}


# What can be wrong with a history


def numbered(number: int) -> Callable[[Said], None]:
    """Give a release another number, wherever it is said."""

    def change(said: Said) -> None:
        said["anachron"] |= {"release": number, "previous": "0" * 64}
        said |= {"name": f"release-{number:04d}", "title": f"Release {number}"}

    return change


@pytest.fixture
def spoilt(histories: dict[str, Published], tmp_path: Path) -> Callable[..., Published]:
    return lambda name: histories[name].copy(tmp_path / name)


def test_a_release_is_missing(spoilt: Callable[..., Published]) -> None:
    bad = spoilt("register")
    shutil.rmtree(bad.releases / "0002")
    whole = bad.audit(ledger=False)[-1]
    assert failing(whole) == {"numbers"}
    assert places(whole, "numbers") == ("release 0002",)
    assert "1 could not be checked" in next(c.measured for c in whole.checks if c.name == "chain")
    assert "numbers" in failing(bad.audit()[-1])


def test_a_release_is_not_the_one_that_the_next_names(spoilt: Callable[..., Published]) -> None:
    bad = spoilt("register")
    restate(bad.releases / "0001", lambda said: said["anachron"].update(time_zone="Asia/Tokyo"))
    *_, whole = bad.audit(ledger=False)
    assert failing(whole) == {"chain", "same promise"}
    assert places(whole, "chain") == ("release 0002",)
    first, _, _, whole = bad.audit()
    assert failing(first) == {"ledger"}
    assert failing(whole) == {"chain", "releases", "same promise"}
    assert places(whole, "releases") == ("release 0001",)


def test_two_releases_change_places(spoilt: Callable[..., Published]) -> None:
    bad = spoilt("register")
    for old, new in (("0001", "x"), ("0002", "0001"), ("x", "0002")):
        (bad.releases / old).rename(bad.releases / new)
    first, *_, whole = bad.audit(ledger=False)
    assert failing(whole) == {"chain", "numbers", "releases"}
    assert failing(first) == {"place"}


def test_the_promise_changes(spoilt: Callable[..., Published]) -> None:
    bad = spoilt("register")
    restate(bad.releases / "0003", lambda said: said["anachron"]["guarantee"].update(mode="sticky"))
    whole = bad.audit(ledger=False)[-1]
    assert failing(whole) == {"same promise"}
    assert places(whole, "same promise") == ("release 0003",)


def test_a_release_is_damaged(spoilt: Callable[..., Published]) -> None:
    bad = spoilt("events")
    (bad.releases / "0001" / "datapackage.json").write_text("{")
    first, _, whole = bad.audit(ledger=False)
    assert failing(first) == {"readable"}
    assert "datapackage.json is not the description of a release" in str(first)
    assert "releases" in failing(whole)


def test_a_snapshot_of_a_feed_is_released_twice(spoilt: Callable[..., Published]) -> None:
    bad = spoilt("feed")
    first = bad.releases / "0001"
    later = sorted(bad.releases.iterdir())[-1]
    shutil.copytree(first, bad.releases / "x")
    shutil.rmtree(later)
    (bad.releases / "x").rename(later)
    restate(later, numbered(int(later.name)))
    whole = bad.audit(ledger=False)[-1]
    assert "order of snapshots" in failing(whole)
    assert places(whole, "order of snapshots") == (f"release {later.name}",)


def test_one_snapshot_of_a_register_is_released_in_two_ways(tmp_path: Path) -> None:
    """The ledger was copied before; the same people get other sets, and these intersect."""
    Ledger.open(tmp_path / "ledger")
    made = []
    for m in (3, 2):
        ledger = tmp_path / f"ledger {m}"
        shutil.copytree(tmp_path / "ledger", ledger)
        to = tmp_path / f"releases {m}"
        made.append(an.publish(register(0), REGISTER, an.MInvariance(m=m), ledger=ledger, to=to))
    held = [Ledger.open(tmp_path / f"ledger {m}") for m in (3, 2)]
    first, second = (one.state(one.entries()[0]) for one in held)
    restate(made[1].path, numbered(2))
    made[1].path.rename(made[1].path.with_name("0002"))
    past = History(second, (first,), (made[0],), held[0].pseudonyms, held[0].marks)
    with closing(read(register(0), REGISTER)) as microdata:
        verdict = verify(an.Release(to / "0002"), microdata=microdata, history=past)
    assert failing(verdict) == {"candidates", "lifespans", "memory", "earlier releases"}
    assert places(verdict, "lifespans")[0].startswith("release 0002, group ")
    assert places(verdict, "earlier releases") == ("release 0001",)


@pytest.mark.parametrize("at_once", [1, 5, 1 << 20])
def test_people_stand_in_two_releases_at_the_same_time(
    at_once: int, histories: dict[str, Published], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain, "_AT_ONCE", at_once)
    held = Ledger.open(histories["events"].folder / "ledger")
    entries = held.entries()
    assert nobody_twice.ask(held, entries).holds
    check = nobody_twice.ask(held, [*entries, entries[0]])
    assert not check.holds
    assert check.measured.startswith("12 times")
    assert check.witnesses == ("release 0001",)


def test_folders_without_releases(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="holds no releases"):
        verify_history(tmp_path)
    with pytest.raises(ReleaseError, match="not a folder"):
        verify_history(tmp_path / "nowhere")
