"""How far an even spread may be wrong, as far as the release itself can tell.

==============  ==========================================================================
``p``           the share of a cell that meets a leaf, if its values are spread evenly
``π``           the share that truly does: its mean is p, its variance ρ p (1 − p)
``ρ``           the unevenness of a column: 0 if values are spread evenly, 1 if all values of a
                cell are alike
``lean``        of an answer: by how much it moves if all cells lean the same way at once, by
                one standard deviation of π
==============  ==========================================================================

The variance of an answer is that of the draw, if π = p, plus lean². The first grows with the
number of rows that are open, the second with its square: of few rows chance is what matters, of
many rows the spread.

Notes
-----
Not in the papers, which give estimates without errors. The unevenness of numbers is measured on
the release. Windows as wide as a published interval is on average are laid side by side, and
two neighbours of them are taken as an interval that is cut in the middle. If rows were spread
evenly, (N₁ − N₂)² / (N₁ + N₂) would be 1 on average; it is 1 + ρ (N₁ + N₂ − 1). A release with few
windows, or with few rows in them, tells little, and ρ is drawn towards what is expected, as if
``PAIRS`` pair more had been seen. An interval that holds all rows is expected to be as uneven as
``EXPECTED``; one of M that lie side by side as the M-th part of it, since what is near is alike.

Boxes overlap, and what one gives too much its neighbours give too little, so they do not all lean
to one side: of intervals that are no bins ρ is taken to be half of that. Rows with one sensitive
value do, if it goes with the column; where values are asked for, ρ is measured on the rows of each
value, and is that of all on the average.

Where margins are fitted (:mod:`anachron.asking.weights`), all rows together lean little: what is
left of ρ is ``FITTED``. Rows with the values that are asked for may lean as a part of what was
measured, ``ASSOCIATED``; and if s of all rows have them, the others lean the other way, so that it
is (1 − s)² of that. Both numbers were set by a look at counts, sums and means of one survey with
two sensitive columns, and others were looked at afterwards. See docs/asking.md.

Of the values of a class nothing is published. All ways to divide its rows among K values are taken
as equally likely; then ρ = 1 / (K + 1).

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

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anachron.arrays import Array, Flags, Floats, Numbers
from anachron.asking.question import Leaf, SeriesLeaf, Similar, ValueIn

if TYPE_CHECKING:
    from anachron.asking.series_records import SeriesRecords

__all__ = [
    "NOT_KNOWN",
    "OVERLAP",
    "WITHIN",
    "doubt_of",
    "fitted",
    "unevenness",
    "unevenness_apart",
    "unevenness_of_classes",
    "unevenness_of_questions",
    "unevenness_of_values",
]

EXPECTED = 1 / 2
"""The unevenness of a column that is published in one interval."""
PAIRS = 1.0
"""How much that counts beside what a release tells."""
OVERLAP = 1 / 2
"""How much of the unevenness remains where intervals overlap."""
FITTED, ASSOCIATED = 0.04, 0.45
"""How much of the unevenness remains where margins are fitted: of all rows, and of those of values
of which a few are asked for."""
NOT_KNOWN = np.nan
"""The doubt of what no model describes: the answer has no standard error."""
_MOST_WINDOWS, _MOST_VALUES = 10_000, 100
ONE_VALUE, SEVERAL_VALUES, FEATURE, SIMILAR, ANOTHER_COLUMN = 0.04, 0.12, 0.08, 0.25, 0.03
WITHIN = 0.02
"""Of the values that are added up, whatever is asked about them."""
FEWEST_TIMES = 4
Measure = Callable[[Flags], float]


def doubt_of(must: Flags, may: Flags, share: Floats, uneven: float | Floats) -> Floats:
    """Give the variance of the true share of each cell; not known where it should be a point."""
    open_ones = may & ~must
    doubt = np.where(open_ones, uneven * share * (1.0 - share), 0.0)
    return np.where(open_ones & ((share <= 0.0) | (share >= 1.0)), NOT_KNOWN, doubt)


def fitted(
    of_all: float | Floats, of_values: float | Floats, told: float, share: float | None
) -> float | Floats:
    """Give the unevenness that fitted margins leave, if they tell so much of a column.

    ``share`` is that of the rows with the values that are asked for; None if none are.

    >>> fitted(0.5, 0.8, told=1.0, share=None), round(fitted(0.5, 0.8, told=1.0, share=0.5), 2)
    (0.02, 0.11)
    """
    left = of_all * FITTED
    if share is not None:
        left = left + of_values * (ASSOCIATED * (1.0 - share) ** 2)
    return told * left + (1.0 - told) * (of_all if share is None else of_values)


def unevenness_of_classes(sizes: Array) -> Floats:
    """Give the unevenness of classes of so many values."""
    found: Floats = 1.0 / (sizes.astype(np.float64) + 1.0)
    return found


def unevenness_of_values(values: Numbers, rows: Array, measured: Measure) -> float:
    """Give the unevenness of rows with the same value, on the average, by a ``measure`` of some.

    They lean together where a value goes with the column: it grows, say, with age. The roots are
    averaged, since it is by these that answers lean; of many values, the most frequent ones.
    """
    often = np.bincount(values, rows)
    total, found = 0.0, 0.0
    for value in np.argsort(-often, kind="stable")[:_MOST_VALUES].tolist():
        if often[value] > 0:
            found += often[value] * np.sqrt(measured(values == value))
            total += often[value]
    return float((found / total) ** 2) if total else EXPECTED


def unevenness_apart(
    low: Floats, high: Floats, values: Numbers, rows: Array, group: float
) -> float:
    """Give the unevenness of rows with the same value, as it is told by where values lie.

    A group has rows of several values, and those that are higher on the whole are the higher ones
    in their groups, too. If the ``group`` has m rows, its middle is off by an m-th part of what a
    value is off, so that a value lies m − 1 times as far from the middle of its groups as these do
    from the middle of all. Chance makes them differ a little in any case, which is taken off.
    """
    middle, width = (low + high) / 2.0, high - low
    usable = np.isfinite(middle)
    middle, width, values, rows = middle[usable], width[usable], values[usable], rows[usable]
    often = np.bincount(values, rows).astype(np.float64)
    total = often.sum()
    if not total or not (rows @ width**2):
        return 0.0
    mean = float(rows @ middle) / total
    spread = float(rows @ (middle - mean) ** 2) / total
    with np.errstate(invalid="ignore"):
        off = np.bincount(values, rows * middle) / often - mean
    there = often > 0
    square = (often[there] @ off[there] ** 2 - there.sum() * spread) / total
    even = float(rows @ width**2) / total / 12.0
    return float(np.clip((group - 1.0) ** 2 * square / even, 0.0, 1.0))


def unevenness(low: Numbers, high: Numbers, rows: Floats) -> float:
    """Measure the unevenness of a column that is published in intervals.

    Parameters
    ----------
    low, high
        From where to where each distinct interval goes; of whole numbers, up to the next one.
    rows
        How many rows have it.

    Example
    -------
    Bins with 10 and with 90 rows in turn are not what an even spread makes of them; bins with 50
    each are:

    >>> edges = np.arange(0.0, 210.0, 10.0)
    >>> round(unevenness(edges[:-1], edges[1:], np.tile([10.0, 90.0], 10)), 2)
    0.59
    >>> round(unevenness(edges[:-1], edges[1:], np.full(20, 50.0)), 2)
    0.0
    """
    low, high = low.astype(np.float64), high.astype(np.float64)
    usable = np.isfinite(low) & np.isfinite(high) & (high > low) & (rows > 0)
    low, high, rows = low[usable], high[usable], rows[usable]
    if not len(rows):
        return EXPECTED
    width, first, last = float(rows @ (high - low) / rows.sum()), low.min(), high.max()
    many = int(min(np.ceil((last - first) / width - 1e-9), _MOST_WINDOWS))
    found = np.diff(_below(np.linspace(first, first + many * width, many + 1), low, high, rows))
    total = found[:-1] + found[1:]
    seen = total > 0
    rest = np.maximum(total[seen] - 1.0, 1.0)
    told = (np.diff(found)[seen] ** 2 / total[seen] - 1.0) / rest
    # Of a pair with few rows, chance decides more than the spread.
    expected = EXPECTED / many
    weight = total[seen] / (total[seen] + 1.0 / expected)
    mean = (float(weight @ told) + PAIRS * expected) / (float(weight.sum()) + PAIRS)
    return float(np.clip(mean, 0.0, 1.0))


def _below(edges: Floats, low: Floats, high: Floats, rows: Floats) -> Floats:
    """How many rows lie below each edge, if each is spread evenly over its interval."""
    density = rows / (high - low)
    return _ramps(edges, low, density) - _ramps(edges, high, density)


def _ramps(edges: Floats, start: Floats, slope: Floats) -> Floats:
    """Sum up ramps that begin at their starts."""
    order = np.argsort(start)
    start, slope = start[order], slope[order]
    begun = np.searchsorted(start, edges, side="right")
    steep, offset = (np.concatenate(([0.0], np.cumsum(part))) for part in (slope, slope * start))
    found: Floats = steep[begun] * edges - offset[begun]
    return found


def unevenness_of_questions(
    asked: Sequence[tuple[Leaf | SeriesLeaf, ...] | None],
    records: SeriesRecords,
    target: str | None,
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


def _of_series(leaf: SeriesLeaf, records: SeriesRecords) -> float:
    if isinstance(leaf, ValueIn):
        points = not records.whole and any(span.low == span.high for span in leaf.spans)
        if points or any(time not in records.value_times for time, _ in leaf.weights):
            return NOT_KNOWN
        ends = 2.0 / records.group**2
        return ends + (ONE_VALUE if len(leaf.weights) == 1 else SEVERAL_VALUES)
    # Over segments, nobody has compared errors with the truth.
    if records.words.times < FEWEST_TIMES or records.words.averaged:
        return NOT_KNOWN
    if isinstance(leaf, Similar):
        return SIMILAR
    known = all(time in records.pattern_times for time, _ in leaf.weights)
    return FEATURE if known else NOT_KNOWN
