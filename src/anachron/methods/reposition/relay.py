"""What it gains to give suppressed records of one value places in the newest snapshot.

A relay (Section IV of the paper) ends with one record more of the value in the newest snapshot
and one suppressed record less; every other place is still taken, perhaps by another record.

Notes
-----
The paper leaves open which record is carried on at each hop. We carry the youngest of the
records that are there and the one that arrives, so older records stay in earlier places even
when a suppressed record is younger than a published one, as happens when records come late.

The youngest suppressed record gains most, and gains never rise from one relay to the next: the
cheapest way to fill k more places is a flow of value k, whose cost is convex in k.
"""

from __future__ import annotations

from collections.abc import Iterator

from anachron.methods.reposition.window import Pairs, matched

__all__ = ["gains"]

Chain = list[tuple[list[list[int]], int]]
"""The hops where the carried record changes: the records there, and the home put down."""


def gains(
    standing: Pairs, places: Pairs, suppressed: Pairs, newest: int, mu: tuple[int, ...], beta: int
) -> Iterator[tuple[int, int]]:
    """Give (gain of one relay, how many relays gain that), best first.

    Parameters
    ----------
    standing, places
        The records of the value, and the places before ``newest`` that they fill in order.
    suppressed
        Those that may be published in ``newest``. The youngest are relayed first.
    mu, beta
        What a distance costs, and a suppressed record.
    """
    snapshots: dict[int, list[list[int]]] = {}
    for position, home, count in matched(standing, places):
        snapshots.setdefault(position, []).append([home, count])
    for home, left in reversed(suppressed):
        while left:
            chain, cost, most = _chain(snapshots, home, newest, mu)
            count = left if most is None else min(left, most)
            yield beta - cost, count
            left -= count
            for records, put_down in chain:
                _exchange(records, put_down, count)


def _chain(
    snapshots: dict[int, list[list[int]]], home: int, newest: int, mu: tuple[int, ...]
) -> tuple[Chain, int, int | None]:
    """Follow a relay: where it exchanges records, its cost, and how many can go that way."""
    carried, cost, most = home, 0, None
    chain: Chain = []
    for position, records in snapshots.items():
        youngest, count = records[-1]
        if youngest > carried:
            cost += mu[position - carried] - mu[position - youngest]
            most = count if most is None else min(most, count)
            chain.append((records, carried))
            carried = youngest
    return chain, cost + mu[newest - carried], most


def _exchange(records: list[list[int]], put_down: int, count: int) -> None:
    """Put down ``count`` older records for as many of the youngest, which are carried on."""
    records[-1][1] -= count
    youngest = records.pop() if records[-1][1] else None
    if not youngest:
        records.pop()
    place = next((r for r in records if r[0] == put_down), None)
    if place:
        place[1] += count
    else:
        records.append([put_down, count])
        records.sort()
    if youngest:
        records.append(youngest)
