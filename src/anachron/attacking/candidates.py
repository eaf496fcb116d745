"""Which values stand in groups that could hold a person, by quasi values alone (Definition 15)?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.attacking.sets import bits_of
from anachron.auditing.checks.form import roles_of_register
from anachron.auditing.evidence.boxes import Boxes, holders, planted
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import Register, is_legible
from anachron.auditing.reading.intervals import code_ranges
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.behind import Microdata
from anachron.release.read import Release

__all__ = ["Cover", "cover"]

_AT_ONCE = 4096
"""People whose groups are looked up together: each may be covered by hundreds."""


@dataclass(frozen=True, eq=False)
class Cover:
    """For each of some rows of the microdata, what covers it in a release of a register."""

    bits: Words
    """The values of all groups that cover the row."""
    by_host: Flags
    """Whether the person's own group is among them."""


def cover(
    release: Release,
    loaded: Microdata,
    rows: Array,
    texts: dict[str, int],
    hosts: Array | None = None,
) -> Cover | None:
    """Find the values of all groups that cover these rows.

    ``texts`` numbers sensitive values; those that it lacks are added. ``hosts`` has the place of
    each row's own group. None if the release is not one of a register with these columns.
    """
    shape = register_of(release)
    if shape is None or not is_legible(shape):
        return None
    if not roles_of_register.holds(shape, loaded):
        return None
    groups = register_groups(shape)
    names = groups.domain.cast(pa.string()).to_pylist()
    number = np.array([texts.setdefault(name, len(texts)) for name in names], dtype=np.int64)
    there = groups.value < len(names)  # a missing value is none
    of_group = bits_of(
        groups.owner[there], number[groups.value[there]], len(groups.size), len(texts)
    )
    bits = np.zeros((len(rows), of_group.shape[1]), dtype=np.uint64)
    by_host = np.zeros(len(rows), dtype=bool)
    for some, group in _pairs(shape, groups, loaded, rows):
        np.bitwise_or.at(bits, some, of_group[group])
        if hosts is not None:
            by_host[some[hosts[some] == group]] = True
    return Cover(bits, by_host)


def _pairs(
    shape: Register, groups: RegisterGroups, loaded: Microdata, rows: Array
) -> Iterator[tuple[Array, Array]]:
    """Pair places in ``rows`` with groups that cover them, some at a time."""
    points, firsts, lasts = [], [], []
    for interval, low, high in zip(shape.quasi, groups.low, groups.high, strict=True):
        column = loaded.quasi[interval.column]
        rank, first, last = code_ranges(interval, column.values, low, high)
        points.append(rank[column.codes[rows]])
        firsts.append(np.asarray(first, dtype=np.int64))
        lasts.append(np.asarray(last, dtype=np.int64))
    tree = planted(Boxes(np.zeros(len(groups.number), dtype=np.int64), firsts, lasts))
    for at in range(0, len(rows), _AT_ONCE):
        some = [point[at : at + _AT_ONCE] for point in points]
        for here, group in holders(tree, np.zeros(len(some[0]), dtype=np.int64), some):
            yield here + at, group
