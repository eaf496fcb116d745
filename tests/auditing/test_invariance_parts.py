"""Small parts of the audit of a register, against slow and obvious ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pyarrow as pa
import pytest

from anachron.auditing.evidence.lifespans import (
    Narrowed,
    Sighting,
    candidates_left,
    leaves_candidates,
    narrow,
)
from anachron.auditing.evidence.register import Book, RegisterState, found_in, register_state
from anachron.auditing.reading.form import Interval
from anachron.auditing.reading.intervals import code_ranges, off_grid
from tests.auditing.invariance_story import second


def grid(width: str) -> Interval:
    return Interval("x", Fraction(width), None)


def test_whole_numbers_end_before_the_next_multiple() -> None:
    low = np.array([0, -10, 5, 0, 1, 0, 10], dtype=np.int64)
    high = np.array([4, -1, 9, 5, 4, -1, 4], dtype=np.int64)
    wrong = [False, False, False, True, True, True, True]
    assert off_grid(grid("5"), low, high).tolist() == wrong
    assert off_grid(grid("0.5"), low, high).all()
    assert off_grid(grid("1e30"), low, high).all()


@pytest.mark.parametrize("width", ["0.1", "0.7", "1/3", "1e-9", "12345.678", "1e300"])
def test_fractions_are_the_nearest_to_a_multiple(width: str) -> None:
    exact = Fraction(width)
    steps = [-999_999, -7, -1, 0, 1, 3, 6, 12, 123_457]
    right = np.array([float(step * exact) for step in steps])
    beyond = np.array([float((step + 1) * exact) for step in steps])
    assert not off_grid(grid(width), right, beyond).any()
    assert off_grid(grid(width), np.nextafter(right, np.inf)[4:], beyond[4:]).all()
    assert off_grid(grid(width), right, right).all()
    nothing = np.full(len(steps), np.nan)
    assert off_grid(grid(width), right, nothing).all()
    assert off_grid(grid(width), right, np.full(len(steps), np.inf)).all()


@pytest.mark.parametrize(
    "kind", [pa.int64(), pa.int8(), pa.uint64(), pa.decimal128(30, 2), pa.float64()]
)
def test_intervals_hold_what_lies_between_their_bounds(kind: pa.DataType) -> None:
    values = pa.array([3, 7, 1, None, 9, 3], pa.int64()).cast(kind)
    low, high = np.array([0, 3, 4, 9]), np.array([3, 3, 8, 20])
    bounds = (low.astype(float), high.astype(float)) if kind == pa.float64() else (low, high)
    rank, first, last = code_ranges(grid("1"), values, *bounds)
    for value, at in zip([3, 7, 1, None, 9, 3], rank.tolist(), strict=True):
        held = [at >= 0 and first[i] <= at <= last[i] for i in range(4)]
        assert held == [value is not None and low[i] <= value <= high[i] for i in range(4)]


def test_large_whole_numbers_are_not_rounded() -> None:
    huge = 2**60
    values = pa.array([huge, huge + 1, huge + 2])
    rank, first, last = code_ranges(grid("1"), values, np.array([huge + 1]), np.array([huge + 1]))
    assert [bool(first[0] <= at <= last[0]) for at in rank.tolist()] == [False, True, False]


def test_ordered_texts_are_held_by_their_place() -> None:
    order = Interval("x", None, ("north", "middle", "south"))
    values = pa.array(["south", "north", "abroad", None, "middle"])
    rank, _, _ = code_ranges(order, values, np.array([0]), np.array([1]))
    assert rank.tolist() == [2, 0, -1, -1, 1]


def test_changes_leave_candidates_as_all_matchings_say() -> None:
    rng = np.random.default_rng(3)
    answers = set()
    for _ in range(400):
        old = frozenset(range(int(rng.integers(2, 5))))
        new = frozenset(range(10, 10 + int(rng.integers(2, 5))))
        changes = {a: frozenset(b for b in new if rng.random() < 0.5) for a in old}
        for m in (2, 3):
            found = leaves_candidates(old, new, m, changes)
            assert found == slow(old, new, m, changes)
            answers.add(found)
    assert answers == {True, False}


def slow(
    old: frozenset[int], new: frozenset[int], m: int, changes: dict[int, frozenset[int]]
) -> bool:
    """Every old value is in a matching of m changes, and every new one in a change."""
    if any(all(b not in changes[a] for a in old) for b in new):
        return False
    used: set[int] = set()
    for some in combinations(sorted(old), m):
        for others in permutations(sorted(new), m):
            if all(b in changes[a] for a, b in zip(some, others, strict=True)):
                used |= set(some)
    return used == old


def seen(book: Book, values: str, mark: int = 0) -> Sighting:
    """A release in which one person was published among these values."""
    signature = np.array([book.signature(map(book.text, values))])
    none = np.zeros(0, dtype=np.int64)
    one = np.ones(1, dtype=np.int64)
    subject = pa.array([b"p" * 32], pa.binary(32))
    return Sighting(RegisterState(subject, mark * one, signature, none, none, one, -one), signature)


def left(*releases: tuple[str, int]) -> tuple[int, int]:
    book, sets = Book(), Narrowed()
    *past, now = [seen(book, values, mark) for values, mark in releases]
    for earlier in past:
        place = found_in(earlier.state.subject, now.state.subject)
        narrow(sets, now, earlier, place, book)
    found = candidates_left(now, sets, 2, book)
    return found.smallest, found.vulnerable


def test_candidate_sets_are_intersected_over_all_releases() -> None:
    assert left(("abc", 0)) == (3, 0)
    assert left(("abc", 0), ("bcd", 0)) == (2, 0)
    # Any two of them share two values, all three only one.
    assert left(("abc", 0), ("bcd", 0), ("cda", 0)) == (1, 1)
    assert left(("cda", 0), ("abc", 0), ("bcd", 0)) == (1, 1)


def test_releases_with_different_values_are_not_laid_together() -> None:
    assert left(("ab", 0), ("cd", 1)) == (2, 0)
    assert left(("ab", 0), ("cd", 1), ("ab", 0)) == (2, 0)
    assert left(("ab", 0), ("cd", 1), ("ae", 0)) == (1, 1)
    assert left(("ab", 0), ("ac", 0), ("de", 1))[1] == 1


def test_a_state_is_read_with_suspicion() -> None:
    good = second().state_table()
    signature, earlier = good["signature"].to_pylist(), good["earlier"].to_pylist()

    def without(name: str) -> pa.Table:
        return good.drop_columns([name])

    def spoilt(name: str, values: list[object]) -> pa.Table:
        at = good.schema.get_field_index(name)
        return good.set_column(at, good.field(name), pa.array(values, good.field(name).type))

    assert register_state(good, Book()) is not None
    for bad in (
        good.take(list(range(len(good)))[::-1]),
        pa.concat_tables([good.slice(0, 1), good]),
        good.replace_schema_metadata(None),
        good.replace_schema_metadata({b"anachron": b"{"}),
        without("earlier"),
        spoilt("signature", [-1, *signature[1:]]),
        spoilt("signature", [99, *signature[1:]]),
        spoilt("signature", [None, *signature[1:]]),
        spoilt("earlier", [[-1], *earlier[1:]]),
        spoilt("group", [-1] * len(good)),
    ):
        assert register_state(bad, Book()) is None
