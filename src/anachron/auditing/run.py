"""Carry out an audit."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import duckdb
import pyarrow as pa

from anachron.auditing.judges import Past
from anachron.auditing.verdict import (
    PUBLISHED,
    WITH_LEDGER,
    WITH_MICRODATA,
    Check,
    Verdict,
)
from anachron.auditing.verify.files import (
    content_checks,
    digest_check,
    folder_check,
    ledger_check,
    place_check,
    size_check,
)
from anachron.auditing.verify.findings import Findings
from anachron.auditing.verify.spelled import exact_of, name_check
from anachron.engines.local.load import Loaded
from anachron.errors import ReleaseError
from anachron.ledger.entry import Entry
from anachron.registry import METHODS
from anachron.release.read import Release

__all__ = ["verify"]

Judge = Callable[[Release, Loaded | None, Past], Findings]
"""What a method brings to the audit."""


def verify(
    release: Release,
    *,
    microdata: Loaded | None = None,
    entry: Entry | None = None,
    history: Past = None,
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

    Returns
    -------
    Verdict
        What was checked, and whether all of it holds.
    """
    files = [folder_check(release), place_check(release), digest_check(release)]
    if files[-1].holds:
        files.append(size_check(release))
    intact = files[-1].holds
    if entry is not None:
        files.append(ledger_check(release, entry))
    findings = Findings((), ())
    # A file that is not as described may not even be readable: there is nothing to learn. And a
    # file of more rows than stated may be more than anybody can hold.
    if intact:
        # What the files hold is walked over beside what they say.
        with ThreadPoolExecutor(max_workers=1) as beside:
            content = beside.submit(content_checks, release)
            findings = _judged(release, microdata, history)
            files = [*content.result(), *files]
    return Verdict(
        release=f"{release.number:04d}",
        guarantee=_in_words(release),
        scope=_scope(microdata, entry, history),
        checks=tuple(
            _placed(check, release) for check in (*findings.promise, *findings.support, *files)
        ),
        figures=findings.figures,
    )


def _scope(microdata: Loaded | None, entry: Entry | None, history: Past) -> str:
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


def _judged(release: Release, microdata: Loaded | None, history: Past) -> Findings:
    method = release.guarantee.get("method")
    if method not in METHODS:
        raise ReleaseError(
            f"{release.path} promises something this version cannot check. Use a newer version."
        )
    try:
        judge: Judge = METHODS[method].judge.load()
        found = judge(release, microdata, history)
        if microdata is None:
            return found
        names = name_check(microdata, exact=exact_of(release.description["anachron"]))
        return replace(found, support=(*found.support, names))
    except (pa.ArrowException, duckdb.Error):
        # Not chained: what the readers say may quote cells.
        raise ReleaseError(f"{release.path} cannot be read as a release.") from None


def _in_words(release: Release) -> str:
    """The promise in one line: its numbers and words, not its calendars and ladders."""
    simple = {
        name: value
        for name, value in release.guarantee.items()
        if name != "method" and value is not None and isinstance(value, str | int)
    }
    settings = ", ".join(f"{name}={value}" for name, value in simple.items())
    return f"{release.guarantee.get('method')}({settings})"
