"""The window step: recycle suppressed records into the newest snapshot, at the least cost.

==============  ==========================================================================
``newest``      the snapshot that arrived, the paper's w + 1
``p_s``         |P_{w+1}[s]|, records of value s kept by the initial suppression
level L         the most records of one value in the newest snapshot
need            records that must be added at a level: ⌈l·L⌉ − Σ p_s
==============  ==========================================================================

At a level L, each value may have L − p_s relays. All that gain are done, and where more are
needed, those that lose least. The best level is found by a scan of all levels that can be
filled, which are those up to L* of all records together.

Notes
-----
Figure 4 of the paper climbs from level to level and stops where the next gains nothing. It does
not climb at all when the snapshot already has enough records for the next level (m = 0), and
where l is not whole a level that gains nothing may be followed by one that does. The scan has
neither fault. It does not visit every level: along L, L + q, L + 2q, … where q is the
denominator of l, the requirement grows by equal steps, so the gain is concave.

With a strict rule the newest snapshot's own suppressed records stay suppressed for now: they would
be there only because those that come late make it large enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from anachron.arrays import Array
from anachron.methods.reposition.eligible import level
from anachron.methods.reposition.relay import gains
from anachron.methods.reposition.rule import Rule
from anachron.methods.reposition.window import Pairs, Strand, Window, taken

__all__ = ["recycled"]


class Piece(NamedTuple):
    """Successive relays of one value that gain the same."""

    gain: int
    value: int
    below: int
    """The highest level at which none of them is allowed yet."""
    number: int


def recycled(window: Window, rule: Rule) -> Window:
    """Relay suppressed records into the newest snapshot: Definition 2, solved exactly.

    The newest snapshot is the last of the window's places, after the initial suppression; its
    suppressed records are in the strands.
    """
    oldest, newest = window.next - rule.window, window.next - 1
    homes = range(oldest, newest if rule.strict else newest + 1)
    able_to = {
        value: tuple(pair for pair in strand.suppressed if pair[0] in homes)
        for value, strand in window.strands.items()
        if strand.suppressed and strand.suppressed[-1][0] >= oldest
    }
    waiting = {value: pairs for value, pairs in able_to.items() if pairs}
    if not waiting:
        return window
    present = window.places[-1].copy()
    top = _highest(present, waiting, rule.l)
    able = [value for value in waiting if present[value] < top]
    columns = list(window.columns(able))
    pieces = [
        piece
        for value, standing, places in columns
        for piece in _pieces(value, standing, places, waiting[value], newest, top, rule)
    ]
    relays = _best(pieces, present, top, rule.l)
    if not relays:
        return window
    return _relayed(window, relays, present, {v: s for v, s, _ in columns}, homes.stop)


def _highest(present: Array, waiting: Mapping[int, Pairs], ell: Fraction) -> int:
    """Give the highest level that can be filled with enough records."""
    together = present.copy()
    for value, pairs in waiting.items():
        together[value] += sum(count for _, count in pairs)
    return level(together, ell)


def _pieces(
    value: int, standing: Pairs, places: Pairs, waiting: Pairs, newest: int, top: int, rule: Rule
) -> Iterator[Piece]:
    """Give the relays of a value that the highest level has room for, best first."""
    height = 0
    if places and places[-1][0] == newest:
        height, places = places[-1][1], places[:-1]
    for gain, count in gains(standing, places, waiting, newest, rule.moving, rule.hiding(value)):
        now = min(count, top - height)
        yield Piece(gain, value, height, now)
        height += now
        if height == top:
            return


def _best(pieces: list[Piece], present: Array, top: int, ell: Fraction) -> dict[int, int]:
    """Choose the level that gains most, the lowest of equals; give the relays of each value."""
    pieces.sort(key=lambda piece: (-piece.gain, piece.value, piece.below))
    bottom, records = int(present.max()), int(present.sum())

    @cache
    def gain(height: int) -> int:
        need = -(-height * ell.numerator // ell.denominator) - records
        return sum(piece.gain * count for piece, count in _chosen(pieces, height, need))

    best = min(
        (_summit(gain, first, top, ell.denominator) for first in _starts(bottom, top, ell)),
        key=lambda height: (-gain(height), height),
    )
    relays: dict[int, int] = {}
    need = -(-best * ell.numerator // ell.denominator) - records
    for piece, count in _chosen(pieces, best, need):
        relays[piece.value] = relays.get(piece.value, 0) + count
    return relays


def _starts(bottom: int, top: int, ell: Fraction) -> range:
    return range(bottom, min(top + 1, bottom + ell.denominator))


def _chosen(pieces: list[Piece], height: int, need: int) -> list[tuple[Piece, int]]:
    """Take every relay that gains, and of the others only as many as are needed."""
    chosen = []
    for piece in pieces:
        count = min(height - piece.below, piece.number)
        if piece.gain <= 0 and count > need:
            count = need
        if count > 0:
            need -= count
            chosen.append((piece, count))
    return chosen


def _summit(gain: Callable[[int], int], first: int, top: int, step: int) -> int:
    """Find the first summit of a concave function at first, first + step, … up to top."""
    low, high = 0, (top - first) // step
    while low < high:
        middle = (low + high) // 2
        if gain(first + (middle + 1) * step) > gain(first + middle * step):
            low = middle + 1
        else:
            high = middle
    return first + low * step


def _relayed(
    window: Window,
    relays: Mapping[int, int],
    present: Array,
    records: Mapping[int, Pairs],
    before: int,
) -> Window:
    """Add places to the newest snapshot, and the youngest suppressed records to the standing.

    Only those of a home ``before`` another are relayed.
    """
    newest = window.next - 1
    strands = dict(window.strands)
    for value, count in relays.items():
        strand = strands[value]
        older = tuple(pair for pair in strand.suppressed if pair[0] < before)
        left, moved = taken(older, sum(number for _, number in older) - count)
        left += strand.suppressed[len(older) :]
        standing = dict(records[value])
        for home, number in moved:
            standing[home] = standing.get(home, 0) + number
        strands[value] = Strand(tuple(sorted(standing.items())), newest, left)
        present[value] += count
    return replace(window, places=(*window.places[:-1], present), strands=strands)
