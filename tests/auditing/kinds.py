"""The four kinds of releases: how each is drafted, spoilt and judged."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from anachron.auditing.history import FeedPast, History
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import Microdata
from anachron.release.read import Release
from tests.auditing import draft, feed_draft, feed_story, invariance_draft, patterns_draft
from tests.auditing import invariance_story as story
from tests.auditing.events_bugs import EVENTS
from tests.auditing.feed_bugs import FEED
from tests.auditing.register_bugs import REGISTER
from tests.auditing.seeding import Bug, Seeds
from tests.auditing.series_bugs import SERIES

__all__ = ["KINDS", "REFUSED", "SEEDED", "Kind", "series"]


@dataclass(frozen=True)
class Kind:
    """How releases of a kind are made and judged."""

    seeds: Seeds
    good: Callable[[], Any]
    """A release that keeps its promise."""
    place: str
    table: Callable[[Any], Microdata]
    past: Callable[[Any], Any]
    """What the ledger remembers."""
    needs_table: frozenset[str]
    needs_ledger: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()
    """What no verdict may tell."""
    then: str = ""

    def write(self, draft: Any, folder: Path) -> Release:
        """Write a draft as it would be published."""
        release: Release = draft.write(folder / self.place)
        return release

    def spoilt(self, bug: Bug) -> Any:
        """A draft with a bug."""
        draft = self.good()
        bug.spoil(draft)
        return draft

    def judged(
        self, draft: Any, release: Release, *, table: bool = True, ledger: bool = True
    ) -> Verdict:
        """What the audit says with the table, the ledger, or both."""
        return verify(
            release,
            microdata=self.table(draft) if table else None,
            history=self.past(draft) if ledger else None,
        )

    def of(self, bugs: list[Bug]) -> list[Bug]:
        """Those that are seeded into releases of this kind."""
        return [bug for bug in bugs if bug.then == self.then]


@cache
def _earlier() -> tuple[TemporaryDirectory[str], tuple[Release, ...]]:
    """The releases of a register before the one that is spoilt; they are only read."""
    folder = TemporaryDirectory()
    first = story.first().write(Path(folder.name) / "0001")
    return folder, (first, story.second().write(Path(folder.name) / "0002"))


atexit.register(_earlier.cache_clear)


def _by_name(values: pa.Array) -> pa.Array:
    names = [str(value).title() for value in values.to_pylist()]
    return invariance_draft.who(pa.array(names))


def _history(register: invariance_draft.Draft) -> History:
    before = (story.first().state_table(), story.second().state_table())
    past = invariance_draft.history(register, before, _earlier()[1])
    return replace(past, pseudonyms=_by_name)


def _past(feed: feed_draft.Draft) -> FeedPast:
    return feed_draft.past(feed, feed_story.first(feed.then).state_table())


def _feed(then: str) -> Kind:
    return Kind(
        FEED,
        partial(feed_story.second, then),
        "0002",
        lambda feed: feed_draft.loaded(feed.microdata()),
        _past,
        frozenset({"coverage", "linked", "memory", "one record each", "records", "roles"}),
        frozenset({"delay", "due", "forward", "once", "state"}),
        ("gout", "flu", "acne", "Ann", "1.23", "north"),
        then,
    )


KINDS = {
    "events": Kind(
        EVENTS,
        draft.draft,
        "0001",
        lambda _: draft.loaded(),
        lambda _: None,
        frozenset({"people", "share", "suppression", "left out", "whole groups"})
        | {"sensitive values", "one group"},
    ),
    "register": Kind(
        REGISTER,
        story.third,
        "0003",
        lambda register: invariance_draft.loaded(register.register),
        _history,
        frozenset({"coverage", "held back", "one row each", "marks", "margins"}),
        frozenset({"candidates", "changes", "lifespans", "memory", "mode"})
        | {"real rows", "signatures", "state"},
        ("gout", "flu", "acne", "Ann", "1.23"),
    ),
    "anatomy": _feed("anatomy"),
    "generalize": _feed("generalize"),
    "series": Kind(
        SERIES,
        patterns_draft.good,
        "0001",
        patterns_draft.Draft.loaded,
        patterns_draft.Draft.past,
        frozenset({"breach", "coverage", "memory", "roles", "rows", "shape"})
        | {"suppressed", "value"},
        frozenset({"state"}),
        ("Ann", "Pia", "10.2", "37.7", "cbba", "table.csv"),
    ),
}


SEEDED = [(name, bug) for name, kind in KINDS.items() for bug in kind.of(kind.seeds.caught)]
"""All bugs that a check must catch, with the kind of release they are in."""
REFUSED = [(name, bug) for name, kind in KINDS.items() for bug in kind.of(kind.seeds.refused)]


def series(draft: patterns_draft.Draft, folder: Path, *, ledger: bool = True) -> Verdict:
    """What the audit says of series that are drafted by hand."""
    kind = KINDS["series"]
    return kind.judged(draft, kind.write(draft, folder), ledger=ledger)
