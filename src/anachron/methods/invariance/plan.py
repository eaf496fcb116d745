"""Plan a release: division, balancing, pooling, assignment and split, in the chosen mode.

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
from functools import cached_property, partial

import numpy as np

from anachron.arrays import Array, Floats
from anachron.engines.base import COUNT, ROW, Batch, Rows, Summary
from anachron.kernels.digests import texts
from anachron.kernels.hashing import places
from anachron.kernels.split import normalise, split
from anachron.methods.invariance.buckets import NEW, Buckets, Signature, in_order
from anachron.methods.invariance.divide import divide
from anachron.methods.invariance.halve import Filled, halved
from anachron.methods.invariance.known import People, recognise
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.memory import Memory, StandingGroups
from anachron.methods.invariance.place import Placement, place
from anachron.methods.invariance.rule import Rule, Snapshot
from anachron.methods.invariance.sticky import join, stay

__all__ = ["Figures", "Plan", "PlannedGroups", "plan"]


@dataclass(frozen=True, eq=False)
class PlannedGroups:
    """The groups of a release, as they are published but for rounding and order."""

    signature: Array
    """Index into the signatures of the plan."""
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


_BOXES: Summary = {"low": ("least", "quasi"), "high": ("most", "quasi")}


@dataclass(frozen=True, eq=False)
class Plan:
    """Who is published in which group, and what is remembered afterwards."""

    rows: Rows
    """Those of the snapshot, with the ``group`` of each, or ``NEW`` if it is not published."""
    groups: PlannedGroups
    signatures: tuple[Signature, ...]
    """Those of the memory, and any that were added."""
    standing: StandingGroups | None
    """In sticky mode, the groups that stand from now on."""
    figures: Figures

    @cached_property
    def group(self) -> Array:
        """Of each row of the table in its order; ``NEW`` if it is not published."""
        told = self.rows.collect(ROW, "group")
        group: Array = told["group"][np.argsort(told[ROW])]
        return group

    @property
    def signature(self) -> Array:
        """Likewise, as an index into the signatures."""
        return np.append(self.groups.signature, NEW)[self.group]

    @property
    def held(self) -> Array:
        """The rows that are not published."""
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
    rows = people.rows.map(partial(_open, rule.apart))
    counted = rows.where("open").counts(("signature", "value")).collect("signature", "value", COUNT)
    placed = place(divide(people.signatures, counted, rule.domain), rule, lots)
    signatures = _all_signatures(people.signatures, placed)
    rows = rows.map(partial(_drawn, lots)).dealt("cell", "lot", placed.parts, "bucket")
    rows = rows.map(partial(_in_buckets, placed.bucket))
    rows, groups = _grouped(rows, placed, rule, signatures)
    if rule.apart:
        rows, groups = _with_apart(rows, people, groups)
    standing = None
    if rule.mode == "sticky":
        rows, groups, standing = _with_standing(rows, memory, groups, signatures)
    figures = Figures(
        known=people.known,
        new=people.new,
        changed=people.changed,
        filled=placed.filled,
        counterfeits=int(groups.counterfeits.sum()),
        held=placed.held,
        refused=people.refused,
    )
    return Plan(rows, groups, signatures, standing, figures)


def _open(apart: bool, batch: Batch) -> Batch:
    """Who is to be placed: in buckets, or in a group of their own."""
    to_place = ~(batch["staying"] | batch["refused"])
    settled = to_place & batch["old"] & apart
    return {"open": to_place & ~settled, "settled": settled}


def _drawn(lots: Lots, batch: Batch) -> Batch:
    """The value of each tuple of S−, and its lot."""
    new = batch["open"] & (batch["signature"] == NEW)
    drawn = lots.subjects("choose", batch["who"][new])
    lot = np.zeros((len(new), *drawn.shape[1:]), dtype=drawn.dtype)
    lot[new] = drawn
    return {"cell": np.where(new, batch["value"], NEW), "lot": lot}


def _in_buckets(bucket: Array, batch: Batch) -> Batch:
    """The bucket of each tuple: that of its signature, or the one it was dealt to."""
    known = batch["open"] & (batch["cell"] == NEW)
    return {"bucket": np.where(known, bucket[batch["signature"]], batch["bucket"])}


def _all_signatures(known: tuple[Signature, ...], placed: Placement) -> tuple[Signature, ...]:
    return (*known, *in_order(set(placed.buckets.signatures).difference(known)))


def _grouped(
    rows: Rows, placed: Placement, rule: Rule, signatures: tuple[Signature, ...]
) -> tuple[Rows, PlannedGroups]:
    """Split the buckets that were filled: the group of each row, and the groups."""
    if rule.low is None or rule.high is None:
        told = rows.counts((), _BOXES).collect("low", "high")
        low, high = (told[end][0] if len(rows) else np.zeros(1) for end in ("low", "high"))
    else:
        low, high = np.array(rule.low), np.array(rule.high)
    filled = halved(Filled(rows, placed.buckets, placed.counts), low, high)
    rows, buckets, height = filled.rows, filled.buckets, filled.heights
    rows = rows.map(partial(_split, buckets, height, low, high), together="bucket")
    rows = rows.map(lambda batch: {"placed": batch["group"] != NEW})
    told = rows.where("placed").counts(("group",), _BOXES).collect("group", COUNT, "low", "high")
    by = np.argsort(told["group"])
    number = {signature: index for index, signature in enumerate(signatures)}
    of_bucket = np.array([number[s] for s in buckets.signatures], dtype=np.int64)
    return rows, PlannedGroups(
        np.repeat(of_bucket, height),
        np.repeat(buckets.sizes, height) - told[COUNT][by],
        told["low"][by],
        told["high"][by],
    )


def _split(buckets: Buckets, height: Array, low: Floats, high: Floats, batch: Batch) -> Batch:
    """Number the groups of some whole buckets; those of bucket b follow those before it."""
    group = np.full(len(batch["bucket"]), NEW, dtype=np.int64)
    rows = np.flatnonzero(batch["bucket"] != NEW)
    bucket, own = batch["bucket"][rows], buckets
    here = np.unique(bucket)
    if len(here) < len(height):
        own = Buckets(tuple(buckets.signatures[b] for b in here.tolist()))
        bucket = np.searchsorted(here, bucket)
    slot = own.slot(bucket, batch["value"][rows])
    words = np.ascontiguousarray(batch["who"][rows]).view(">u8").astype(np.uint64)
    x = normalise(batch["quasi"][rows], low, high)
    found = split(x, slot, places(words), own.start, height[here])
    before, first = np.cumsum(height[here]) - height[here], np.cumsum(height) - height
    group[rows] = found + (first[here] - before)[bucket]
    return {"group": group}


def _with_apart(rows: Rows, people: People, groups: PlannedGroups) -> tuple[Rows, PlannedGroups]:
    """Add a group for each of some people, with counterfeits for the rest of its signature."""
    told = rows.where("settled").collect("who", "signature", "quasi")
    # By their pseudonyms: rows have no order that an engine would know.
    by = np.argsort(texts(told["who"]))
    if not len(by):
        return rows, groups
    signature, quasi = told["signature"][by], told["quasi"][by]
    sizes = np.array([len(people.signatures[s]) for s in signature], dtype=np.int64)
    own = {"who": told["who"][by], "own": len(groups.signature) + np.arange(len(by))}
    rows = rows.join(own, ("who",)).map(
        lambda batch: {"group": np.where(batch["settled"], batch["own"], batch["group"])}
    )
    return rows, PlannedGroups(
        np.concatenate([groups.signature, signature]),
        np.concatenate([groups.counterfeits, sizes - 1]),
        np.concatenate([groups.low, quasi]),
        np.concatenate([groups.high, quasi]),
    )


def _with_standing(
    rows: Rows, memory: Memory, groups: PlannedGroups, signatures: tuple[Signature, ...]
) -> tuple[Rows, PlannedGroups, StandingGroups]:
    """Add the standing groups before the fresh ones, and fill in who stays in them."""
    standing = memory.standing or StandingGroups.empty(groups.low.shape[1])
    sizes = np.array([len(signatures[s]) for s in standing.signature], dtype=np.int64)
    stays = stay(standing, sizes, *_members(rows, memory, groups.low.shape[1]))

    def filled(batch: Batch) -> Batch:
        fresh = np.where(batch["group"] == NEW, NEW, batch["group"] + len(stays.groups))
        if memory.standing is None:
            return {"group": fresh}
        old = np.searchsorted(stays.groups, batch["standing"])
        return {"group": np.where(batch["staying"], old, fresh)}

    together = PlannedGroups(
        np.concatenate([standing.signature[stays.groups], groups.signature]),
        np.concatenate([stays.counterfeits, groups.counterfeits]),
        np.concatenate([stays.low, groups.low]),
        np.concatenate([stays.high, groups.high]),
        np.append(stays.groups, len(standing.signature) + np.arange(len(groups.signature))),
    )
    joined = join(standing, stays, groups.signature, groups.low, groups.high)
    return rows.map(filled), together, joined


def _members(rows: Rows, memory: Memory, quasi: int) -> tuple[Array, Array, Floats, Floats]:
    """The standing groups that have members now: how many, and their lowest and highest values."""
    if memory.standing is None:
        none, box = np.zeros(0, dtype=np.int64), np.zeros((0, quasi))
        return none, none, box, box
    told = rows.where("staying").counts(("standing",), _BOXES)
    found = told.collect("standing", COUNT, "low", "high")
    by = np.argsort(found["standing"])
    return tuple(found[name][by] for name in ("standing", COUNT, "low", "high"))
