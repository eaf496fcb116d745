"""How far the model of a question about series may be wrong: its unevenness, as in :mod:`doubt`.

A release of series does not tell how values are spread within its envelopes, nor shapes within
their letters, so the unevenness is a number for each kind of question. These numbers were fitted
to generated series, walks and load curves, in several rounds, until answers were covered as they
should be; real series were looked at once, afterwards. See docs/asking.md. What one condition
leaves open, conditions beside it leave open of fewer rows, which are less alike all: their
unevenness adds up.

=================  =======================================================================
one value          an envelope ends at the values of two of its n rows, or near them; this
                   alone is worth about 2 / n²
several values     values of one series go together, so sums spread wider than the model's
a feature          letters cut the normal distribution into parts that are equally likely
``similar``        distances add up what is wrong at every time
another column     people with the same value in it have similar series
=================  =======================================================================

Not known is the error of what depends on noise, on single values of numbers with fractions, on
values that were not published and are computed from letters, and on shapes of fewer than
``FEWEST_TIMES`` times, of which letters leave a few points open and no interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anachron.arrays import Floats
from anachron.asking.doubt import NOT_KNOWN
from anachron.asking.question import Leaf, SeriesLeaf, Similar, ValueIn
from anachron.asking.series_records import Records

__all__ = ["WITHIN", "unevenness_of_questions"]

ONE_VALUE, SEVERAL_VALUES, FEATURE, SIMILAR, ANOTHER_COLUMN = 0.04, 0.12, 0.08, 0.25, 0.03
WITHIN = 0.02
"""Of the values that are added up, whatever is asked about them."""
FEWEST_TIMES = 4


def unevenness_of_questions(
    asked: Sequence[tuple[Leaf | SeriesLeaf, ...] | None], records: Records, target: str | None
) -> Floats:
    """Give the unevenness of what each question asks about; NaN if nobody knows.

    ``target`` is the column other than values that is added up, if any.
    """
    found = []
    for leaves in asked:
        series = sum(
            (_of_series(x, records) for x in leaves or () if isinstance(x, SeriesLeaf)), 0.0
        )
        others = [x.column for x in leaves or () if not isinstance(x, SeriesLeaf)]
        if target is not None:
            others.append(target)
        unknown = any(records.columns[column].noise for column in others)
        found.append(NOT_KNOWN if unknown else series + ANOTHER_COLUMN * bool(series and others))
    return np.array(found, dtype=np.float64)


def _of_series(leaf: SeriesLeaf, records: Records) -> float:
    if isinstance(leaf, ValueIn):
        points = not records.whole and any(span.low == span.high for span in leaf.spans)
        if points or any(time not in records.value_times for time, _ in leaf.weights):
            return NOT_KNOWN
        ends = 2.0 / records.group**2
        return ends + (ONE_VALUE if len(leaf.weights) == 1 else SEVERAL_VALUES)
    if records.words.times < FEWEST_TIMES:
        return NOT_KNOWN
    if isinstance(leaf, Similar):
        return SIMILAR
    known = all(time in records.pattern_times for time, _ in leaf.weights)
    return FEATURE if known else NOT_KNOWN
