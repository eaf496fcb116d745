"""Ask a release and the microdata the same questions, and compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anachron.auditing.history import Past
from anachron.behind import Microdata
from anachron.measuring.asked import Measures, Task, Wanted
from anachron.measuring.utility import Utility
from anachron.progress import Tell, silent
from anachron.registry import METHODS
from anachron.release.read import Release

__all__ = ["measure"]


def measure(
    releases: Release | Sequence[Release],
    wanted: Wanted | None = None,
    *,
    microdata: Microdata,
    past: Past | Sequence[Past] = None,
    tell: Tell = silent,
) -> Utility:
    """Measure how useful a release is, by random questions.

    Parameters
    ----------
    releases
        The release; of a feed, it may be several that belong together.
    wanted
        How many questions are asked, and how they are drawn.
    microdata
        The rows it was made from.
    past
        What the ledger remembers of each release. Without it nobody knows who is in it.
    tell
        Hears what is being done, and which share of the work is done.
    """
    wanted = wanted or Wanted()
    given = [releases] if isinstance(releases, Release) else list(releases)
    pasts = list(past) if isinstance(past, Sequence) else [past] * len(given)
    asked: Callable[[Task], Measures] = METHODS[given[0].guarantee["method"]].measure.load()
    found = asked(Task(given, microdata, pasts, wanted, tell))
    return Utility(f"{given[-1].number:04d}", wanted.seed, wanted.settings(), *found)
