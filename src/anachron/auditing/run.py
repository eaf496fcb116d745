"""Carry out an audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa

from anachron.auditing.check import Figures
from anachron.auditing.checks import files
from anachron.auditing.history import Past
from anachron.auditing.promises.at_hand import Promise
from anachron.auditing.verdict import (
    PUBLISHED,
    WITH_LEDGER,
    WITH_MICRODATA,
    Check,
    Verdict,
)
from anachron.behind import Large, Microdata
from anachron.errors import ReleaseError
from anachron.ledger.entry import Entry
from anachron.parquet import Beside
from anachron.progress import Tell, between, silent
from anachron.registry import METHODS
from anachron.release.read import Release

__all__ = ["passes", "verify"]


def verify(
    release: Release,
    *,
    microdata: Microdata | Large | None = None,
    entry: Entry | None = None,
    history: Past = None,
    ours: bool = False,
    tell: Tell = silent,
) -> Verdict:
    """Check a release against its promise.

    Parameters
    ----------
    release
        The release; its folder may still be a staging folder.
    microdata
        The rows it was made from. Only with them can people be counted.
    entry
        What the ledger recorded of it.
    history
        For a register or a feed that is released again and again: what the ledger remembers of
        its people or records. Only with it can releases be checked against each other.
    ours
        Whether it was written just now: then it may unpack to any size.
    tell
        Hears what is being done, and which share of the work is done.

    Returns
    -------
    Verdict
        What was checked, and whether all of it holds.
    """
    tell("checking the files", 0.0)
    asked = [one.ask(release) for one in (files.folder, files.place, files.digests)]
    odd: dict[str, Beside | None] = {}
    recorded = None if entry is None else files.ledger.ask(release, entry)
    if asked[-1].holds:
        trusted = ours or (recorded is not None and recorded.holds)
        odd = files.odd_files(release, trusted=trusted)
        asked.append(files.size.ask(odd))
    intact = asked[-1].holds
    if recorded is not None:
        asked.append(recorded)
    found: tuple[Check, ...] = ()
    figures: Figures = {}
    # A file that is not as described may not even be readable: there is nothing to learn. And a
    # file of more rows than stated may be more than anybody can hold.
    if intact and any(odd.values()):
        # It is not built as it must be, and could be anything to who reads it.
        asked = [*(files.hidden.ask(release, one) for one in release.tables.values()), *asked]
    elif intact:
        # What the files hold is walked over beside what they say.
        with ThreadPoolExecutor(max_workers=1) as beside:
            content = beside.submit(files.content_checks, release)
            found, figures = _judged(release, microdata, history, between(tell, 0.1, 1.0))
            asked = [*content.result(), *asked]
    return Verdict(
        release=f"{release.number:04d}",
        guarantee=_in_words(release),
        scope=_scope(microdata, entry, history),
        checks=tuple(_placed(one, release) for one in (*found, *asked)),
        figures=figures,
    )


def _scope(microdata: Microdata | Large | None, entry: Entry | None, history: Past) -> str:
    if microdata is not None:
        return WITH_MICRODATA
    return PUBLISHED if entry is None and history is None else WITH_LEDGER


def _placed(check: Check, release: Release) -> Check:
    """Say of each witness in which release it is, unless it is a release."""
    here = f"release {release.number:04d}"
    return replace(
        check,
        witnesses=tuple(
            place if place.startswith("release ") else f"{here}, {place}"
            for place in check.witnesses
        ),
    )


def _judged(
    release: Release, microdata: Microdata | Large | None, history: Past, tell: Tell
) -> tuple[tuple[Check, ...], Figures]:
    method = release.guarantee.get("method")
    if method not in METHODS:
        raise ReleaseError(
            f"{release.place} promises something this version cannot check. Use a newer version."
        )
    try:
        promise = _promise(method, release.guarantee)
        return promise.judged(release, microdata, history, tell)
    except (pa.ArrowException, duckdb.Error, OSError) as error:
        # Arrow tells of bytes that make no sense as if the system had failed, which gives a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        # Not chained: what the readers say may quote cells.
        raise ReleaseError(f"{release.place} cannot be read as a release.") from None


def passes(guarantee: Mapping[str, Any]) -> bool:
    """Whether releases with such a promise are judged by tables that are not held."""
    method = guarantee.get("method")
    return method in METHODS and _promise(method, guarantee).passes


def _promise(method: str, guarantee: Mapping[str, Any]) -> Promise:
    given: Promise | Callable[[Mapping[str, Any]], Promise] = METHODS[method].judge.load()
    return given if isinstance(given, Promise) else given(guarantee)


def _in_words(release: Release) -> str:
    """The promise in one line: its numbers and words, not its calendars and ladders."""
    simple = {
        name: value
        for name, value in release.guarantee.items()
        if name != "method" and value is not None and isinstance(value, str | int)
    }
    settings = ", ".join(f"{name}={value}" for name, value in simple.items())
    return f"{release.guarantee.get('method')}({settings})"
