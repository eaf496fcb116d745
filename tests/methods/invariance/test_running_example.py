"""The paper's running example: Table 1b was published, Table 2a is next, m = 2."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.memory import Memory
from anachron.methods.invariance.rule import Rule
from tests.oracle.snapshots import Held, Plan, Snapshot, plan

DISEASES = ("bronchitis", "dyspepsia", "flu", "gastritis")

TABLE_1A = {
    "Bob": (21, 12_000, "dyspepsia"), "Alice": (22, 14_000, "bronchitis"),
    "Andy": (24, 18_000, "flu"), "David": (23, 25_000, "gastritis"),
    "Gary": (41, 20_000, "flu"), "Helen": (36, 27_000, "gastritis"),
    "Jane": (37, 33_000, "dyspepsia"), "Ken": (40, 35_000, "flu"),
    "Linda": (43, 26_000, "gastritis"), "Paul": (52, 33_000, "dyspepsia"),
    "Steve": (56, 34_000, "gastritis"),
}  # fmt: skip

GROUPS_OF_TABLE_1B = (
    ("Bob", "Alice"), ("Andy", "David"), ("Gary", "Helen"), ("Jane", "Ken", "Linda"),
    ("Paul", "Steve"),
)  # fmt: skip

TABLE_2A = {
    "Bob": (21, 12_000, "dyspepsia"), "David": (23, 25_000, "gastritis"),
    "Emily": (25, 21_000, "flu"), "Jane": (37, 33_000, "dyspepsia"),
    "Linda": (43, 26_000, "gastritis"), "Gary": (41, 20_000, "flu"),
    "Mary": (46, 30_000, "gastritis"), "Ray": (54, 31_000, "dyspepsia"),
    "Steve": (56, 34_000, "gastritis"), "Tom": (60, 44_000, "gastritis"),
    "Vince": (65, 36_000, "flu"),
}  # fmt: skip

# Table 3a and 3b: the people of a group, its diseases, its counterfeits, its ages and zip codes.
# Bob's intervals are before they are widened to a minimum length.
TABLE_3 = {
    ("Bob",): ({"dyspepsia", "bronchitis"}, 1, [21, 12_000], [21, 12_000]),
    ("David", "Emily"): ({"gastritis", "flu"}, 0, [23, 21_000], [25, 25_000]),
    ("Jane", "Linda"): ({"dyspepsia", "flu", "gastritis"}, 1, [37, 26_000], [43, 33_000]),
    ("Gary", "Mary"): ({"flu", "gastritis"}, 0, [41, 20_000], [46, 30_000]),
    ("Ray", "Steve"): ({"dyspepsia", "gastritis"}, 0, [54, 31_000], [56, 34_000]),
    ("Tom", "Vince"): ({"gastritis", "flu"}, 0, [60, 36_000], [65, 44_000]),
}


def pseudonym(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def snapshot(table: dict[str, tuple[int, int, str]], order: np.ndarray | None = None) -> Snapshot:
    names = list(table) if order is None else [list(table)[i] for i in order]
    text = b"".join(map(pseudonym, names))
    return Snapshot(
        np.frombuffer(text, dtype=np.uint8).reshape(-1, 32),
        np.array([DISEASES.index(table[name][2]) for name in names]),
        np.array([table[name][:2] for name in names], dtype=float),
    )


def table_1b() -> Held:
    """What is remembered of Table 1b. It is no output of Assign, so it is put in by hand."""
    signatures, latest = [], {}
    for group in GROUPS_OF_TABLE_1B:
        signature = tuple(sorted(DISEASES.index(TABLE_1A[name][2]) for name in group))
        if signature not in signatures:
            signatures.append(signature)
        latest.update({pseudonym(name): signatures.index(signature) for name in group})
    known = sorted(latest)
    subjects = np.frombuffer(b"".join(known), dtype=np.uint8).reshape(-1, 32)
    return Held.of(tuple(signatures), subjects, np.array([latest[who] for who in known]))


def as_table_3(made: Plan, names: list[str]) -> dict[tuple[str, ...], tuple[object, ...]]:
    found = {}
    for g in range(len(made.groups.signature)):
        people = tuple(sorted(names[row] for row in np.flatnonzero(made.group == g)))
        signature = made.memory.signatures[made.groups.signature[g]]
        found[people] = (
            {DISEASES[value] for value in signature},
            int(made.groups.counterfeits[g]),
            made.groups.low[g].tolist(),
            made.groups.high[g].tolist(),
        )
    return found


@pytest.mark.parametrize("balance", ["exact", "paper"])
@pytest.mark.parametrize(
    "domain", [None, ((0, 0), (100, 100_000)), ((18, 10_000), (70, 50_000))], ids=str
)
def test_table_3_is_published(balance: str, domain: tuple[tuple[int, ...], ...] | None) -> None:
    low, high = domain or (None, None)
    rule = Rule(2, 4, balance=balance, low=low, high=high)
    for release in range(2, 12):  # whatever the draw
        made = plan(snapshot(TABLE_2A), table_1b(), rule, KeyedLots(b"key", release))
        assert as_table_3(made, list(TABLE_2A)) == TABLE_3
        assert made.figures.counterfeits == 2
        assert made.figures.filled == 1
        assert made.figures.known == 6
        assert made.figures.new == 5


def test_transparent_mode_never_moves_ray() -> None:
    made = plan(snapshot(TABLE_2A), table_1b(), Rule(2, 4, mode="transparent"), KeyedLots(b"k", 2))
    found = as_table_3(made, list(TABLE_2A))
    assert ("Steve",) in found
    assert made.figures.filled == 0
    assert made.figures.counterfeits >= 3


def test_the_order_of_the_rows_does_not_matter() -> None:
    order = np.random.default_rng(1).permutation(len(TABLE_2A))
    rule, lots = Rule(2, 4), KeyedLots(b"key", 2)
    made = plan(snapshot(TABLE_2A), table_1b(), rule, lots)
    again = plan(snapshot(TABLE_2A, order), table_1b(), rule, lots)
    assert (made.group[order] == again.group).all()
    assert (made.signature[order] == again.signature).all()
    assert (made.memory.subjects == again.memory.subjects).all()
    assert (made.memory.latest == again.memory.latest).all()


def test_who_was_published_is_remembered_and_so_is_who_left() -> None:
    made = plan(snapshot(TABLE_2A), table_1b(), Rule(2, 4), KeyedLots(b"key", 2))
    memory = made.memory
    found = {
        who.tobytes(): memory.signatures[s]
        for who, s in zip(memory.subjects, memory.latest, strict=True)
    }
    assert len(found) == len(TABLE_1A.keys() | TABLE_2A.keys())
    assert found[pseudonym("Alice")] == (0, 1)
    assert found[pseudonym("Ray")] == (1, 3)
    assert found[pseudonym("Vince")] == (2, 3)
    assert list(found) == sorted(found)


def test_a_returner_has_the_old_signature() -> None:
    made = plan(snapshot(TABLE_2A), table_1b(), Rule(2, 4), KeyedLots(b"key", 2))
    back = {"Alice": TABLE_1A["Alice"], "Bob": TABLE_1A["Bob"], "Ken": TABLE_1A["Ken"]}
    third = plan(snapshot(back), made.memory, Rule(2, 4), KeyedLots(b"key", 3))
    assert [third.memory.signatures[s] for s in third.signature] == [(0, 1), (0, 1), (1, 2, 3)]


def test_the_first_release_of_table_1a() -> None:
    """Assign makes two {dysp, gast}, two {flu, gast} and {bron, dysp, flu} of Table 1a."""
    made = plan(snapshot(TABLE_1A), Memory(), Rule(2, 4), KeyedLots(b"key", 1))
    signatures = [made.memory.signatures[s] for s in made.groups.signature]
    assert made.figures.counterfeits == 0
    assert sorted(map(len, signatures)) == [2, 2, 2, 2, 3]
