"""Everything that the certificate of series is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anachron.guarantees import KPAnonymity
from anachron.reporting.certificate import Certificate, Proof
from anachron.reporting.charts import Chart
from anachron.reporting.patterns import drawings
from anachron.reporting.patterns.published import Published, read

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Record", "Series"]


@dataclass(frozen=True)
class Record:
    """How the release came about, as the owner's ledger keeps it; counts are of series."""

    series: int
    suppressed: int
    bad: int
    dropped: int
    trimmed: int
    interpolated: int
    value_loss: float
    pattern_loss: float
    """Both summed over the published series."""

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Record:
        """Read the record."""
        counted = ("series", "suppressed", "bad", "dropped", "trimmed", "interpolated")
        return cls(
            **{name: int(record[name]) for name in counted},
            value_loss=float(record["value_loss"]),
            pattern_loss=float(record["pattern_loss"]),
        )


@dataclass(frozen=True, eq=False)
class Series(Certificate):
    """A release of series, its promise and, for the owner, how it came about."""

    template: ClassVar[str] = "patterns.html"

    promise: KPAnonymity
    shown: Published
    record: Record | None

    @classmethod
    def of(cls, release: Release, proof: Proof) -> Series:
        """Read the release and the record of how it came about."""
        told = proof.explanation
        return cls(
            release,
            proof,
            promise=KPAnonymity.from_dict(release.guarantee),
            shown=read(release),
            record=None if told is None else Record.read(told),
        )

    @property
    def is_whole(self) -> bool:
        """Whether values and shapes of all times are published."""
        return len(self.shown.values) == len(self.shown.patterns) == self.shown.times

    @property
    def followed(self) -> bool:
        """Whether the audit had the ledger, and knew whose row is whose."""
        return self.proof.has("memory")

    @property
    def precision(self) -> str:
        """What bounds are multiples of."""
        return str(self.release.form.facts["precision"])

    @property
    def suppressed(self) -> int:
        """How many series are left out because too few are like them."""
        return int(self.release.form.facts["suppressed_series"])

    @property
    def dropped(self) -> int:
        """How many series are left out because they have gaps."""
        return int(self.release.form.facts["dropped_series"])

    @property
    def each_value(self) -> int:
        """How many neighbouring times of envelopes are drawn as one."""
        return drawings.every(self.shown.values)

    @property
    def each_letter(self) -> int:
        """The same of patterns."""
        return drawings.every(self.shown.patterns)

    @property
    def envelopes(self) -> Chart:
        """The envelopes of a few groups."""
        return drawings.envelopes(self.shown)

    @property
    def shapes(self) -> Chart:
        """The patterns of the same groups."""
        return drawings.shapes(self.shown)

    @property
    def levels(self) -> Chart:
        """How fine patterns are."""
        return drawings.levels(self.shown)
