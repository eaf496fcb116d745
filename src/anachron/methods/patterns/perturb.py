"""l-diversity as the paper has it: change repeated sensitive values a little.

Section 5.4 of Shou et al.: in the possible set PS(r) of any subject r no sensitive value may be
that of more than 1/l of the members. Where one is, as many of its holders as needed get a value
at most ε away that nobody else has.

Notes
-----
x = \\|EC\\| − floor(\\|PS\\| / l) values are changed; with the ceiling, 4 of 7 would keep one for
l = 2. A changed value differs from all existing ones and from every other changed one, so it
never repeats, and 1 ≤ \\|PS\\| / l needs l ≤ P. Changes make no value more frequent, so a set that
is diverse remains so, and one pass over all sets is enough.

This hides equal values only: 55, 54.99 and 55.01 are still about the same. See ``diversity`` for
a promise that does not lean on ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from anachron.arrays import Array, Floats
from anachron.errors import GuaranteeError
from anachron.methods.patterns.breach import BLOCK, possible
from anachron.methods.patterns.planned import Planned

__all__ = ["perturb"]

TRIES = 64
GOLDEN = (math.sqrt(5) - 1) / 2


def perturb(
    plan: Planned,
    envelope: tuple[Floats, Floats],
    values: Floats,
    l: int,  # noqa: E741
    noise: float,
    *,
    whole: bool = False,
) -> Floats:
    """Give the sensitive values to publish; ``whole`` if they must be whole numbers.

    Those that come first in ``place`` change first, and ``place`` decides by how much.
    """
    place = plan.task.place
    if l > np.bincount(plan.subgroup[plan.kept]).min():
        raise GuaranteeError(
            f"A pattern is shared by fewer than {l} series, so its sensitive values cannot be "
            f"{l}-diverse. Ask for l of at most P."
        )
    published = values.astype(np.float64)
    taken = set(published.tolist())
    members = _members(plan)
    for subgroups in _possible_sets(plan, envelope, _most_frequent(plan, values), l):
        rows = np.concatenate([members[s] for s in subgroups])
        most = len(rows) // l
        known, which, count = np.unique(published[rows], return_inverse=True, return_counts=True)
        for v in np.flatnonzero(count > most).tolist():
            holders = rows[which == v]
            holders = holders[np.argsort(place[holders])]
            for row in holders[: count[v] - most].tolist():
                share = (place[row] + 0.5) / len(place)
                published[row] = _unused(float(known[v]), noise, share % 1.0, taken, whole)
    return published


def _members(plan: Planned) -> list[Array]:
    """List the rows of each P-subgroup."""
    order = np.lexsort((plan.task.place, plan.subgroup))
    order = order[np.count_nonzero(plan.subgroup < 0) :]
    heads = np.flatnonzero(np.diff(plan.subgroup[order]) > 0) + 1
    return np.split(order, heads)


def _most_frequent(plan: Planned, values: Floats) -> Array:
    """Count the holders of the most frequent value of each P-subgroup."""
    kept = plan.kept
    value = np.unique(values, return_inverse=True)[1]
    known, count = np.unique(plan.subgroup[kept] * len(values) + value[kept], return_counts=True)
    most = np.zeros(int(plan.subgroup.max()) + 1, dtype=np.int64)
    np.maximum.at(most, known // len(values), count)
    return most


def _possible_sets(
    plan: Planned,
    envelope: tuple[Floats, Floats],
    most: Array,
    l: int,  # noqa: E741
) -> Iterator[list[int]]:
    """Give the different possible sets that may not be diverse, as numbers of P-subgroups.

    No value is more frequent in a set than the most frequent ones of its P-subgroups together.
    """
    size = np.bincount(plan.subgroup[plan.kept])
    sets: set[tuple[int, ...]] = set()
    for at in range(0, len(plan.group), BLOCK):
        rows = np.arange(at, min(at + BLOCK, len(plan.group)))
        who, subgroup = possible(plan, envelope, rows)
        doubtful = l * np.bincount(who, most[subgroup]) > np.bincount(who, size[subgroup])
        who, subgroup = who[doubtful[who]], subgroup[doubtful[who]]
        heads = np.flatnonzero(np.diff(who)) + 1
        sets.update(tuple(one.tolist()) for one in np.split(subgroup, heads))
    yield from (list(one) for one in sorted(sets - {()}))


def _unused(value: float, noise: float, share: float, taken: set[float], whole: bool) -> float:
    """Find a value near this one that nobody has, and take it."""
    for turn in range(TRIES if not whole else max(TRIES, 64 * math.ceil(2 * noise + 1))):
        away = noise * (2 * ((share + turn * GOLDEN) % 1.0) - 1)
        near = value + away
        if whole:
            near = float(min(max(round(near), math.ceil(value - noise)), math.floor(value + noise)))
        if near not in taken and abs(near - value) <= noise:
            taken.add(near)
            return near
    raise GuaranteeError(
        "There are not enough unused values within the noise for a diverse publication. Allow "
        "more noise, or ask for diversity of each subgroup."
    )
