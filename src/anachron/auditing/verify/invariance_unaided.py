"""What the microdata tell of a release of a register when the ledger is not at hand.

Which group a person is in is then unknown. But everyone who is published stands in some group
whose intervals hold them, behind a row with their value; or, where values may have changed since
groups were formed, as one of its people, of whom each has one of its values.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array
from anachron.auditing.verdict import Check
from anachron.auditing.verify.invariance_groups import Groups
from anachron.auditing.verify.invariance_intervals import code_ranges
from anachron.auditing.verify.invariance_people import value_codes
from anachron.auditing.verify.invariance_shape import Register
from anachron.engines.local.load import Loaded

__all__ = ["unaided_check"]

_PIECE = 1 << 22
"""Pairs of people and groups that are compared at once."""


def unaided_check(shape: Register, groups: Groups, loaded: Loaded) -> tuple[Check, int]:
    """Check that the release can be one of these people; also give how many are held back."""
    value, _ = value_codes(loaded, groups)
    real = len(groups.row_group) - int(groups.table.count.sum())
    held = loaded.rows - real
    may_hold = shape.promise.when_ineligible == "hold"
    homeless = _homeless(shape, groups, loaded, value)
    of_value = np.bincount(value[value >= 0], minlength=len(groups.domain))
    # How many people of each value there can be: one behind each row, or all people of a group.
    people = np.ones_like(groups.size) if shape.different else groups.size - groups.counterfeits
    room = np.bincount(groups.value, np.repeat(people, groups.size), minlength=len(groups.domain))[
        : len(groups.domain)
    ].astype(np.int64)
    crowded = int(np.maximum(of_value - room, 0).sum())
    problems = {
        f"{homeless:,} people in no group": homeless > max(held, 0),
        f"{crowded:,} people without a row of their value": crowded > max(held, 0),
        f"{real:,} real rows for {loaded.rows:,} people": held < 0 or (held and not may_hold),
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    check = Check(
        "coverage",
        not found,
        "everyone who is published in a group that holds him, behind a row with his value",
        found or f"{real:,} people",
        "people in some group",
    )
    return check, held


def _homeless(shape: Register, groups: Groups, loaded: Loaded, value: Array) -> int:
    """How many people no group holds that has their value."""
    ranks, firsts, lasts = [], [], []
    for interval, low, high in zip(shape.quasi, groups.low, groups.high, strict=True):
        column = loaded.quasi[interval.column]
        rank, first, last = code_ranges(interval, column.values, low, high)
        ranks.append(rank[column.codes])
        firsts.append(first)
        lasts.append(last)
    group_of = np.repeat(np.arange(len(groups.size)), groups.size)
    homeless = int((value < 0).sum())
    for code in np.unique(value[value >= 0]).tolist():
        group = group_of[groups.value == code]
        rows = np.flatnonzero(value == code)
        piece = max(_PIECE // max(len(group), 1), 1)
        for at in range(0, len(rows), piece):
            some = rows[at : at + piece]
            held = np.ones((len(some), len(group)), dtype=bool)
            for rank, first, last in zip(ranks, firsts, lasts, strict=True):
                here = rank[some][:, None]
                held &= (here >= 0) & (first[group] <= here) & (here <= last[group])
            homeless += int((~held.any(axis=1)).sum())
    return homeless
