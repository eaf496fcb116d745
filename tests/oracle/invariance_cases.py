"""Random buckets, counts and histories for the tests of m-invariance."""

from __future__ import annotations

import numpy as np

from tests.oracle import invariance as oracle


def counts(rng: np.random.Generator, m: int) -> list[int]:
    """How often each value occurs in a set that is m-eligible, of many shapes."""
    while True:
        values = int(rng.integers(m, m + 6))
        kind = rng.integers(4)
        top = int(rng.integers(1, 14))
        if kind == 0:
            n = rng.integers(0, top + 1, values)
        elif kind == 1:
            n = np.full(values, top)
        elif kind == 2:
            n = np.sort(rng.geometric(0.3, values))
        else:
            n = rng.integers(0, 2, values) * top
        if oracle.is_eligible(n.tolist(), m):
            return [int(x) for x in n]


def state(
    rng: np.random.Generator, m: int
) -> tuple[list[tuple[tuple[int, ...], list[int]]], list[int]]:
    """Buckets (signature, tuples of each of its values) and the counts of S−."""
    domain = int(rng.integers(m, 7))
    buckets = {}
    for _ in range(int(rng.integers(0, 5))):
        size = int(rng.integers(m, domain + 1))
        signature = tuple(sorted(rng.choice(domain, size, replace=False).tolist()))
        held = rng.integers(0, 4, size)
        held[rng.integers(size)] += 1
        buckets[signature] = [int(x) for x in held]
    new = [int(x) for x in rng.integers(0, 5, domain)]
    order = sorted(buckets, key=lambda signature: (len(signature), signature))
    return [(signature, buckets[signature]) for signature in order], new


def bucket(rng: np.random.Generator, exact: bool) -> list[list[oracle.Member]]:
    """Lists of one bucket, some filled up with counterfeits; quasi values often equal.

    If exact, all arithmetic on the quasi values is exact in floating point.
    """
    s, height, d = int(rng.integers(2, 5)), int(rng.integers(1, 9)), int(rng.integers(1, 4))
    steps = int(rng.choice([1, 2, 8, 64]))
    full = int(rng.integers(s))
    lots = iter(rng.permutation(s * height).tolist())
    name = iter(range(s * height))
    lists: list[list[oracle.Member]] = []
    for j in range(s):
        fake = 0 if j == full else int(rng.integers(height + 1) * (rng.random() < 0.5))
        members: list[oracle.Member] = [(-1, None, 0)] * fake
        for _ in range(height - fake):
            x = rng.integers(0, steps + 1, d) / steps if exact else rng.random(d).round(1)
            members.append((next(name), tuple(x.tolist()), next(lots)))
        lists.append(members)
    return lists
