"""What is remembered after a release, against dictionaries, however the rows come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from anachron.errors import InternalError
from anachron.methods.invariance.memory import PEOPLE, Memory, StandingGroups, column_of
from anachron.methods.invariance.plan import Figures, Plan, PlannedGroups
from anachron.methods.invariance.remember import from_state, to_state
from anachron.streamed import Streamed
from tests.engines.pieces import Pieces

SIGNATURES = ((0, 1), (2, 3), (4, 5), (0, 2))
MARKS = np.arange(6 * 32, dtype=np.uint8).reshape(6, 32)
NUMBER = np.array([2, 0, 3, 1])
Person = tuple[bytes, int, list[int], int | None, int | None]


def digest(person: int) -> bytes:
    """Some end in zeros, which are bytes like others."""
    found = hashlib.sha256(str(person).encode()).digest()
    return found if person % 3 else found[:30] + bytes(2)


def streamed(people: dict[bytes, Person], rng: np.random.Generator) -> Streamed:
    """In batches of any size, some without rows, beside a column of others."""
    rows = [(who, *people[who]) for who in sorted(people)]
    columns = [pa.array([row[n] for row in rows], f.type) for n, f in enumerate(PEOPLE)]
    table = pa.table([*columns, pa.nulls(len(rows), pa.int64())], [*PEOPLE.names, "home"])
    ends = sorted(rng.integers(0, len(rows) + 1, rng.integers(0, 9)).tolist())

    def batches() -> Iterator[pa.RecordBatch]:
        for begin, end in zip([0, *ends], [*ends, len(rows)], strict=True):
            part = table.slice(begin, end - begin).combine_chunks()
            yield from part.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]

    return Streamed(table.schema, len(rows), batches)


@pytest.mark.parametrize("seed", range(60))
def test_everyone_is_remembered_once_with_all_that_was(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sticky = seed % 2 == 1
    known, here = (rng.choice(60, rng.choice([0, 1, 20, 50]), replace=False) for _ in range(2))
    before: dict[bytes, Person] = {}
    for person in known.tolist():
        signature, *earlier = rng.permutation(4)[: rng.integers(1, 4)].tolist()
        group = None if rng.random() < 0.5 else int(rng.integers(1, 9))
        stood = int(rng.integers(0, 3)) if sticky else None
        before[digest(person)] = MARKS[rng.integers(6)].tobytes(), signature, earlier, group, stood
    present = here.tolist()
    value, group = (rng.integers(0, most, len(present)) for most in (6, 4))
    left_out = rng.random(len(present)) < 0.2
    group[left_out] = -1
    old = np.array([digest(person) in before for person in present], dtype=bool)
    who = np.frombuffer(b"".join(map(digest, present)), dtype=np.uint8).reshape(-1, 32)
    stands = np.array([7, 8, 9, 10])
    box = np.zeros((4, 1))
    standing = StandingGroups(np.arange(4), box, box + 1) if sticky else None
    groups = PlannedGroups(
        np.arange(4), np.zeros(4, dtype=np.int64), box, box, stands if sticky else None
    )
    figures = Figures(
        int(old.sum()), int((~old).sum()), 0, 0, 0,
        int((left_out & ~old).sum()), int((left_out & old).sum()),
    )  # fmt: skip
    rows = Pieces.of({"who": who, "value": value, "group": group})
    planned = Plan(rows, groups, SIGNATURES, standing, figures)  # type: ignore[arg-type]
    values = [f"v{n}" for n in range(6)]
    memory = Memory(SIGNATURES, streamed(before, rng), standing)
    schema, batches = to_state(memory, planned, standing, NUMBER, (values, MARKS))
    state = Streamed.of(pa.Table.from_batches(batches, schema))

    expected = {w: (v, s, e, None, g) for w, (v, s, e, _, g) in before.items()}
    for person, code, of in zip(present, value.tolist(), group.tolist(), strict=True):
        if of >= 0:
            _, latest, earlier, *_ = before.get(digest(person), (b"", of, [], None, None))
            if latest != of:
                earlier = [*(s for s in earlier if s not in (latest, of)), latest]
            stood = int(stands[of]) if sticky else None
            expected[digest(person)] = (
                MARKS[code].tobytes(),
                of,
                earlier,
                int(NUMBER[of]) + 1,
                stood,
            )
    for _ in range(2):  # as often as it is asked for
        found = state.table().to_pylist()
        assert [tuple(row.values()) for row in found] == [
            (w, *expected[w]) for w in sorted(expected)
        ]
    assert state.rows == len(expected)
    again, said = from_state(state)
    assert said == values
    assert again.signatures == SIGNATURES
    assert (again.standing is not None) == sticky
    everyone = np.frombuffer(b"".join(expected), dtype=np.uint8).reshape(-1, 32)
    told = again.histories(everyone[rng.permutation(len(everyone))])
    assert told == {w: tuple(row[2]) for w, row in expected.items() if row[2]}
    assert column_of(everyone).to_pylist() == list(expected)


def test_who_is_counted_and_does_not_come_is_missed() -> None:
    groups = PlannedGroups(*[np.zeros(1, dtype=np.int64)] * 2, *[np.zeros((1, 1))] * 2)
    who = np.zeros((2, 32), dtype=np.uint8)
    who[1] = 1
    rows = Pieces.of({"who": who, "value": np.zeros(2, np.int64), "group": np.zeros(2, np.int64)})
    planned = Plan(rows, groups, SIGNATURES, None, Figures(0, 3, 0, 0, 0, 0, 0))  # type: ignore[arg-type]
    _, batches = to_state(Memory(), planned, None, NUMBER, (["a"], MARKS))
    with pytest.raises(InternalError, match="2 people would be remembered, and there are 3"):
        list(batches)
