"""Whatever the reader or the engine of the methods gets wrong, the audit sees and refuses.

Each fault is seeded by itself, and each method publishes a small table through it. Either the
release is the one that it would have been, byte for byte and with the same memory, because the
fault has nothing to spoil there; or nothing is published. ``SEEN`` says which: a fault that no
longer spoils anything has become a test that cannot fail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AnachronError
from anachron.ledger import Ledger
from tests.behind.faults import FAULTS, Fault

pytestmark = pytest.mark.usefixtures("one_key")

ZONE = "America/New_York"


@dataclass(frozen=True)
class Method:
    """A method with a table of its own."""

    table: Callable[[], pa.Table]
    schema: an.Schema
    promise: object


def _people(count: int, rows: int, seed: int, gaps: int = 0) -> dict[str, object]:
    """Every so many rows have no age."""
    rng = np.random.default_rng(seed)
    who = np.arange(rows) if rows == count else rng.integers(0, count, rows)
    age = pa.array(rng.integers(20, 90, rows), mask=np.arange(rows) % gaps == 3 if gaps else None)
    ills = np.array(["flu", "gout ", "cold", "burn", "measles", "asthma"])
    return {
        "who": [f"p{n:03d}" for n in who],
        "age": age,
        "ill": rng.choice(ills, rows, p=(0.45, 0.15, 0.1, 0.1, 0.1, 0.1)),
        "note": [None if n % 5 == 0 else f"n{n % 3}" for n in range(rows)],
    }


def _stamped(people: dict[str, object], days: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    rows = len(people["who"])
    day = np.datetime64("2024-03-01") + np.sort(rng.integers(0, days, rows))
    minute = rng.integers(0, 24 * 12, rows) * np.timedelta64(5, "m")
    # Not the hour that the clocks skip.
    at = day.astype("datetime64[us]") + minute
    at = np.where(at.astype("datetime64[h]") == np.datetime64("2024-03-10T02"), day, at)
    return pa.table({**people, "seen": pa.array(at.astype("datetime64[us]"))})


def _events() -> pa.Table:
    return _stamped(_people(300, 1200, 1, gaps=5), 20, 2)


def _register() -> pa.Table:
    return pa.table(_people(80, 80, 3))


def _feed(gaps: int = 0) -> pa.Table:
    return _stamped(_people(140, 140, 4, gaps), 8, 5)


def _walks() -> np.ndarray:
    return np.cumsum(np.random.default_rng(6).normal(size=(60, 6)), axis=1).round(2)


def _wide() -> pa.Table:
    columns = {f"t{i}": pa.array(column) for i, column in enumerate(_walks().T)}
    gap = columns["t3"].to_pylist()
    gap[7] = None
    people = _people(60, 60, 7)
    return pa.table({"who": people["who"], "ill": people["ill"], **columns, "t3": pa.array(gap)})


def _long() -> pa.Table:
    day = np.datetime64("2024-03-04T12:00:00", "us") + np.arange(6) * np.timedelta64(1, "D")
    people = _people(60, 60, 8)
    return pa.table({
        "who": np.repeat(people["who"], 6),
        "ill": np.repeat(people["ill"], 6),
        "seen": pa.array(np.tile(day, 60)),
        "load": _walks().ravel(),
    })  # fmt: skip


_FEED = an.Schema("who", "seen", "age", "ill", time_zone=ZONE)
METHODS = {
    "granularity": Method(
        _events,
        an.Schema("who", "seen", ["age"], ["ill", "note"], time_zone=ZONE),
        an.TimeGranularity(
            k=3, granularities=["day", "week", "month"], ladders={"age": an.Ladder.bins(10, 40)}
        ),
    ),
    "register": Method(
        _register,
        an.Schema("who", quasi="age", sensitive="ill"),
        an.MInvariance(m=2),
    ),
    "anatomy": Method(partial(_feed, gaps=7), _FEED, an.Reposition(l=3, window=2)),
    "intervals": Method(_feed, _FEED, an.Reposition(l=3, window=2, then="generalize")),
    "wide series": Method(
        _wide,
        an.Schema("who", sensitive="ill", series=[f"t{i}" for i in range(6)]),
        an.KPAnonymity(k=6, P=2, gaps="drop", precision="0.1"),
    ),
    "long series": Method(
        _long,
        an.Schema("who", "seen", sensitive="ill", series="load", time_zone=ZONE),
        an.KPAnonymity(k=6, P=2, granularity="day", precision="0.1"),
    ),
}
SAME, RIGHT, AUDIT, EARLIER = "–", "right", "refused", "refused before"
"""As without the fault; otherwise drawn, and right by the table all the same; stopped by the audit;
stopped by the method itself."""


def _published(name: str, folder: Path) -> tuple[an.Release, str]:
    """What is published, and a digest of it and of what is remembered."""
    method = METHODS[name]
    release = an.publish(
        method.table(), method.schema, method.promise,
        ledger=folder / "ledger", to=folder / "releases",
    )  # fmt: skip
    files = sorted(path for path in (folder / "releases").rglob("*") if path.is_file())
    ledger = Ledger.open(folder / "ledger")
    states = [ledger.state(entry).table().to_pydict() for entry in ledger.entries()]
    content = b"".join(path.read_bytes() for path in files) + repr(states).encode()
    return release, hashlib.sha256(content).hexdigest()


@cache
def _without_fault(name: str) -> str:
    with TemporaryDirectory() as folder:
        return _published(name, Path(folder))[1]


REJECTED = ("the audit rejects the release", "another to the one that judges")
"""What is said of it: in the second case the audit, asked why, has found another table."""


def _outcome(fault: Fault, name: str, folder: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        fault.seed(patch)
        try:
            release, found = _published(name, folder)
        except (AnachronError, ValueError) as error:
            assert not list((folder / "releases").glob("[0-9]*")), "nothing was to be published"
            return AUDIT if any(words in str(error) for words in REJECTED) else EARLIER
    if found == _without_fault(name):
        return SAME
    method = METHODS[name]
    verdict = an.audit(
        release, table=method.table(), schema=method.schema, ledger=folder / "ledger"
    )
    assert verdict.holds, "something wrong was published, and nobody noticed"
    return RIGHT


SEEN = {
    "every row is another person": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "two people are one": (AUDIT, EARLIER, EARLIER, EARLIER, EARLIER, EARLIER),
    "one person is two": (AUDIT, AUDIT, RIGHT, SAME, AUDIT, EARLIER),
    "two people stand in each other's rows": (SAME, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "names are those of the next row": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "names lose their end": (AUDIT, EARLIER, EARLIER, EARLIER, EARLIER, EARLIER),
    "names get a letter more": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, AUDIT),
    "times are an hour later": (AUDIT, SAME, AUDIT, AUDIT, SAME, SAME),
    "times are a day later": (EARLIER, SAME, AUDIT, AUDIT, SAME, AUDIT),
    "times are a year later": (EARLIER, SAME, AUDIT, AUDIT, SAME, AUDIT),
    "times are those of the next row": (AUDIT, SAME, AUDIT, AUDIT, SAME, AUDIT),
    "clocks are read as UTC": (AUDIT, SAME, AUDIT, AUDIT, SAME, SAME),
    "the last row is lost": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "every tenth row is lost": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "the first row is there twice": (AUDIT, EARLIER, EARLIER, EARLIER, EARLIER, EARLIER),
    "two values stand in each other's rows": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "values are those of the next row": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, EARLIER),
    "values lose blanks": (AUDIT, RIGHT, AUDIT, AUDIT, RIGHT, RIGHT),
    "values lose their end": (AUDIT, AUDIT, AUDIT, AUDIT, AUDIT, AUDIT),
    "missing values are empty texts": (AUDIT, SAME, SAME, SAME, SAME, SAME),
    "numbers are one more": (AUDIT, AUDIT, AUDIT, AUDIT, SAME, SAME),
    "numbers are rounded": (SAME, AUDIT, AUDIT, AUDIT, SAME, SAME),
    "numbers are those of the next row": (AUDIT, AUDIT, AUDIT, AUDIT, SAME, SAME),
    "missing numbers are zeros": (AUDIT, SAME, AUDIT, SAME, SAME, SAME),
    "codes are those of the next row": (AUDIT, AUDIT, AUDIT, RIGHT, SAME, SAME),
    "values are in the wrong order": (RIGHT, AUDIT, AUDIT, AUDIT, SAME, SAME),
    "two times of a series are exchanged": (SAME, SAME, SAME, SAME, AUDIT, SAME),
    "values of a series are those of the next row": (SAME, SAME, SAME, SAME, AUDIT, AUDIT),
    "values of a series are whole": (SAME, SAME, SAME, SAME, AUDIT, AUDIT),
    "gaps of a series are zeros": (SAME, SAME, SAME, SAME, AUDIT, SAME),
    "hashes of rows are cut to a byte": (SAME, SAME, AUDIT, AUDIT, SAME, SAME),
    "hashes of rows are all alike": (SAME, SAME, AUDIT, AUDIT, SAME, SAME),
    "digests of people are cut to a byte": (AUDIT, EARLIER, SAME, SAME, EARLIER, EARLIER),
}  # fmt: skip
"""What comes of each fault: in the order of the methods."""


def _assert_outcomes(fault: Fault, folder: Path, said: dict[str, str]) -> None:
    assert {name: _outcome(fault, name, folder / name) for name in said} == said


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_misread_table_is_not_published(fault: Fault, tmp_path: Path) -> None:
    outcomes = zip(METHODS, SEEN[fault.name], strict=True)
    _assert_outcomes(fault, tmp_path, {name: seen for name, seen in outcomes if seen != SAME})


@pytest.mark.campaign
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_where_a_fault_has_nothing_to_spoil(fault: Fault, tmp_path: Path) -> None:
    outcomes = zip(METHODS, SEEN[fault.name], strict=True)
    _assert_outcomes(fault, tmp_path, {name: seen for name, seen in outcomes if seen == SAME})


def test_every_fault_is_seen_by_some_audit() -> None:
    assert set(SEEN) == {fault.name for fault in FAULTS}
    unseen = [name for name, outcomes in SEEN.items() if AUDIT not in outcomes]
    assert not unseen
    for place, name in enumerate(METHODS):
        assert sum(outcomes[place] == AUDIT for outcomes in SEEN.values()) >= 7, name
