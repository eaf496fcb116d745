"""Does a release keep what its mode promises beyond the paper?

In the transparent and the sticky mode no new person fills what a group lacks: new people come
in full sets, as many with each value of their signature. In the sticky mode people stay in
their group as long as their value is one of it, and nobody joins a group that stands. So its people
have different values when it is new, and may later have the same ones.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.invariance_groups import Groups
from anachron.auditing.verify.invariance_state import Book, State, found_in

__all__ = ["formed_now", "mode_check"]


def mode_check(mode: str, state: State, before: State | None, first: bool, book: Book) -> Check:
    """Check the promise of a mode, as far as the states at hand tell."""
    filling = apart = regrouped = joining = 0
    if mode != "paper" and (first or before is not None):
        filling = _filling(state, _new(state, before), book)
    if mode == "sticky":
        apart = _apart(state)
        if before is not None:
            regrouped, joining = _regrouped(state, before), _joining(state, before)
    problems = {
        "{:,} signatures whose new people fill a gap": filling,
        "{:,} groups that are not as they were formed": apart,
        "{:,} people who left their group": regrouped,
        "{:,} people who joined a group that stood": joining,
    }
    found = "; ".join(text.format(count) for text, count in problems.items() if count)
    promised = {
        "paper": "nothing more",
        "transparent": "new people in full sets",
        "sticky": "new people in full sets, and all in the same group while it has their value",
    }
    return Check("mode", not found, promised[mode], found or "as promised", f"mode {mode!r}")


def _new(state: State, before: State | None) -> Flags:
    """Who is published for the first time."""
    known = np.zeros(len(state.subject), dtype=bool)
    if before is not None:
        known = found_in(state.subject, before.subject) >= 0
    return ~known & (state.group > 0)


def _filling(state: State, new: Flags, book: Book) -> int:
    """How many signatures do not have equally many new people with each of their values."""
    pairs = np.stack([state.signature[new], state.mark[new]], axis=1)
    found, count = np.unique(pairs, axis=0, return_counts=True)
    signature, start, values = np.unique(found[:, 0], return_index=True, return_counts=True)
    size = np.array([len(book.signatures[n]) for n in signature.tolist()], dtype=np.int64)
    if not len(signature):
        return 0
    uneven = np.maximum.reduceat(count, start) != np.minimum.reduceat(count, start)
    return int((uneven | (values != size)).sum())


def _apart(state: State) -> int:
    """How many published groups are not one standing group, and the other way round."""
    present = state.present
    pairs = np.unique(np.stack([state.standing[present], state.group[present]], axis=1), axis=0)
    standing, group = len(np.unique(pairs[:, 0])), len(np.unique(pairs[:, 1]))
    return max(len(pairs) - standing, len(pairs) - group, int((pairs[:, 0] < 0).sum()))


def _regrouped(state: State, before: State) -> int:
    """How many known people are in another standing group although their signature is the same."""
    place = found_in(before.subject, state.subject)
    there = place >= 0
    old, new = np.flatnonzero(there), place[there]
    same = before.signature[old] == state.signature[new]
    return int((same & (before.standing[old] != state.standing[new])).sum())


def _joining(state: State, before: State) -> int:
    """How many people are in a group that stood before without them."""
    present = state.present
    place = found_in(state.subject, before.subject)[present]
    stood = np.append(before.standing, -1)[place]
    now = state.standing[present]
    return int((np.isin(now, before.standing) & (stood != now)).sum())


def formed_now(groups: Groups, state: State, before: State | None) -> Flags:
    """Of each published group of sticky mode, whether it is new, as far as the states tell."""
    new = np.zeros(len(groups.number), dtype=bool)
    if before is not None:
        present = state.present
        place = groups.places(state.group[present])
        fresh = ~np.isin(state.standing[present], before.standing)
        new[place[fresh & (place >= 0)]] = True
    return new
