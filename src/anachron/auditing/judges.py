"""How a release is judged, by method."""

from __future__ import annotations

from anachron.auditing.history import FeedPast, History, SeriesPast
from anachron.auditing.verify.findings import Findings
from anachron.auditing.verify.granularity import granularity
from anachron.auditing.verify.invariance import invariance
from anachron.auditing.verify.patterns import patterns
from anachron.auditing.verify.reposition import reposition
from anachron.engines.local.load import Loaded
from anachron.release.read import Release

__all__ = ["Past", "events", "feeds", "registers", "series"]

Past = History | FeedPast | SeriesPast | None


def events(release: Release, microdata: Loaded | None, _past: Past) -> Findings:
    """Judge a table of events."""
    return granularity(release, microdata)


def registers(release: Release, microdata: Loaded | None, past: Past) -> Findings:
    """Judge a release of a register."""
    return invariance(release, microdata, past if isinstance(past, History) else None)


def feeds(release: Release, microdata: Loaded | None, past: Past) -> Findings:
    """Judge a release of a feed."""
    return reposition(release, microdata, None if isinstance(past, SeriesPast) else past)


def series(release: Release, microdata: Loaded | None, past: Past) -> Findings:
    """Judge a table of series."""
    return patterns(release, microdata, past if isinstance(past, SeriesPast) else None)
