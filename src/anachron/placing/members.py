"""Who is in a release, and in which group: asked here, answered method by method.

==============  ==========================================================================
granularity     rows whose group is published; the release and the rows tell it
invariance      people whom the ledger remembers in a group of the release
reposition      records in their own snapshot, but for those the ledger lists as elsewhere
patterns        people whom the ledger remembers in a group of the release
==============  ==========================================================================

Without the ledger it is known only if everybody is published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.history import Past
from anachron.auditing.reading.columns import of_loaded, ranked
from anachron.behind import Attribute, Members, Microdata
from anachron.registry import METHODS
from anachron.release.read import Release

__all__ = ["Finder", "members_of", "quasi_of", "rows_of", "sensitive_of"]


@dataclass(frozen=True)
class Finder:
    """How those are found who are in a release of one method."""

    rows: Callable[[Release, Microdata, Past], Flags | None]
    """Marks the rows of the table that are in it; None if that cannot be told."""
    members: Callable[[Release, Microdata, Past], Members | None]
    """Finds the group of each of them, too."""


def rows_of(release: Release, table: Microdata, past: Past) -> Flags | None:
    """Mark the rows of a table that are in a release; None if that cannot be told."""
    found = _finder(release).rows(release, table, past)
    if found is None and past is None:
        false_ones = int(release.description["anachron"].get("counterfeits", 0))
        if release.rows - false_ones == table.rows:
            return np.ones(table.rows, dtype=np.bool_)
    return found


def members_of(release: Release, table: Microdata, past: Past) -> Members | None:
    """Find the group of everyone who is published; None if not enough is known."""
    return _finder(release).members(release, table, past)


def _finder(release: Release) -> Finder:
    found: Finder = METHODS[str(release.guarantee["method"])].members.load()
    return found


def quasi_of(table: Microdata, rows: Array) -> tuple[Attribute, ...]:
    """The quasi columns of some rows."""
    return tuple(
        Attribute(name, column.codes[rows].astype(np.int64), column.values.drop_null())
        for name, column in table.quasi.items()
    )


def sensitive_of(table: Microdata, rows: Array) -> tuple[Attribute, ...]:
    """The sensitive columns of some rows."""
    if not table.schema.sensitive:
        return ()
    held = of_loaded(table)
    found = ((name, *ranked(held[name])) for name in held.column_names)
    return tuple(Attribute(name, rank[rows], domain) for name, rank, domain in found)
