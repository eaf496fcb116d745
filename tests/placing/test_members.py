"""Does everyone stand in the group that published them?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.behind import Members
from anachron.placing.settling import settled
from tests.attacking.knowing import known_of, publish
from tests.flow import registers, series, tables

WITH_COUNTERFEITS = registers.promise(mode="transparent")
"""Whoever leaves is replaced by a counterfeit, and nobody new is refused."""


def texts(members: Members, column: int = 0) -> list[str]:
    values = members.sensitive[column]
    domain = [*values.domain.to_pylist(), None]
    return [domain[code] for code in values.code.tolist()]


def test_events_are_in_the_group_of_their_granule_and_values(tmp_path: Path) -> None:
    promise = an.TimeGranularity(k=2, granularities=["day", "week", "month"])
    release = publish(tmp_path, tables.PAPER, tables.PAPER_SCHEMA, promise)
    known = known_of(tmp_path, release, tables.PAPER, tables.PAPER_SCHEMA)
    members = known.members
    assert members is not None
    published = release.table().to_pylist()
    found = sorted(zip((members.group + 1).tolist(), texts(members), strict=True))
    assert found == sorted((row["group"], row["data"]) for row in published)
    assert members.people == 5
    assert known.value_share is None
    assert known.members is members


def test_a_register_needs_its_ledger_and_tells_counterfeits(tmp_path: Path) -> None:
    quarters = registers.three_quarters()
    for people in quarters:
        release = registers.released(people, tmp_path, WITH_COUNTERFEITS)
    table = registers.as_table(quarters[-1])
    known = known_of(tmp_path, release, table, registers.SCHEMA)
    members = known.members
    assert members is not None
    rows = release.table().to_pylist()
    real = list(zip((members.group + 1).tolist(), texts(members), strict=True))
    fakes = [
        (int(g) + 1, members.sensitive[0].domain[int(v)].as_py())
        for g, v in zip(*members.spare, strict=True)
    ]
    assert fakes
    assert sorted(real + fakes) == sorted((row["group"], row["ill"]) for row in rows)
    assert len(fakes) == release.description["anachron"]["counterfeits"]
    assert known_of(tmp_path, release, table, registers.SCHEMA, ledger=False).members is None


def feed(rows: int = 240, days: int = 6, seed: int = 3) -> pa.Table:
    rng = np.random.default_rng(seed)
    day = rng.integers(0, days, rows)
    ill = np.minimum(rng.geometric(0.3, rows), 6)
    return pa.table(
        {
            "who": [f"p{i:04}" for i in range(rows)],
            "day": [f"2024-05-{d + 6:02}" for d in day.tolist()],
            "age": rng.integers(20, 40, rows),
            "sex": pa.array(["f", "m"]).take(pa.array(rng.integers(0, 2, rows))),
            "ill": [f"ill {i}" for i in ill.tolist()],
        }
    )


FEED = an.Schema(subject="who", time="day", quasi=["age", "sex"], sensitive="ill")


def test_records_of_a_feed_are_in_groups_that_hold_them(tmp_path: Path) -> None:
    table = feed()
    rows = {row["who"]: row for row in table.to_pylist()}
    for then in ("anatomy", "generalize"):
        orders = {} if then == "anatomy" else {"sex": ["f", "m"]}
        promise = an.Reposition(l=3, window=3, then=then, orders=orders)
        root = tmp_path / then
        release = publish(root, table, FEED, promise)
        known = known_of(root, release, table, FEED)
        members = known.members
        assert members is not None
        assert len(members.group) == release.rows
        data = release.table().to_pylist()
        names = known.microdata.subject_values.to_pylist() if known.microdata else []
        for group, person, ill in zip(
            members.group.tolist(), members.person.tolist(), texts(members), strict=True
        ):
            own, held = rows[names[person]], [r for r in data if r["group"] == group + 1]
            assert own["ill"] == ill
            if then == "anatomy":
                assert any(r["age"] == own["age"] and r["sex"] == own["sex"] for r in held)
            else:
                assert held[0]["age_low"] <= own["age"] <= held[0]["age_high"]
        values = release.table("sensitive" if then == "anatomy" else "data").to_pylist()
        wanted = sorted((r["group"], r["ill"]) for r in values for _ in range(r.get("count", 1)))
        found = zip((members.group + 1).tolist(), texts(members), strict=True)
        assert sorted(found) == wanted


def test_snapshots_that_are_registers_are_read_as_such(tmp_path: Path) -> None:
    table = feed(400, 3)
    promise = an.Reposition(window=3, then=an.MInvariance(m=2, orders={"sex": ["f", "m"]}))
    an.publish(table, FEED, promise, ledger=tmp_path / "ledger", to=tmp_path / "releases")
    release = an.Release(tmp_path / "releases" / "0002")
    members = known_of(tmp_path, release, table, FEED).members
    assert members is not None
    fakes = int(release.description["anachron"]["counterfeits"])
    assert len(members.group) == release.rows - fakes
    assert len(members.spare[0]) == fakes


def test_series_are_in_the_subgroup_of_their_pattern(tmp_path: Path) -> None:
    walks = series.walks(60)
    table = series.wide(walks)
    release = series.released(table, tmp_path)
    members = known_of(tmp_path, release, table, series.WIDE).members
    assert members is not None
    rows = release.table().to_pylist()
    kinds = sorted({(r["group"], r["level"], r["pattern"]) for r in rows})
    where = {r["bill"]: kinds.index((r["group"], r["level"], r["pattern"])) for r in rows}
    bills = texts(members)
    assert dict(zip(bills, members.group.tolist(), strict=True)) == where


def test_settling_leaves_everyone_a_place_where_one_is_forced() -> None:
    # Record 0 can go to both slots, record 1 to the first alone.
    slot = settled(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 1]), 2)
    assert slot.tolist() == [1, 0]
    assert settled(np.array([0, 1]), np.array([0, 0]), np.array([1]), 2).tolist() == [0, -1]
