"""Is every record of a feed counted, once, as what it became?

The ledger keeps an account of the records of each snapshot. All of it that can be counted again is:
what came in, from the table; what is published, from the releases and what is remembered with each;
what waits, from the plan for it. What is left out is then what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, distinct
from anachron.auditing.check import SHOWN
from anachron.auditing.evidence.happened import first_instant, rows_of_snapshots
from anachron.auditing.history import Books
from anachron.auditing.reading.columns import notes_of, places, read, whole
from anachron.auditing.reading.parts import files_of
from anachron.auditing.reading.succession import succession
from anachron.behind import Large, Microdata
from anachron.guarantees import Reposition

__all__ = ["Counted", "counted_again"]


@dataclass(frozen=True)
class Counted:
    """What came of counting all records again."""

    wrong: Mapping[str, bool]
    """What can be wrong, and whether it is."""
    sums: str
    """What was pushed, and what became of it."""
    where: tuple[str, ...]
    """Some of the snapshots."""


def counted_again(
    promise: Reposition, zone: str, books: Books, loaded: Microdata | Large, until: int | None
) -> Counted | None:
    """Count all records again; None if the ledger is older than accounts are."""
    said = notes_of(books.memory)
    account = _read(said, promise, zone, books, loaded) if "account" in said else None
    return None if account is None else _counted(account, promise, said, books, until)


_SUMS = "{:,} pushed = {:,} published + {:,} waiting + {:,} left out + {:,} dropped + {:,} refused"
_KINDS = _SUMS.count("{:,}")


@dataclass(frozen=True, eq=False)
class _Account:
    """The account as the ledger has it, snapshot by snapshot."""

    start: Array
    """The first instant of every snapshot that has a line in the account or rows in the table."""
    number: Array
    """The number of each of these snapshots in the calendar."""
    opens: int
    """The number of the first snapshot that is not out, or of the last one if all are."""
    happened: Array
    """How many rows of the table each has; those that were not pushed yet do not count."""
    never: Array
    """How many of them are dropped: of barred people, or beyond one of a person."""
    lines: Array
    """For each snapshot, so many records of each of the kinds."""
    lost: int
    """Lines of snapshots that the calendar does not have, or that come twice."""
    begins: int
    """Snapshots that begin before are not accounted for."""


def _read(
    said: Any, promise: Reposition, zone: str, books: Books, loaded: Microdata | Large
) -> _Account | None:
    """Lay the account along the calendar; None where that is too fine to be walked through."""
    given = np.array(said["account"]["lines"], dtype=np.int64).reshape(-1, 1 + _KINDS)
    begins, known = said["account"]["begins"], [said["opens"], said["last"], *given[:, 0].tolist()]
    low = min([first_instant(loaded), *known])
    walked = succession(promise.snapshot, zone, low, max(known) + 1)
    if walked is None:
        return None
    at = places(walked[0], given[:, 0])
    # What lies after the last snapshot that was pushed may still be.
    last = int(np.searchsorted(walked[0], max(known[1:])))
    happened, never = rows_of_snapshots(walked, last, promise, books, loaded)
    number = np.union1d(at[at >= 0], np.flatnonzero(happened))
    lines = np.zeros((len(number), _KINDS), dtype=np.int64)
    lines[places(number, at[at >= 0])] = given[at >= 0, 1:]
    return _Account(
        start=walked[0][number],
        number=number,
        opens=int(places(walked[0], np.array([said["opens"]]))[0]),
        happened=happened[number],
        never=never[number],
        lines=lines,
        lost=len(given) - len(distinct(at[at >= 0])),
        begins=int(walked[0][0]) if begins is None else int(begins),
    )


def _counted(
    account: _Account,
    promise: Reposition,
    said: Any,
    books: Books,
    until: int | None,
) -> Counted:
    pushed, published, waiting, _, dropped, refused = account.lines.T
    happened, never = account.happened, account.never
    judged = account.start >= account.begins
    if until is not None:
        first = np.append(np.flatnonzero(happened), len(happened))[0]
        judged &= (account.start <= until) & (np.arange(len(happened)) >= first)
    # Rows that came too late may be rows that had come before, given once more.
    again = dropped - never if promise.late != "refuse" else np.zeros_like(dropped)
    shown = _published(account, promise, books)
    kept, waits = _waiting(account, said, books.waiting)
    wrong = {
        "that do not add up": (account.lines < 0).any(axis=1)
        | (pushed != account.lines[:, 1:].sum(axis=1)),
        "with records that are counted nowhere": happened > pushed,
        "with more records than happened": pushed - np.maximum(again, 0) > happened,
        "with records dropped that had to be planned": dropped < never
        if promise.late != "refuse"
        else dropped != never,
        "with other records waiting than are planned for": (waiting != waits) | (waits > kept),
    }
    if shown is not None:
        wrong["with other numbers of published records"] = published != shown
    if isinstance(promise.then, str):
        wrong["with records refused that no rule refuses"] = refused != 0
    many = {how: int((bad & judged).sum()) for how, bad in wrong.items()}
    lost = f"{_many(account.lost, 'line')} of no snapshot, or of one that has another"
    bad = np.logical_or.reduce(list(wrong.values())) & judged
    return Counted(
        {f"{_many(n, 'snapshot')} {how}": n > 0 for how, n in many.items()}
        | {lost: account.lost > 0},
        _SUMS.format(*account.lines[judged].sum(axis=0)),
        _named(account.start[bad]),
    )


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _named(start: Array) -> tuple[str, ...]:
    return tuple(
        f"snapshot from {np.datetime64(int(at), 'us').astype('datetime64[s]')}Z"
        for at in start[:SHOWN]
    )


def _published(account: _Account, promise: Reposition, books: Books) -> Array | None:
    """How many records of each snapshot are published; None if a release is not there."""
    shown = np.zeros(len(account.start), dtype=np.int64)
    for release, remembered in zip(books.releases, books.states, strict=True):
        state = remembered.table()
        if not isinstance(promise.then, str):
            _add(shown, account, state["home"].filter(state["group"].is_valid()), 1)
            continue
        if release is None:
            return None
        column = next(
            f"{name}_start"
            for name, meaning in release.description["anachron"]["columns"].items()
            if meaning["role"] == "time"
        )
        rows = read(files_of(release), [column])
        moved = state.filter(state["snapshot"].is_valid())
        _add(shown, account, rows[column].cast(pa.int64()), 1)
        _add(shown, account, moved["snapshot"], -1)
        _add(shown, account, moved["home"], 1)
    return shown


def _add(shown: Array, account: _Account, starts: pa.ChunkedArray, each: int) -> None:
    """Count records in the snapshots that begin at these instants."""
    different, count = np.unique(whole(starts, 0), return_counts=True)
    _count(shown, account.start, different, each * count)


def _waiting(account: _Account, said: Any, memory: pa.Table) -> tuple[Array, Array]:
    """How many records of each snapshot are kept, and how many of them the plan has a place for."""
    following, start, *_ = said["window"]["clock"]
    offset = account.opens - min(start, following - 1)
    kept, waits = np.zeros((2, len(account.start)), dtype=np.int64)
    planned = np.array([*_planned(said["window"])], dtype=np.int64).reshape(-1, 2)
    if len(memory):
        home = whole(memory["home"], 0)
        free = home[np.asarray(memory["free"], dtype=bool) & (home >= start)]
        planned = np.concatenate([planned, np.stack([free, np.ones_like(free)], axis=1)])
        _count(kept, account.number, home + offset, np.ones_like(home))
    _count(waits, account.number, planned[:, 0] + offset, planned[:, 1])
    return kept, waits


def _count(into: Array, among: Array, where: Array, count: Array) -> None:
    """Add counts in the places of some numbers among others; of what is not there, nowhere."""
    at = places(among, where)
    np.add.at(into, at[at >= 0], count[at >= 0])


def _planned(window: Any) -> Iterator[tuple[int, int]]:
    """Records that have a place or may still find one, by the position of their snapshot."""
    until = dict(window["strands"])
    # Of a value that is out of place, the records stand in a list of their own.
    yield from ((at, n) for at, value, n in window["places"] if at > until.get(value, -1))
    yield from ((home, n) for name in ("standing", "suppressed") for home, _, n in window[name])
