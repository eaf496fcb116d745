"""Is the mode of a register kept, as far as two states tell?

States are looked at in pieces, a range of people at a time; what is said of signatures and of
groups is counted over all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.pooled import joined_by_too_few
from anachron.auditing.evidence.register import Book, OneState, RegisterState, found_in
from anachron.auditing.evidence.tally import RunningCount, merged, paired, parted
from anachron.auditing.reading.register import RegisterGroups
from anachron.guarantees import MInvariance

__all__ = ["ModeKept", "Pair", "formed_now", "mode_kept", "pairs_of", "stood_before"]

Pair = tuple[RegisterState, RegisterState | None]
"""A piece of a state, and of the one before."""


@dataclass(frozen=True)
class ModeKept:
    """What breaks the promise of a mode, counted."""

    filling: int = 0
    """Signatures that do not have equally many new people with each of their values."""
    apart: int = 0
    """Published groups that are not one standing group, and the other way round."""
    regrouped: int = 0
    """Known people in another standing group although their signature is the same."""
    joined: int = 0
    """People in a group that stood before without them."""
    together: int = 0
    """People with another signature than before who share their group with somebody."""
    few: int = 0
    """Signatures that fewer new people joined than their turn gives them."""


def pairs_of(state: OneState, before: OneState | None, parts: int) -> Iterator[Pair]:
    """Look at a state beside the one before, in so many pieces."""
    if before is None:
        yield from ((piece, None) for piece in state.pieces(parts))
    else:
        yield from zip(state.pieces(parts), before.pieces(parts), strict=True)


def mode_kept(
    promise: MInvariance,
    state: OneState,
    before: OneState | None,
    parts: int,
    *,
    first: bool,
) -> ModeKept:
    """Count what breaks a mode; of what is before this release only where it is at hand."""
    sticky, pooled = promise.mode == "sticky", promise.balance == "pooled"
    full = promise.mode != "paper" and (first or before is not None)
    told = ModeKept()
    if full or pooled:
        counted = _Newcomers.of(pairs_of(state, before, parts))
        book = state.book
        told = ModeKept(
            filling=counted.gaps_filled(book) if full else 0,
            few=counted.joined_by_too_few(book, promise.m) if pooled and before else 0,
        )
    if not sticky:
        return told
    found = _Standing.of(state, before, parts)
    return ModeKept(
        told.filling,
        found.apart,
        found.regrouped,
        found.joined,
        found.together if promise.changes else 0,
        told.few,
    )


@dataclass(frozen=True, eq=False)
class _Newcomers:
    """How many people of a release have each signature."""

    came: RunningCount
    """Of those who are new, by signature and value."""
    known: RunningCount
    """Of the others, by signature."""

    @classmethod
    def of(cls, pieces: Iterable[Pair]) -> _Newcomers:
        came, known = RunningCount(), RunningCount()
        for state, before in pieces:
            old = _known(state, before)
            new = ~old & (state.group > 0)
            came.add(paired(state.signature[new], state.mark[new]))
            known.add(state.signature[old & (state.group > 0)])
        return cls(came, known)

    def gaps_filled(self, book: Book) -> int:
        """How many signatures do not have equally many new people with each of their values."""
        signature, start, values = np.unique(
            parted(self.came.number)[0], return_index=True, return_counts=True
        )
        if not len(signature):
            return 0
        count = self.came.count
        uneven = np.maximum.reduceat(count, start) != np.minimum.reduceat(count, start)
        return int((uneven | (values != book.sizes()[signature])).sum())

    def joined_by_too_few(self, book: Book, m: int) -> int:
        """How many signatures too few new people joined."""
        came: dict[int, int] = {}
        signatures = parted(self.came.number)[0].tolist()
        for signature, count in zip(signatures, self.came.count.tolist(), strict=True):
            came[signature] = came.get(signature, 0) + count
        return joined_by_too_few(self.known.each(), came, book.signatures, m)


@dataclass(frozen=True)
class _Standing:
    """How published groups and those that stand for ever go together."""

    apart: int
    regrouped: int
    joined: int
    together: int

    @classmethod
    def of(cls, state: OneState, before: OneState | None, parts: int) -> _Standing:
        stood = stood_before(() if before is None else before.pieces(parts))
        regrouped = joined = 0
        pairs, people, moved = np.zeros(0, dtype=np.int64), RunningCount(), RunningCount()
        for piece, old in pairs_of(state, before, parts):
            present = piece.present
            pairs = merged(pairs, paired(piece.standing[present], piece.group[present]))
            if old is None:
                continue
            people.add(piece.group[present])
            regrouped += _regrouping(piece, old)
            joined += _joining(piece, old, stood)
            moved.add(piece.group[_with_another_signature(piece, old)])
        standing, group = parted(pairs)
        apart = max(
            len(pairs) - len(np.unique(standing)),
            len(pairs) - len(np.unique(group)),
            int((standing < 0).sum()),
        )
        shared = moved.count[people.of(moved.number) > 1].sum()
        return cls(apart, regrouped, joined, int(shared))


def _known(state: RegisterState, before: RegisterState | None) -> Flags:
    """Who is in the state before, too."""
    if before is None:
        return np.zeros(len(state.subject), dtype=bool)
    return found_in(state.subject, before.subject) >= 0


def _in_both(state: RegisterState, before: RegisterState) -> tuple[Array, Array]:
    """The places of those who are in both states: before, and now."""
    place = found_in(before.subject, state.subject)
    old = np.flatnonzero(place >= 0)
    return old, place[old]


def _regrouping(state: RegisterState, before: RegisterState) -> int:
    old, new = _in_both(state, before)
    same = before.signature[old] == state.signature[new]
    return int((same & (before.standing[old] != state.standing[new])).sum())


def _joining(state: RegisterState, before: RegisterState, stood: Array) -> int:
    present = state.present
    place = found_in(state.subject, before.subject)[present]
    own = np.append(before.standing, -1)[place]
    now = state.standing[present]
    return int((np.isin(now, stood) & (own != now)).sum())


def _with_another_signature(state: RegisterState, before: RegisterState) -> Array:
    """The places of those in the release who had another signature before."""
    old, now = _in_both(state, before)
    moved: Array = now[(before.signature[old] != state.signature[now]) & (state.group[now] > 0)]
    return moved


def stood_before(pieces: Iterable[RegisterState]) -> Array:
    """The groups that stood before, ascending."""
    found = np.zeros(0, dtype=np.int64)
    for state in pieces:
        found = merged(found, state.standing)
    return found


def formed_now(groups: RegisterGroups, pieces: Iterable[RegisterState], stood: Array) -> Flags:
    """Of each published group of sticky mode, whether it is new, given those that stood before."""
    new = np.zeros(len(groups.number), dtype=bool)
    for state in pieces:
        present = state.present
        place = groups.places(state.group[present])
        fresh = ~np.isin(state.standing[present], stood)
        new[place[fresh & (place >= 0)]] = True
    return new
