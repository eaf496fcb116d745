"""Worlds that look the same: two values exchanged among people, all groups staying as they are.

If Ann has flu and somebody in her group has cold, a world in which it is the other way round
shows the same groups, in that release. In the next one each of them stands with others, who then
must be exchanged, too, and so on: all who must change together are an *exchange*. Who stands where
a counterfeit has the other value exchanges with that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.attacking.equivalence import joined
from anachron.attacking.register import Seen, Slots

__all__ = ["Exchanges", "exchanges", "pairs_within"]


@dataclass(frozen=True, eq=False)
class Exchanges:
    """All exchanges of a history, by what they would have changed in each release."""

    who: Array
    """For each alternative the person, with one value all the time."""
    own: Array
    """The slot of the person's value,"""
    other: Array
    """and that of the other value."""
    exchange: Array
    """The exchange that the alternative needs."""
    survivor: Flags
    """Whether the person was in a release again."""
    met: tuple[Array, ...]
    """For each release the exchanges that change it,"""
    known: tuple[Array, ...]
    """how many more of the known people then have the higher value of the pair,"""
    new: tuple[Array, ...]
    """and how many more of the new ones."""


@dataclass(frozen=True, eq=False)
class _Nodes:
    """One node for each person and each slot of the signature; that of the own value is unused."""

    first: Array
    """Of each person the first node."""
    size: Array
    own: Array
    """Of each person the slot of the own value."""
    person: Array
    slot: Array
    begin: Array
    """Of each person the first slot of the signature."""

    def of(self, people: Array) -> Array:
        """The nodes of some people, one after the other."""
        return np.repeat(self.first[people], self.size[people]) + _within(self.size[people])

    def alternative(self) -> Flags:
        """Whether a node stands for another value than the person's own."""
        other: Flags = self.slot != self.own[self.person]
        return other


def exchanges(seen: Sequence[Seen], slots: Slots) -> tuple[Exchanges, Array]:
    """Find all exchanges, and who the people in them are."""
    who, names = _people(seen, slots)
    nodes = _nodes(names % len(slots.value), slots)
    label = _labels(seen, who, nodes)
    alternative = nodes.alternative()
    effects = [_effects(*one, nodes, label) for one in zip(seen, who, strict=True)]
    again = np.zeros(len(names), dtype=bool)
    for one, people in zip(seen, who, strict=True):
        again[people[~one.new]] = True
    found = Exchanges(
        who=nodes.person[alternative],
        own=nodes.own[nodes.person[alternative]],
        other=nodes.slot[alternative],
        exchange=label[alternative],
        survivor=again,
        met=tuple(effect[0] for effect in effects),
        known=tuple(effect[1] for effect in effects),
        new=tuple(effect[2] for effect in effects),
    )
    return found, names // len(slots.value)


def _nodes(own: Array, slots: Slots) -> _Nodes:
    signature = np.searchsorted(slots.start, own, side="right") - 1
    size = np.diff(slots.start)[signature]
    begin = slots.start[signature]
    person = np.repeat(np.arange(len(own)), size)
    return _Nodes(np.cumsum(size) - size, size, own, person, begin[person] + _within(size), begin)


def _labels(seen: Sequence[Seen], who: Sequence[Array], nodes: _Nodes) -> Array:
    """Number exchanges: two people of a group who have each other's values change together."""
    ours, theirs = [], []
    for one, people in zip(seen, who, strict=True):
        left, right = pairs_within(one.group)
        a, b = people[left], people[right]
        ours.append(nodes.first[a] + nodes.own[b] - nodes.begin[a])
        theirs.append(nodes.first[b] + nodes.own[a] - nodes.begin[b])
    return joined(len(nodes.person), np.concatenate(ours), np.concatenate(theirs))


def _effects(seen: Seen, people: Array, nodes: _Nodes, label: Array) -> tuple[Array, Array, Array]:
    """Which exchanges change a release, and how many more known and new people go up."""
    node = nodes.of(people)
    new = np.repeat(seen.new, nodes.size[people])
    there = nodes.alternative()[node]
    node, new = node[there], new[there]
    step = np.where(nodes.slot[node] > nodes.own[nodes.person[node]], 1, -1)
    changed, place = np.unique(label[node], return_inverse=True)
    known_up, new_up = (
        np.bincount(place, weights=np.where(new == flag, step, 0), minlength=len(changed))
        for flag in (False, True)
    )
    moved = (known_up != 0) | (new_up != 0)
    return changed[moved], known_up[moved].astype(np.int64), new_up[moved].astype(np.int64)


def _people(seen: Sequence[Seen], slots: Slots) -> tuple[list[Array], Array]:
    """Number people, each for as long as value and signature stay the same."""
    keys = [one.person * len(slots.value) + slots.find(one.signature, one.value) for one in seen]
    names, place = np.unique(np.concatenate(keys), return_inverse=True)
    ends = np.cumsum([len(key) for key in keys])
    return np.split(place, ends[:-1]), names


def _within(count: Array) -> Array:
    return np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)


def pairs_within(group: Array) -> tuple[Array, Array]:
    """Give all pairs of places with the same number, each once.

    >>> [side.tolist() for side in pairs_within(np.array([5, 7, 5, 5]))]
    [[0, 0, 2], [2, 3, 3]]
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    last = np.searchsorted(ordered, ordered, side="right")
    later = last - np.arange(len(group)) - 1
    left = np.repeat(np.arange(len(group)), later)
    right = left + 1 + _within(later)
    return order[left], order[right]
