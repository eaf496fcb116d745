"""The groups of a GROUP BY: what each is called, and the leaf that its records meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anachron.asking.coded import Coded
from anachron.asking.layout import Layout
from anachron.asking.question import Among, Begins, Condition, Grouping, Leaf, Ranges, Span
from anachron.asking.suggest import condition_on, quoted, refusal

__all__ = ["Key", "key_of", "keys"]

Key = tuple[object, Condition]
"""What a group is called, and the leaf that its records meet."""

_MOST = 10_000
"""Groups that anybody would read."""


def keys(layouts: Sequence[Layout], grouping: Grouping) -> list[Key]:
    """All groups of what was published, in ascending order; those without a value come last."""
    found: dict[Condition, tuple[Any, Key]] = {}
    for layout in layouts:
        for rank, key in _of(layout, grouping):
            found.setdefault(key[1], (rank, key))
    name = grouping.column
    meanings = {_meaning(layout.find(name).coded) for layout in layouts}
    if len(meanings) > 1 or len(found) > _MOST:
        why = (
            "is published in different ways by these releases"
            if len(meanings) > 1
            else f"would give {len(found):,} groups, more than {_MOST:,}"
        )
        raise _refused(layouts[0], name, why)
    return [key for _, key in sorted(found.values(), key=lambda one: one[0])]


def _meaning(coded: Coded) -> tuple[object, ...]:
    column = coded.column
    if column.form in ("exact", "granules", "snapshots"):
        return ()
    return (column.form, column.width, column.origin, column.length, column.order)


def _of(layout: Layout, grouping: Grouping) -> Iterator[tuple[Any, Key]]:
    """Each group of a layout, with what it is sorted by."""
    coded = layout.find(grouping.column).coded
    column = coded.column
    if layout.times is not None and column.role == "time":
        for at, key in enumerate(layout.times.keys(grouping.granularity)):
            leaf = key[1]
            start = leaf.spans[0].low if isinstance(leaf, Ranges) else at
            yield (0, start), key
        return
    if column.form == "interval" and column.kind != "whole":
        raise _refused(layout, column.name, "is published as intervals that overlap")
    if column.form in ("ordered", "interval"):
        yield from _single_values(layout, coded)
    else:
        for code, value in enumerate(coded.values):
            yield (0, value) if value is not None else (1, 0), key_of(coded, code)
    if column.form in ("ordered", "interval") and coded.missing.any():
        yield (1, 0), (None, _empty(coded))


def _single_values(layout: Layout, coded: Coded) -> Iterator[tuple[Any, Key]]:
    """Intervals overlap, so their values are told apart: each whole number, or each text."""
    name = coded.column.name
    if coded.column.order:
        for at, text in enumerate(coded.column.order):
            yield (0, at), (text, Among(name, frozenset((text,))))
        return
    there = ~coded.missing
    low, high = int(coded.low[there].min()), int(coded.high[there].max())
    if high - low >= _MOST:
        why = f"would give {high - low + 1:,} groups, more than {_MOST:,}"
        raise _refused(layout, name, why)
    for number in range(low, high + 1):
        yield (0, number), (number, Ranges(name, (Span(number, number),)))


def key_of(coded: Coded, code: int) -> Key:
    """Give a published cell as a group: what it is called, and the leaf that it meets."""
    column, value = coded.column, coded.values[code]
    leaf: Leaf
    if value is None:
        return None, _empty(coded)
    if column.form == "bins":
        low, high = coded.low[code].item(), coded.high[code].item()
        whole = column.kind == "whole"
        label = f"{low} to {high}" if whole else f"{low} to below {high}"
        return label, Ranges(column.name, (Span(low, high, high_closed=whole),))
    if column.form == "parents":
        return value, Among(column.name, frozenset(column.covers[value]))
    if column.form == "prefix":
        head = value[:-1]
        leaf = Begins(column.name, (head,))
        return value, leaf if len(head) == column.length else Among(column.name, frozenset((head,)))
    if column.kind in ("date", "instant"):
        at = int(coded.low[code])
        return value, Ranges(column.name, (Span(at, at + 1, high_closed=False),))
    if column.numeric:
        return value, Ranges(column.name, (Span(value, value),))
    return value, Among(column.name, frozenset((value,)))


def _empty(coded: Coded) -> Leaf:
    name = coded.column.name
    if coded.column.kind in ("whole", "number", "date", "instant"):
        return Ranges(name, (), nulls=True)
    return Among(name, frozenset(), nulls=True)


def _refused(layout: Layout, name: str, why: str) -> Exception:
    catalogue = layout.catalogue
    column = layout.find(name).coded.column
    others = [c for c in catalogue.with_role("sensitive", "time") if c.name != name]
    by = f"SELECT {quoted(others[0].name)}, COUNT(*) GROUP BY {quoted(others[0].name)}"
    one = f"SELECT COUNT(*) WHERE {condition_on(column, catalogue.time_zone)}"
    return refusal(catalogue, f"{name} {why}, so it cannot be grouped by.", by if others else one)
