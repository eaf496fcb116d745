"""Add up small chances: how likely was a person linked to a value at least once?

A group of four with four illnesses links each of its members to each illness with a chance of
one in four. Whoever is published in five such groups, each time with a value of that time, was
linked to influenza in at least one of them with a chance of 1 − (3/4)^5, which is 76 %. If the
value is the same all the time, releases say the same thing again and the chance stays what it was;
if values come and go, as illnesses do, chances add up. Wong and others speak of a *global
guarantee* for serial publishing.

For each person and each value the chance is 1 − Π(1 − p), p being the share of the value in the
person's group in each release. No guarantee of this package bounds it: whoever publishes values
that come and go, many times, should raise m or l from the start. To stay below 1/L over T releases
takes p ≤ 1 − (1 − 1/L)^(1/T) in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats, distinct
from anachron.attacking.finding import Finding
from anachron.attacking.known import Known
from anachron.attacking.sights import Sight, of_members, of_register
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.reading.columns import joined

__all__ = ["NEEDS", "Linked", "attack", "linked"]

NEEDS = "a sensitive column, and the ledger of a register or else the table"
_AT_ONCE = 1 << 23
"""Chances, of people and values, that are added up together."""


@dataclass(frozen=True, eq=False)
class Linked:
    """Of everyone who was seen, the value with the largest chance to have been linked once."""

    person: Array
    largest: Floats
    once: Floats
    """The largest chance in a single release."""


def linked(sights: Sequence[Sight]) -> Linked:
    """Add up, for each person and value, what all sights tell."""
    everyone = distinct(np.concatenate([sight.person for sight in sights]))
    largest, once = np.zeros(len(everyone)), np.zeros(len(everyone))
    values = max(int(sight.held.max(initial=0)) for sight in sights) + 1
    step = max(1, _AT_ONCE // values)
    for at in range(0, len(everyone), step):
        people = everyone[at : at + step]
        # A chance of 1 has no logarithm: the least that is left is that of the smallest number.
        missed = np.zeros(len(people) * values)
        for sight in sights:
            place = np.searchsorted(people, sight.person)
            place = np.minimum(place, len(people) - 1)
            own = np.flatnonzero(people[place] == sight.person)
            pair, share = _pairs(sight, place[own], sight.among[own], values)
            np.add.at(missed, pair, np.log1p(-np.minimum(share, 1 - 1e-15)))
            np.maximum.at(once, at + pair // values, share)
        largest[at : at + step] = -np.expm1(missed.reshape(-1, values).min(axis=1))
    return Linked(everyone, largest, once)


def _pairs(sight: Sight, person: Array, among: Array, values: int) -> tuple[Array, Floats]:
    """For each person each value of the set: their number together, and the share."""
    order = np.argsort(sight.holder, kind="stable")
    start = np.searchsorted(sight.holder[order], np.arange(sight.sets + 1))
    who, at = joined(expanded(start[among], start[among + 1]))
    return person[who] * values + sight.held[order[at]], sight.share[order[at]]


def attack(known: Known) -> Finding | None:
    """Add up the chances of a history."""
    if known.keeps_sets:
        history = known.history
        histories = [] if history is None else [of_register(history)]
    else:
        histories = [sights for sights, _ in of_members(known)]
    if not histories:
        return None
    found = [linked(sights) for sights in histories]
    worst = max(found, key=lambda one: float(one.largest.max(initial=0)))
    top, single = float(worst.largest.max(initial=0)), float(worst.once.max(initial=0))
    exposed = int((worst.largest > single + 1e-9).sum())
    return Finding(
        attack="cumulative",
        title="Chances that add up",
        knows="who is in which group of which release; that values come and go",
        exposed=exposed,
        people=len(worst.person),
        promised="nothing over several releases: chances are bounded in each",
        measured=f"linked to one value at least once with a chance of up to {top:.0%}, where a "
        f"single release gives up to {single:.0%}",
        holds=None,
        figures={
            "releases": len(histories[0]),
            "largest": round(top, 6),
            "largest_in_one_release": round(single, 6),
            "median": round(float(np.median(worst.largest)), 6) if len(worst.largest) else 0.0,
        },
        about="Adds up, over all releases, each person's chance to be linked to each value.",
    )
