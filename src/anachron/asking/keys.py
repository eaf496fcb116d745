"""The groups of a GROUP BY: what each is called, and the leaf that its records meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from anachron.asking.layout import CellLayout
from anachron.asking.question import Among, Begins, Condition, Grouping, Leaf, Ranges, Span
from anachron.asking.sets import negation, present
from anachron.asking.suggest import quoted, refusal
from anachron.published.coded import CodedColumn
from anachron.published.ways import Bins, Interval, Ordered, Parents, Prefix, Way

__all__ = ["Key", "key_of", "keys"]

Key = tuple[object, Condition]
"""What a group is called, and the leaf that its records meet."""

_MOST = 10_000
"""Groups that anybody would read."""


def keys(layouts: Sequence[CellLayout], grouping: Grouping) -> list[Key]:
    """All groups of what was published, in ascending order; those without a value come last."""
    found: dict[Condition, tuple[Any, Key]] = {}
    for layout in layouts:
        for rank, key in _of(layout, grouping):
            found.setdefault(key[1], (rank, key))
    name = grouping.column
    meanings = {_meaning(layout.find(name).coded.way) for layout in layouts}
    if len(meanings) > 1 or len(found) > _MOST:
        why = (
            "is published in different ways by these releases"
            if len(meanings) > 1
            else f"would give {len(found):,} groups, more than {_MOST:,}"
        )
        raise _refused(layouts[0], name, why)
    return [key for _, key in sorted(found.values(), key=lambda one: one[0])]


def _meaning(way: Way) -> Way | None:
    """What tells apart how values are put together, where they are; labels say it themselves."""
    if isinstance(way, Parents):
        return replace(way, covers={})
    return way if isinstance(way, Bins | Interval | Ordered | Prefix) else None


def _of(layout: CellLayout, grouping: Grouping) -> Iterator[tuple[Any, Key]]:
    """Each group of a layout, with what it is sorted by."""
    coded = layout.find(grouping.column).coded
    if layout.times is not None and coded.way.role == "time":
        for at, key in enumerate(layout.times.keys(grouping.granularity)):
            leaf = key[1]
            start = leaf.spans[0].low if isinstance(leaf, Ranges) else at
            yield (0, start), key
        return
    if not isinstance(coded.way, Ordered | Interval):
        for code, value in enumerate(coded.values):
            yield (0, value) if value is not None else (1, 0), key_of(coded, code)
        return
    if not coded.whole:
        raise _refused(layout, grouping.column, "is published as intervals that overlap")
    yield from _single_values(layout, coded)
    if coded.missing.any():
        yield (1, 0), (None, _empty(coded))


def _single_values(layout: CellLayout, coded: CodedColumn) -> Iterator[tuple[Any, Key]]:
    """Intervals overlap, so their values are told apart: each whole number, or each text."""
    name = coded.way.column
    if isinstance(coded.way, Ordered):
        for at, text in enumerate(coded.way.order):
            yield (0, at), (text, Among(name, frozenset((text,))))
        return
    there = ~coded.missing
    low, high = int(coded.low[there].min()), int(coded.high[there].max())
    if high - low >= _MOST:
        why = f"would give {high - low + 1:,} groups, more than {_MOST:,}"
        raise _refused(layout, name, why)
    for number in range(low, high + 1):
        yield (0, number), (number, Ranges(name, (Span(number, number),)))


def key_of(coded: CodedColumn, code: int) -> Key:
    """Give a published cell as a group: what it is called, and the leaf that it meets."""
    way, value = coded.way, coded.values[code]
    name = way.column
    if value is None:
        return None, _empty(coded)
    if isinstance(way, Bins):
        low, high = coded.low[code].item(), coded.high[code].item()
        label = f"{low} to {high}" if coded.whole else f"{low} to below {high}"
        return label, Ranges(name, (Span(low, high, high_closed=coded.whole),))
    if isinstance(way, Parents):
        return value, Among(name, frozenset(way.covers[value]))
    if isinstance(way, Prefix):
        head = value[:-1]
        whole = len(head) < way.length
        return value, Among(name, frozenset((head,))) if whole else Begins(name, (head,))
    if coded.kind in ("date", "instant"):
        at = int(coded.low[code])
        return value, Ranges(name, (Span(at, at + 1, high_closed=False),))
    if coded.numeric:
        return value, Ranges(name, (Span(value, value),))
    return value, Among(name, frozenset((value,)))


def _empty(coded: CodedColumn) -> Leaf:
    return negation(present(coded.way.column, coded.kind))


def _refused(layout: CellLayout, name: str, why: str) -> Exception:
    catalogue = layout.catalogue
    others = [c.name for c in catalogue.with_role("sensitive", "time") if c.name != name]
    by = f"SELECT {quoted(others[0])}, COUNT(*) GROUP BY {quoted(others[0])}" if others else None
    why = f"{name} {why}, so it cannot be grouped by."
    return refusal(catalogue, why, by or catalogue.columns[name])
