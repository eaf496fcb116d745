"""How likely an adversary finds a subject's sensitive value: Section 4.2.1 of Shou et al.

The adversary knows all values of a subject Q, so also its word at any level. The possible set
PS(Q) holds the published series whose envelope contains Q's values and whose word is Q's.

==============  ==========================================================================
``b``           members of PS(Q) with Q's sensitive value
``e``           k-groups that have a member in PS(Q)
by equation     b / (P · e), Equation 1
by count        b / \\|PS(Q)\\|, which it stands for
==============  ==========================================================================

Notes
-----
The paper writes \\|PS(Q)\\| = P · e. That is a lower bound, since a P-subgroup may have more than P
members; so the breach by count is never above the breach by equation. A suppressed subject has no
published sensitive value: then both count those of others that happen to be possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import covering
from anachron.kernels.sax import alike, letters
from anachron.methods.patterns.planned import Planned

__all__ = ["Breach", "breach", "possible"]

BLOCK = 1 << 15


@dataclass(frozen=True)
class Breach:
    """The breach probability of each subject that was looked at."""

    by_equation: Floats
    by_count: Floats


def breach(
    plan: Planned,
    envelope: tuple[Floats, Floats],
    sensitive: npt.NDArray[np.generic],
    rows: Array | None = None,
) -> Breach:
    """Measure the breach of every subject, or of those in some rows, against a publication."""
    rows = np.arange(len(plan.group)) if rows is None else rows
    value = np.unique(sensitive, return_inverse=True)[1]
    kept = plan.kept
    size = np.bincount(plan.subgroup[kept])
    group = np.empty(len(size), dtype=np.int64)
    group[plan.subgroup[kept]] = plan.group[kept]
    keys = plan.subgroup[kept] * (int(value.max()) + 1) + value[kept]
    known, count = np.unique(keys, return_counts=True)
    by_equation, by_count = np.zeros(len(rows)), np.zeros(len(rows))
    for at in range(0, len(rows), BLOCK):
        some = rows[at : at + BLOCK]
        who, subgroup = possible(plan, envelope, some)
        key = subgroup * (int(value.max()) + 1) + value[some[who]]
        found = np.searchsorted(known, key).clip(max=len(known) - 1)
        b = np.bincount(who, np.where(known[found] == key, count[found], 0), len(some))
        people = np.bincount(who, size[subgroup], len(some))
        pairs = np.unique(who * len(size) + group[subgroup])
        e = np.bincount(pairs // len(size), minlength=len(some))
        by_equation[at : at + BLOCK] = b / np.maximum(plan.task.P * e, 1)
        by_count[at : at + BLOCK] = b / np.maximum(people, 1)
    return Breach(by_equation, by_count)


def possible(plan: Planned, envelope: tuple[Floats, Floats], rows: Array) -> tuple[Array, Array]:
    """Pair the subjects in some rows, 0 being the first of them, with all P-subgroups in PS."""
    found = list(_of_levels(plan, envelope, rows))
    who = np.concatenate([pair[0] for pair in found])
    subgroup = np.concatenate([pair[1] for pair in found])
    order = np.lexsort((subgroup, who))
    return who[order], subgroup[order]


def _of_levels(
    plan: Planned, envelope: tuple[Floats, Floats], rows: Array
) -> Iterator[tuple[Array, Array]]:
    """Find the pairs of each published level: equal words first, then values in the envelope."""
    known, first = np.unique(plan.subgroup, return_index=True)
    first = first[known >= 0]
    for level in np.unique(plan.level[first]).tolist():
        here = np.flatnonzero(plan.level[first] == level)
        both = np.concatenate((first[here], rows))
        word = alike(letters(plan.task.z, level, both), np.zeros(len(both), dtype=np.int64))
        theirs, own = word[: len(here)], word[len(here) :]
        order = np.argsort(theirs, kind="stable")
        start = np.searchsorted(theirs[order], np.arange(int(word.max()) + 2))
        subgroup = here[order]
        group = plan.group[first[subgroup]]
        yield covering(plan.task.series, rows, own, start, subgroup, group, *envelope)
