"""What the certificate of series is written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from anachron.guarantees import KPAnonymity
from anachron.reporting.certificate import Certificate
from anachron.reporting.opening import Withheld
from anachron.reporting.patterns.shown import SeriesShown

__all__ = ["SeriesPage", "SeriesRecord"]


@dataclass(frozen=True)
class SeriesRecord:
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
    def read(cls, record: Mapping[str, Any]) -> SeriesRecord:
        """Read the record."""
        counted = ("series", "suppressed", "bad", "dropped", "trimmed", "interpolated")
        return cls(
            **{name: int(record[name]) for name in counted},
            value_loss=float(record["value_loss"]),
            pattern_loss=float(record["pattern_loss"]),
        )


class SeriesPage(Certificate[KPAnonymity, SeriesShown]):
    """A release of series, its promise and, for the owner, how it came about."""

    template: ClassVar[str] = "patterns.html"

    @cached_property
    def record(self) -> SeriesRecord | None:
        """How the release came about, if the owner's ledger is at hand."""
        return self.proof.told(SeriesRecord.read)

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
    def withheld(self) -> tuple[Withheld, ...]:
        """The series that were left out, for whatever reason."""
        missing = self.suppressed + self.dropped
        return (Withheld("series left out", missing, missing + self.shown.rows),)
