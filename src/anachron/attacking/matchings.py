"""Which values can a person of a group have, if everyone must have one that is possible for him?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from anachron.arrays import Flags

__all__ = ["possible_values"]


def possible_values(allowed: Flags) -> Flags:
    """Tell which pairs of a person and a row belong to a way to give everyone a row.

    ``allowed`` says which rows each person can be behind, by itself. There may be more rows than
    people; the rest are counterfeits. If there is no way at all, nothing is possible.

    >>> possible_values(np.array([[True, False], [True, True]])).tolist()
    [[True, False], [False, True]]
    """
    people, rows = allowed.shape
    packed = _possible(people, rows, np.packbits(allowed).tobytes())
    return packed.copy()


@lru_cache(maxsize=4096)
def _possible(people: int, rows: int, packed: bytes) -> Flags:
    bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=people * rows)
    choices = [np.flatnonzero(row).tolist() for row in bits.reshape(people, rows)]
    possible = np.zeros((people, rows), dtype=bool)
    start: dict[int, int] = {}
    if not all(_seated(person, choices, start, set()) for person in range(people)):
        return possible
    for person in range(people):
        for row in choices[person]:
            if not possible[person, row]:
                _mark(person, row, choices, start, possible)
    return possible


def _mark(
    person: int, row: int, choices: list[list[int]], start: dict[int, int], possible: Flags
) -> None:
    """Seat a person at a row, and whoever sat there elsewhere; mark all pairs if that works."""
    seated = {at: who for at, who in start.items() if who != person}
    before = seated.get(row)
    seated[row] = person
    if before is not None and not _seated(before, choices, seated, {row}):
        return
    for at, who in seated.items():
        possible[who, at] = True


def _seated(person: int, choices: list[list[int]], seated: dict[int, int], seen: set[int]) -> bool:
    """Find a row for a person, by sending others elsewhere if need be; ``seen`` rows are taken."""
    for row in choices[person]:
        if row in seen:
            continue
        seen.add(row)
        if row not in seated or _seated(seated[row], choices, seated, seen):
            seated[row] = person
            return True
    return False
