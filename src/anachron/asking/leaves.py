"""Judge a leaf on the distinct cells of its column: must, may, and which share of each it holds.

A cell is a set of values: one value, an interval, the values that a parent covers, or the texts
with a common beginning. The share of a leaf in it is by number where values can be counted, and
by length where they cannot; values are taken to be spread evenly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.catalogue import Catalogue
from anachron.asking.doubt import NOT_KNOWN, doubt_of
from anachron.asking.question import Among, Begins, Leaf, Ranges
from anachron.asking.shares import (
    Judged,
    Shares,
    certain,
    counted,
    ends_of_spans,
    measured,
    pointwise,
    spans_of,
)
from anachron.asking.suggest import quoted, refusal, written
from anachron.asking.weights import Weights
from anachron.published.coded import CodedColumn
from anachron.published.ways import Bins, Interval, Ordered, Parents, Prefix

__all__ = ["judged"]


def judged(
    leaf: Leaf,
    coded: CodedColumn,
    catalogue: Catalogue,
    uneven: float | Floats = 0.0,
    weights: Weights | None = None,
) -> Judged:
    """Judge a leaf on every distinct cell of its column, other than the time.

    ``uneven`` is the unevenness of the column, or of each of its cells; ``weights`` say how values
    are spread, if not evenly.
    """
    must, may, share = _shares(leaf, coded, catalogue)
    if weights is not None:
        share = np.where(may & ~must, _weighted(leaf, coded, weights, share), share)
    if coded.missing.any():
        # A cell that is empty meets a leaf only if the leaf says so.
        must, may = (np.where(coded.missing, leaf.nulls, mask) for mask in (must, may))
        share = np.where(coded.missing, float(leaf.nulls), share)
    doubt = doubt_of(must, may, share, uneven)
    if isinstance(coded.way, Interval) and coded.kind == "number":
        width = float(coded.way.width)
        doubt = np.where(np.isnan(doubt), _at_an_end(leaf, coded, width), doubt)
    return certain(must, may, share, doubt)


def _shares(leaf: Leaf, coded: CodedColumn, catalogue: Catalogue) -> Shares:
    way = coded.way
    if isinstance(way, Prefix):
        return _by_prefix(leaf, coded, way.length, catalogue)
    if isinstance(way, Parents):
        return _by_parents(leaf, coded, way.covers)
    if isinstance(way, Ordered):
        return _by_order(leaf, coded, way.order)
    if isinstance(leaf, Ranges) or coded.numeric:
        return _by_number(leaf, coded, catalogue)
    return _as_they_are(leaf, coded)


def _weighted(leaf: Leaf, coded: CodedColumn, weights: Weights, evenly: Floats) -> Floats:
    """The share of each cell by weight; of a point, as it is."""
    start, end = (np.asarray(side, dtype=np.float64) for side in coded.ends)
    if isinstance(coded.way, Ordered):
        holds = _test(leaf)
        held = np.array([holds(text) for text in coded.way.order], dtype=np.float64)
        places = np.arange(len(held) + 1.0)
        before = np.concatenate(([0.0], np.cumsum(held * np.diff(weights.upto(places)))))
        first, last = coded.ends
        inside, whole = before[last + 1] - before[first], weights.between(start, end)
    elif isinstance(leaf, Begins):
        return evenly
    else:
        inside, whole = np.zeros(coded.size), weights.between(start, end)
        for bottom, top in ends_of_spans(leaf, whole=coded.whole):
            inside += weights.between(np.maximum(start, bottom), np.minimum(end, top))
    found: Floats = np.divide(inside, whole, out=evenly.copy(), where=whole > 0.0)
    return np.clip(found, 0.0, 1.0)


def _at_an_end(leaf: Leaf, coded: CodedColumn, width: float) -> Floats:
    """The doubt of intervals of fractions that the leaf meets at an end, and nowhere else.

    If numbers have the precision of the published ends, the end is one number among others.
    """
    if not isinstance(leaf, Ranges) or any(one.low == one.high for one in leaf.spans):
        return np.full(coded.size, NOT_KNOWN)
    steps = (coded.high.astype(np.float64) - coded.low.astype(np.float64)) / width
    return 1.0 / (steps + 1.0) ** 2


def _exactly(found: Flags) -> Shares:
    return found, found, found.astype(np.float64)


def _by_number(leaf: Leaf, coded: CodedColumn, catalogue: Catalogue) -> Shares:
    if isinstance(leaf, Begins):
        why = f"{leaf.column} holds numbers, which do not begin like a text."
        raise refusal(catalogue, why, catalogue.columns[leaf.column])
    spans = spans_of(leaf)
    if not isinstance(coded.way, Bins | Interval):
        return pointwise(coded.low, spans)
    if coded.whole:
        return counted(coded.low, coded.high, spans)
    return measured(coded.low, coded.high, spans, half_open=isinstance(coded.way, Bins))


def _as_they_are(leaf: Among | Begins, coded: CodedColumn) -> Shares:
    """Texts, or anything else that has no order."""
    if isinstance(leaf, Among):
        found = np.zeros(coded.size, dtype=bool)
        found[[coded.place[value] for value in leaf.values if value in coded.place]] = True
        return _exactly(found if leaf.inside else ~found)
    holds = _test(leaf)
    return _exactly(np.array([v is not None and holds(v) for v in coded.values], dtype=bool))


def _test(leaf: Leaf) -> Callable[[str], bool]:
    """Tell of a value that is written as text whether the leaf holds it."""
    if isinstance(leaf, Begins):
        prefixes = tuple(leaf.prefixes)
        return lambda text: text.startswith(prefixes) == leaf.inside
    if isinstance(leaf, Among):
        values = {str(value) for value in leaf.values}
        return lambda text: (text in values) == leaf.inside
    return lambda text: _in_spans(leaf, text)


def _in_spans(leaf: Ranges, text: str) -> bool:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    return any(span.holds(number) for span in leaf.spans)


def _by_order(leaf: Leaf, coded: CodedColumn, order: tuple[str, ...]) -> Shares:
    """Intervals of an ordered column: how many of their texts a leaf holds."""
    holds = _test(leaf)
    before = np.cumsum([0, *(holds(text) for text in order)])
    low, high = coded.ends
    inside: Array = before[high + 1] - before[low]
    size = high + 1 - low
    return inside == size, inside > 0, inside / size


def _by_parents(leaf: Leaf, coded: CodedColumn, covers: Mapping[str, tuple[str, ...]]) -> Shares:
    """Labels of a hierarchy: how many of the values that they cover a leaf holds.

    Who asks for a label means the values that it covers, unless a value has the same name.
    """
    known = {value for values in covers.values() for value in values}
    if isinstance(leaf, Among):
        meant = {str(value) for value in leaf.values}
        labels = (meant & covers.keys()) - known
        values = (meant - labels).union(*(covers[label] for label in labels))
        leaf = Among(leaf.column, frozenset(values), leaf.inside)
    holds = _test(leaf)
    held = {value: holds(value) for value in known}
    of_cell = [covers.get(cell, ()) for cell in coded.values]
    inside = np.array([sum(held[value] for value in values) for values in of_cell], dtype=np.int64)
    size = np.array([max(len(values), 1) for values in of_cell], dtype=np.int64)
    return inside == size, inside > 0, inside / size


def _by_prefix(leaf: Leaf, coded: CodedColumn, length: int, catalogue: Catalogue) -> Shares:
    """Beginnings of texts: a leaf must not ask for more characters than were published."""
    asked: tuple[str, ...] = ()
    if isinstance(leaf, Begins):
        asked, longest = leaf.prefixes, length
    elif isinstance(leaf, Among):
        # A text that is shorter than what is published of the others is published whole.
        asked, longest = tuple(sorted(str(value) for value in leaf.values)), length - 1
    for text in asked:
        if len(text) > longest:
            like = f"{quoted(leaf.column)} LIKE {written(text[:length] + '%')}"
            raise refusal(
                catalogue,
                f"only the first {length} characters of {leaf.column} were published.",
                f"SELECT COUNT(*) WHERE {like}",
            )
    holds = _test(leaf)
    heads = [None if text is None else text[:-1] for text in coded.values]
    return _exactly(np.array([h is not None and holds(h) for h in heads], dtype=bool))
