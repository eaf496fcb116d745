"""Margins, laid against the published intervals and against the people of the microdata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Numbers
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.margins import Margin, classes_of, width_of
from anachron.auditing.reading.register import RegisterGroups

__all__ = ["columns_miscounted", "columns_out_of_form"]


def columns_out_of_form(form: Register, groups: RegisterGroups, step: int) -> Iterator[str]:
    """Name the columns whose margins the published rows alone show to be wrong."""
    real, margins = groups.size - groups.counterfeits, form.margins or {}
    for interval, low, high in zip(form.intervals, groups.low, groups.high, strict=True):
        margin = margins[interval.column]
        classes, people = (np.array(of, np.int64) for of in (margin.classes, margin.people))
        width = width_of(interval.width or Fraction(1), (low, high), groups.real_rows, step)
        wrong = margin.width != width or (np.diff(classes) <= 0).any()
        wrong = wrong or (people % step != 0).any() or (people < step).any()
        wrong = wrong or people.sum() > groups.real_rows
        if wrong or (people > _at_most(margin, (low, high), real)).any():
            yield interval.column


def _at_most(margin: Margin, bounds: tuple[Numbers, Numbers], real: Array) -> Array:
    """The people in all groups that reach into each class."""
    # Bounds of texts are places in their order already.
    first, last = (classes_of(margin.width, pa.array(end), None) for end in bounds)
    classes = np.array(margin.classes, np.int64)

    def running(ends: Array) -> Array:
        order = np.argsort(ends)
        total = np.concatenate(([0], np.cumsum(real[order])))
        return np.asarray(total[np.searchsorted(ends[order], classes, side="right")])

    return running(first) - running(last + 1)


def columns_miscounted(
    form: Register,
    values: Mapping[str, pa.Array],
    counts: Mapping[str, Array],
    step: int,
    *,
    spare: int = 0,
) -> Iterator[str]:
    """Name the columns whose margins are not what rows of the microdata count.

    Given are the different values of each column, and how many rows have each; ``spare`` is how
    many of these are not published, if nobody knows which.
    """
    for interval in form.intervals:
        margin = (form.margins or {})[interval.column]
        of_value = classes_of(margin.width, values[interval.column], interval.order)
        classes, place = np.unique(of_value, return_inverse=True)
        counted = np.zeros(len(classes), dtype=np.int64)
        np.add.at(counted, place, counts[interval.column])
        told = dict(zip(margin.classes, margin.people, strict=True))
        said = np.array([told.pop(one, 0) for one in classes.tolist()], np.int64)
        least, most = (np.maximum(c, 0) // step * step for c in (counted - spare, counted))
        if told or (said < least).any() or (said > most).any():
            yield interval.column
