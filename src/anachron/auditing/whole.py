"""Audit a whole history: every release of a folder, and what they are together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from anachron.auditing.chain import (
    Link,
    chained,
    links_of,
    nobody_twice,
    numbers,
    releases,
    same_promise,
    snapshots_in_order,
)
from anachron.auditing.check import Found, check, fraction, measured
from anachron.auditing.checks.history import account
from anachron.auditing.history import books_of, remembered
from anachron.auditing.run import passes, verify
from anachron.auditing.verdict import PUBLISHED, WITH_LEDGER, WITH_MICRODATA, Check, Verdict
from anachron.behind import Large, Microdata
from anachron.errors import InputError, ReleaseError
from anachron.guarantees import Reposition
from anachron.guarantees.lasting import HISTORIES
from anachron.ledger import Entry, Ledger
from anachron.progress import Tell, silent
from anachron.registry import METHODS
from anachron.release.read import Release
from anachron.stores import Place

__all__ = ["passes_all", "verify_history"]

_OVER_TIME = ("candidates", "lifespans", "memory", "changes", "earlier releases")
"""Checks of a release of a register that are about all releases up to it."""
_LEAST = ("people_in_smallest_group", "smallest_candidate_set", "values_in_smallest_group")
_LARGEST = ("largest_share_of_one_person", "largest_share_of_a_value", "largest_posterior")


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What the owner shows beside the releases."""

    ledger: Ledger | None
    entries: Sequence[Entry]
    microdata: Microdata | Large | None
    digest: str | None
    """Of the microdata."""


def verify_history(
    folder: Place,
    *,
    ledger: Ledger | None = None,
    microdata: Microdata | Large | None = None,
    tell: Tell = silent,
) -> tuple[Verdict, ...]:
    """Check all releases in a folder, each for itself and all together.

    Parameters
    ----------
    folder
        The folder with the releases ``0001``, ``0002``, …, or its address in a store.
    ledger
        The ledger that recorded them.
    microdata
        Rows that releases were made from: all records of a feed, else the table of one release,
        which is recognised with the ledger; without it, it is taken for that of the last.
    tell
        Hears what is being done, and which share of the work is done.

    Returns
    -------
    tuple[Verdict, ...]
        One verdict for each release, in order, and the last for the history.
    """
    links = links_of(folder)
    entries = [] if ledger is None else ledger.entries()
    # A feed is one table for all its releases: there is nothing to recognise.
    alike = all(link.method == "reposition" for link in links)
    digest = None if microdata is None or alike else microdata.digest()
    shown = _Evidence(ledger, entries, microdata, digest)
    verdicts = []
    for at, link in enumerate(links):
        tell(f"judging release {link.name}", at / len(links))
        verdicts.append(_verdict(link, shown, last=link is links[-1]))
    return (*verdicts, _together(folder, links, verdicts, shown))


def passes_all(folder: Place) -> bool:
    """Whether all releases in a folder are judged by tables that are not held."""
    return all(link.release is None or passes(link.release.guarantee) for link in links_of(folder))


def _verdict(link: Link, shown: _Evidence, *, last: bool) -> Verdict:
    if link.release is None:
        return Verdict(link.name, "unknown", PUBLISHED, (readable.ask(link.problem),))
    entry, past = None, None
    if shown.ledger is not None and 1 <= link.number <= len(shown.entries):
        entry = shown.entries[link.number - 1]
        before = shown.entries[: link.number]
        # What is said of a register's whole past is said once, with its last release.
        before = before[-2:] if link.is_register and not last else before
        # The account of a feed is of all releases, and judged once.
        past = remembered(shown.ledger, before, books=False)
    mine = shown.microdata if _made_from(link.release, entry, shown, last) else None
    try:
        return verify(link.release, microdata=mine, entry=entry, history=past)
    except ReleaseError as error:
        return Verdict(link.name, "unknown", PUBLISHED, (readable.ask(str(error)),))


def _made_from(release: Release, entry: Entry | None, shown: _Evidence, last: bool) -> bool:
    """Whether the microdata are those of this release, by what the ledger remembers."""
    if shown.microdata is None:
        return False
    method = release.guarantee.get("method")
    if method == "reposition":
        return True
    if entry is None or shown.ledger is None:
        return last
    snapshot = str(shown.digest)
    if method == "invariance":
        previous = release.description["anachron"].get("previous")
        snapshot = hashlib.sha256(f"{snapshot} after {previous}".encode()).hexdigest()
    return entry.snapshot == shown.ledger.named(snapshot)


@check("readable", "description and files of the release")
def readable(problem: str) -> Found:
    """a release"""
    return measured(problem, right=False)


def _together(
    folder: Place, links: Sequence[Link], verdicts: Sequence[Verdict], shown: _Evidence
) -> Verdict:
    last = verdicts[-1]
    whole = [c for c in last.checks if c.name in _OVER_TIME and links[-1].is_register]
    checks = [
        releases.ask(links, [verdict.holds for verdict in verdicts]),
        *whole,
        *_across(links, shown),
        same_promise.ask(links),
        numbers.ask(folder, links, shown.entries),
        chained.ask(links, shown.entries),
    ]
    if shown.microdata is not None:
        checks.append(table_laid.ask(verdicts))
    used = [verdict.scope for verdict in verdicts]
    return Verdict(
        release=f"{links[0].name} to {links[-1].name}" if len(links) > 1 else links[0].name,
        guarantee=last.guarantee,
        scope=used[0] if len(set(used)) == 1 else min(used, key=_REACH.index),
        checks=tuple(checks),
        figures={"releases": len(links), **_worst([v.figures for v in verdicts])},
    )


_REACH = (PUBLISHED, WITH_LEDGER, WITH_MICRODATA)
"""From the least to the most that an audit can say."""


def _across(links: Sequence[Link], shown: _Evidence) -> list[Check]:
    """What only several releases together can break, beyond what a register's last one tells."""
    methods = {link.method for link in links}
    checks = []
    if methods == {"reposition"}:
        checks.append(snapshots_in_order.ask(links))
        checks += _account(links, shown)
    if shown.ledger is not None and methods <= METHODS.keys() - set(HISTORIES):
        there = [shown.entries[n - 1] for link in links if (n := link.number) <= len(shown.entries)]
        checks.append(nobody_twice.ask(shown.ledger, there))
    return checks


def _account(links: Sequence[Link], shown: _Evidence) -> list[Check]:
    """Count all records of a feed again, given all of them and what the ledger has of it."""
    if shown.ledger is None or shown.microdata is None:
        return []
    books = books_of(shown.ledger)
    try:
        entry = shown.entries[-1]
        promise = Reposition.from_dict(entry.plan["guarantee"])
        zone = str(entry.plan["schema"]["time_zone"])
    except (IndexError, KeyError, TypeError, InputError):
        return []
    if books is None:
        return []
    there = {link.number: link.release for link in links}
    numbers = range(1, len(books.states) + 1)
    books = replace(books, releases=[there.get(number) for number in numbers])
    # No feed is judged by a table that is not held.
    found = account.ask(promise, zone, books, shown.microdata, None)  # type: ignore[arg-type]
    return [] if found is None else [found]


@check("table", "the table that was given")
def table_laid(verdicts: Sequence[Verdict]) -> Found:
    """the table of one of the releases"""
    laid = sum(verdict.scope == WITH_MICRODATA for verdict in verdicts)
    return measured(f"laid against {laid:,} of {len(verdicts):,} releases", laid > 0)


def _worst(figures: Sequence[Mapping[str, int | str]]) -> dict[str, int | str]:
    """The figure of the release that does worst."""
    found: dict[str, int | str] = {}
    for name in _LEAST:
        numbers = [one[name] for one in figures if name in one]
        if numbers:
            found[name] = min(int(number) for number in numbers)
    for name in _LARGEST:
        shares = [str(one[name]) for one in figures if name in one]
        if shares:
            found[name] = fraction(max(Fraction(share.split()[0]) for share in shares))
    return found
