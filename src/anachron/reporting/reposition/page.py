"""What the certificate of a feed is written from."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from anachron.guarantees import Reposition
from anachron.published.ways import Way
from anachron.reporting.certificate import Certificate
from anachron.reporting.invariance.page import RegisterPage
from anachron.reporting.opening import Withheld
from anachron.reporting.reposition.record import FeedRecord
from anachron.reporting.reposition.shown import FeedShown
from anachron.reporting.words import spoken

if TYPE_CHECKING:
    pass

__all__ = ["FeedPage"]


class FeedPage(Certificate[Reposition, FeedShown]):
    """A release of a feed, its promise and, for the owner, how it came about."""

    template: ClassVar[str] = "reposition.html"

    @cached_property
    def record(self) -> FeedRecord | None:
        """How the release came about, if the owner's ledger is at hand."""
        return self.proof.told(FeedRecord.read)

    @cached_property
    def register(self) -> RegisterPage | None:
        """The same release as one of a register, if it is m-invariant."""
        if isinstance(self.promise.then, str):
            return None
        inside = self.proof.told(lambda told: told["invariance"])
        return RegisterPage(self.release, replace(self.proof, explanation=inside))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the method noted for the owner."""
        return super().notes + (() if self.register is None else self.register.notes)

    @property
    def unit(self) -> str:
        """The granularity of the snapshots, as people write it."""
        return spoken(self.promise.snapshot.name)

    @property
    def longest(self) -> int:
        """By how many snapshots a record may be late."""
        return self.promise.window - 1

    @property
    def boxes(self) -> tuple[Way, ...]:
        """How the columns are published that an outsider may know."""
        return self.shown.ways("quasi")

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """What became of records that are not published, by the account; else those left out."""
        if self.record is None:
            return ()
        if self.record.account is None:
            return (Withheld("records left out", self.record.suppressed, self.record.rows),)
        pushed, _, *others = self.record.account.total
        waiting, left_out, dropped, refused = others
        return (
            Withheld("records waiting", waiting, pushed),
            Withheld("records left out", left_out, pushed),
            Withheld("records dropped", dropped, pushed),
            Withheld("records refused", refused, pushed),
        )
