"""Halve buckets that are too large to be split in one piece.

==============  ==========================================================================
list            the tuples of one value of a bucket: a slot
``at``          the place of a tuple's quasi value among all numbers, in one attribute
``first``       tuples of a list that belong to the first half, counterfeits left out of account
==============  ==========================================================================

A bucket of more than ``MOST`` tuples, counterfeits included, is cut at the middle of the attribute
with the widest spread, and both halves again, until none has more or each list has one tuple.

Notes
-----
A departure from Section 4.3 of Xiao and Tao, which tries all schemes on a bucket as a whole. So no
machine need hold one, and the paper's choice is a greedy one, too. The middle is one of its
schemes: the first half of each list, sorted by the attribute, becomes one bucket, the other half
the second. Both are balanced again. Where they are odd, the first half is the smaller one.
Counterfeits precede all others in a list, and equal tuples stand in the order of their pseudonyms,
as in ``kernels.split``. Of attributes with the same spread the first is taken.

As there, the halves depend on a value only through who has the same: the spread is that of all
tuples of a bucket, and all lists are cut after as many.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.engines.base import COUNT, Batch, Rows, Summary
from anachron.kernels.split import normalise
from anachron.methods.invariance.buckets import NEW, Buckets

__all__ = ["MOST", "Filled", "halved"]

MOST = 1 << 18
"""So many tuples of a bucket are split in one piece."""
_SPREAD: Summary = {"low": ("least", "quasi"), "high": ("most", "quasi")}


class Filled(NamedTuple):
    """Rows with the ``bucket`` of each, and how many tuples each list of a bucket has."""

    rows: Rows
    buckets: Buckets
    counts: Array

    @property
    def heights(self) -> Array:
        """How many tuples a list has, once counterfeits fill it up."""
        return self.buckets.heights(self.counts)


def halved(filled: Filled, low: Floats, high: Floats) -> Filled:
    """Halve buckets until none is too large; several then have the same signature.

    ``low`` and ``high`` bound the domain of each attribute, in which spreads are compared.
    """
    while True:
        heights = filled.heights
        is_large = (filled.buckets.sizes * heights > MOST) & (heights > 1)
        if not is_large.any():
            return filled
        filled = _halves(filled, is_large, _widest(filled.rows, is_large, low, high))


def _widest(rows: Rows, is_large: Flags, low: Floats, high: Floats) -> Array:
    """The attribute by which each bucket is cut; ``NEW`` for one that is not."""
    by = np.full(len(is_large), NEW, dtype=np.int64)
    large = rows.map(lambda batch: {"large": np.append(is_large, False)[batch["bucket"]]})
    told = large.where("large").counts(("bucket",), _SPREAD).collect("bucket", "low", "high")
    spread = normalise(told["high"], low, high) - normalise(told["low"], low, high)
    by[told["bucket"]] = spread.argmax(axis=1) if spread.shape[1] else 0
    return by


def _halves(filled: Filled, is_large: Flags, by: Array) -> Filled:
    rows, buckets, counts = filled
    middle = filled.heights // 2
    missing = buckets.shortages(counts)
    first = np.where(is_large[buckets.bucket], middle[buckets.bucket] - missing, counts).clip(0)
    rows = rows.map(partial(_placed, buckets, by))
    last, equal = _ends(rows, first, is_large[buckets.bucket])
    rows = rows.map(partial(_compared, last))
    drawn = {"cell": np.arange(len(equal)), "count": equal, "to": np.zeros_like(equal)}
    rows = rows.dealt("cell", "lot", drawn, "drawn")
    rows = rows.map(partial(_numbered, np.arange(len(is_large)) + np.cumsum(is_large) - is_large))
    return Filled(rows, *_parted(buckets, counts, first, is_large))


def _placed(buckets: Buckets, by: Array, batch: Batch) -> Batch:
    """The list of each tuple in a bucket that is cut, and its place in the attribute."""
    bucket, quasi = batch["bucket"], batch["quasi"]
    attribute = np.append(by, NEW)[bucket]
    slot = buckets.slot(np.where(attribute == NEW, NEW, bucket), batch["value"])
    if not quasi.shape[1]:
        return {"list": slot, "at": np.zeros_like(slot)}
    value = quasi[np.arange(len(slot)), np.maximum(attribute, 0)] + 0.0  # there is one zero
    bits = value.view(np.int64)
    # The bits of numbers below zero ascend as the numbers descend.
    return {"list": slot, "at": np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)}


def _ends(rows: Rows, first: Array, is_cut: Flags) -> tuple[Array, Array]:
    """Where the first half of each list ends, and how many of those at that place are in it."""
    counted = rows.map(_in_words).where("cut").counts(("list", "high", "low"))
    told = counted.collect("list", "high", "low", COUNT)
    by = np.lexsort((told["low"], told["high"], told["list"]))
    slot, high, low, count = (told[name][by] for name in ("list", "high", "low", COUNT))
    at = (high << 32) | low
    total = np.cumsum(count)
    last = np.full(len(first), np.iinfo(np.int64).min)
    equal = np.zeros(len(first), dtype=np.int64)
    cut = np.flatnonzero(is_cut & (first > 0))
    before = np.append(0, total)[np.searchsorted(slot, cut)]
    end = np.searchsorted(total, before + first[cut])
    last[cut] = at[end]
    equal[cut] = before + first[cut] - (total - count)[end]
    return last, equal


def _in_words(batch: Batch) -> Batch:
    """Whom to count, by keys that are small enough to be put together."""
    at = batch["at"]
    return {"cut": batch["list"] != NEW, "high": at >> 32, "low": at & np.int64(2**32 - 1)}


def _compared(last: Array, batch: Batch) -> Batch:
    """Who is in the first half for certain, and between whom lots decide: pseudonyms."""
    slot, at = batch["list"], batch["at"]
    end = np.append(last, np.iinfo(np.int64).min)[slot]
    words = np.ascontiguousarray(batch["who"]).view(">u8").astype(np.uint64)
    return {
        "sooner": at < end,
        "cell": np.where(at == end, slot, NEW),
        "lot": words[:, :2],
    }


def _numbered(number: Array, batch: Batch) -> Batch:
    """The half that each tuple is in now; others are in their buckets."""
    later = (batch["list"] != NEW) & ~batch["sooner"] & (batch["drawn"] == NEW)
    return {"bucket": np.append(number, NEW)[batch["bucket"]] + later}


def _parted(
    buckets: Buckets, counts: Array, first: Array, is_large: Flags
) -> tuple[Buckets, Array]:
    """The halves, and the buckets that stay whole, with the tuples of each list."""
    signatures, parts = [], []
    for bucket, signature in enumerate(buckets.signatures):
        lists = slice(buckets.start[bucket], buckets.start[bucket + 1])
        sooner, later = first[lists], counts[lists] - first[lists]
        for part in (sooner, later)[: 1 + is_large[bucket]]:
            signatures.append(signature)
            parts.append(part)
    return Buckets(tuple(signatures)), np.concatenate(parts)
