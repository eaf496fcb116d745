"""Do some work in a child process that kills itself on the way.

The children are forked from a clean server process, not from the test run, whose threads
would not survive the fork.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from anachron import steps

PROCESSES = get_context("forkserver")
# The libraries that a child would otherwise import for itself, again and again.
PROCESSES.set_forkserver_preload(
    [
        "pytest",
        "pandas",
        "pyarrow.dataset",
        "duckdb",
        "anachron.flow",
        "anachron.ledger",
        "anachron.methods.granularity",
        "anachron.methods.invariance.apply",
        "anachron.methods.reposition.anatomy",
        "anachron.making.feeds",
        "anachron.making.publisher",
    ]
)


def killed_at(step: int, work: Callable[..., object], *arguments: Any) -> bool:
    """Kill the work when it reaches the n-th step; return whether it came that far."""
    child = PROCESSES.Process(target=_doomed, args=(step, work, arguments))
    child.start()
    child.join()
    if child.exitcode == -signal.SIGKILL:
        return True
    assert child.exitcode == 0, "the work failed without being killed"
    return False


def _doomed(step: int, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    left = step

    def reached(_name: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.reached = reached
    work(*arguments)
