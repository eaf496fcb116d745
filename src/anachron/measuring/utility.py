"""What a measurement of usefulness gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Floats
from anachron.notebook import Sheet
from anachron.tabular import Tabular, arrow_of

__all__ = ["QUANTILES", "Measure", "Utility", "measured"]


QUANTILES = (10, 25, 50, 75, 90, 95)
"""The percentiles of the relative error that are told."""


@dataclass(frozen=True)
class Measure:
    """How well a release answers the questions of one workload.

    The relative error of a question is |estimate − truth| / truth; the truth is that of the
    table. The bounds of an answer speak of the records that are in the release, so the truth
    that must lie in them is that of these records.
    """

    workload: str
    """What is asked, in a few words."""
    questions: int
    """Those that count: the truth is not 0."""
    empty: int
    """Questions whose truth is 0, for which others were drawn: they have no relative error."""
    mean: float
    """Mean relative error."""
    quantiles: Mapping[int, float]
    """Percentiles of the relative error."""
    width: float
    """Median distance of the two bounds of an answer, as a part of the truth."""
    outside: int | None
    """Questions whose truth is not within the bounds; None if nobody knows who is published."""
    truth: float
    """Median of the true answers."""
    spread: tuple[float, ...]
    """The relative errors in ascending order, one of each question."""
    precision: float | None = None
    """Mean share of the people found in the release who should be found; of patterns only."""
    unmatched: int = 0
    """Questions that find nobody in the release, and so have no precision."""

    @property
    def median(self) -> float:
        """The median relative error, which the papers call the error of a workload."""
        return self.quantiles[50]

    @property
    def within(self) -> float | None:
        """The share of questions whose truth lies within the bounds; it should be 1."""
        if self.outside is None or not self.questions:
            return None
        return 1 - self.outside / self.questions

    def to_dict(self) -> dict[str, Any]:
        """Give the measure as plain values."""
        return {
            "workload": self.workload,
            "questions": self.questions,
            "empty": self.empty,
            "median_relative_error": self.median,
            "mean_relative_error": self.mean,
            "quantiles": {str(percent): error for percent, error in self.quantiles.items()},
            "within_bounds": self.within,
            "outside_bounds": self.outside,
            "median_width": self.width,
            "median_truth": self.truth,
            "precision": self.precision,
            "without_precision": self.unmatched,
        }


@dataclass(frozen=True, repr=False)
class Utility(Tabular):
    """Tell how useful a release is, by workloads of random questions.

    As a table (``to_pandas()``, ``to_polars()``, ``to_arrow()``) it has a row for each workload;
    ``error_50`` is the median of the relative errors.

    Parameters
    ----------
    release
        The name of the release.
    seed
        With which the questions were drawn; the same seed gives the same questions.
    settings
        What the workload was drawn by: theta, window, dimensions.
    measures
        One for each workload.
    notes
        What to know when reading them.

    Example
    -------
    >>> import numpy as np
    >>> from anachron.measuring.utility import Utility, measured
    >>> truth, estimate = np.array([10.0, 20.0, 50.0]), np.array([11.0, 20.0, 45.0])
    >>> measure = measured("counts", truth, estimate, truth - 2, truth + 2)
    >>> print(Utility("0001", 0, {"theta": 0.1}, (measure,)))
    counts: median relative error 10.0 %, mean 6.7 %, 3 questions, all within their bounds
    """

    release: str
    seed: int
    settings: Mapping[str, float | int | None]
    measures: tuple[Measure, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no bounds of an answer leave out the truth."""
        return not any(measure.outside for measure in self.measures)

    @property
    def records(self) -> list[dict[str, str | float]]:
        """The distribution of errors, as rows for a chart: which share has at most which error."""
        return [
            {"workload": m.workload, "error": error, "share": (place + 1) / len(m.spread)}
            for m in self.measures
            for place, error in enumerate(m.spread)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give all measures as plain values."""
        return {
            "release": self.release,
            "seed": self.seed,
            "settings": dict(self.settings),
            "holds": self.holds,
            "workloads": [measure.to_dict() for measure in self.measures],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join(_line(measure) for measure in self.measures)

    def to_arrow(self) -> pa.Table:
        """Give it as an Arrow table, a row for each workload."""
        table = arrow_of(Measure, self.measures, without=("quantiles", "spread"))
        for percent in QUANTILES:
            errors = [measure.quantiles[percent] for measure in self.measures]
            table = table.append_column(f"error_{percent}", pa.array(errors, pa.float64()))
        return table

    def _sheet(self) -> Sheet:
        head = ("workload", "questions", "median", *(f"{p} %" for p in QUANTILES), "mean",
                "width of bounds", "within bounds", "precision")  # fmt: skip
        body = [_cells(measure) for measure in self.measures]
        return Sheet(
            f"Answers of release {self.release}", head, body, range(1, len(head)), self.notes
        )


def measured(
    workload: str,
    truth: Floats,
    estimate: Floats,
    low: Floats,
    high: Floats,
    *,
    inside: Floats | None = None,
    empty: int = 0,
) -> Measure:
    """Compare answers with the truth.

    ``truth`` is that of the table, nowhere 0; ``inside`` that of the records in the release,
    which the bounds speak of (``truth`` itself if it is left out).
    """
    error = np.abs(estimate - truth) / truth
    held = truth if inside is None else inside
    # Bounds that are sums of shares may miss a whole number by the last bit.
    slack = 1e-6 * np.maximum(1.0, np.abs(held))
    outside = (held < low - slack) | (held > high + slack)
    return Measure(
        workload=workload,
        questions=len(truth),
        empty=empty,
        mean=float(error.mean()) if len(error) else 0.0,
        quantiles={p: float(np.percentile(error, p)) if len(error) else 0.0 for p in QUANTILES},
        width=float(np.median((high - low) / truth)) if len(error) else 0.0,
        outside=int(outside.sum()),
        truth=float(np.median(truth)) if len(error) else 0.0,
        spread=tuple(np.sort(error).tolist()),
    )


def _line(measure: Measure) -> str:
    said = f"{measure.workload}: "
    if measure.precision is not None:
        said += f"precision {_percent(measure.precision)}, "
    said += (
        f"median relative error {_percent(measure.median)}, mean {_percent(measure.mean)}, "
        f"{measure.questions:,} questions"
    )
    if measure.outside is None:
        return said
    if measure.outside:
        return f"{said}, {measure.outside:,} NOT within their bounds"
    return f"{said}, all within their bounds"


def _cells(measure: Measure) -> tuple[str, ...]:
    within = "not known" if measure.within is None else "all"
    if measure.outside:
        within = f"{measure.outside:,} NOT"
    return (
        measure.workload,
        f"{measure.questions:,}",
        _percent(measure.median),
        *(_percent(measure.quantiles[p]) for p in QUANTILES),
        _percent(measure.mean),
        _percent(measure.width),
        within,
        "" if measure.precision is None else _percent(measure.precision),
    )


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")
