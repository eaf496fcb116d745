"""A release that is rehearsed, measured and thrown away: what only a release can tell.

It is written by the same steps as any other, into a private folder (``scratch``), because audits,
attacks and questions read files and nothing else; its ledger is one that is imagined. So what is
measured here is what is measured of the release that the same plan publishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.asking.published import Published, opened
from anachron.attacking.finding import Finding
from anachron.attacking.known import Known
from anachron.attacking.run import applying, attack_all
from anachron.auditing.history import Past, remembered, still_there
from anachron.behind import Microdata
from anachron.engines.base import Table
from anachron.errors import InputError
from anachron.exploring.temporal import Curves, curves_of
from anachron.ledger import Entry
from anachron.ledger.imagined import Imagined
from anachron.making.course import Work
from anachron.measuring.asked import Wanted
from anachron.measuring.run import measure
from anachron.measuring.utility import Measure
from anachron.release import Release
from anachron.release.read import vouched
from anachron.scratch import folder
from anachron.streamed import Streamed
from anachron.trying.rehearsing import written_aside

__all__ = ["QUESTIONS", "Rehearsal", "asked", "attacked", "rehearsing", "shared", "unique"]

QUESTIONS = 300
"""So many random questions are asked of each candidate."""


@dataclass(frozen=True, eq=False)
class _Remembering:
    """An imagined ledger, asked as one that is there."""

    ledger: Imagined

    @property
    def pseudonyms(self) -> Callable[[pa.Array], pa.Array]:
        return self.ledger.pseudonyms

    @property
    def marks(self) -> Callable[[pa.Array], pa.Array]:
        return self.ledger.marks

    def entries(self) -> Sequence[Entry]:
        return self.ledger.entries

    def state(self, entry: Entry) -> Streamed:
        return self.ledger.state_of(entry)

    def feed(self) -> pa.Table | None:
        return self.ledger.feed()

    def secret(self, purpose: str) -> bytes:
        return self.ledger.secret(purpose)


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """The releases of one candidate, and who stands behind them."""

    entries: tuple[Entry, ...]
    """What the ledger would know of each."""
    ledger: Imagined
    """As it would be afterwards."""
    microdata: Microdata
    aside: Path

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """All of them; of a register, of events and of series it is one."""
        found = (Release(one.path, explanation=one.explanation) for one in self.entries)
        return tuple(vouched(one) if one.path.parent == self.aside else one for one in found)

    @cached_property
    def pasts(self) -> tuple[Past, ...]:
        """What the ledger would remember of each."""
        known, ledger = self.ledger.entries, _Remembering(self.ledger)
        return tuple(remembered(ledger, known[: one.number]) for one in self.entries)

    @cached_property
    def known(self) -> tuple[Known, ...]:
        """What attacks on each start from."""
        return tuple(
            Known(
                release,
                still_there(self.ledger.entries[: release.number - 1]),
                self.microdata,
                self.microdata.schema,
                past,
            )
            for release, past in zip(self.releases, self.pasts, strict=True)
        )

    @cached_property
    def published(self) -> Published:
        """All releases together, to be asked."""
        return opened(self.releases)

    @cached_property
    def curves(self) -> Curves | None:
        """Rows over time, in truth and as the releases tell."""
        return curves_of(self.published, self.releases, self.microdata)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """How well random questions are answered."""
        wanted = Wanted(QUESTIONS)
        found = measure(self.releases, wanted, microdata=self.microdata, past=self.pasts)
        return found.measures

    def findings(self, *names: str) -> Iterator[Finding]:
        """What attacks come to, on every release; only some of them, if any are named."""
        for known in self.known:
            there = [name for name in names if name in applying(known.methods)]
            if there or not names:
                yield from attack_all(known, there)


@contextmanager
def rehearsing(
    work: Work[Any], table: Table, ledger: Imagined, microdata: Microdata
) -> Iterator[Rehearsal]:
    """Rehearse a candidate, for as long as the block lasts."""
    with folder("a release that is rehearsed") as aside:
        before = ledger.anew()
        # What is written beside Parquet tells nothing more.
        entries = written_aside(replace(work, csv=False), table, before, aside)
        yield Rehearsal(entries, before, microdata, aside)


def attacked(rehearsal: Rehearsal) -> float | None:
    """The largest share of people whom any attack exposes."""
    return _largest(rehearsal.findings())


def unique(rehearsal: Rehearsal) -> float | None:
    """The share of people who are alone by all that is published."""
    return _largest(rehearsal.findings("uniqueness"))


def shared(rehearsal: Rehearsal) -> float | None:
    """The largest share of one sensitive value in a group; None if there is no such value."""
    shares = [float(one.figures["largest_share"]) for one in rehearsal.findings("homogeneity")]
    return max(shares, default=None)


def asked(rehearsal: Rehearsal) -> float | None:
    """The median error of random questions, of the first workload that the method has.

    None if the table answers none of them: then there is no error either.
    """
    try:
        return rehearsal.measures[0].median
    except InputError:
        return None


def _largest(findings: Iterator[Finding]) -> float | None:
    shares = [one.exposed / one.people for one in findings if one.people]
    return max(shares, default=None)
