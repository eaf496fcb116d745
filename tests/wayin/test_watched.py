"""A table that is watched: the same counts as by SQL, from numbers that hold no value."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from anachron.database import connected
from anachron.proposing import numbered as room
from anachron.proposing.numbered import numbered
from anachron.proposing.propose import propose
from anachron.proposing.uniqueness import People
from anachron.proposing.watched import watched
from tests.wayin.test_evidence import alone, random_table

SUBJECTS = (("who",), (), ("who", "c0"))


def table(seed: int) -> pa.Table:
    people, columns = random_table(seed)
    rng = np.random.default_rng(seed)
    holes = {
        "text": [None if x < 3 else f"t{x}" for x in rng.integers(0, 9, 60)],
        "share": [None if x == 1 else (-0.0, 0.0, float("nan"), 0.5)[x % 4]
                  for x in rng.integers(0, 9, 60)],
    }  # fmt: skip
    return pa.table({"who": [None if i % 17 == 5 else w for i, w in enumerate(people)],
                     **columns, **holes})  # fmt: skip


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("most", [2**62, 50])
def test_counts_are_those_of_a_database(
    subject: tuple[str, ...], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MOST", most)
    for seed in range(4):
        with connected() as con:
            con.register("t", table(seed))
            slow = People(con, "t", subject, 60)
            names = ["c1", "c2", "c3", "c4", "text", "share"]
            fast = numbered(con, "t", names, subject, 60)
            for size in (1, 2, 4):
                for some in combinations(names, size):
                    assert fast.unique(some) == slow.unique(some), (seed, some)


def test_counts_are_those_of_looking_at_everybody() -> None:
    people, columns = random_table(3)
    named = {"patient": [f"u{who}" for who in people], **columns}
    found = watched(pa.table(named), "granularity", ["patient"])
    for some in combinations(columns, 3):
        assert found.unique(some).people == alone(people, columns, some)
    assert found.unique(()).people == 0


def test_no_value_is_kept() -> None:
    cells = [f"secret {i % 30}" for i in range(90)]
    found = watched(pa.table({"client": [f"K{i % 30}" for i in range(90)], "note": cells}))
    held = [found.numbered.columns[name] for name in ("client", "note")]
    assert all(one.dtype == np.int64 and one.max() <= 90 for one in held)
    assert "secret" not in repr(found)


def test_the_proposal_is_the_same_and_columns_can_be_said_to_stay() -> None:
    visits = pa.table({
        "patient": [f"u{i % 40}" for i in range(120)],
        "day": [f"2024-05-{1 + i % 28:02}" for i in range(120)],
        "age": [20 + i % 40 for i in range(120)],
        "diagnosis": [("flu", "burn", "cold")[i % 3] for i in range(120)],
    })  # fmt: skip
    assert watched(visits).proposal.to_dict() == propose(visits).to_dict()
    said = watched(visits, said={"age": "home"}).proposal.role("age")
    assert (said.name, said.reason) == ("home", "as you said")
