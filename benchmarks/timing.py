"""Run a piece of work in a process of its own and measure its time and peak memory."""

from __future__ import annotations

import inspect
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True)
class Measured:
    seconds: float
    """By the clock on the wall."""
    processor: float
    """Of all cores together: the steadier of the two where there are neighbours."""
    peak_mb: float
    result: Any

    def against(self, reference: Measured) -> str:
        """How many times as long as something else of the same run."""
        return f"{self.seconds / reference.seconds:.2f} ×"


def measure(work: Callable[..., Any], *args: Any) -> Measured:
    """A fresh process, so that peak memory is that of the work and of nothing before it.

    Of a generator, what it does before its first ``yield`` is not timed: it makes its tables
    there, or loads what is compiled.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_child, args=(theirs, work, args))
    child.start()
    theirs.close()
    measured: Measured = ours.recv()
    child.join()
    return measured


def median(work: Callable[..., Any], *args: Any, runs: int = 3) -> Measured:
    """The run in the middle: neither the neighbours' worst moment nor our best."""
    done = sorted((measure(work, *args) for _ in range(runs)), key=lambda m: m.seconds)
    return done[len(done) // 2]


def _child(pipe: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    steps = None
    if inspect.isgeneratorfunction(work):
        steps = work(*args)
        next(steps)
    start, busy = time.perf_counter(), time.process_time()
    result = work(*args) if steps is None else _end(steps)
    seconds, processor = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pipe.send(Measured(seconds, processor, peak, result))
    pipe.close()


def _end(steps: Any) -> Any:
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    raise RuntimeError("a piece of work yields once, where its time begins")
