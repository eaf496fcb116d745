"""Two subgroups with one word in one group are one to the reader, and must be diverse as one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from anachron.kernels.sax import letters, normalised
from anachron.methods.patterns.diversity import Diversity
from tests.methods.patterns.test_diversity import by_lot
from tests.methods.patterns.test_plans import PLANS

# Where a value of one subgroup is near to two of the other that are far from each other.
CASES = [(109, "kapra"), (121, "kapra"), (183, "kapra"), (192, "naive"), (259, "naive")]


@pytest.mark.parametrize(("seed", "name"), CASES)
def test_people_whom_a_reader_cannot_tell_apart_are_diverse(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    n, times, few = (int(rng.integers(*ends)) for ends in ((20, 120), (2, 5), (2, 5)))
    k, l = int(rng.integers(2 * few, 6 * few)), int(rng.integers(2, few + 1))  # noqa: E741
    distance = float(rng.choice([0.5, 1, 2.0]))
    series = np.cumsum(rng.normal(size=(n, times)), axis=1)
    values = rng.integers(0, 12, n).astype(np.float64)
    wanted = Diversity(values, l, by_lot(seed), distance)
    plan = PLANS[name](series, k, few, 4, "level", np.arange(n), wanted)
    seen = defaultdict(list)
    z = normalised(series)
    for i in np.flatnonzero(plan.group >= 0):
        word = letters(z, int(plan.level[i]), np.array([i])).tobytes()
        seen[plan.group[i], plan.level[i], word].append(i)
    for members in seen.values():
        near = np.abs(values[members] - values[members][:, None]) <= distance
        assert (near.sum(axis=1) * l <= len(members)).all()
