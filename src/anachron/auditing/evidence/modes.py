"""What modes promise beyond the paper.

In the transparent and the sticky mode no new person fills what a group lacks: new people come
in full sets, as many with each value of their signature. In the sticky mode people stay in
their group as long as their value is one of it, and nobody joins a group that stands. So its people
have different values when it is new, and may later have the same ones.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Flags
from anachron.auditing.evidence.register import Book, RegisterState, found_in
from anachron.auditing.reading.register import RegisterGroups

__all__ = ["formed_now", "gaps_filled", "groups_apart", "joining", "regrouping"]


def gaps_filled(state: RegisterState, before: RegisterState | None, book: Book) -> int:
    """How many signatures do not have equally many new people with each of their values."""
    known = np.zeros(len(state.subject), dtype=bool)
    if before is not None:
        known = found_in(state.subject, before.subject) >= 0
    new = ~known & (state.group > 0)
    pairs = np.stack([state.signature[new], state.mark[new]], axis=1)
    found, count = np.unique(pairs, axis=0, return_counts=True)
    signature, start, values = np.unique(found[:, 0], return_index=True, return_counts=True)
    if not len(signature):
        return 0
    uneven = np.maximum.reduceat(count, start) != np.minimum.reduceat(count, start)
    return int((uneven | (values != book.sizes()[signature])).sum())


def groups_apart(state: RegisterState) -> int:
    """How many published groups are not one standing group, and the other way round."""
    present = state.present
    pairs = np.unique(np.stack([state.standing[present], state.group[present]], axis=1), axis=0)
    standing, group = len(np.unique(pairs[:, 0])), len(np.unique(pairs[:, 1]))
    return max(len(pairs) - standing, len(pairs) - group, int((pairs[:, 0] < 0).sum()))


def regrouping(state: RegisterState, before: RegisterState) -> int:
    """How many known people are in another standing group although their signature is the same."""
    place = found_in(before.subject, state.subject)
    there = place >= 0
    old, new = np.flatnonzero(there), place[there]
    same = before.signature[old] == state.signature[new]
    return int((same & (before.standing[old] != state.standing[new])).sum())


def joining(state: RegisterState, before: RegisterState) -> int:
    """How many people are in a group that stood before without them."""
    present = state.present
    place = found_in(state.subject, before.subject)[present]
    stood = np.append(before.standing, -1)[place]
    now = state.standing[present]
    return int((np.isin(now, before.standing) & (stood != now)).sum())


def formed_now(groups: RegisterGroups, state: RegisterState, before: RegisterState | None) -> Flags:
    """Of each published group of sticky mode, whether it is new, as far as the states tell."""
    new = np.zeros(len(groups.number), dtype=bool)
    if before is not None:
        present = state.present
        place = groups.places(state.group[present])
        fresh = ~np.isin(state.standing[present], before.standing)
        new[place[fresh & (place >= 0)]] = True
    return new
