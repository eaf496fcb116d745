"""Leaves as sets of values: what two conditions on one column mean together.

Spans of numbers are kept as pairs of *cuts*. A cut lies before or after a number, so that open
and closed ends need no cases. Ends that are ``int`` are of columns that hold whole numbers (of
things, days, microseconds): they have cuts before a number only, which makes ``x > 3`` and
``x >= 4`` the same. Texts are sets of values or of prefixes, inside or outside. A mixture, such as
a prefix less some values, is no leaf: ``Unmixable``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypeVar

from anachron.asking.question import Among, Begins, Leaf, Number, Ranges, Span
from anachron.calendar.zones import from_datetime
from anachron.published.coded import Kind

__all__ = [
    "Unmixable",
    "all_spans",
    "closed",
    "common_spans",
    "empty",
    "full",
    "intersection",
    "merged",
    "negation",
    "other_spans",
    "present",
    "union",
]

_BEFORE, _AFTER = 0, 1
Cut = tuple[Number, int]
Piece = tuple[Cut, Cut]
_START: Cut = (-math.inf, _BEFORE)
_END: Cut = (math.inf, _AFTER)
Texts = frozenset[object] | tuple[str, ...]
One = TypeVar("One")
_BOOLEANS: frozenset[object] = frozenset({True, False})


class Unmixable(Exception):
    """Two conditions on one column are together no condition that a leaf can say."""


def present(column: str, kind: Kind) -> Leaf:
    """The column is not null."""
    if kind in ("whole", "number", "date", "instant"):
        return Ranges(column, (Span(),))
    return Among(column, frozenset(), inside=False)


def intersection(one: Leaf, other: Leaf) -> Leaf:
    """Both conditions on a column."""
    nulls = one.nulls and other.nulls
    if isinstance(one, Ranges) and isinstance(other, Ranges):
        return Ranges(one.column, common_spans(one.spans, other.spans), nulls)
    if isinstance(one, Ranges) or isinstance(other, Ranges):
        return intersection(_as_ranges(one), _as_ranges(other))
    try:
        return _both(one, other, nulls)
    except Unmixable:
        raise Unmixable(one.column) from None


def union(one: Leaf, other: Leaf) -> Leaf:
    """Either condition on a column."""
    if isinstance(one, Ranges) and isinstance(other, Ranges):
        return Ranges(one.column, all_spans(one.spans, other.spans), one.nulls or other.nulls)
    return negation(intersection(negation(one), negation(other)))


def merged(leaves: Iterable[One], merge: Callable[[One, One], One]) -> One:
    """Merge neighbours, again and again: many in few rounds."""
    parts = list(leaves)
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        last = parts[-1:] if len(parts) % 2 else []
        parts = [merge(one, other) for one, other in pairs] + last
    return parts[0]


def negation(leaf: Leaf) -> Leaf:
    """Whatever the condition is false of, null included."""
    if isinstance(leaf, Ranges):
        return replace(leaf, spans=other_spans(leaf.spans), nulls=not leaf.nulls)
    return _leaf(leaf.column, _texts(leaf), not leaf.inside, not leaf.nulls)


def empty(leaf: Leaf) -> bool:
    """Whether no value fulfils the condition."""
    if isinstance(leaf, Ranges):
        return not leaf.spans and not leaf.nulls
    return leaf.inside and not _texts(leaf) and not leaf.nulls


def full(leaf: Leaf) -> bool:
    """Whether every value fulfils the condition, null included."""
    return empty(negation(leaf))


def common_spans(one: Sequence[Span], other: Sequence[Span]) -> tuple[Span, ...]:
    """What lies in both."""
    return _spans(_common(_pieces(one), _pieces(other)))


def all_spans(one: Sequence[Span], other: Sequence[Span]) -> tuple[Span, ...]:
    """What lies in either."""
    return _spans(_pieces((*one, *other)))


def other_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """What lies in none."""
    return _spans(_rest(_pieces(spans)))


def closed(leaf: Ranges) -> Ranges:
    """The same condition on whole numbers, with ends that belong to the spans."""
    return replace(leaf, spans=tuple(map(_closed, _spans(_pieces(leaf.spans)))))


def _pieces(spans: Sequence[Span]) -> list[Piece]:
    return _tidy((_low(span), _high(span)) for span in spans)


def _low(span: Span) -> Cut:
    if span.low is None:
        return _START
    if isinstance(span.low, int):
        return (span.low if span.low_closed else span.low + 1, _BEFORE)
    return (span.low, _BEFORE if span.low_closed else _AFTER)


def _high(span: Span) -> Cut:
    if span.high is None:
        return _END
    if isinstance(span.high, int):
        return (span.high + 1 if span.high_closed else span.high, _BEFORE)
    return (span.high, _AFTER if span.high_closed else _BEFORE)


def _tidy(pieces: Iterable[Piece]) -> list[Piece]:
    """In order, without empty ones, neighbours joined."""
    joined: list[Piece] = []
    for low, high in sorted(piece for piece in pieces if piece[0] < piece[1]):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _common(one: Sequence[Piece], other: Sequence[Piece]) -> list[Piece]:
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        found.append((max(one[i][0], other[j][0]), min(one[i][1], other[j][1])))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return _tidy(found)


def _rest(pieces: Sequence[Piece]) -> list[Piece]:
    cuts = [_START, *itertools.chain.from_iterable(pieces), _END]
    return _tidy(zip(cuts[::2], cuts[1::2], strict=True))


def _spans(pieces: Sequence[Piece]) -> tuple[Span, ...]:
    return tuple(
        Span(
            None if low == _START else low[0],
            None if high == _END else high[0],
            low[1] == _BEFORE,
            high[1] == _AFTER,
        )
        for low, high in pieces
    )


def _closed(span: Span) -> Span:
    return span if span.high is None else replace(span, high=span.high - 1, high_closed=True)


def _as_ranges(leaf: Leaf) -> Ranges:
    """Values that are numbers, dates or times, as spans of one each."""
    if isinstance(leaf, Ranges):
        return leaf
    if isinstance(leaf, Begins):
        raise Unmixable(leaf.column)
    spans = _spans(_pieces([_point(value, leaf.column) for value in leaf.values]))
    return Ranges(leaf.column, spans if leaf.inside else other_spans(spans), leaf.nulls)


def _point(value: object, column: str) -> Span:
    if isinstance(value, datetime):
        plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        value = from_datetime(plain)
    elif isinstance(value, date):
        value = value.toordinal() - date(1970, 1, 1).toordinal()
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise Unmixable(column)
    return Span(value, value)


def _both(one: Among | Begins, other: Among | Begins, nulls: bool) -> Among | Begins:
    a, b = _texts(one), _texts(other)
    if one.inside and other.inside:
        return _leaf(one.column, _shared(a, b), True, nulls)
    if one.inside:
        return _leaf(one.column, _less(a, b), True, nulls)
    if other.inside:
        return _leaf(one.column, _less(b, a), True, nulls)
    return _leaf(one.column, _joined(a, b), False, nulls)


def _texts(leaf: Among | Begins) -> Texts:
    if isinstance(leaf, Begins):
        return leaf.prefixes if leaf.prefixes else frozenset()
    return leaf.values


def _leaf(column: str, chosen: Texts, inside: bool, nulls: bool) -> Among | Begins:
    """The one way to say it: no empty prefix, and of booleans the ones that are meant."""
    if isinstance(chosen, tuple):
        if chosen and chosen[0]:
            return Begins(column, chosen, inside, nulls)
        return Among(column, frozenset(), inside is not bool(chosen), nulls)
    if chosen and all(isinstance(value, bool) for value in chosen):
        if len(chosen) == len(_BOOLEANS):
            return Among(column, frozenset(), not inside, nulls)
        return Among(column, chosen if inside else _BOOLEANS - chosen, True, nulls)
    return Among(column, chosen, inside, nulls)


def _begins(value: object, prefixes: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value.startswith(prefixes)


def _shared(one: Texts, other: Texts) -> Texts:
    if isinstance(one, frozenset):
        if isinstance(other, frozenset):
            return one & other
        return frozenset(value for value in one if _begins(value, other))
    if isinstance(other, frozenset):
        return _shared(other, one)
    longer = {p for p in one if p.startswith(other)} | {p for p in other if p.startswith(one)}
    return _least(longer)


def _less(one: Texts, other: Texts) -> Texts:
    if isinstance(one, frozenset):
        return one - (other if isinstance(other, frozenset) else frozenset(_shared(one, other)))
    if isinstance(other, frozenset):
        if any(_begins(value, one) for value in other):
            raise Unmixable
        return one
    kept = tuple(prefix for prefix in one if not prefix.startswith(other))
    if kept and any(prefix.startswith(kept) for prefix in other):
        raise Unmixable
    return kept


def _joined(one: Texts, other: Texts) -> Texts:
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return _least({*one, *other})
    if isinstance(one, tuple) or isinstance(other, frozenset):
        return _joined(other, one)
    if any(not _begins(value, other) for value in one):
        raise Unmixable
    return other


def _least(prefixes: set[str]) -> tuple[str, ...]:
    """Without those that begin with another."""
    kept: list[str] = []
    for prefix in sorted(prefixes):
        if not kept or not prefix.startswith(kept[-1]):
            kept.append(prefix)
    return tuple(kept)
