"""The normal form of a condition: every column in one leaf only.

Then columns that are independent within a group stay so in the whole condition, and shares may be
multiplied. Conditions on one column under one ``AND`` or ``OR`` are merged; what a condition says
beside another is used in it (``x > 3 AND (x > 2 OR y)`` is ``x > 3``); a part common to all is
taken out. Every step is exact. What is left with a column in two places is refused.

On series only conjunctions are answered, and leaves stand beside each other as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from anachron.asking.question import (
    EVERYTHING,
    NOTHING,
    All,
    Among,
    Any,
    Begins,
    Condition,
    FeatureIn,
    Leaf,
    Ranges,
    SeriesLeaf,
    Similar,
    ValueIn,
    leaves,
)
from anachron.asking.sets import (
    Unmixable,
    all_spans,
    closed,
    common_spans,
    empty,
    full,
    intersection,
    merged,
    negation,
    other_spans,
    union,
)
from anachron.errors import InternalError

__all__ = ["Tangled", "normal", "opposite"]


class Tangled(Exception):
    """A column stands in two places of a condition that cannot be made one."""

    def __init__(self, column: str, why: str) -> None:
        self.column, self.why = column, why
        super().__init__(why)


def normal(condition: Condition, whole: frozenset[str] = frozenset()) -> Condition:
    """Bring a condition into normal form, or raise ``Tangled``.

    Parameters
    ----------
    condition
        Any condition.
    whole
        The columns of whole numbers, whose spans are to have ends that belong to them.
    """
    simple = _simplified(condition)
    for _ in range(len(leaves(simple)) + 1):
        again = _simplified(_factored(_within_context(simple, {})))
        if again == simple:
            break
        simple = again
    _check(simple)
    return _styled(simple, whole)


def opposite(leaf: SeriesLeaf) -> SeriesLeaf:
    """The condition that is true where that on a series is false."""
    if isinstance(leaf, Similar):
        return replace(leaf, inside=not leaf.inside)
    return replace(leaf, spans=other_spans(leaf.spans))


def _simplified(condition: Condition) -> Condition:
    """Flat, without constants, and leaves on the same column merged."""
    if isinstance(condition, All | Any):
        conjunction = isinstance(condition, All)
        parts = [_simplified(part) for part in condition.parts]
        kind = type(condition)
        flat = [p for part in parts for p in (part.parts if isinstance(part, kind) else (part,))]
        neutral, final = (EVERYTHING, NOTHING) if conjunction else (NOTHING, EVERYTHING)
        merged = [_constant(part) for part in _merged(flat, conjunction)]
        if final in merged:
            return final
        kept = tuple(dict.fromkeys(part for part in merged if part != neutral))
        return kept[0] if len(kept) == 1 else kind(kept)
    return _constant(condition)


def _constant(part: Condition) -> Condition:
    if isinstance(part, Ranges | Among | Begins):
        return NOTHING if empty(part) else EVERYTHING if full(part) else part
    if isinstance(part, ValueIn | FeatureIn) and not part.spans:
        return NOTHING
    return part


def _merged(parts: Sequence[Condition], conjunction: bool) -> list[Condition]:
    """One leaf for each column, where there was the first of them."""
    found: dict[object, list[Condition]] = {}
    for place, part in enumerate(parts):
        found.setdefault(_key(part) or place, []).append(part)
    try:
        return [_as_one(same, conjunction) for same in found.values()]
    except Unmixable as error:
        raise Tangled(str(error), "its conditions cannot be made one") from None


def _as_one(parts: list[Condition], conjunction: bool) -> Condition:
    """Merge leaves of one column, alike with alike first."""
    different = dict.fromkeys(parts)
    alike = sorted(different, key=lambda part: (type(part).__name__, getattr(part, "inside", True)))
    return merged(alike, lambda one, other: _merge(one, other, conjunction))


def _key(part: Condition) -> object:
    if isinstance(part, Ranges | Among | Begins):
        return part.column
    if isinstance(part, ValueIn | FeatureIn):
        return (type(part), part.weights)
    return None


def _merge(one: Condition, other: Condition, conjunction: bool) -> Condition:
    if isinstance(one, ValueIn | FeatureIn) and isinstance(other, ValueIn | FeatureIn):
        if conjunction:
            return replace(one, spans=common_spans(one.spans, other.spans))
        return replace(one, spans=all_spans(one.spans, other.spans))
    if not isinstance(one, Leaf) or not isinstance(other, Leaf):
        raise InternalError("leaves of two kinds were to be made one")
    return intersection(one, other) if conjunction else union(one, other)


def _within_context(condition: Condition, known: Mapping[str, Leaf]) -> Condition:
    """Use, in each part, what the leaves beside it say: nothing else needs to be decided there.

    ``known`` holds, for a column, the values for which the outcome still depends on the part.
    """
    if isinstance(condition, All | Any):
        conjunction = isinstance(condition, All)
        own = {p.column: p for p in condition.parts if isinstance(p, Leaf)}
        inner = dict(known)
        for column, leaf in own.items():
            open_for = leaf if conjunction else negation(leaf)
            inner[column] = _narrowed(known.get(column), open_for)
        parts = tuple(
            _in_view(part, known) if isinstance(part, Leaf) else _within_context(part, inner)
            for part in condition.parts
        )
        return type(condition)(parts)
    return _in_view(condition, known)


def _narrowed(known: Leaf | None, leaf: Leaf) -> Leaf:
    """Both, or if no leaf can say that, the nearer one: a wider view is right as well."""
    try:
        return leaf if known is None else intersection(known, leaf)
    except Unmixable:
        return leaf


def _in_view(condition: Condition, known: Mapping[str, Leaf]) -> Condition:
    """A leaf, decided if it is for all values that matter."""
    if not isinstance(condition, Leaf) or condition.column not in known:
        return condition
    view = known[condition.column]
    try:
        if empty(intersection(view, condition)):
            return NOTHING
        if empty(intersection(view, negation(condition))):
            return EVERYTHING
    except Unmixable:
        return condition
    return condition


def _factored(condition: Condition) -> Condition:
    """Take out what all parts of an alternative, or of a conjunction, have in common."""
    if not isinstance(condition, All | Any):
        return condition
    outer = type(condition)
    inner = Any if outer is All else All
    parts = tuple(_factored(part) for part in condition.parts)
    inside = [part.parts if isinstance(part, inner) else (part,) for part in parts]
    shared = [p for p in inside[0] if all(p in some for some in inside)] if inside else []
    if not shared or len(parts) < 2:
        return outer(parts)
    rest = [inner(tuple(p for p in some if p not in shared)) for some in inside]
    return inner((*shared, outer(tuple(rest))))


def _check(condition: Condition) -> None:
    found = leaves(condition)
    places = Counter(leaf.column for leaf in found if isinstance(leaf, Leaf))
    for column, times in places.items():
        if times > 1:
            raise Tangled(column, "it stands in several parts of an OR that cannot be made one")
    if any(not isinstance(leaf, Leaf) for leaf in _alternatives(condition)):
        raise Tangled("", "conditions on series can be joined by AND only")


def _alternatives(condition: Condition) -> Sequence[Leaf | SeriesLeaf]:
    """The leaves that stand under an OR."""
    if isinstance(condition, Any):
        return leaves(condition)
    if isinstance(condition, All):
        return reduce(lambda some, part: [*some, *_alternatives(part)], condition.parts, [])
    return ()


def _styled(condition: Condition, whole: frozenset[str]) -> Condition:
    if isinstance(condition, All | Any):
        return type(condition)(tuple(_styled(part, whole) for part in condition.parts))
    if isinstance(condition, Ranges):
        return closed(condition) if condition.column in whole else condition
    return condition
