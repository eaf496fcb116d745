"""The same versions on the driver and in every worker, or nothing is computed.

A release has the bytes that its libraries write and the time zones that they know: of two versions,
one machine would count otherwise than another, and nobody would see it.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from anachron.errors import PlanError, Problem

__all__ = ["Versions", "refuse_others", "versions"]


@dataclass(frozen=True)
class Versions:
    """What decides on bytes."""

    python: str
    anachron: str
    numpy: str
    pyarrow: str
    duckdb: str
    tzdata: str

    def check(self) -> None:
        """Refuse to work where they are others."""
        if versions() != self:
            raise RuntimeError("anachron: this worker has other versions than the driver")


@cache
def versions() -> Versions:
    """Those of this process."""
    return Versions(platform.python_version(), *(_of(one.name) for one in fields(Versions)[1:]))


def _of(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def refuse_others(workers: Iterable[Versions]) -> None:
    """Refuse workers that have other versions than this process, which is the driver."""
    own, problems = versions(), []
    for worker in sorted(set(workers), key=repr):
        for one in fields(Versions):
            here, there = getattr(own, one.name), getattr(worker, one.name)
            if here != there:
                problems.append(
                    Problem(
                        f"the workers of Spark have {one.name} {there}, and the driver has {here}.",
                        remedy="Install the same versions everywhere: they decide on the bytes of "
                        "a release.",
                    )
                )
    if problems:
        raise PlanError(problems)
