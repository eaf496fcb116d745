"""Plan a release: division, balancing, assignment and split, in the chosen mode.

===================  =====================================================================
``"paper"``          what buckets lack is filled with new people where possible. Fewest
                     counterfeits; an adversary who knows the algorithm can learn from
                     whether a shortage was filled
``"transparent"``    every shortage becomes a counterfeit: who knows the algorithm learns no
                     more than who does not
``"sticky"``         groups never change: nothing is learned from how people are regrouped,
                     either, nor that a value changed to another one of its signature
===================  =====================================================================

Notes
-----
Lemma 3 of the paper (risk at most 1/m) holds for an adversary who knows the principle. For one
who also knows the algorithm it holds in transparent and sticky mode: for any two values,
exchange them in all groups whose signature has both, in all releases, and every decision has
the same probability as before. In the paper's mode that exchange can turn a shortage that was
filled into one that could not be.

That needs a domain of values that nobody's value decides on: the new signature of somebody whose
value changed is dealt from values that are declared, or were published before. What would need
another value is refused, and so is holding people back (``when_ineligible="hold"``), which tells
that they have a frequent value.

Who knows which values can become which (``transitions``) cannot exchange any two values. What
remains is that no value of a signature is ruled out: in sticky mode, since nothing is seen of a
person but their signatures, and any two that follow each other fit (``changes``). In transparent
mode buckets are balanced anew by the values of now, which may rule out all but one: of two people
with {flu, hiv} who come to stand in two groups, where flu can become hiv and not the other way
round, both have hiv. There ``transitions`` may only say that no value changes, or that any can
become any. For the same reason sticky mode gives everybody whose value left their signature a
group of their own: two of them who got the same signature would stand in one group or in two,
as their values are different or not.

Lots for the split are the pseudonyms themselves, which are keyed hashes of the subjects: a
draw that stays the same over releases is as good there, since it does not look at values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.hashing import places
from anachron.kernels.split import boxes, normalise, split
from anachron.methods.invariance.buckets import NEW, Signature, in_order
from anachron.methods.invariance.divide import divide
from anachron.methods.invariance.known import People, recognise
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.memory import Memory, Standing
from anachron.methods.invariance.place import Placement, place
from anachron.methods.invariance.rule import Rule, Snapshot
from anachron.methods.invariance.sticky import join, stay

__all__ = ["Figures", "Groups", "Plan", "plan"]


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a release, as they are published but for rounding and order."""

    signature: Array
    """Index into the signatures of the memory."""
    counterfeits: Array
    """How many rows of each group are counterfeits: the paper's R."""
    low: Floats
    high: Floats
    standing: Array | None = None
    """In sticky mode, the number of each group in the memory."""


@dataclass(frozen=True)
class Figures:
    """What a plan comes to, in people."""

    known: int
    new: int
    changed: int
    """Known people whose value is not in their signature."""
    filled: int
    """New people who fill what a bucket lacks."""
    counterfeits: int
    held: int
    """New people held back because there are too many with their value."""
    refused: int
    """Known people left out because their value allows them no signature."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Who is published in which group, and what is remembered afterwards."""

    group: Array
    """Of each tuple; ``NEW`` if it is not published."""
    signature: Array
    """Of each tuple, as an index into the memory's signatures; ``NEW`` if not published."""
    groups: Groups
    memory: Memory
    figures: Figures

    @property
    def held(self) -> Array:
        """The tuples that are not published."""
        return np.flatnonzero(self.group == NEW)


def plan(snapshot: Snapshot, memory: Memory, rule: Rule, lots: Lots) -> Plan:
    """Plan the next release of a history.

    Raises
    ------
    GuaranteeError
        New people are not m-eligible, or a changed value allows no signature, and the rule
        says to refuse. The message has the exact figure.
    LedgerError
        The memory contradicts the snapshot.
    """
    people = recognise(snapshot, memory, rule, lots)
    open_to_place = ~people.staying
    open_to_place[people.refused] = False
    settled = open_to_place & (people.known != NEW) & rule.apart
    rows = np.flatnonzero(open_to_place & ~settled)
    values = snapshot.values[rows]
    division = divide(people.signatures, people.signature[rows], values, rule.domain)
    placed = place(division, values, snapshot.subjects[rows], rule, lots)
    signatures = _all_signatures(people.signatures, placed)
    fresh = rows[placed.bucket != NEW]
    group = np.full(len(snapshot.values), NEW, dtype=np.int64)
    group[fresh], groups = _grouped(snapshot, fresh, placed, rule, signatures)
    groups = _with_apart(snapshot, np.flatnonzero(settled), people, group, groups)
    standing = None
    if rule.mode == "sticky":
        groups, standing = _with_standing(snapshot, memory, people, group, groups, signatures)
    return _remembered(snapshot, memory, people, placed, signatures, group, groups, standing)


def _all_signatures(known: tuple[Signature, ...], placed: Placement) -> tuple[Signature, ...]:
    return (*known, *in_order(set(placed.buckets.signatures).difference(known)))


def _grouped(
    snapshot: Snapshot,
    rows: Array,
    placed: Placement,
    rule: Rule,
    signatures: tuple[Signature, ...],
) -> tuple[Array, Groups]:
    """Split the buckets that were filled: the group of each of ``rows``, and the groups."""
    buckets = placed.buckets
    slot = buckets.slot(placed.bucket[placed.bucket != NEW], snapshot.values[rows])
    height = buckets.heights(np.bincount(slot, minlength=len(buckets.value)))
    quasi = snapshot.quasi[rows]
    low = snapshot.quasi.min(axis=0, initial=np.inf) if rule.low is None else np.array(rule.low)
    high = snapshot.quasi.max(axis=0, initial=-np.inf) if rule.high is None else np.array(rule.high)
    words = np.ascontiguousarray(snapshot.subjects[rows]).view(">u8").astype(np.uint64)
    group = split(normalise(quasi, low, high), slot, places(words), buckets.start, height)
    total = int(height.sum())
    number = {signature: index for index, signature in enumerate(signatures)}
    of_bucket = np.array([number[s] for s in buckets.signatures], dtype=np.int64)
    members = np.bincount(group, minlength=total)
    return group, Groups(
        np.repeat(of_bucket, height),
        np.repeat(buckets.sizes, height) - members,
        *boxes(quasi, group, total),
    )


def _with_apart(
    snapshot: Snapshot, rows: Array, people: People, group: Array, groups: Groups
) -> Groups:
    """Add a group for each of some rows, with counterfeits for the rest of its signature."""
    if not len(rows):
        return groups
    group[rows] = len(groups.signature) + np.arange(len(rows))
    signature = people.signature[rows]
    sizes = np.array([len(people.signatures[s]) for s in signature], dtype=np.int64)
    return Groups(
        np.concatenate([groups.signature, signature]),
        np.concatenate([groups.counterfeits, sizes - 1]),
        np.concatenate([groups.low, snapshot.quasi[rows]]),
        np.concatenate([groups.high, snapshot.quasi[rows]]),
    )


def _with_standing(
    snapshot: Snapshot,
    memory: Memory,
    people: People,
    group: Array,
    groups: Groups,
    signatures: tuple[Signature, ...],
) -> tuple[Groups, Standing]:
    """Add the standing groups before the fresh ones, and fill in who stays in them."""
    standing = memory.standing or Standing.empty(snapshot.quasi.shape[1])
    rows = np.flatnonzero(people.staying)
    sizes = np.array([len(signatures[s]) for s in standing.signature], dtype=np.int64)
    stays = stay(standing, sizes, standing.group[people.known[rows]], snapshot.quasi[rows])
    group[group != NEW] += len(stays.groups)
    group[rows] = stays.group
    together = Groups(
        np.concatenate([standing.signature[stays.groups], groups.signature]),
        np.concatenate([stays.counterfeits, groups.counterfeits]),
        np.concatenate([stays.low, groups.low]),
        np.concatenate([stays.high, groups.high]),
        np.append(stays.groups, len(standing.signature) + np.arange(len(groups.signature))),
    )
    return together, join(standing, stays, groups.signature, groups.low, groups.high)


def _remembered(
    snapshot: Snapshot,
    memory: Memory,
    people: People,
    placed: Placement,
    signatures: tuple[Signature, ...],
    group: Array,
    groups: Groups,
    standing: Standing | None,
) -> Plan:
    published = np.flatnonzero(group != NEW)
    signature = np.full(len(group), NEW, dtype=np.int64)
    signature[published] = groups.signature[group[published]]
    after = memory.after(
        signatures,
        snapshot.subjects[published],
        signature[published],
        people.known[published],
        standing,
        None if groups.standing is None else groups.standing[group[published]],
    )
    figures = Figures(
        known=int((people.known != NEW).sum()),
        new=int((people.known == NEW).sum()),
        changed=people.changed,
        filled=placed.filled,
        counterfeits=int(groups.counterfeits.sum()),
        held=placed.held,
        refused=len(people.refused),
    )
    return Plan(group, signature, groups, after, figures)
