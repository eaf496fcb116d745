"""The snapshots that rows of a stream are of, and which of them may still get rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.engines.base import ROW, TIME, Table
from anachron.guarantees import Reposition
from anachron.methods.reposition.memory import from_table
from anachron.methods.reposition.timeline import timeline

__all__ = ["Parted", "parted"]


@dataclass(frozen=True, eq=False)
class Parted:
    """Places of rows in their table."""

    over: Sequence[pa.Array]
    """Of each snapshot before the newest, in order: what comes for it now is late."""
    waits: pa.Array
    """Of the newest, which is over when a later one begins."""


def parted(table: Table, promise: Reposition, remembered: pa.Table | None) -> Parted:
    """Part the rows of a table by their snapshots.

    If the newest was pushed before, or the feed has ended, its rows are late and do not wait.
    """
    told = table.held().collect(ROW, TIME)
    rows = np.argsort(told[ROW])
    zone = table.schema.time_zone
    time = timeline(promise.snapshot, zone, (table.first, 0), table.last, 1)
    place = time.positions(told[TIME][rows], table.schema.time)
    snapshots = np.unique(place).tolist()
    parts = [pa.array(np.flatnonzero(place == one)) for one in snapshots]
    if remembered is not None:
        memory = from_table(remembered)
        start = int(time.bounds(np.array(snapshots[-1:]))[0][0])
        if memory.ending is not None or start <= memory.last:
            return Parted(parts, parts[-1].slice(0, 0))
    return Parted(parts[:-1], parts[-1])
