"""A live feed, as its owner pushes to it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from anachron.engines.local.load import load
from anachron.guarantees import Reposition
from anachron.ledger import Ledger
from anachron.making.conduct import courses, run
from anachron.making.course import Work
from anachron.making.feeds import check_schema
from anachron.methods.reposition.standing import Standing
from anachron.methods.reposition.standing import standing as read_standing
from anachron.release import Release
from anachron.stopping import stoppable

__all__ = ["Publisher", "Standing", "standing"]


class Publisher:
    """Publishes a live feed. Get it from :func:`anachron.open`.

    Between two pushes the feed lives in its ledger: the publisher can be closed, killed and
    opened again, and the releases are those of an uninterrupted run.
    """

    def __init__(self, work: Work[Reposition], *, ledger: Path, to: Path) -> None:
        check_schema(work.schema, work.guarantee)
        self._work, self._ledger, self._to = work, ledger, to

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
        with closing(load(snapshot, self._work.schema)) as table:
            pushed = courses(self._work, table, end=False)
            return run(self._work, pushed, self._ledger, self._to)

    @stoppable()
    def flush(self) -> list[Release]:
        """End the feed, and get the releases that are left; once it has ended, the same again."""
        rest = courses(self._work, None, end=True)
        return run(self._work, rest, self._ledger, self._to)

    @property
    def standing(self) -> Standing | None:
        """Where the feed stands: what waits, and for what. None before the first push."""
        return standing(Ledger.open(self._ledger))


def standing(ledger: Ledger) -> Standing | None:
    """Say where the feed of a ledger stands; None if it has none."""
    remembered = ledger.feed()
    return None if remembered is None else read_standing(remembered)
