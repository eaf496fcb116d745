"""A feed is judged alike by a table that is held, and by one of which the rows pass by."""

from __future__ import annotations

import random
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.history import remembered
from anachron.auditing.reading import pieces
from anachron.auditing.run import verify
from anachron.behind import Large, read, read_aside
from anachron.errors import AlreadyPublished, GuaranteeError
from anachron.ledger import Ledger
from anachron.making import conduct
from tests.auditing.feed_draft import SCHEMA, as_table
from tests.auditing.kinds import KINDS, SEEDED
from tests.auditing.seeding import Bug
from tests.daily import daily

BUGS = [(name, bug) for name, bug in SEEDED if name in ("anatomy", "generalize")]


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots are judged one by one."""
    (tmp_path / "aside").mkdir()
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path / "aside"))
    monkeypatch.setattr(pieces, "AT_ONCE", 0)


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        pytest.param(name, bug, marks=() if at % 9 == 4 else pytest.mark.campaign,
                     id=f"{name}: {bug.name}")
        for at, (name, bug) in enumerate(BUGS)
    ],
)  # fmt: skip
@pytest.mark.parametrize("ledger", [True, False])
def test_a_bug_is_told_of_in_the_same_words(
    name: str, bug: Bug, ledger: bool, tmp_path: Path
) -> None:
    kind = KINDS[name]
    bad = kind.spoilt(bug)
    release = kind.write(bad, tmp_path)
    past = kind.past(bad) if ledger else None
    whole = kind.judged(bad, release, ledger=ledger)
    with closing(read_aside(as_table(bad.microdata()), SCHEMA, 3)) as table:
        assert isinstance(table, Large)
        found = verify(release, microdata=table, history=past)
    assert found.to_dict() == whole.to_dict()


WARDS = an.Schema(
    subject="who", time="day", quasi=["age", "ward"], sensitive="ill", spelling="merge"
)


def pushes(rng: random.Random, several: bool) -> list[pa.Table]:
    """Days of a feed, some rows again, some late, and of some people more than one."""
    rows: list[dict[str, Any]] = []
    found = []
    for day in range(6, 18, 3):
        new = [
            {
                "who": f"p{rng.randrange(40 if several else 10**9)}",
                "day": f"2024-05-{max(day - (rng.random() < 0.1) * 4, 6) + rng.randrange(3):02d}",
                "age": rng.randrange(20, 24),
                "ward": rng.randrange(3),
                "ill": rng.choice(["flu"] * 4 + ["gout", "cold", "burn", "acne"]),
            }
            for _ in range(30)
        ]
        again = rng.sample(rows, min(len(rows), 4))
        rows += new
        found.append(pa.Table.from_pylist(new + again))
    return found


@pytest.mark.parametrize("seed", daily([*range(60)], 0, 3, 7))
def test_pushes_are_judged_alike(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what waits, what is listed and who is dropped; and later, with the ledger's account."""
    rng = random.Random(seed)
    repeated = rng.choice(["one", "refuse"])
    promise = an.Reposition(
        l=2,
        window=rng.choice([1, 3]),
        late=rng.choice(["drop", "recycle"]),
        repeated=repeated,
        then=rng.choice(["anatomy", "generalize"]),
    )
    told: list[bool] = []

    def both(release: an.Release, *, microdata: Any, history: Any, **more: Any) -> Any:
        held = verify(release, microdata=microdata, history=history, **more)
        if microdata is not None:
            with closing(read_aside(given[-1], WARDS, 3)) as table:
                assert isinstance(table, Large)
                found = verify(release, microdata=table, history=history, **more)
            assert found.to_dict() == held.to_dict()
            told.append(held.holds)
        return held

    monkeypatch.setattr(conduct, "verify", both)
    plan = an.Plan("t.csv", WARDS, promise, ledger=tmp_path / "l", releases=tmp_path / "r")
    given: list[pa.Table] = []
    for table in pushes(rng, repeated == "one"):
        given.append(table)
        with suppress(AlreadyPublished, GuaranteeError):
            an.open(plan).push(table)
    with suppress(GuaranteeError):
        an.open(plan).flush()
    assert told
    ledger = Ledger.open(tmp_path / "l")
    everything = pa.concat_tables(given)
    for entry in ledger.entries():
        past = remembered(ledger, ledger.entries()[: entry.number])
        verdicts = []
        for how in (read(everything, WARDS), read_aside(everything, WARDS, 3)):
            with closing(how) as rows:
                verdicts.append(verify(an.Release(entry.path), microdata=rows, history=past))
        assert verdicts[0].to_dict() == verdicts[1].to_dict()
