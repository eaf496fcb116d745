"""A live feed, as its owner pushes to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from anachron.engines.opening import opened
from anachron.guarantees import Reposition
from anachron.ledger import Ledger
from anachron.making.conduct import courses, run
from anachron.making.course import Work
from anachron.making.feeds import check_schema
from anachron.making.refusing import refuse_unjudged
from anachron.methods.reposition.standing import Standing
from anachron.methods.reposition.standing import standing as standing_of
from anachron.progress import Tell, between, heard
from anachron.release import Release
from anachron.scratch import near
from anachron.stopping import stoppable
from anachron.stores import Place

__all__ = ["Publisher", "Standing", "standing", "standing_of"]


class Publisher:
    """Publishes a live feed. Get it from :func:`anachron.open`.

    Between two pushes the feed lives in its ledger: the publisher can be closed, killed and
    opened again, and the releases are those of an uninterrupted run.
    """

    def __init__(
        self,
        work: Work[Reposition],
        *,
        ledger: Path,
        to: Place,
        progress: Tell | bool | None = None,
    ) -> None:
        check_schema(work.schema, work.guarantee)
        self._work, self._ledger, self._to, self._progress = work, ledger, to, progress

    def __repr__(self) -> str:
        return f"Publisher({self._work.guarantee!r}, ledger={str(self._ledger)!r})"

    @stoppable()
    def push(self, snapshot: object) -> list[Release]:
        """Push the next snapshot, or several, and get the releases that became due.

        Parameters
        ----------
        snapshot
            A table of any accepted kind. Snapshots between the last one that was pushed and
            this one had no records. A snapshot that was pushed before, with the same records,
            is recognised and changes nothing: the releases it made due are given again.
        """
        with self._working("push") as work:
            work.tell("reading the table", 0.0)
            told = replace(work, tell=between(work.tell, 0.1, 1.0))
            with opened(snapshot, work.schema, work.guarantee.bytes_a_row) as table:
                refuse_unjudged(table)
                return run(told, courses(told, table, end=False), self._ledger, self._to)

    @stoppable()
    def flush(self) -> list[Release]:
        """End the feed, and get the releases that are left; once it has ended, the same again."""
        with self._working("flush") as work:
            return run(work, courses(work, None, end=True), self._ledger, self._to)

    @contextmanager
    def _working(self, verb: str) -> Iterator[Work[Reposition]]:
        """What is wished for, with somebody who hears how far it is."""
        with near(self._ledger), heard(self._progress, verb) as tell:
            yield replace(self._work, tell=tell)

    @property
    def standing(self) -> Standing | None:
        """Where the feed stands: what waits, and for what. None before the first push."""
        return standing(Ledger.open(self._ledger))


def standing(ledger: Ledger) -> Standing | None:
    """Say where the feed of a ledger stands; None if it has none."""
    remembered = ledger.feed()
    return None if remembered is None else standing_of(remembered)
