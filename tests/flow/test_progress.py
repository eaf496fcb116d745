"""How far work is: told forwards, to the end, and shown where a person can see it."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.flow import audit_history
from anachron.progress import heard, in_notebook

N = 60
WHO = [f"u{i}" for i in range(N)]
PEOPLE = pa.table({
    "who": WHO,
    "day": [f"2024-05-{1 + i % 6:02}" for i in range(N)],
    "ward": [i % 3 for i in range(N)],
    "ill": [("flu", "burn", "cold", "gout")[i % 4] for i in range(N)],
})  # fmt: skip
LOADS = pa.table({"who": WHO, **{f"h{t}": [(i * t) % 7 for i in range(N)] for t in range(5)}})
EVENTS = an.Schema("who", "day", "ward", "ill")
REGISTER = an.Schema("who", quasi="ward", sensitive="ill")
DAILY = an.Reposition(l=2, window=2, then=an.MInvariance(m=2))


class Told(list[tuple[str, float]]):
    def __call__(self, what: str, share: float) -> None:
        self.append((what, share))

    def check(self, least: int) -> None:
        """It begins at 0, goes forwards only, ends at 1, and moves so often."""
        shares = [share for _, share in self]
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)
        assert shares.count(1.0) == 1
        assert len(set(shares)) > least, shares


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kept")
    place = {"ledger": folder / "ledger", "to": folder / "releases"}
    told = Told()
    release = an.publish(PEOPLE, EVENTS, an.TimeGranularity(k=2), **place, progress=told)
    return {"release": release, "told": told, **place}


def test_publishing_a_table_of_events_moves_with_the_search(kept: dict[str, Any]) -> None:
    kept["told"].check(10)
    searched = {share for what, share in kept["told"] if what.startswith("searching")}
    assert len(searched) > 2, "every view that is tested moves it"
    assert len({what for what, _ in kept["told"] if what.startswith("checking")}) > 5


@pytest.mark.parametrize(
    ("table", "schema", "promise"),
    [
        (PEOPLE, REGISTER, an.MInvariance(m=2)),
        (PEOPLE, EVENTS, an.Reposition(l=2, window=2)),
        (LOADS, an.Schema("who", series=[f"h{t}" for t in range(5)]), an.KPAnonymity(k=4, P=2)),
    ],
    ids=["register", "feed", "series"],
)
def test_publishing_moves(table: pa.Table, schema: an.Schema, promise: Any) -> None:
    told = Told()
    an.publish(table, schema, promise, progress=told)
    told.check(8)


def test_a_feed_of_many_releases_moves_with_every_snapshot() -> None:
    told = Told()
    feed = an.open(an.Plan("none.csv", EVENTS, DAILY), progress=told)
    feed.push(PEOPLE)
    told.check(6)
    told.clear()
    feed.flush()
    told.check(1)
    told.clear()
    assert feed.push(PEOPLE), "the same again"
    told.check(1)


def test_judging_moves(kept: dict[str, Any], tmp_path: Path) -> None:
    known = {"table": PEOPLE, "ledger": kept["ledger"]}
    works: dict[Callable[..., Any], int] = {
        lambda tell: an.audit(kept["release"], **known, progress=tell): 8,
        lambda tell: an.audit(kept["to"], **known, progress=tell): 2,
        lambda tell: audit_history(kept["to"], progress=tell): 1,
        lambda tell: an.attack(kept["release"], **known, progress=tell): 5,
        lambda tell: an.utility(kept["release"], **known, questions=20, progress=tell): 3,
        lambda tell: an.report(
            kept["release"], tmp_path / "c.html", **known, attacks=True, questions=20, progress=tell
        ): 15,
    }
    for work, least in works.items():
        told = Told()
        work(told)
        told.check(least)


def test_work_that_fails_does_not_end() -> None:
    told = Told()
    with pytest.raises(an.AnachronError):
        an.publish(PEOPLE, EVENTS, an.TimeGranularity(k=N + 1), progress=told)
    assert told
    assert max(share for _, share in told) < 1


@pytest.mark.parametrize("progress", [None, False, True])
def test_outside_of_notebooks_and_terminals_nothing_is_printed(
    kept: dict[str, Any], progress: bool | None, capfd: pytest.CaptureFixture[str]
) -> None:
    an.audit(kept["release"], progress=progress)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_shows_a_bar_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    with heard(None, "audit") as tell:
        tell("reading", 0.5)
    assert terminal.getvalue() == ""
    with heard(True, "audit") as tell:
        tell("reading the table", 0.5)
        for _ in range(500):
            if "reading the table" in terminal.getvalue():
                break
            time.sleep(0.01)
    assert "reading the table" in terminal.getvalue()


class Cell:
    """What a notebook would show below a cell: each state of each display."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.states: list[str] = []
        ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
        ipython.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
        display.display = self.show  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def show(self, data: dict[str, str], raw: bool, display_id: bool) -> SimpleNamespace:
        assert raw
        assert display_id
        self.update(data, raw)
        return SimpleNamespace(update=self.update)

    def wait(self, many: int) -> None:
        for _ in range(1000):
            if len(self.states) >= many:
                return
            time.sleep(0.01)
        raise AssertionError("nothing is drawn")

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert "<progress " in data["text/html"]
        self.states.append(data["text/plain"])


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    return Cell(monkeypatch)


def test_a_notebook_shows_what_takes_a_while(
    cell: Cell, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anachron.progress._PATIENCE", 0.05)
    monkeypatch.setattr("anachron.progress._OFTEN", 0.01)
    with heard(None, "audit") as tell:
        tell("reading", 0.2)
        cell.wait(2)  # it is drawn again while a step takes long
        tell("writing", 0.7)
        cell.wait(4)
    said = [state.split(",")[0] for state in cell.states]
    assert list(dict.fromkeys(said)) == [" 20% reading", " 70% writing", "100% audit done"]
    assert capfd.readouterr() == ("", "")


def test_a_notebook_shows_nothing_of_what_is_quick_unless_asked(cell: Cell) -> None:
    for progress in (None, False):
        with heard(progress, "audit") as tell:
            tell("reading", 0.2)
    assert not cell.states
    with heard(True, "audit") as tell:
        tell("reading", 0.2)
    assert cell.states[-1].startswith("100% audit done")


def test_a_notebook_says_where_work_stopped(cell: Cell) -> None:
    def fail() -> None:
        with heard(True, "audit") as tell:
            tell("reading <it>", 0.2)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert cell.states[-1].startswith(" 20% stopped: reading <it>")


def test_ipython_without_a_kernel_is_no_notebook(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert in_notebook()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: SimpleNamespace())
    assert not in_notebook()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert not in_notebook()
