"""Rule out what cannot be: people and values that do not go together.

A group of two men and a woman has the values asthma, burn and ovarian cancer. Everybody knows whose
the last one is; and then each man has two values left instead of three. Counterfeits are no
better: a counterfeit with ovarian cancer in a group of men is seen to be one, and so tells that
the others are real. Whoever knows such things works out, group by group, all ways to give
everyone a possible value.

Which combinations cannot be is for you to say, in a table: some quasi columns and the sensitive
one. For each group all ways are worked out exactly, and people are counted who are left with fewer
values than were promised to those without such knowledge. No guarantee covers it. Choose categories
of the sensitive column that everyone could have, or publish those for whom a value is impossible
as a register of their own.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from anachron.arrays import Array, Flags, distinct
from anachron.attacking.finding import Finding
from anachron.attacking.impossible import ruled_out_by
from anachron.attacking.known import Known
from anachron.behind import Members

__all__ = ["NEEDS", "attack", "possible_values", "values_possible"]

NEEDS = "a table of impossible combinations (--impossible), the table and the ledger"


def attack(known: Known) -> Finding | None:
    """Work out which values remain possible in each group of the release."""
    members = None if known.impossible is None else known.members
    if members is None or known.value_share is None or known.impossible is None:
        return None
    bound = known.fewest_values
    who, value, against = _pairs(
        members, ruled_out_by(known.impossible, members.quasi, members.sensitive[0])
    )
    left = values_possible(members, who, value)
    below = left < bound
    exposed = len(distinct(members.person[below]))
    return Finding(
        attack="plausibility",
        title="What cannot be",
        knows="who is in which group, exact quasi values, and which combinations cannot be",
        exposed=exposed,
        people=members.people,
        promised="nothing against who knows that a value is impossible",
        measured=f"{exposed:,} people with fewer than {bound} possible values"
        if exposed
        else f"at least {bound} possible values for everyone",
        holds=None,
        figures={
            "combinations": known.impossible.num_rows,
            "concerned": len(distinct(members.person[who])),
            "below_bound": exposed,
            "certain": len(distinct(members.person[left == 1])),
            "smallest": int(left.min(initial=np.iinfo(np.int64).max)) if len(left) else 0,
            "contradicted": against,
        },
        about="Works out, group by group, all ways to give everyone a value that is possible.",
    )


def _pairs(members: Members, found: list[tuple[Array, int]]) -> tuple[Array, Array, int]:
    """Records and values that do not go together; and how many records really have theirs."""
    none = np.zeros(0, dtype=np.int64)
    who = np.concatenate([none, *(rows for rows, _ in found)])
    value = np.concatenate([none, *(np.full(len(rows), code) for rows, code in found)])
    real = members.sensitive[0].code[who] == value
    return who[~real], value[~real], int(real.sum())


def values_possible(members: Members, who: Array, value: Array) -> Array:
    """Count the different values that each record can have, ``who`` not having ``value``."""
    code, width = members.shown, members.sensitive[0].size
    group = np.concatenate([members.group, members.spare[0]])
    held = np.concatenate([code, members.spare[1]])
    cells = distinct(group * width + held)
    left = np.bincount(cells // width, minlength=members.groups)[members.group]
    concerned = np.isin(members.group[who] * width + value, cells)
    impossible = distinct(who[concerned] * width + value[concerned])
    touched = distinct(members.group[impossible // width])
    order = np.argsort(group, kind="stable")
    start = np.searchsorted(group[order], touched)
    stop = np.searchsorted(group[order], touched, side="right")
    for first, last in zip(start.tolist(), stop.tolist(), strict=True):
        rows = order[first:last]
        people = rows[rows < len(members.group)]
        allowed = ~np.isin(people[:, None] * width + held[rows], impossible)
        # Where values are candidates, two people may have the same one.
        possible = possible_values(allowed) if members.candidates is None else allowed
        left[people] = _different(possible, held[rows])
    return left


def _different(possible: Flags, held: Array) -> Array:
    """How many different values each person's possible rows have."""
    values = distinct(held)
    has = np.stack([possible[:, held == value].any(axis=1) for value in values], axis=1)
    counted: Array = has.sum(axis=1)
    return counted


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
