"""Rows are dealt by the lots at which parts end, as they are dealt where all lots are sorted."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.engines.local.rows import LocalRows
from anachron.engines.spark.dealing import dealer


@pytest.mark.parametrize("words", [1, 2])
def test_thresholds_deal_as_sorting_does(words: int) -> None:
    rng = np.random.default_rng(words)
    for case in range(60):
        n, many = int(rng.integers(0, 400)), int(rng.integers(1, 9))
        lots = rng.integers(0, 2**63, (n, 2)).astype(np.uint64)
        if words == 2:
            lots[:, 0] >>= np.uint64(rng.integers(0, 62))  # many begin alike, or are the same
        columns = {
            "cell": rng.integers(-1, many, n),
            "lot": lots if words == 2 else lots[:, 0],
        }
        size = np.bincount(columns["cell"] + 1, minlength=many + 1)[1:]
        cell = np.repeat(np.arange(many), 3)
        count = rng.integers(0, size[cell] // 3 + 1)
        if rng.random() < 0.5:  # the last part of a cell takes all that are left
            count[2::3] = size - count[0::3] - count[1::3]
        parts = {"cell": cell, "count": count, "to": rng.permutation(3 * many)}
        rows = LocalRows.of(columns)
        wanted = rows.dealt("cell", "lot", parts, "to").collect("to")["to"]
        found = dealer(rows, "cell", "lot", parts, "to")(columns)["to"]
        assert found.tolist() == wanted.tolist(), case
