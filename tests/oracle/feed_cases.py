"""Whole feeds as people make them: a few snapshots, late records, returns, and everything twice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

import anachron as an

LETTERS = "abcdef"
DECLARED = tuple("abcdefgh")
"""Enough for m = 3: whatever a value becomes, there is a set for it."""
MODES = ("paper", "transparent", "sticky")


class Row(NamedTuple):
    """A record. No two have the same age, so that who sees it knows which it is."""

    who: int
    day: int
    age: int
    value: str


Move = tuple[Row, ...]
"""The rows of a push, also some that were pushed before; none: the feed ends."""


@dataclass(frozen=True)
class Case:
    """A promise, and what happens."""

    promise: an.Reposition
    moves: tuple[Move, ...]


def draw(rng: np.random.Generator) -> Case:
    """A feed of up to eight days, pushed by one day or several."""
    promise = draw_promise(rng)
    returning = rng.random() < 0.5
    letters = LETTERS[: int(rng.choice([2, 3, 4, 5, 6, 6]))]
    share = rng.dirichlet(np.full(len(letters), 1.5))
    rows: list[Row] = []

    def comes(day: int) -> Row:
        who = int(rng.integers(6)) if returning and rng.random() < 0.6 else 100 + len(rows)
        row = Row(who, day, len(rows), str(rng.choice(list(letters), p=share)))
        rows.append(row)
        return row

    moves: list[Move] = []
    day, last = 0, int(rng.integers(2, 9))
    while day < last:
        until = day + int(rng.choice([1, 1, 1, 2, 3]))
        pushed = [comes(at) for at in range(day, until) for _ in range(_size(rng, at == day == 0))]
        if day and rng.random() < 0.35:
            pushed += [comes(int(rng.integers(max(day - 5, 0), day))) for _ in range(2)]
        if promise.repeated == "refuse" and rng.random() < 0.8:
            pushed = _one_each(pushed)
        if pushed:
            moves.append(tuple(pushed))
        day = until
    if rng.random() < 0.9:
        moves.append(())
    return Case(_careful_or_not(promise, moves), tuple(moves))


def _careful_or_not(promise: an.Reposition, moves: list[Move]) -> an.Reposition:
    """Half of those that can be are; it takes no draw, so that older cases stay what they were."""
    careful = isinstance(promise.then, str) and sum(map(len, moves)) % 2 == 1
    return an.Reposition.from_dict({**promise.to_dict(), "careful": careful})


def draw_promise(rng: np.random.Generator) -> an.Reposition:
    window = int(rng.choice([1, 2, 3, 3, 4, 5, 9]))
    mode = str(rng.choice(["anatomy", "generalize", *MODES]))
    then: str | an.MInvariance = mode
    ell = Fraction(str(rng.choice(["2", "3", "3/2", "5/2", "7/3"])))
    if mode in MODES:
        ell = Fraction(ceil(ell))
        # Only the paper's mode may leave out who is known; the others have a set for everybody.
        paper = mode == "paper"
        then = an.MInvariance(
            m=int(ell),
            mode=mode,
            when_ineligible="hold" if paper else "refuse",
            values=() if paper else DECLARED,
        )
    beta = {"a": "7/2", "*": 3} if rng.random() < 0.2 else None
    return an.Reposition(
        l=str(ell),
        window=window,
        solver="rolling" if rng.random() < 0.2 else "recycle",
        first="exact" if rng.random() < 0.3 else "cold",
        mu=str(rng.choice(["linear", "quadratic"])),
        beta=beta,
        late=str(rng.choice(["refuse", "recycle", "recycle", "drop"])),
        repeated=str(rng.choice(["refuse", "one"])),
        then=then,
    )


def _size(rng: np.random.Generator, is_first: bool) -> int:
    return max(int(rng.integers(1, 8)) if rng.random() < 0.8 else 0, int(is_first))


def _one_each(rows: list[Row]) -> list[Row]:
    """Nobody twice on a day."""
    return list({(row.who, row.day): row for row in rows}.values())
