"""Would a search over the groups of KAPRA pay? Groups as they are formed, and as they could be.

The command is ``exchanges`` of ``benchmarks.patterns``. It begins with the groups of KAPRA and
goes on until hardly anything is gained:

=========  ==================================================================================
moves      a P-subgroup goes to another group, if its own keeps k series
swaps      two P-subgroups of different groups change places
divisions  two groups of ``MOST`` P-subgroups or fewer are divided anew, in the best of all ways
series     two series of one leaf, in different groups, change places
=========  ==================================================================================

The loss of a group is its series times the root of its summed squared widths. Only groups that are
near are looked at, the widest ones first; nothing is drawn. k and P are kept throughout: the number
of series of a group never falls below k, and that of a P-subgroup never changes. The words of a
leaf are equal at the level of the tree; finer ones are compared anew afterwards.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from anachron.kernels.compiled import compiled
from anachron.kernels.envelopes import envelopes
from anachron.methods.patterns.finest import choose_levels
from anachron.methods.patterns.kapra import kapra, recycle
from anachron.methods.patterns.losses import pattern_losses, value_loss
from anachron.methods.patterns.planned import Task
from anachron.methods.patterns.tree import create_tree

NEAR, NEAR_GROUPS, MOST, ROUNDS = 30, 16, 12, 4
ENOUGH = 1e-3
"""A round that gains less than this part is the last."""


@dataclass(frozen=True)
class Losses:
    """Value loss and pattern loss of a series on the average, and how long it took."""

    value: float
    pattern: float
    seconds: float


def exchanges(options: argparse.Namespace) -> None:
    """Print what is lost with k = 10 before and after."""
    from benchmarks.patterns import MAX_LEVEL, tables

    print("| data | P | value loss | subgroups exchanged | seconds | series, too | seconds "
          "| pattern loss | after |")  # fmt: skip
    print("|" + "---|" * 9)
    for name, raw in tables(options):
        series = (raw - raw.min()) / np.ptp(raw)
        place = np.random.default_rng(2).permutation(len(series))
        for p in (2, 5):
            before, some, last = searched(
                Task(series, 10, p, MAX_LEVEL, "level", place, tree_level=2)
            )
            print(
                f"| {name} | {p} | {before.value:.4f} "
                f"| {some.value:.4f} ({some.value / before.value - 1:+.1%}) | {some.seconds:.1f} "
                f"| {last.value:.4f} ({last.value / before.value - 1:+.1%}) | {last.seconds:.1f} "
                f"| {before.pattern:.4f} | {last.pattern:.4f} |",
                flush=True,
            )


def searched(task: Task) -> tuple[Losses, Losses, Losses]:
    """Groups as formed, after a search over P-subgroups, and over series, too."""
    plan = kapra(task)
    kept = plan.kept
    x, z, part, group = task.series[kept], task.z[kept], plan.subgroup[kept], plan.group[kept]
    leaves = create_tree(task.z, task.P, task.tree_level or task.max_level)
    leaf = recycle(task.z, task.P, leaves)[kept]
    begun = time.perf_counter()

    def told() -> Losses:
        size = np.bincount(group)
        assert size.min() >= task.k
        assert np.bincount(part).min() >= task.P
        level = choose_levels(z, part, task.max_level, task.objective)[part]
        lost = value_loss(*envelopes(x, group), size) / len(x)
        return Losses(lost, float(pattern_losses(z, level).mean()), time.perf_counter() - begun)

    found = [told()]
    group = _of_subgroups(x, part, group, task.k)
    found.append(told())
    for _ in range(ROUNDS):
        before = told().value
        part, group = _of_series(x, leaf, part, group)
        group = _of_subgroups(x, part, group, task.k)
        if before - told().value < ENOUGH * before:
            break
    return found[0], found[1], told()


@dataclass(eq=False)
class _State:
    """Which parts, of so many series each, are in which group."""

    low: np.ndarray
    high: np.ndarray
    size: np.ndarray
    group: np.ndarray
    members: np.ndarray
    count: np.ndarray
    series: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(cls, low: np.ndarray, high: np.ndarray, size: np.ndarray, group: np.ndarray) -> _State:
        count = np.bincount(group)
        members = np.full((len(count), 3 * count.max() + MOST), -1)
        order, start = np.argsort(group, kind="stable"), np.cumsum(count) - count
        for g, (first, many) in enumerate(zip(start, count, strict=True)):
            members[g, :many] = order[first : first + many]
        series = np.bincount(group, size).astype(np.int64)
        state = cls(low, high, size, group.copy(), members, count, series, np.zeros(len(count)))
        bottom, top, _ = state.boxes()
        state.loss = series * np.sqrt(((top - bottom) ** 2).sum(axis=1))
        return state

    def boxes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Envelopes of the groups that have members, and which these are."""
        there = np.flatnonzero(self.count)
        low, high = (
            np.full((len(self.count), self.low.shape[1]), end) for end in (np.inf, -np.inf)
        )
        np.minimum.at(low, self.group, self.low)
        np.maximum.at(high, self.group, self.high)
        return low[there], high[there], there

    def near(self, low: np.ndarray, high: np.ndarray, many: int) -> np.ndarray:
        bottom, top, there = self.boxes()
        tree = cKDTree(np.concatenate([bottom, top], axis=1))
        found = tree.query(np.concatenate([low, high], axis=1), k=min(many, len(there)))[1]
        return there[found.reshape(len(low), -1)]

    def widest(self, group: np.ndarray) -> np.ndarray:
        return np.argsort(-(self.loss / np.maximum(self.series, 1))[group], kind="stable")


def _of_subgroups(x: np.ndarray, part: np.ndarray, group: np.ndarray, k: int) -> np.ndarray:
    of_part = np.empty(part.max() + 1, dtype=np.int64)
    of_part[part] = group
    state = _State.of(*envelopes(x, part), np.bincount(part), of_part)
    none = np.zeros(len(of_part), dtype=np.int64)
    for _ in range(2 * ROUNDS):
        before = state.loss.sum()
        near = state.near(state.low, state.high, NEAR)
        _change(*vars(state).values(), near, state.widest(state.group), k, none, none.copy())
        bottom, top, there = state.boxes()
        near = np.zeros((len(state.count), min(NEAR_GROUPS, len(there))), dtype=np.int64)
        near[there] = state.near(bottom, top, NEAR_GROUPS)
        _divide(*vars(state).values(), near, there[state.widest(there)], k)
        if before - state.loss.sum() < ENOUGH * before:
            break
    numbered: np.ndarray = np.unique(state.group, return_inverse=True)[1]
    return numbered[part]


def _of_series(
    x: np.ndarray, leaf: np.ndarray, part: np.ndarray, group: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    state = _State.of(x, x, np.ones(len(x), dtype=np.int64), group)
    home = np.arange(len(x))
    for _ in range(ROUNDS):
        before = state.loss.sum()
        near = state.near(x, x, NEAR)
        # Of one series only a swap keeps k and P; each takes the place of the other.
        _change(*vars(state).values(), near, state.widest(state.group), -1, leaf, home)
        if before - state.loss.sum() < ENOUGH * before:
            break
    return part[home], state.group


@compiled
def _loss(low, high, members, many, without, extra, series):  # type: ignore[no-untyped-def]
    """The loss of a group of so many series, without one of its parts, and with another."""
    square = 0.0
    for t in range(low.shape[1]):
        bottom, top = np.inf, -np.inf
        for i in range(many + 1):
            s = extra if i == many else members[i]
            if s >= 0 and s != without:
                bottom, top = min(bottom, low[s, t]), max(top, high[s, t])
        if top > bottom:
            square += (top - bottom) ** 2
    return series * np.sqrt(square)


@compiled
def _change(low, high, size, group, members, count, series, loss, near, order, k, leaf, home):  # type: ignore[no-untyped-def]
    """Carry out the best move or swap of each part in its turn; k < 0: of series, swaps only."""
    for s in order:
        a = group[s]
        best, to, other = 0.0, -1, -1
        if k >= 0:
            best, to = _move(low, high, size, members, count, series, loss, near[s], k, s, a)
        for b in near[s]:
            if b == a or not count[b]:
                continue
            gain, q = _swap(low, high, size, members, count, series, loss, k, leaf, s, a, b)
            if gain < best:
                best, to, other = gain, b, q
        if best > -1e-9:
            continue
        _take(members, count, a, s, other)
        if other >= 0:
            _take(members, count, to, other, s)
            group[other] = a
            series[a] += size[other]
            series[to] -= size[other]
            home[s], home[other] = home[other], home[s]
        else:
            members[to, count[to]] = s
            count[to] += 1
        group[s] = to
        series[a] -= size[s]
        series[to] += size[s]
        for g in (a, to):
            loss[g] = _loss(low, high, members[g], count[g], -1, -1, series[g])


@compiled
def _move(low, high, size, members, count, series, loss, near, k, s, a):  # type: ignore[no-untyped-def]
    """Find the group that it is best to move to, and what is gained."""
    best, to = 0.0, -1
    if series[a] - size[s] < k:
        return best, to
    left = _loss(low, high, members[a], count[a], s, -1, series[a] - size[s])
    for b in near:
        if b != a and 0 < count[b] < members.shape[1] - 1:
            joined = _loss(low, high, members[b], count[b], -1, s, series[b] + size[s])
            if left + joined - loss[a] - loss[b] < best:
                best, to = left + joined - loss[a] - loss[b], b
    return best, to


@compiled
def _swap(low, high, size, members, count, series, loss, k, leaf, s, a, b):  # type: ignore[no-untyped-def]
    """Find the part of a group that it is best to change places with, and what is gained."""
    best, other = 0.0, -1
    for i in range(count[b]):
        q = members[b, i]
        more = size[q] - size[s]
        if leaf[q] != leaf[s] or series[a] + more < k or series[b] - more < k:
            continue
        gain = _loss(low, high, members[b], count[b], q, s, series[b] - more) - loss[a] - loss[b]
        if gain < best:
            gain += _loss(low, high, members[a], count[a], s, q, series[a] + more)
            if gain < best:
                best, other = gain, q
    return best, other


@compiled
def _take(members, count, group, part, instead):  # type: ignore[no-untyped-def]
    for i in range(count[group]):
        if members[group, i] == part:
            if instead >= 0:
                members[group, i] = instead
            else:
                count[group] -= 1
                members[group, i] = members[group, count[group]]
            return


@compiled
def _divide(low, high, size, group, members, count, series, loss, near, order, k):  # type: ignore[no-untyped-def]
    """Divide two near groups anew, in the best of all ways."""
    for a in order:
        for b in near[a]:
            if a == b or not count[a] or not count[b] or count[a] + count[b] > MOST:
                continue
            parts = np.concatenate((members[a, : count[a]], members[b, : count[b]]))
            chosen = _division(low, high, size, parts, k, loss[a] + loss[b] - 1e-9)
            if not chosen:
                continue
            count[a], count[b], series[a], series[b] = 0, 0, 0, 0
            for i in range(len(parts)):
                g = a if chosen >> i & 1 else b
                members[g, count[g]] = parts[i]
                group[parts[i]] = g
                count[g] += 1
                series[g] += size[parts[i]]
            for g in (a, b):
                loss[g] = _loss(low, high, members[g], count[g], -1, -1, series[g])


@compiled
def _division(low, high, size, parts, k, best):  # type: ignore[no-untyped-def]
    """Find the division that loses least, and less than there is to lose; 0 if there is none."""
    n, whole, chosen = len(parts), size[parts].sum(), 0
    one, two = np.full(n, -1), np.full(n, -1)
    for ways in range(1, 1 << (n - 1)):
        many = 0
        for i in range(n):
            one[i], two[i] = (parts[i], -1) if ways >> i & 1 else (-1, parts[i])
            many += size[parts[i]] if ways >> i & 1 else 0
        if many < k or whole - many < k:
            continue
        found = _loss(low, high, one, n, -1, -1, many)
        if found < best:
            found += _loss(low, high, two, n, -1, -1, whole - many)
            if found < best:
                best, chosen = found, ways
    return chosen
