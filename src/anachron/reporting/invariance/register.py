"""Everything that the certificate of a register is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from anachron.auditing.history import History
from anachron.guarantees import MInvariance
from anachron.published.ways import Way
from anachron.reporting.certificate import Certificate, Proof
from anachron.reporting.charts import Chart
from anachron.reporting.invariance.candidates import Candidates, candidates, drawn
from anachron.reporting.invariance.published import Published, read
from anachron.reporting.published import ways_of
from anachron.reporting.words import digits, plural

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Earlier", "Record", "Register", "over_releases"]


@dataclass(frozen=True)
class Earlier:
    """One release of the history, this one included."""

    release: int
    rows: int
    counterfeits: int
    groups: int


@dataclass(frozen=True)
class Record:
    """How the release came about, as the owner's ledger keeps it; counts are of people."""

    subjects: int
    known: int
    new: int
    changed: int
    filled: int
    held: int
    refused: int
    history: tuple[Earlier, ...]
    """From the first release to this one."""

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Record:
        """Read the record; what it leaves out is taken as nought."""
        counted = ("subjects", "known", "new", "changed", "filled", "held", "refused")
        of_each = ("release", "rows", "counterfeits", "groups")
        return cls(
            **{name: int(record.get(name, 0)) for name in counted},
            history=tuple(
                Earlier(*(int(entry[name]) for name in of_each))
                for entry in record.get("history", ())
            ),
        )


@dataclass(frozen=True, eq=False)
class Register(Certificate):
    """A release of a register, its promise and, for the owner, how it came about."""

    template: ClassVar[str] = "invariance.html"

    promise: MInvariance
    shown: Published
    record: Record | None
    as_of: str | None
    """The name that the owner gave to the release; of a feed, its snapshot."""

    @classmethod
    def of(cls, release: Release, proof: Proof) -> Register:
        """Read the release and the record of how it came about."""
        promise = MInvariance.from_dict(release.guarantee)
        return cls.promised(promise, release, proof, release.form.facts.get("as_of"))

    @classmethod
    def promised(
        cls, promise: MInvariance, release: Release, proof: Proof, as_of: str | None
    ) -> Register:
        """The same of a release that keeps this promise, be it one of a feed."""
        told = proof.explanation
        record = None if told is None else Record.read(told)
        return cls(release, proof, promise, read(release), record, as_of)

    @property
    def boxes(self) -> tuple[Way, ...]:
        """How the columns are published that an outsider may know."""
        return ways_of(self.release, "quasi")

    @property
    def exact(self) -> bool:
        """Whether no two people of a group have the same value."""
        return self.promise.exact(self.release.number)

    @property
    def followed(self) -> bool:
        """Whether the audit could compare the release with the ones before."""
        return self.proof.has("candidates")

    @property
    def proven(self) -> bool:
        """Whether the audit saw the register, and followed its people through the releases."""
        return super().proven and self.followed

    @cached_property
    def left(self) -> tuple[Candidates, ...]:
        """What all releases together leave open, if the ledger's memory is at hand."""
        past = self.proof.past
        return candidates(past, self.release) if isinstance(past, History) else ()

    @property
    def over_releases(self) -> Chart:
        """Rows and counterfeits of all releases."""
        return over_releases(() if self.record is None else self.record.history)

    @property
    def left_over_releases(self) -> Chart:
        """The same as a drawing."""
        return drawn(self.left, self.promise.m)


def over_releases(history: tuple[Earlier, ...]) -> Chart:
    """Rows and counterfeits of every release."""
    return Chart(
        name="over_releases",
        says=f"Rows and counterfeits of {plural(len(history), 'release')}.",
        records=tuple(
            {"release": e.release, "rows": e.rows, "counterfeits": e.counterfeits} for e in history
        ),
        head=("release", "rows", "counterfeits", "groups"),
        rows=tuple(
            (str(e.release), digits(e.rows), digits(e.counterfeits), digits(e.groups))
            for e in history
        ),
        numeric=(1, 2, 3),
    )
