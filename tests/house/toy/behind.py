"""Who stands behind a release: for its audit, for attacks, and for those who measure it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.behind import Members, Microdata
from anachron.placing.members import Finder, quasi_of, sensitive_of
from anachron.release import Release


def rows_of(loaded: Microdata, some: Array) -> list[tuple[object, ...]]:
    """Some rows of a table, as they would be published."""
    columns = [coded.values.take(pa.array(coded.codes)) for coded in loaded.quasi.values()]
    held = pa.Table.from_batches(loaded.sensitive(1 << 17), loaded.sensitive_schema)
    columns += held.columns
    return list(zip(*(column.take(pa.array(some)).to_pylist() for column in columns), strict=True))


def _rows(release: Release, loaded: Microdata, _past: object) -> Flags:
    """Mark the rows of whoever has enough."""
    enough = np.bincount(loaded.subject) >= int(release.guarantee["n"])
    return enough[loaded.subject]


def _members(release: Release, loaded: Microdata, past: object) -> Members:
    """Put everyone into the group of their quasi values."""
    rows = np.flatnonzero(_rows(release, loaded, past))
    codes = np.stack([coded.codes[rows] for coded in loaded.quasi.values()])
    number, group = np.unique(codes, axis=1, return_inverse=True)
    return Members(
        group=group.reshape(-1),
        groups=number.shape[1],
        person=loaded.subject[rows].astype(np.int64),
        quasi=quasi_of(loaded, rows),
        sensitive=sensitive_of(loaded, rows),
    )


MEMBERS = Finder(_rows, _members)
