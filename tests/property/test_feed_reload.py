"""A feed that is stopped, written down and read back goes on as if it had not been."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tests.crash.conftest import MEMORY
from tests.oracle.reposition_reload import Reloaded, draw, play


def test_a_planner_that_is_read_back_at_every_arrival_says_what_one_in_memory_says() -> None:
    rng, seen = np.random.default_rng(12), Reloaded()
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for _ in range(80):
            play(draw(rng), Path(folder), seen)
    assert seen.feeds == 80
    assert seen.recoded > 20, "values that have no place, but are left out, occur"
