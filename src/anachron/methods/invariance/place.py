"""Place everyone in a bucket: balancing, pooling, assignment, and the draw of who goes where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array
from anachron.engines.base import Batch
from anachron.errors import GuaranteeError
from anachron.methods.invariance import balance
from anachron.methods.invariance.assign import assign, held_back
from anachron.methods.invariance.buckets import NEW, Buckets, in_order
from anachron.methods.invariance.divide import Division
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.pool import pool
from anachron.methods.invariance.rule import Rule

__all__ = ["Placement", "place"]

_WAYS_OUT = {
    False: "Hold them back for a later release with when_ineligible='hold'",
    # Who is held back is known to have a frequent value.
    True: "Publish them later, together with more people",
}


@dataclass(frozen=True, eq=False)
class Placement:
    """Balanced buckets, once counterfeits fill up what they lack."""

    buckets: Buckets
    bucket: Array
    """Of each signature, if it is in use, and after the last one ``NEW``."""
    parts: Batch
    """Where the tuples of S− go, value by value, as an engine deals them out: to buckets, or to
    ``NEW`` if they are held back."""
    counts: Array
    """Tuples in each slot."""
    filled: int
    """New tuples that fill a shortage."""
    held: int
    """New tuples that are held back."""


def place(division: Division, rule: Rule, lots: Lots) -> Placement:
    """Place S− beside S∩."""
    old = division.buckets
    shortage = old.shortages(division.counts)
    held = _held(division, shortage, rule)
    filled = _filled(shortage, old.value, division.new - held, rule)
    rest = division.new - held - _by_value(filled, old.value, rule.domain)
    joining = _joining(division, rest, rule)
    rest = rest - _by_value(joining, old.value, rule.domain)
    steps = assign(rest, rule.m, lots.values("assign", rule.domain))
    buckets = Buckets(in_order((*old.signatures, *(step.signature for step in steps))))
    renumbered = np.array([*(buckets.number[s] for s in old.signatures), NEW], dtype=np.int64)
    destinations = [
        (np.arange(rule.domain), np.full(rule.domain, NEW), held),
        (old.value, renumbered[old.bucket], filled + joining),
    ]
    for step in steps:
        size = len(step.signature)
        number = buckets.number[step.signature]
        destinations.append(
            (np.array(step.signature), np.full(size, number), np.full(size, step.alpha))
        )
    value, to, count = (np.concatenate(part) for part in zip(*destinations, strict=True))
    if not np.array_equal(_by_value(count, value, rule.domain), division.new):
        raise ValueError("not as many places as tuples")
    counts = np.zeros(len(buckets.value), dtype=np.int64)
    counts[buckets.slot(renumbered[old.bucket], old.value)] = division.counts
    placed = to != NEW
    np.add.at(counts, buckets.slot(to[placed], value[placed]), count[placed])
    return Placement(
        buckets,
        renumbered[division.bucket],
        {"cell": value, "count": count, "to": to},
        counts,
        int(filled.sum()),
        int(held.sum()),
    )


def _held(division: Division, shortage: Array, rule: Rule) -> Array:
    """How many tuples of each value are too many; refuse if there are and the rule says so."""
    lacking = None
    if rule.mode == "paper" and rule.balance == "exact":
        lacking = _by_value(shortage, division.buckets.value, rule.domain)
    held = held_back(division.new, rule.m, lacking)
    if held.any() and rule.when_ineligible == "refuse" and not rule.new_may_wait:
        raise GuaranteeError(_why_not(division.new, held, rule))
    return held


def _filled(shortage: Array, value: Array, new: Array, rule: Rule) -> Array:
    if rule.draws:
        return balance.counterfeits_only(shortage)
    if rule.balance == "paper":
        return balance.paper(shortage, value, new, rule.m)
    return balance.exact(shortage, value, new, rule.m)


def _joining(division: Division, new: Array, rule: Rule) -> Array:
    """How many tuples of S− join each slot of a bucket that others are in."""
    old = division.buckets
    if not rule.pools or not old.signatures:
        return np.zeros_like(division.counts)
    people = np.add.reduceat(division.counts, old.start[:-1])
    return pool(old, people, new, rule.m)[old.bucket]


def _by_value(counts: Array, value: Array, domain: int) -> Array:
    return np.bincount(value, weights=counts, minlength=domain).astype(np.int64)


def _why_not(new: Array, held: Array, rule: Rule) -> str:
    different = int((new > 0).sum())
    return (
        f"Of {int(new.sum()):,} new people with {different:,} different sensitive values, at most "
        f"one in m = {rule.m} may share a value. At least {int(held.sum()):,} of them, with the "
        f"{int((held > 0).sum()):,} most frequent values, cannot be published now. Nothing was "
        f"published. {_WAYS_OUT[rule.draws]}, or lower m in a new ledger."
    )
