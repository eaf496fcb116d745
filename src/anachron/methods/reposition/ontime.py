"""Who takes the places of a snapshot that is published: those that come late, or its own records.

The plan says how many places each value has, and which records are to be in the places from here
on; records of one value are alike to it. Usually the oldest come first, which costs least if delay
costs more and more.

With a strict rule the snapshot's own records come first, as many of them as are l-eligible by
themselves. Only then do those that are on time not depend on those that come late: whoever comes
late had a value that was too frequent, and everybody can see who they are.

Notes
-----
Where delays cost alike (``mu="linear"``) this costs nothing: whoever stays in place of another who
comes later saves as much as the other loses. A recycled record can always go from its home straight
to the place that was made for it, so the own records of a snapshot are then those that its initial
suppression kept, at the least, and these are eligible. An integer program, which ``"rolling"`` and
the first window use, may move them for others, and sees to it that the rest are eligible. Where a
later plan was not searched to its end, ``choose`` leaves out what is too much.
"""

from __future__ import annotations

from anachron.methods.reposition.eligible import kept
from anachron.methods.reposition.rule import Rule
from anachron.methods.reposition.window import Pairs, Window, matched, taken

__all__ = ["takers"]


def takers(window: Window, rule: Rule) -> dict[int, tuple[Pairs, Pairs]]:
    """Of each value with moved records: who takes its places in the first snapshot, and the rest.

    Values whose records are all in their own snapshot are left out.
    """
    position, places = window.start, window.places[0]
    moving = {value: s.standing for value, s in window.strands.items() if s.until >= position}
    if not rule.strict:
        return {value: taken(pairs, int(places[value])) for value, pairs in moving.items()}
    own = places.copy()
    for value, pairs in moving.items():
        own[value] = min(int(places[value]), dict(pairs).get(position, 0))
    # As many own records as are wanted may not find a way for all others. What is then too much of
    # another value waits, which makes it only easier for those.
    for _ in range(2):
        wanted = kept(own, rule.l).tolist()
        found = {
            value: _own_first(
                pairs, int(places[value]), wanted[value], position, _later(window, value),
                rule.window,
            )
            for value, pairs in moving.items()
        }  # fmt: skip
        for value, (first, _) in found.items():
            own[value] = dict(first).get(position, 0)
    return found


def _later(window: Window, value: int) -> Pairs:
    """The places of a value that its standing records take after the first snapshot."""
    until = window.strands[value].until
    rows = enumerate(window.places[1:], start=window.start + 1)
    return tuple((at, int(row[value])) for at, row in rows if at <= until and row[value])


def _own_first(
    standing: Pairs, room: int, wanted: int, position: int, later: Pairs, window: int
) -> tuple[Pairs, Pairs]:
    """Fill the room with as many own records as wanted, or nearly, and the oldest others.

    The fewer own records, the more of the oldest are out in time: so the most that let all others
    find a later place are found by halving.
    """
    older = tuple(pair for pair in standing if pair[0] < position)
    waiting = sum(count for _, count in older)
    least, most = max(room - waiting, 0), max(wanted, room - waiting, 0)
    while least < most:
        middle = (least + most + 1) // 2
        _, rest = _parted(standing, older, room - middle, middle, position)
        if all(at - home < window for at, home, _ in matched(rest, later)):
            least = middle
        else:
            most = middle - 1
    return _parted(standing, older, room - least, least, position)


def _parted(
    standing: Pairs, older: Pairs, others: int, own: int, position: int
) -> tuple[Pairs, Pairs]:
    """Part the oldest, so many, and so many of the snapshot's own from the rest."""
    first, left = taken(older, others)
    mine = dict(standing).get(position, 0)
    younger = tuple(pair for pair in standing if pair[0] > position)
    here = ((position, own),) if own else ()
    stays = ((position, mine - own),) if mine > own else ()
    return (*first, *here), (*left, *stays, *younger)
