"""Everything that the certificate of an event table is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from anachron.guarantees import TimeGranularity
from anachron.published.ways import Way
from anachron.reporting.certificate import Certificate, Proof
from anachron.reporting.charts import Chart
from anachron.reporting.granularity.published import Published, read, rows_over_time
from anachron.reporting.granularity.reasons import Reasons
from anachron.reporting.granularity.search import Search

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Events"]


@dataclass(frozen=True, eq=False)
class Events(Certificate):
    """A release of events, its promise and, for the owner, its search."""

    template: ClassVar[str] = "granularity.html"

    promise: TimeGranularity
    shown: Published
    search: Search | None

    @classmethod
    def of(cls, release: Release, proof: Proof) -> Events:
        """Read the release and the record of the search."""
        told = proof.explanation
        return cls(
            release,
            proof,
            promise=TimeGranularity.from_dict(release.guarantee),
            shown=read(release),
            search=None if told is None else Search.read(told),
        )

    @property
    def granularity(self) -> str:
        """The published granularity."""
        return self.shown.time.granularity.name

    @property
    def reasons(self) -> Reasons | None:
        """Why it is this one, if the record of the search is at hand."""
        if self.search is None or self.search.chosen is None:
            return None
        return Reasons(self.search, self.search.chosen)

    @property
    def steps(self) -> Mapping[str, Way | str]:
        """How columns are published that could be made coarser, in words if the search has them."""
        if self.search is not None and self.search.chosen is not None:
            return self.search.named(self.search.chosen.steps)
        return {column: self.release.form.columns[column] for column, _ in self.promise.ladders}

    @property
    def left_out(self) -> int:
        """How many rows of the table were not published."""
        return int(self.release.form.facts["suppressed_rows"])

    @property
    def over_time(self) -> Chart:
        """Published rows over time."""
        return rows_over_time(self.shown)
