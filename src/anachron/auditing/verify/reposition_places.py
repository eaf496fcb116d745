"""Where is each record published, by what the ledger remembers?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.reposition_keys import find
from anachron.auditing.verify.reposition_records import Records
from anachron.auditing.verify.reposition_shape import Feed
from anachron.auditing.verify.reposition_state import UNKNOWN, State
from anachron.auditing.verify.spelled import keys_of, text_keys

__all__ = ["Placed", "figures_of", "memory_check", "person_check", "placed"]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where each record is published."""

    there: Array
    """The position of the snapshot; ``UNKNOWN`` for none of this release."""
    listed: Array
    """The place of the record in the state; -1 for those that are not listed."""
    missing: Flags
    """Whether its snapshot is one of the release and it is not published there."""


def placed(records: Records, state: State) -> Placed:
    """Put each record where the ledger lists it, and else into its own snapshot."""
    listed = find(records.key, state.key)
    own = (records.home >= 0) & (records.home < state.size)
    there = np.where(own, records.home, UNKNOWN)
    elsewhere = np.flatnonzero(listed >= 0)
    at = listed[elsewhere]
    there[elsewhere] = np.where(state.lost[at], UNKNOWN, state.there[at])
    return Placed(there, listed, own & (there != records.home))


def memory_check(records: Records, state: State, places: Placed) -> Check:
    """Check that those whom the ledger lists are there, once each, and of that snapshot."""
    rows = np.flatnonzero(places.listed >= 0)
    at = places.listed[rows]
    seen = np.bincount(at, minlength=len(state.key))
    strangers, doubles = int((seen == 0).sum()), int(np.maximum(seen - 1, 0).sum())
    known = state.home[at] != UNKNOWN
    moved = int((records.home[rows] != state.home[at])[known].sum())
    problems = {
        f"{strangers:,} listed that are not in the microdata": strangers,
        f"{doubles:,} records that are like another": doubles,
        f"{moved:,} that happened in another snapshot than listed": moved,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "memory",
        not found,
        "records of the microdata, once each, and when they happened",
        found or f"{len(rows):,} records",
        "records that the ledger lists",
    )


def person_check(records: Records, state: State, places: Placed, lacking: int) -> Check:
    """Check that nobody is twice in a published snapshot.

    So many records are ``lacking``: they came late, were dropped, and are not there.
    """
    several = np.bincount(records.person, minlength=1) > 1
    rows = np.flatnonzero(several[records.person] & (places.there != UNKNOWN))
    key = np.sort(records.person[rows] * max(state.size, 1) + places.there[rows])
    twice = max(int((key[1:] == key[:-1]).sum()) - lacking, 0)
    return Check(
        "one record each",
        not twice,
        "one record of each person in a snapshot",
        f"{twice:,} records too many" if twice else "as promised",
        "records of one person in a published snapshot",
    )


def figures_of(
    shape: Feed, records: Records, state: State, places: Placed, waited: bool
) -> dict[str, int | str]:
    """What became of the records, and the information that was lost."""
    own = (records.home >= 0) & (records.home < state.size)
    here = (places.there != UNKNOWN) & (records.home != UNKNOWN)
    delay = (places.there - records.home)[here]
    delays = np.bincount(delay[delay >= 0], minlength=1)
    figures: dict[str, int | str] = {
        "records": int(own.sum()),
        "moved": int((delay > 0).sum()),
        "longest_delay": len(delays) - 1,
    }
    if waited or not (records.home < 0).any():
        gone = _gone(shape, records, state, places)
        figures["suppressed"] = int(gone.sum())
        figures["loss"] = str(_delayed(shape, delays) + _suppressed(shape, records, gone))
    return figures


def _gone(shape: Feed, records: Records, state: State, places: Placed) -> Flags:
    """Who can no longer be published: his last snapshot is out, or the feed ended."""
    ended = not (records.home >= state.size).any()
    unpublished: Flags = (places.there == UNKNOWN) & (records.home < state.size)
    unpublished &= records.home != UNKNOWN
    last = records.home + (shape.promise.window - 1) < state.size
    return unpublished if ended else unpublished & last


def _delayed(shape: Feed, delays: Array) -> Fraction:
    costs = shape.promise.mu_table
    counts = delays.tolist()
    # What is later than allowed has no price: its own check tells.
    pairs = zip(costs, counts, strict=False)
    return sum((cost * count for cost, count in pairs), Fraction(0))


def _suppressed(shape: Feed, records: Records, gone: Flags) -> Fraction:
    costs, otherwise = shape.promise.betas, shape.promise.beta_default
    code = records.value.codes[gone]
    count = np.bincount(code[code >= 0], minlength=len(records.value.values)).tolist()
    kind = records.value.values.type
    named = dict(zip(text_keys(list(costs), kind, exact=shape.exact), costs.values(), strict=True))
    keys = keys_of(records.value.values, exact=shape.exact)
    return sum(
        (named.get(key, otherwise) * n for key, n in zip(keys, count, strict=True) if n),
        Fraction(0),
    )
