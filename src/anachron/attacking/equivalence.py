"""Find people who must have the same value, whatever it is.

In the first release Ann and Ben make a full set {flu, cold}; in the second, Ann and Cid do. Then
whatever Ann has, Ben and Cid have the other: they have the *same* value. Nobody's own list of
values got shorter, but whoever learns Ben's value from elsewhere (he tells it, or works in the
same house) now knows Cid's too, and everyone's who is tied to them. He, Barman and Naughton
(*Preventing Equivalence Attacks in Updated, Anonymized Data*, ICDE 2011) showed that m-invariance
leaves this open.

Groups without counterfeits are looked at. Two people are tied if each of them completes the same
values together with the same others, where people who are tied already count as the same; that
is repeated until nothing new is found. Every tie is certain, for as long as values stay the same.

Only the mode ``"sticky"`` promises something against it: groups never change, so nobody takes
another's place. There only new groups are looked at: in one that stands two people may meanwhile
have the same value, and nobody is told. In the other modes, larger m and fewer releases mean
smaller classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array
from anachron.attacking.finding import Finding
from anachron.attacking.known import Known
from anachron.attacking.register import Registered

__all__ = ["NEEDS", "Full", "attack", "classes_of", "joined"]

NEEDS = "the ledger of a register"
_LARGE = 10
"""From so many people on, a class is counted as large."""


@dataclass(frozen=True, eq=False)
class Full:
    """Groups that consist of people alone: one place for each person in one."""

    who: Array
    """People, each for as long as the value is the same: whoever changed it is somebody else."""
    group: Array
    """Different in all releases."""
    values: Array
    """The values of the group, as a number that is the same for the same values."""


def classes_of(full: Full, people: int, seed: int = 0) -> Array:
    """Give each of ``people`` people the number of a class: all of one have the same value.

    Notes
    -----
    A group's people are added up as random numbers of 64 bits, one for each class, so that whom
    a person is with can be compared in one step. That two different companies agree by chance
    is less likely than one in a million for a million rows.
    """
    label = np.arange(people)
    lots = np.random.default_rng(seed)
    group = np.unique(full.group, return_inverse=True)[1]
    salt = lots.integers(0, 2**64, size=int(full.values.max(initial=0)) + 1, dtype=np.uint64)
    of_class = lots.integers(0, 2**64, size=people, dtype=np.uint64)
    while True:
        weight = of_class[label[full.who]]
        total = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.uint64)
        np.add.at(total, group, weight)
        company = (total[group] - weight) ^ salt[full.values]
        order = np.argsort(company, kind="stable")
        same = np.flatnonzero(company[order[1:]] == company[order[:-1]])
        ours, theirs = label[full.who[order[same]]], label[full.who[order[same + 1]]]
        apart = ours != theirs
        if not apart.any():
            return label
        label = joined(people, ours[apart], theirs[apart])[label]


def joined(nodes: int, ours: Array, theirs: Array) -> Array:
    """Give each node the least number of all that pairs join it to.

    >>> joined(5, np.array([0, 3]), np.array([3, 4])).tolist()
    [0, 1, 2, 0, 0]
    """
    label = np.arange(nodes)
    while True:
        low = np.minimum(label[ours], label[theirs])
        following = label.copy()
        # Hook the roots of both ends to the lower one, then let everyone look one further.
        np.minimum.at(following, label[ours], low)
        np.minimum.at(following, label[theirs], low)
        following = following[following]
        if (following == label).all():
            return label
        label = following


def attack(known: Known) -> Finding | None:
    """Tie people together over a history."""
    history = known.history
    if history is None:
        return None
    full, people = _full(history)
    label = classes_of(full, len(people), known.seed)
    size = np.bincount(label, minlength=len(people))[label]
    tied = np.unique(people[size > 1])
    sticky = known.promise.get("mode") == "sticky"
    largest, everyone = int(size.max(initial=0)), len(history.subject)
    return Finding(
        attack="equivalence",
        title="People with the same value",
        knows="who is in which group of which release",
        exposed=len(tied),
        people=everyone,
        promised="nobody is tied to another"
        if sticky
        else f"nothing in mode {known.promise.get('mode')!r}: everyone's own values remain m",
        measured=f"{len(tied):,} people tied to others, up to {largest:,} together"
        if len(tied)
        else "nobody is tied to another",
        holds=len(tied) == 0 if sticky else None,
        figures={
            "releases": len(history.seen),
            "tied": len(tied),
            "share": round(len(tied) / everyone, 4) if everyone else 0.0,
            "largest_class": largest,
            "mean_class": round(float(size.mean()), 2) if len(size) else 0.0,
            "in_large_classes": int((size >= _LARGE).sum()),
        },
        about="Finds people who complete the same set in the same company, one after the other.",
    )


def _full(history: Registered) -> tuple[Full, Array]:
    """The groups without counterfeits, and who the people in them are."""
    size, everyone = history.book.sizes(), len(history.subject)
    last, spell = np.full(everyone, -1), np.zeros(everyone, dtype=np.int64)
    who, group, signature, first = [], [], [], 0
    for seen in history.seen:
        person, value = seen.person, seen.value
        spell[person] += (last[person] != value) & (last[person] >= 0)
        last[person] = value
        members = np.bincount(seen.group)
        whole = (members[seen.group] == size[seen.signature]) & (value >= 0) & seen.formed
        who.append((spell[person] * everyone + person)[whole])
        group.append(first + seen.group[whole])
        signature.append(seen.signature[whole])
        first += len(members)
    names, place = np.unique(np.concatenate(who), return_inverse=True)
    full = Full(place, np.concatenate(group), np.concatenate(signature))
    return full, names % everyone
