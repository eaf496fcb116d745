"""What drawing needs of the machine: asked before, as its engine ends the process without it."""

from __future__ import annotations

import sys
from pathlib import Path

from anachron.errors import AnachronError

__all__ = ["check_room_to_draw"]

_RESERVED = 66 << 30
"""Bytes of addresses, not of memory, that the engine of drawings reserves while it starts (V8 of
vl-convert 1.9: 64 GiB, seen; half of it is given back)."""


def check_room_to_draw() -> None:
    """Refuse to draw where so many addresses cannot be had: it could not be caught later."""
    limit = _limit()
    if limit is None or _started():
        return
    there = limit - _addresses()
    if there < _RESERVED:
        raise AnachronError(
            "the charts of the certificate cannot be drawn: their engine reserves "
            f"{_RESERVED >> 30} GB of addresses, and this process may have "
            f"{max(there, 0) >> 30} GB more (ulimit -v). That is no memory: "
            "lift this limit, and limit memory itself (a cgroup, or a container) where it must be "
            "limited. Nothing was written."
        )


def _started() -> bool:
    """Whether the engine has its addresses already."""
    return _addresses() > _RESERVED // 2


def _addresses() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError):
        return 0
    import resource

    return pages * resource.getpagesize()


def _limit() -> int | None:
    """How many addresses this process may have, if that is limited."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
