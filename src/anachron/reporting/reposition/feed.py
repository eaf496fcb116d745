"""Everything that the certificate of a feed is written from, gathered once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from anachron.guarantees import MInvariance, Reposition
from anachron.published.ways import Way
from anachron.reporting.certificate import Certificate, Proof
from anachron.reporting.charts import Chart
from anachron.reporting.invariance.register import Register
from anachron.reporting.published import ways_of
from anachron.reporting.reposition import drawings
from anachron.reporting.reposition.published import Published, read
from anachron.reporting.reposition.record import Record, Snapshot, joined
from anachron.reporting.words import spoken

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.release import Release

__all__ = ["Feed"]


@dataclass(frozen=True, eq=False)
class Feed(Certificate):
    """A release of a feed, its promise and, for the owner, how it came about."""

    template: ClassVar[str] = "reposition.html"

    promise: Reposition
    shown: Published
    record: Record | None
    register: Register | None
    """The same release as one of a register, if it is m-invariant."""

    @classmethod
    def of(cls, release: Release, proof: Proof) -> Feed:
        """Read the release and the record of how it came about."""
        promise, told = Reposition.from_dict(release.guarantee), proof.explanation
        then = promise.then
        return cls(
            release,
            proof,
            promise=promise,
            shown=read(release),
            record=None if told is None else Record.read(told),
            register=_register(release, proof, then) if isinstance(then, MInvariance) else None,
        )

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
        return ways_of(self.release, "quasi")

    @property
    def learning(self) -> Finding | None:
        """What the attack found that learns from the whole feed, if it was tried."""
        tried = (found for found in self.proof.findings if found.attack == "learning")
        return next(tried, None)

    @property
    def snapshots(self) -> list[Snapshot]:
        """What the owner knows of each snapshot, or of neighbours if there are too many."""
        return [] if self.record is None else joined(self.record.snapshots)

    @property
    def before_and_after(self) -> Chart:
        """What arrived, and what is published."""
        return drawings.over_snapshots(self.snapshots)

    @property
    def shares_before_and_after(self) -> Chart:
        """The largest share of a value, as records arrived and as they are published."""
        pairs = [(one.label, one.share_before, one.share) for one in self.snapshots]
        return drawings.shares(pairs, self.promise.l)

    @property
    def delays(self) -> Chart | None:
        """How late records are published."""
        return None if self.record is None else drawings.delays(self.record, self.unit)

    @property
    def over_snapshots(self) -> Chart:
        """What a recipient can see as well."""
        return drawings.published(self.shown.snapshots)

    @property
    def shares(self) -> Chart:
        """The largest share of a value as records are published."""
        return drawings.shares_published(self.shown.snapshots, self.promise.l)


def _register(release: Release, proof: Proof, promise: MInvariance) -> Register:
    """The same release as one of a register: there is one of each snapshot, which is its name."""
    told = proof.explanation
    inside = replace(proof, explanation=None if told is None else told["invariance"])
    label = str(release.form.facts["snapshot"]["label"])
    return Register.promised(promise, release, inside, label)
