"""Plan a feed: snapshots arrive, and others become due.

==============  ==========================================================================
``w``           ``rule.window``
arrival i       the snapshot's own records are cut to the most that are l-eligible; suppressed
                records of homes i − w + 1 … i are recycled into it
due             position i − w + 1, right after: no later arrival can change it
==============  ==========================================================================

A window and a rule are all that is needed to go on, so a feed can stop and resume anywhere.

Notes
-----
The feed begins with an empty past. With ``first="exact"`` the first full window is planned as a
whole when it is complete, before anything is due. The feed ends as if empty snapshots followed.
One of them is enough: were records published in two, or in a later one, all of them would be
eligible together in the first, and less late. So the end costs the same however long the window.

With ``solver="recycle"`` a suppressed record is lost when its home is published. With
``"rolling"`` it is lost when the last snapshot that might have taken it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anachron.arrays import Array
from anachron.methods.reposition.eligible import is_eligible, kept, level
from anachron.methods.reposition.ontime import takers
from anachron.methods.reposition.recycle import recycled
from anachron.methods.reposition.rolling import replanned
from anachron.methods.reposition.rule import Rule
from anachron.methods.reposition.window import Batch, Due, Strand, Window

__all__ = [
    "Due",
    "Rule",
    "Window",
    "arrive",
    "begin",
    "closed",
    "finish",
    "following",
    "is_eligible",
    "kept",
    "late",
    "level",
]


def begin(rule: Rule) -> Window:  # noqa: ARG001  every function of a plan takes its rule
    """Give the window of a feed of which nothing has arrived."""
    return Window()


def arrive(window: Window, rule: Rule, counts: Array) -> tuple[Window, list[Due]]:
    """Take the next snapshot, and give what became due.

    Parameters
    ----------
    counts
        Records of each value code. Later snapshots may have more codes.
    """
    newest = window.next
    first = rule.first == "exact" and newest == rule.window - 1
    window = _arrived(window, rule, _checked(counts), anew=first)
    if newest - rule.window + 1 < window.start:
        return window, []
    window, due = _publish(window, rule)
    return window, [due]


def _arrived(window: Window, rule: Rule, counts: Array, anew: bool) -> Window:
    """Take the next snapshot into the plan, or into one that is made anew."""
    window = window.widened(len(counts))
    counts = np.pad(counts, (0, max(window.values - len(counts), 0)))
    newest = window.next
    places = kept(counts, rule.l)
    strands = dict(window.strands)
    for value in np.flatnonzero(counts > places).tolist():
        strand = strands.get(value, Strand())
        pair = (newest, int(counts[value] - places[value]))
        strands[value] = strand._replace(suppressed=(*strand.suppressed, pair))
    window = replace(window, next=newest + 1, places=(*window.places, places), strands=strands)
    window = recycled(window, rule)
    return replanned(window, rule) if anew or rule.solver == "rolling" else window


def late(window: Window, rule: Rule, home: int, counts: Array) -> Window:  # noqa: ARG001
    """Let records join an unpublished snapshot that has arrived before, as suppressed ones.

    Later arrivals may recycle them.
    """
    if not window.start <= home < window.next:
        raise ValueError("only a snapshot that arrived and is not published can have late records")
    counts = _checked(counts)
    window = window.widened(len(counts))
    strands = dict(window.strands)
    for value in np.flatnonzero(counts).tolist():
        strand = strands.get(value, Strand())
        waiting = dict(strand.suppressed)
        waiting[home] = waiting.get(home, 0) + int(counts[value])
        strands[value] = strand._replace(suppressed=tuple(sorted(waiting.items())))
    return replace(window, strands=strands)


def closed(window: Window, rule: Rule, room: bool = True) -> Window:
    """Plan the end, as if only empty snapshots followed; without ``room``, none can.

    A snapshot after the last that arrived is in the window then only if it takes records.
    """
    if rule.window == 1 or not window.next or not room:
        return window
    first = rule.first == "exact" and window.next < rule.window
    more = _arrived(window, rule, np.zeros(0, dtype=np.int64), anew=first)
    if more.places[-1].any():
        return more
    return replace(more, next=window.next, places=more.places[:-1])


def following(window: Window, rule: Rule) -> tuple[Window, Due]:
    """Publish the first snapshot of a window that is closed."""
    window, due = _publish(window, rule)
    if window.start < window.next:
        return window, due
    in_vain = _joined([due.suppressed, window.suppressed()])
    return replace(window, strands={}), replace(due, suppressed=in_vain)


def finish(window: Window, rule: Rule) -> list[Due]:
    """Give all that is left to publish, as if only empty snapshots followed."""
    window, dues = closed(window, rule), list[Due]()
    while window.start < window.next:
        window, due = following(window, rule)
        dues.append(due)
    return dues


def _checked(counts: Array) -> Array:
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ValueError("expected how many records each value has")
    return counts.astype(np.int64)


def _publish(window: Window, rule: Rule) -> tuple[Window, Due]:
    """Take the first snapshot out of the window, with the records that take its places."""
    position, places = window.start, window.places[0]
    gone = position if rule.solver == "recycle" else position - rule.window + 1
    moved: list[tuple[int, int, int]] = []
    lost: list[tuple[int, int, int]] = []
    strands: dict[int, Strand] = {}
    chosen = takers(window, rule)
    for value, (standing, until, waiting) in window.strands.items():
        if value in chosen:
            first, standing = chosen[value]
            moved += [(home, value, count) for home, count in first]
        while waiting and waiting[0][0] <= gone:
            lost.append((waiting[0][0], value, waiting[0][1]))
            waiting = waiting[1:]
        if waiting or until > position:
            strands[value] = Strand(standing, until, waiting)
    stay = places.copy()
    stay[[value for _, value, _ in moved]] = 0
    own = np.flatnonzero(stay)
    due = _joined([Batch(np.full(len(own), position), own, stay[own]), Batch.of(moved)])
    hidden = _joined([Batch.of(lost)])
    return (
        replace(window, start=position + 1, places=window.places[1:], strands=strands),
        Due(
            position,
            due.home,
            due.value,
            due.count,
            hidden,
            proved=position > window.unproved,
            stopped=position <= window.stopped,
        ),
    )


def _joined(batches: list[Batch]) -> Batch:
    """Put batches together, by value and then by home."""
    home = np.concatenate([batch.home for batch in batches])
    value = np.concatenate([batch.value for batch in batches])
    order = np.lexsort((home, value))
    return Batch(
        home[order], value[order], np.concatenate([batch.count for batch in batches])[order]
    )
