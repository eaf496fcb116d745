"""Which method fits a table: by whether there is a time, and by how often people return."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from anachron.proposing.columns import Facts

__all__ = ["fitting", "side_by_side"]

_SERIES = 6
"""So many numbers in a row, with names that count, are a series."""


def side_by_side(columns: Sequence[Facts]) -> tuple[str, ...]:
    """Columns with the values of a series: numbers whose names differ in a number only."""
    runs: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for column in columns:
        counted = re.fullmatch(r"(.*?)(\d+)", column.name)
        if counted and column.kind in ("number", "whole", "flag"):
            runs[counted[1]].append((int(counted[2]), column.name))
    longest = min((sorted(run) for run in runs.values()), key=lambda run: -len(run), default=[])
    steps = {later[0] - earlier[0] for earlier, later in pairwise(longest)}
    if len(longest) < _SERIES or len(steps) > 1:
        return ()
    return tuple(name for _, name in longest)


def fitting(
    rows: int, people: int, time: Facts | None, series: Sequence[str], sensitive: Sequence[str]
) -> tuple[str, str]:
    """Name the method that fits, and say why."""
    if series:
        return "patterns", f"{len(series)} columns of numbers side by side are a series"
    if time is None:
        return "invariance", "there is no time: a register of people, to be released again"
    if people < rows:
        return "granularity", "people have several rows: events in time"
    if sensitive:
        return "reposition", "everybody has one row and one time: a feed of records"
    return "granularity", "events in time"
