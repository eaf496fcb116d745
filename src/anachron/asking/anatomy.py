"""Rows and sensitive values in two tables: exact quasi columns, and the values of each group.

Of the n rows of a group, q meet what is asked of quasi columns and time, and c of its n values
meet what is asked of the sensitive column. Nothing tells which row has which value, so between
q + c − n and min(q, c) records meet both, q c / n are expected, and their number is
hypergeometric if every assignment is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from anachron.asking.catalogue import Catalogue
from anachron.asking.cells import gathered
from anachron.asking.layout import Layout, laid_out
from anachron.errors import ReleaseError
from anachron.release.read import Release

__all__ = ["anatomy"]


def anatomy(releases: Sequence[Release], catalogue: Catalogue) -> Layout:
    """Lay out the pushes of a feed, one behind the other."""
    data, group, known = gathered([release.table() for release in releases])
    tables = [release.table("sensitive").sort_by("group") for release in releases]
    values, value_group, same = gathered(tables)
    if any(not np.array_equal(one, other) for one, other in zip(known, same, strict=True)):
        raise _altered(releases)
    often = np.asarray(pc.cast(values["count"], "int64"))
    by_group, by_row = catalogue.with_role("time"), catalogue.with_role("quasi")
    fakes = np.zeros(sum(len(one) for one in known), dtype=np.int64)
    return laid_out(catalogue, data, group, by_group, by_row, fakes, (values, value_group, often))


def _altered(releases: Sequence[Release]) -> ReleaseError:
    where = ", ".join(str(release.path) for release in releases)
    return ReleaseError(f"{where}: rows and sensitive values do not belong together.")
