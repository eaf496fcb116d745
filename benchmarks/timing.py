"""Run a piece of work in a process of its own and measure its time and peak memory."""

from __future__ import annotations

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
    peak_mb: float
    result: Any


def measure(work: Callable[..., Any], *args: Any) -> Measured:
    """A fresh process, so that peak memory is that of the work and of nothing before it."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_child, args=(theirs, work, args))
    child.start()
    theirs.close()
    measured: Measured = ours.recv()
    child.join()
    return measured


def best(times: int, work: Callable[..., Any], *args: Any) -> Measured:
    """The quickest of several runs: on a shared machine the others measure the neighbours."""
    return min((measure(work, *args) for _ in range(times)), key=lambda m: m.seconds)


def _child(pipe: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    start = time.perf_counter()
    result = work(*args)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pipe.send(Measured(seconds, peak, result))
    pipe.close()
