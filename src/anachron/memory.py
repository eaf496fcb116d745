"""How much memory rows may take, and whether a table fits: asked before it is read.

A process that takes more than there is ends without a word: the system kills it. So what a table
will need is estimated from its rows, and refused with a remedy if it does not fit. What is left
is shared by the databases that read it, which put aside what does not fit.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pyarrow as pa

from anachron.errors import TableError

__all__ = ["ENVIRONMENT", "allowed", "available", "bytes_of", "fits", "for_a_database",
           "given_back", "held", "rows_at_once"]  # fmt: skip

ENVIRONMENT = "ANACHRON_MEMORY"
"""The environment variable that says how much."""
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", re.IGNORECASE)
_POWERS = "KMGT"
_MARGIN = 0.9
"""The share of free memory that is counted on: others work here, too."""
_SHARE = 2 / 3
"""The share that arrays may take: the rest is for the databases that fill them."""
_LEAST = 16_000_000
_PIECE = 0.3
"""The share of that which a piece of a table may take that lies aside."""
_FEWEST = 1 << 12
_held = 0


@contextmanager
def held(rows: int, each: int, name: str) -> Iterator[None]:
    """Count on the memory that so many rows take while the block lasts, or refuse the table."""
    global _held  # memory is one for the whole process
    needed, there = rows * each, allowed()
    if there is not None and not fits(rows, each):
        said = os.environ.get(ENVIRONMENT)
        limit = f"{ENVIRONMENT} is {said}" if said else f"about {_shown(there)} can be had"
        raise TableError(
            f"its {rows:,} rows need about {_shown(needed)} of memory, beside what is put aside, "
            f"and {limit}, of which they may take two thirds.",
            name,
            remedy=f"Set {ENVIRONMENT} to {_shown(needed / _SHARE + _held)} or more where there "
            "is so much, or publish fewer rows at a time, such as one year after the other.",
        )
    _held += needed
    try:
        yield
    finally:
        _held -= needed


def fits(rows: int, each: int) -> bool:
    """Whether so many rows can be held, beside what is held already."""
    there = allowed()
    return there is None or rows * each <= there * _SHARE - _held


def rows_at_once(each: int) -> int:
    """How many rows of so many bytes may be held at a time by who puts the others aside."""
    return max(int(((allowed() or 0) * _SHARE - _held) * _PIECE) // each, _FEWEST)


def for_a_database() -> int | None:
    """How many bytes a database may take beside what is held; two work at a time."""
    there = allowed()
    return None if there is None else max(int(there - _held) // 2, _LEAST)


def allowed() -> int | None:
    """How many bytes rows may take: as the environment says, or as far as can be seen."""
    said = os.environ.get(ENVIRONMENT)
    if said:
        return bytes_of(said)
    there = available()
    return None if there is None else int(there * _MARGIN) + _held


def available() -> int | None:
    """How many bytes more this process can have: of the machine, its container and its limits."""
    found = [*_of_machine(), *_of_container(), *_of_limits()]
    return max(min(found), 0) if found else None


def bytes_of(said: str) -> int | None:
    """A size as DuckDB reads it; what is none is refused by DuckDB."""
    match = _SIZE.fullmatch(said)
    if match is None:
        return None
    number, prefix, binary = match.groups()
    power = _POWERS.index(prefix.upper()) + 1 if prefix else 0
    return int(float(number) * (1024 if binary else 1000) ** power)


def given_back() -> None:
    """Give the system what was let go of: those who hand out memory keep it for the next time.

    For work in pieces, between one and the next; without it each kind of piece adds its own.
    """
    pa.default_memory_pool().release_unused()
    if trim := _trim():
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """What the library of C has for it; the GNU one alone."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


def _shown(size: float) -> str:
    return f"{size / 1e9:.1f}GB" if size >= 1e9 else f"{-(-size // 1e6):.0f}MB"


def _of_machine() -> Iterator[int]:
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        yield int(next(x for x in lines if x.startswith("MemAvailable")).split()[1]) * 1024


def _of_container() -> Iterator[int]:
    """What control groups leave, in both of their versions, from the innermost outwards."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, kinds, path = line.split(":", 2)
            if kinds == "":
                names = ("memory.max", "memory.current")
                root = Path("/sys/fs/cgroup")
            elif "memory" in kinds.split(","):
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
                root = Path("/sys/fs/cgroup/memory")
            else:
                continue
            inner = root / path.lstrip("/")
            for group in (inner, *inner.parents):
                if not group.is_relative_to(root):
                    break
                with suppress(OSError, ValueError):  # "max" is no number, and no limit
                    most, now = (int((group / name).read_text("ascii")) for name in names)
                    yield most - now + _given_back(group)


def _given_back(group: Path) -> int:
    """Pages of files count as used, and are given back when memory is short."""
    with suppress(OSError, ValueError):
        told = (group / "memory.stat").read_text("ascii").splitlines()
        facts = dict(line.split() for line in told)
        return int(facts.get("inactive_file") or facts.get("total_inactive_file") or 0)
    return 0


def _of_limits() -> Iterator[int]:
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = int(Path("/proc/self/statm").read_text("ascii").split()[5])
        limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
        if limit != resource.RLIM_INFINITY:
            yield limit - used * resource.getpagesize()
