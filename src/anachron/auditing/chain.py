"""Releases one after the other: numbered, chained, under one promise, and no time twice."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.auditing.check import AS_PROMISED, Found, check, releases_named
from anachron.auditing.reading.columns import HIGHEST, LOWEST, coded, read, whole
from anachron.auditing.reading.parts import files_of
from anachron.behind.dealt import leading, ranges
from anachron.errors import ReleaseError
from anachron.guarantees.lasting import HISTORIES, lasts
from anachron.ledger import Entry, Ledger
from anachron.ledger.sending import numbers_at
from anachron.release.describe import DESCRIPTION
from anachron.release.durable import failures_as
from anachron.release.fetching import OutOfReach
from anachron.release.read import Release
from anachron.stores import Address, Place
from anachron.streamed import Streamed

__all__ = [
    "Link",
    "chained",
    "links_of",
    "nobody_twice",
    "numbers",
    "releases",
    "same_promise",
    "snapshots_in_order",
]

_NUMBER = re.compile(r"\d{4,}")


@dataclass(frozen=True, eq=False)
class Link:
    """A release in a folder of releases."""

    name: str
    """Of its folder."""
    release: Release | None
    """None if it cannot be read."""
    digest: str | None
    """Of its description."""
    problem: str = ""
    """Why it cannot be read."""

    @property
    def number(self) -> int:
        """By the name of its folder."""
        return int(self.name)

    @property
    def ours(self) -> dict[str, Any]:
        """What its description states of the promise."""
        return {} if self.release is None else self.release.description["anachron"]

    @property
    def method(self) -> object:
        """The method of its guarantee."""
        return None if self.release is None else self.release.guarantee.get("method")

    @property
    def is_register(self) -> bool:
        """Whether it is a release of people who keep their sets of values."""
        if self.release is None or self.method == "invariance":
            return self.release is not None
        return self.method == "reposition" and isinstance(
            self.release.guarantee.get("then"), Mapping
        )


def links_of(folder: Place) -> list[Link]:
    """Find the releases of a folder, in the order of their numbers."""
    if isinstance(folder, Address):
        return _links_of_store(folder)
    if not folder.is_dir():
        raise ReleaseError(f"{folder} is not a folder. Releases are in one, as 0001, 0002, …")
    found = [item.name for item in folder.iterdir() if _NUMBER.fullmatch(item.name)]
    if not found:
        raise ReleaseError(f"{folder} holds no releases: they are folders such as 0001.")
    return [_link(folder / name) for name in sorted(found, key=lambda name: (int(name), name))]


def _links_of_store(place: Address) -> list[Link]:
    with failures_as(ReleaseError, f"Looking for releases at {place}"):
        found = numbers_at(place)
    if not found:
        raise ReleaseError(f"{place} holds no releases: they are called 0001, 0002, …")
    return [_link(place / f"{number:04d}") for number in found]


def _link(place: Place) -> Link:
    try:
        release = Release(place)
    except OutOfReach:
        raise
    except ReleaseError as error:
        return Link(place.name, None, None, str(error))
    digest = hashlib.sha256((release.path / DESCRIPTION).read_bytes()).hexdigest()
    return Link(place.name, release, digest)


@check("releases", "releases of the history")
def releases(links: Sequence[Link], holds: Sequence[bool]) -> Found:
    """each keeps its promise"""
    wrong = [link.name for link, right in zip(links, holds, strict=True) if not right]
    total = len(links)
    text = f"{total - len(wrong):,} of {total:,} do"
    return Found({text: bool(wrong)}, f"{total:,} do", where=releases_named(wrong))


@check("numbers", "numbers of the releases")
def numbers(folder: Place, links: Sequence[Link], entries: Sequence[Entry]) -> Found:
    """1, 2, 3, … without a gap, or as the ledger knows them"""
    there = {link.number for link in links}
    expected = set(range(1, max(there) + 1))
    if entries:
        here = {entry.number for entry in entries if entry.to == folder.resolve()}
        expected = here or {entry.number for entry in entries}
    missing, strange = sorted(expected - there), sorted(there - expected)
    displaced = [
        link.name
        for link in links
        if link.release is not None and link.ours.get("release") != link.number
    ]
    names = [*(f"{number:04d}" for number in (*missing, *strange)), *displaced]
    return Found(
        {
            "missing": len(missing),
            "that the ledger does not know here": len(strange),
            "with another number in the description": len(displaced),
            "with the number of another": len(links) - len(there),
        },
        f"{len(links):,} releases",
        where=releases_named(dict.fromkeys(names)),
    )


@check("chain", "what each release says of the one before")
def chained(links: Sequence[Link], entries: Sequence[Entry]) -> Found:
    """the digest of the description of the release before"""
    digests: dict[int, set[str | None]] = {
        entry.number: {entry.package, (entry.copied_from or entry.files)[DESCRIPTION]}
        for entry in entries
    }
    digests |= {link.number: _digests(link) for link in links}
    wrong, unseen = [], 0
    for link in links:
        if link.release is None:
            continue
        if link.number > 1 and link.number - 1 not in digests:
            unseen += 1
        elif link.ours.get("previous") not in digests.get(link.number - 1, {None}):
            wrong.append(link.name)
    blind = f"; {unseen:,} could not be checked" if unseen else ""
    where = releases_named(wrong)
    return Found({f"name another{blind}": len(wrong)}, f"{AS_PROMISED}{blind}", where=where)


def _digests(link: Link) -> set[str | None]:
    """The digests of a description: as it is, and as it was before CSV files were added."""
    if link.release is None:
        return {None}
    said = dict(link.release.description)
    said["resources"] = [r for r in said["resources"] if r["format"] != "csv"]
    text = json.dumps(said, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    return {link.digest, hashlib.sha256(text.encode()).hexdigest()}


@check("same promise", "promises of the releases")
def same_promise(links: Sequence[Link]) -> Found:
    """one promise, and the same columns, in the whole history

    Of registers and feeds it is what must stay, else the method.
    """
    pairs = list(pairwise(link for link in links if link.release is not None))
    wrong = [after.name for before, after in pairs if not _follows(before, after)]
    changed = sum(
        before.ours.get("guarantee") != after.ours.get("guarantee") and after.method in HISTORIES
        for before, after in pairs
    )
    fine = f"{AS_PROMISED}; changes that are allowed: {changed:,}" if changed else AS_PROMISED
    return Found({"releases with another": len(wrong)}, fine, where=releases_named(wrong))


def _follows(before: Link, after: Link) -> bool:
    """Whether a release may follow another in a history."""
    if before.method != after.method:
        return False
    if before.method not in HISTORIES:
        # Tables of their own: only people and times must not meet twice.
        return True
    same = all(_said(before, name) == _said(after, name) for name in ("columns", "time_zone"))
    return same and lasts(before.ours["guarantee"], after.ours["guarantee"])


def _said(link: Link, name: str) -> object:
    """What a description says beside the guarantee; widths and orders are parts of that."""
    said = link.ours.get(name)
    if not isinstance(said, dict):
        return said
    return {
        column: {k: v for k, v in meaning.items() if k not in ("width", "order")}
        for column, meaning in said.items()
    }


_ALWAYS = (LOWEST, HIGHEST)
_AT_ONCE = 1 << 20
"""So many people are compared at a time, in all releases together."""
_WHEN = pa.schema(
    [
        ("subject", pa.binary(32)),
        ("first", pa.int64()),
        ("until", pa.int64()),
        ("release", pa.int64()),
    ]
)
"""From when to when people are published whose release names no times."""


@check("order of snapshots", "snapshots of the releases")
def snapshots_in_order(links: Sequence[Link]) -> Found:
    """later ones in each release than in those before"""
    wrong, latest, known = [], _ALWAYS[0], 0
    for link in links:
        span = _span(link)
        if span is None:
            continue
        known += 1
        if span[0] < latest:
            wrong.append(link.name)
        latest = max(latest, span[1])
    text = f"not so of {len(wrong):,} releases"
    return Found({text: bool(wrong)}, f"{known:,} releases in order", where=releases_named(wrong))


def _span(link: Link) -> tuple[int, int] | None:
    """From when to when a release of a feed goes; None if it does not say."""
    try:
        snapshot = link.ours.get("snapshot")
        if snapshot is not None:
            return int(snapshot["start"]), int(snapshot["end"])
        time = next(n for n, said in link.ours["columns"].items() if said["role"] == "time")
        if link.release is None:
            return None
        names = [f"{time}_start", f"{time}_end"]
        table = read(files_of(link.release), names)
        low, high = (table[name].cast(pa.int64()) for name in names)
        found = pc.min(low).as_py(), pc.max(high).as_py()
    except (KeyError, TypeError, ValueError, StopIteration, OSError):
        # What is malformed is told by the audit of the release itself. Errors of pyarrow are
        # among these.
        return None
    return None if None in found else found


@check("once", "people and times of the releases, as the ledger remembers them")
def nobody_twice(ledger: Ledger, entries: Sequence[Entry]) -> Found:
    """nobody twice for the same time"""
    if not entries:
        return Found({})
    states = [(ledger.state(entry), entry.number) for entry in entries]
    parts = -(-sum(state.rows for state, _ in states) // _AT_ONCE)
    again, where = 0, set[int]()
    for part in range(parts):
        more, there = _meeting([_spans(*state, part, parts) for state in states])
        again, where = again + more, where | set(there.tolist())
    blind = _unknowable([entry.plan["schema"]["subject"] for entry in entries], states)
    return Found(
        {
            "times that somebody stands in two releases": again,
            "releases of a time of which another tells people apart otherwise": len(blind),
        },
        where=releases_named(f"{n:04d}" for n in sorted(where | blind)),
    )


def _unknowable(
    subjects: Sequence[str | list[str]], states: Sequence[tuple[Streamed, int]]
) -> set[int]:
    """Releases that meet an earlier one in time, of which nobody could be known again."""
    shown = [
        (who, *(state.span() or _ALWAYS), number)
        for who, (state, number) in zip(subjects, states, strict=True)
        if state.rows
    ]
    found = set()
    for (one, begin, end, _), (other, first, until, number) in combinations(shown, 2):
        single = isinstance(one, str) and isinstance(other, str)
        same = "each row" not in (one, other) if single else set(one) == set(other)
        if begin < until and first < end and not same:
            found.add(number)
    return found


def _spans(state: Streamed, number: int, part: int, parts: int) -> pa.Table:
    """From when to when people are in a release: those of one range of digests."""
    kept = [_WHEN.empty_table()]
    for batch in state.batches():
        here = np.flatnonzero(ranges(leading(batch["subject"]), parts) == part)
        some = pa.Table.from_batches([batch]).take(pa.array(here))
        columns = {"subject": some["subject"], "release": pa.array(np.full(len(here), number))}
        for name, always in zip(("first", "until"), _ALWAYS, strict=True):
            there = name in some.column_names
            columns[name] = some[name] if there else pa.array(np.full(len(here), always))
        kept.append(pa.table(columns).select(_WHEN.names).cast(_WHEN))
    return pa.concat_tables(kept)


def _meeting(spans: Sequence[pa.Table]) -> tuple[int, Array]:
    """How often a time of a person begins before another has ended, and in which releases."""
    every = pa.concat_tables(spans).combine_chunks()
    person = whole(coded(every["subject"]).indices, -1)
    first, until, number = (whole(every[name], 0) for name in ("first", "until", "release"))
    order = np.lexsort((number, until, first, person))
    person, first, until, number = (part[order] for part in (person, first, until, number))
    # By begin: if any two meet, some neighbours do.
    meet = (person[1:] == person[:-1]) & (first[1:] < until[:-1])
    return int(meet.sum()), np.unique(np.maximum(number[1:], number[:-1])[meet])
