"""Lay all releases together, and see which values remain possible for each person.

Somebody who knows that Ann is in two releases, and what is published of people like her, knows
that her value is in both places: in the first she is among flu and cold, in the second among flu
and burn, so she has flu. It is the oldest attack on publishing again and again (Xiao and Tao call
what gives her away *critical absence*), and it needs no computer. It is also what makes two
publications of one snapshot dangerous, and people who come back after an absence.

For each person the values of all groups that cover the quasi values are the candidates of one
release (Definition 15); those of all releases are intersected for as long as the person's value
stays the same. An adversary who even knows in which group the person stands has fewer
candidates. With the ledger that adversary is tried first, for everyone: nobody else can do better.
Whoever is exposed then, is tried again with the quasi values of the table alone.

m-invariance promises that at least m values remain, whoever tries. Feeds and releases of events
promise nothing of the kind for people who are published more than once.

Notes
-----
Without the ledger it is not known who is in earlier releases. Then everyone is taken to be in all
in which some group covers the quasi values and has the value: more people than really are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Words, distinct
from anachron.attacking.finding import Figures, Finding
from anachron.attacking.known import Known
from anachron.attacking.narrowing import by_quasi, uncertain
from anachron.attacking.register import Registered
from anachron.attacking.sights import Sight, of_members, of_register, sizes

__all__ = ["NEEDS", "Left", "attack", "intersect"]

NEEDS = "a sensitive column, and the ledger or the table"
_GROUP = "who is in which group of which release"
_QUASI = "everyone's quasi values, and who is in which release"


@dataclass(frozen=True, eq=False)
class Left:
    """Which values remain possible: one place for each person and value that was published."""

    person: Array
    value: Array
    bits: Words
    seen: Array
    """In how many records."""


def intersect(sights: Sequence[Sight], values: int) -> Left:
    """Intersect what all sights show of each person, as long as the value is the same."""
    keys = [sight.person * values + sight.value for sight in sights]
    found, place = np.unique(np.concatenate(keys), return_inverse=True)
    everything = np.full((len(found), max(1, -(-values // 64))), ~np.uint64(0))
    at = 0
    for sight, key in zip(sights, keys, strict=True):
        of = place[at : at + len(key)]
        np.bitwise_and.at(everything, of, sight.bits(values)[sight.among])
        at += len(key)
    return Left(
        found // values, found % values, everything, np.bincount(place, minlength=len(found))
    )


def attack(known: Known) -> Finding | None:
    """Lay the releases of a history together."""
    if not known.keeps_sets:
        return _of_records(known)
    history = known.history
    if history is None:
        return _without_ledger(known)
    return _of_register(known, history)


def _of_register(known: Known, history: Registered) -> Finding:
    m = int(known.promise["m"])
    left = intersect(of_register(history), history.values)
    remain = sizes(left.bits)
    figures = _figures(left.person, remain, m, len(history.seen))
    below = np.flatnonzero(remain < m)
    figures["exposed_by_quasi"] = "unknown"
    if known.microdata is not None:
        figures["exposed_by_quasi"] = by_quasi(
            known, history, left.person[below], left.value[below], m
        )
    return _finding(known, figures, len(history.subject), _GROUP)


def _without_ledger(known: Known) -> Finding | None:
    """Everyone of the table, by quasi values alone."""
    found = uncertain(known)
    if found is None:
        return None
    sights, values, sampled = found
    left = intersect(sights, values)
    figures = _figures(left.person, sizes(left.bits), int(known.promise["m"]), len(sights))
    return _finding(known, figures, len(distinct(left.person)), _QUASI, sampled)


def _of_records(known: Known) -> Finding | None:
    """The records of people in a feed, or in a table of events: whoever has several."""
    columns = of_members(known)
    if not columns:
        return None
    found = [intersect(sights, values) for sights, values in columns]
    people = len(distinct(np.concatenate([left.person for left in found])))
    person = np.concatenate([left.person[left.seen > 1] for left in found])
    remain = np.concatenate([sizes(left.bits)[left.seen > 1] for left in found])
    figures = _figures(person, remain, known.fewest_values, len(columns[0][0]))
    return _finding(known, figures, people, _GROUP)


def _figures(person: Array, remain: Array, bound: int, releases: int) -> Figures:
    """Count people by how many values remain for them."""
    return {
        "releases": releases,
        "bound": bound,
        "below_bound": len(distinct(person[remain < bound])),
        "disclosed": len(distinct(person[remain == 1])),
        "smallest": int(remain.min()) if len(remain) else 0,
    }


def _finding(
    known: Known, figures: Figures, people: int, knows: str, sampled: str | None = None
) -> Finding:
    promised, exposed = known.keeps_sets, int(figures["below_bound"])
    bound, disclosed = figures["bound"], figures["disclosed"]
    return Finding(
        attack="intersection",
        title="Intersection of releases",
        knows=knows,
        exposed=exposed,
        people=people,
        promised=f"at least {bound} values for everyone, over all releases"
        if promised
        else "nothing for people who are published more than once",
        measured=f"{exposed:,} people with fewer than {bound} values left, {disclosed:,} with one"
        if exposed
        else f"at least {figures['smallest']} values left for everyone",
        holds=exposed == 0 if promised else None,
        figures=figures,
        sampled=sampled,
        about="Intersects, for each person, the values among which all releases show the person.",
    )
