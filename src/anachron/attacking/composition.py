"""Composition: somebody else publishes some of the same people.

Two hospitals treat the same Ann and publish, each with care and without a word to the other. In the
first release her group lists flu, asthma and cancer; in the second flu, burns and colitis. Each
release leaves three values, both together leave one: flu. Ganta, Kasiviswanathan and Smith
(*Composition Attacks and Auxiliary Information in Data Privacy*, KDD 2008) show that independent
releases of overlapping people give many away, whatever their k, l or m.

No promise about groups can cover what strangers publish. Within one house a shared ledger helps:
Anachron then refuses a second release of the same people, or keeps their sets of values.

Measured
    a second publisher is simulated: as many records as were published, 30 % of the people the same,
    the others strangers (drawn from the same records), published with the same parameters and
    without knowledge of the first. For the people in both: how many values are left when the two
    groups are laid together.

Notes
-----
Registers are published by the method itself, with a fresh ledger. Feeds by the same grouping,
snapshot by snapshot, where values that are too frequent are left out. Events with the same
granularity and ladders, less the groups that would have fewer than k people.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, distinct
from anachron.attacking.finding import Finding, percent
from anachron.attacking.known import Known
from anachron.attacking.second import again
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.reading.columns import joined, places
from anachron.behind import Members

__all__ = ["NEEDS", "OVERLAP", "attack", "cells_of", "in_common"]

NEEDS = "microdata and ledger"
OVERLAP = Fraction(3, 10)
"""The people of the second publisher who are also of the first."""

_PAIRS = 4_000_000


@dataclass(frozen=True, eq=False)
class _Met:
    """The records of people whom both publish."""

    person: Array
    alone: Array
    """How many values their group has in the first release,"""
    both: Array
    """and how many of these their group has in the second one too."""


def cells_of(group: Array, value: Array, width: int) -> Array:
    """The different values of each group, as ascending numbers: group times width and value."""
    return distinct(group * width + value)


def in_common(first: Array, second: Array, one: Array, other: Array, width: int) -> Array:
    """How many values two groups share, for pairs of a group here and a group there.

    >>> here, there = np.array([0, 1, 5]), np.array([1, 2, 5])
    >>> in_common(here, there, np.array([0, 1]), np.array([0, 1]), 4)
    array([1, 1])
    """
    start = np.searchsorted(first, one * width)
    pair, at = joined(expanded(start, np.searchsorted(first, (one + 1) * width)))
    shared = places(second, other[pair] * width + first[at] % width) >= 0
    return np.bincount(pair[shared], minlength=len(one))


def attack(known: Known) -> Finding | None:
    """Publish some of the people a second time, and lay both releases together."""
    members = known.members
    if members is None or not members.sensitive or not members.quasi or not len(members.group):
        return None
    rng = np.random.default_rng(known.seed)
    met = _met(known, members, rng)
    if met is None:
        return None
    least = known.fewest_values
    people = _people(met.person)
    below = _people(met.person[(met.both < least) & (met.alone >= least)])
    disclosed = _people(met.person[(met.both == 1) & (met.alone > 1)])
    share = below / max(people, 1)
    return Finding(
        attack="composition",
        title="Composition with another publisher",
        knows="groups of people in this release, and in one of somebody else",
        exposed=below,
        people=people,
        promised="nothing: one ledger protects against one's own releases only",
        measured=f"{percent(share)} are left with fewer than {least} values, "
        f"{percent(disclosed / max(people, 1))} with one",
        holds=None,
        figures={
            "people_in_both": people,
            "left_with_fewer": below,
            "left_with_one": disclosed,
            "fewer_than": least,
        },
        sampled=f"{people:,} of {members.people:,} people, whom a simulated publisher has, too",
        about="Lays the release beside that of a second publisher who has some of the people too.",
    )


def _met(known: Known, members: Members, rng: np.random.Generator) -> _Met | None:
    everyone = distinct(members.person)
    shared = rng.permutation(everyone)[: max(int(len(everyone) * OVERLAP), 1)]
    ours = np.flatnonzero(np.isin(members.person, shared))
    strangers = rng.integers(0, len(members.group), len(members.group) - len(ours))
    taken = np.concatenate([ours, strangers])
    # Strangers are people of their own.
    person = np.concatenate(
        [members.person[ours], int(everyone.max()) + 1 + np.arange(len(strangers))]
    )
    group = again(known, members, taken, person, rng)
    column = members.sensitive[0]
    width = column.size
    first = cells_of(
        np.concatenate([members.group, members.spare[0]]),
        np.concatenate([column.code, members.spare[1]]),
        width,
    )
    there = group >= 0
    second = cells_of(group[there], column.code[taken[there]], width)
    both = rng.permutation(np.flatnonzero(there[: len(ours)]))
    if not len(both):
        return None
    alone = np.bincount(first // width, minlength=members.groups)
    both = _fewer(both, alone[members.group[ours[both]]], known.limit)
    one, other = members.group[ours[both]], group[both]
    return _Met(members.person[ours[both]], alone[one], in_common(first, second, one, other, width))


def _fewer(records: Array, pairs: Array, limit: int) -> Array:
    """Some of the records, so that values need not be compared without end."""
    few = records[: max(limit, 1)]
    kept: Flags = np.cumsum(pairs[: len(few)]) <= _PAIRS
    kept[:1] = True
    return few[kept]


def _people(person: Array) -> int:
    return len(distinct(person))
