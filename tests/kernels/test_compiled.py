"""Loops are compiled when they are first called, and nothing is loaded for them before."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from anachron.kernels.compiled import compiled


@compiled
def doubled(n: int) -> int:
    return 2 * n


@compiled
def again(n: int) -> int:
    return doubled(doubled(n))


def test_loops_call_each_other_whoever_comes_first() -> None:
    first = again
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(first, range(8))) == [4 * n for n in range(8)]
    assert again is not first
    assert first(3) == again(3) == 12


def test_numba_is_not_loaded_before_a_loop_is_called() -> None:
    seen = subprocess.run(
        [
            sys.executable, "-c",
            "import sys, anachron.methods.patterns.apply, anachron.asking.series_records\n"
            "from anachron.kernels.sax import breakpoints, normalised\n"
            "breakpoints(3); print('numba' in sys.modules)\n"
            "import numpy; normalised(numpy.eye(3)); print('numba' in sys.modules)",
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert seen.stdout.split() == ["False", "True"]
