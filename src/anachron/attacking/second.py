"""Publish records as somebody else would: the same parameters, another ledger, other companions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Floats, distinct
from anachron.attacking.known import Known
from anachron.behind import Members
from anachron.errors import InternalError
from anachron.placing.settling import nth
from anachron.registry import METHODS

__all__ = ["again", "events", "feed", "left_after_suppression", "register"]

_KEY = 32


def again(
    known: Known, members: Members, taken: Array, person: Array, rng: np.random.Generator
) -> Array:
    """Group records anew: of each of ``taken`` its group, -1 if it is not published.

    ``person`` tells who they are; some are taken more than once, as different people.
    """
    part = METHODS[known.promise["method"]].regroup
    if part is None:
        raise InternalError("Nobody knows how others would publish such a table.")
    make: Callable[..., Array] = part.load()
    return make(known, members, taken, person, rng)


def events(
    known: Known, members: Members, taken: Array, person: Array, _rng: np.random.Generator
) -> Array:
    """The same cells; those with fewer than k people are left out."""
    group = members.group[taken]
    pair = distinct(group * (int(person.max()) + 1) + person) // (int(person.max()) + 1)
    people = np.bincount(pair, minlength=members.groups)
    return np.where(people[group] >= int(known.promise["k"]), group, -1)


def register(
    known: Known, members: Members, taken: Array, _person: Array, rng: np.random.Generator
) -> Array:
    """The first release of a history of its own."""
    from anachron.engines.base import ROW
    from anachron.engines.local.rows import LocalRows
    from anachron.methods.invariance.known import recalled
    from anachron.methods.invariance.lots import KeyedLots
    from anachron.methods.invariance.memory import Memory
    from anachron.methods.invariance.plan import plan
    from anachron.methods.invariance.rule import Rule, Snapshot

    value = members.sensitive[0]
    people = {
        ROW: np.arange(len(taken)),
        "who": rng.integers(0, 256, (len(taken), _KEY), dtype=np.uint8),
        "value": value.code[taken],
        "quasi": _quasi(members, taken),
    }
    snapshot = Snapshot(recalled(LocalRows.of(people), Memory()), tells_changes=False)
    rule = Rule(int(known.promise["m"]), value.size, when_ineligible="hold")
    lots = KeyedLots(rng.bytes(_KEY), 1)
    return plan(snapshot, Memory(), rule, lots).group


def feed(
    known: Known, members: Members, taken: Array, _person: Array, rng: np.random.Generator
) -> Array:
    """Each snapshot by itself, less what is too frequent in it."""
    from anachron.kernels.anatomy import bucketize
    from anachron.kernels.mondrian import mondrian

    ell = Fraction(str(known.promise["l"]))
    snapshot = members.snapshot[taken]
    value = members.sensitive[0].code[taken]
    kept = left_after_suppression(snapshot, value, ell, rng)
    rows = np.flatnonzero(kept)
    _, at = np.unique(snapshot[rows], return_inverse=True)
    group = np.full(len(taken), -1, dtype=np.int64)
    if known.promise["then"] == "anatomy":
        group[rows] = bucketize(at, value[rows], rng.permutation(len(rows)), ell)
    else:
        group[rows] = mondrian(_quasi(members, taken[rows]), value[rows], ell, at)
    return group


def left_after_suppression(
    snapshot: Array, value: Array, ell: Fraction, rng: np.random.Generator
) -> Flags:
    """Leave out of each snapshot as few records as make it l-eligible, drawn by lot."""
    from anachron.methods.reposition.eligible import level

    width = int(value.max(initial=0)) + 1
    names, at = np.unique(snapshot, return_inverse=True)
    cell = at * width + value
    counts = np.bincount(cell, minlength=len(names) * width).reshape(-1, width)
    most = np.array([level(row, ell) for row in counts], dtype=np.int64)
    order = np.lexsort((rng.random(len(cell)), cell))
    kept = np.zeros(len(cell), dtype=np.bool_)
    kept[order] = nth(cell[order]) < most[at[order]]
    return kept


def _quasi(members: Members, rows: Array) -> Floats:
    """Quasi values by their place among all values, each column from 0 to 1."""
    found = [column.code[rows] / max(column.size - 1, 1) for column in members.quasi]
    return np.stack(found, axis=1).astype(np.float64)
