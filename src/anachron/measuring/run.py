"""Ask a release and the microdata the same questions, and compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anachron.auditing.history import Past
from anachron.behind import Microdata
from anachron.measuring.asked import Tell, Wanted
from anachron.measuring.utility import Measure, Utility
from anachron.registry import METHODS
from anachron.release.read import Release

__all__ = ["measure"]

Measuring = Callable[
    [Sequence[Release], Microdata, Sequence[Past], Wanted, Tell],
    tuple[tuple[Measure, ...], tuple[str, ...]],
]
"""How releases of a method are measured: a measure for each workload, and notes on them."""


def measure(
    releases: Release | Sequence[Release],
    *,
    microdata: Microdata,
    past: Past | Sequence[Past] = None,
    questions: int = 1000,
    seed: int = 0,
    theta: float = 0.1,
    window: int | None = None,
    dimensions: int | None = None,
    tell: Tell | None = None,
) -> Utility:
    """Measure how useful a release is, by random questions.

    Parameters
    ----------
    releases
        The release; of a feed, it may be several that belong together.
    microdata
        The rows it was made from.
    past
        What the ledger remembers of each release. Without it nobody knows who is in it.
    questions
        How many are asked in each workload.
    seed
        The same seed gives the same questions.
    theta
        The share of the table that a question is about, were values spread evenly.
    window
        How many snapshots or granules a window has; if None, a share as of other columns.
    dimensions
        How many quasi columns, or predicates on series of a kind, a question has.
    tell
        Hears what is being done, and which share of the work is done.

    Returns
    -------
    Utility
        Errors, bounds and, for patterns, precision.
    """
    wanted = Wanted(questions, seed, theta, window, dimensions)
    given = [releases] if isinstance(releases, Release) else list(releases)
    pasts = list(past) if isinstance(past, Sequence) else [past] * len(given)
    heard = tell or (lambda _what, _share: None)
    asked: Measuring = METHODS[given[0].guarantee["method"]].measure.load()
    found = asked(given, microdata, pasts, wanted, heard)
    return Utility(f"{given[-1].number:04d}", seed, wanted.settings(), *found)
