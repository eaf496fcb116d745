"""A live feed, as its owner pushes to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from anachron.engines.opening import opened
from anachron.errors import InputError
from anachron.guarantees import Reposition
from anachron.ledger import Ledger
from anachron.making.conduct import courses, run
from anachron.making.course import Work
from anachron.making.feeds import check_schema
from anachron.making.refusing import refuse_unjudged
from anachron.making.stream import Stream, batch_of, together
from anachron.methods.reposition.parted import Parted, parted
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
        self._stream.refuse_waiting()
        with self._working("push") as work:
            return self._pushed(work, snapshot)

    @stoppable()
    def batch(self, rows: object, number: int) -> list[Release]:
        """Take a micro-batch of a stream, and get the releases that became due.

        Give it to Spark as it is: ``stream.writeStream.foreachBatch(feed.batch)``. Rows of the
        newest snapshot wait, encrypted in the ledger, until a row of a later one comes. Then it is
        pushed as a whole, each snapshot by itself, so that releases do not depend on batches. What
        comes for it after that is late, as the promise says. A batch that is delivered again is
        recognised and changes nothing.

        Parameters
        ----------
        rows
            A DataFrame of Spark, which is gathered on the driver, or a table of Arrow.
        number
            The number of the batch in its stream; one follows the other.

        Example
        -------
        >>> import anachron as an, pyarrow as pa, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> feed = an.open(an.Plan(
        ...     "visits", an.Schema(subject="who", time="day", quasi="ward", sensitive="ill"),
        ...     an.Reposition(l=2, window=1),
        ...     ledger=folder + "/ledger", releases=folder + "/releases",
        ... ))
        >>> columns = {"ward": [1, 2], "ill": ["flu", "cold"]}
        >>> feed.batch(pa.table({"who": ["a", "b"], "day": ["2024-05-06"] * 2, **columns}), 0)
        []
        >>> days = ["2024-05-06", "2024-05-07"]
        >>> [release] = feed.batch(pa.table({"who": ["c", "d"], "day": days, **columns}), 1)
        >>> release.table().num_rows
        2
        """
        with self._working("push") as work:
            work.tell("reading the table", 0.0)
            batch = batch_of(rows, work.schema, work.guarantee.bytes_a_row)
            waited = self._stream.before(number)
            whole = together(waited, batch)
            with _without_rows():
                found = self._parted(work, whole)
                if waited is None:
                    self._stream.keep(number, batch.slice(0, 0))
                releases = [
                    release
                    for snapshot in found.over
                    for release in self._pushed(work, whole.take(snapshot))
                ]
            self._stream.keep(number + 1, whole.take(found.waits))
            return releases

    @stoppable()
    def flush(self) -> list[Release]:
        """End the feed, and get the releases that are left; once it has ended, the same again.

        What waits of a stream is pushed before.
        """
        with self._working("flush") as work:
            waiting = self._stream.waiting
            releases = [] if waiting is None else self._pushed(work, waiting)
            releases += run(work, courses(work, None, end=True), self._ledger, self._to)
            self._stream.forget()
            return releases

    def _pushed(self, work: Work[Reposition], snapshot: object) -> list[Release]:
        work.tell("reading the table", 0.0)
        told = replace(work, tell=between(work.tell, 0.1, 1.0))
        with opened(snapshot, work.schema, work.guarantee.bytes_a_row) as table:
            refuse_unjudged(table, work.guarantee)
            return run(told, courses(told, table, end=False), self._ledger, self._to)

    def _parted(self, work: Work[Reposition], rows: pa.Table) -> Parted:
        remembered = Ledger.open(self._ledger).feed()
        if not rows.num_rows:
            return Parted((), pa.array([], pa.int64()))
        with opened(rows, work.schema, work.guarantee.bytes_a_row) as table:
            return parted(table, work.guarantee, remembered)

    @property
    def _stream(self) -> Stream:
        return Stream(self._ledger)

    @contextmanager
    def _working(self, verb: str) -> Iterator[Work[Reposition]]:
        """What is wished for, with somebody who hears how far it is."""
        with near(self._ledger), heard(self._progress, verb) as tell:
            yield replace(self._work, tell=tell)

    @property
    def standing(self) -> Standing | None:
        """Where the feed stands: what waits, and for what. None before the first push."""
        return standing(Ledger.open(self._ledger))


@contextmanager
def _without_rows() -> Iterator[None]:
    """Rows of a stream have no numbers that anybody could look up."""
    try:
        yield
    except InputError as error:
        if all(one.row is None for one in error.problems):
            raise
        raise type(error)([replace(one, row=None) for one in error.problems]) from None


def standing(ledger: Ledger) -> Standing | None:
    """Say where the feed of a ledger stands; None if it has none."""
    remembered = ledger.feed()
    return None if remembered is None else standing_of(remembered)
