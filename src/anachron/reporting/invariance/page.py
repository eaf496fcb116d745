"""What the certificate of a register is written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from anachron.auditing.history import History
from anachron.guarantees import MInvariance, from_dict
from anachron.guarantees.reposition import register_in
from anachron.published.ways import Way
from anachron.reporting.certificate import Certificate
from anachron.reporting.charts import Chart
from anachron.reporting.invariance.candidates import Candidates, candidates, drawn
from anachron.reporting.opening import Withheld
from anachron.reporting.shown import Shown
from anachron.reporting.words import digits, plural

__all__ = ["Earlier", "RegisterPage", "RegisterRecord"]


@dataclass(frozen=True)
class Earlier:
    """One release of the history, this one included."""

    release: int
    rows: int
    counterfeits: int
    groups: int


@dataclass(frozen=True)
class RegisterRecord:
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
    def read(cls, record: Mapping[str, Any]) -> RegisterRecord:
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


class RegisterPage(Certificate[MInvariance, Shown]):
    """A release of a register, its promise and, for the owner, how it came about.

    A release of a feed may be one, too: then there is one of each snapshot, which is its name.
    """

    template: ClassVar[str] = "invariance.html"

    @cached_property
    def promise(self) -> MInvariance:
        """What is promised."""
        promise = register_in(from_dict(self.release.guarantee))
        if promise is None:
            raise TypeError("the release is none of a register")
        return promise

    @cached_property
    def record(self) -> RegisterRecord | None:
        """How the release came about, if the owner's ledger is at hand."""
        return self.proof.told(RegisterRecord.read)

    @property
    def as_of(self) -> str | None:
        """The name that the owner gave to the release; of a feed, its snapshot."""
        facts = self.release.form.facts
        return str(facts["snapshot"]["label"]) if "snapshot" in facts else facts.get("as_of")

    @property
    def boxes(self) -> tuple[Way, ...]:
        """How the columns are published that an outsider may know."""
        return self.shown.ways("quasi")

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

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """Whose new value waits for others, and whose new value allows no set."""
        if self.record is None:
            return ()
        held, refused, all_of_them = self.record.held, self.record.refused, self.record.subjects
        return (
            Withheld("people held back", held, all_of_them),
            Withheld("people left out", refused, all_of_them),
        )

    @cached_property
    def left(self) -> tuple[Candidates, ...]:
        """What all releases together leave open, if the ledger's memory is at hand."""
        past = self.proof.past
        return candidates(past, self.release) if isinstance(past, History) else ()

    def over_releases(self) -> Chart:
        """Rows and counterfeits of all releases."""
        history = () if self.record is None else self.record.history
        return Chart(
            name="over_releases",
            says=f"Rows and counterfeits of {plural(len(history), 'release')}.",
            records=tuple(
                {"release": e.release, "rows": e.rows, "counterfeits": e.counterfeits}
                for e in history
            ),
            head=("release", "rows", "counterfeits", "groups"),
            rows=tuple(
                (str(e.release), digits(e.rows), digits(e.counterfeits), digits(e.groups))
                for e in history
            ),
            numeric=(1, 2, 3),
        )

    def left_over_releases(self) -> Chart:
        """What all releases together leave open, as a drawing."""
        return drawn(self.left, self.promise.m)
