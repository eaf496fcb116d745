"""The methods, and where each room of the house keeps its part of them.

Nothing is imported here: a part is loaded when its room asks for it. Each room says for itself what
its parts are, and asks for no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

__all__ = ["METHODS", "Method", "MethodName", "Part", "registered"]


@dataclass(frozen=True)
class Part:
    """What a room has for one method."""

    place: str
    """As ``module:name``; a module of this package begins with a dot."""

    def load(self) -> Any:
        """Import it."""
        module, name = self.place.split(":")
        return getattr(import_module(module, __package__), name)


@dataclass(frozen=True)
class Method:
    """A way to publish, under a promise of its own."""

    name: str
    letter: str
    """The number in the promise that says how much is promised."""
    attacks: frozenset[str]
    """By the names of their modules."""
    promise: Part
    """``guarantees``: the class of the promise."""
    layout: Part
    """``published``: what its releases are made of; or, of a promise, gives it."""
    courses: Part
    """``making``: begins with what is to be published."""
    judge: Part
    """``auditing``: all that is checked; or, of a guarantee, gives it."""
    measure: Part
    """``measuring``: asks releases and the microdata the same questions."""
    members: Part
    """``placing``: finds out who is in a release, and in which group."""
    regroup: Part | None
    """``attacking``: groups records as another publisher would, if anything is known of that."""
    page: Part
    """``reporting``: what a certificate is written from."""
    shown: Part
    """``reporting``: the class of its releases in numbers, and what can be drawn of them."""
    summary: Part
    """``cli``: what publishing gave."""
    proposal: Part
    """``proposing``: a promise to begin with."""
    trial: Part
    """``trying``: what a setting would come to."""
    frontier: Part
    """``exploring``: what candidates are measured by."""


MethodName = Literal["granularity", "invariance", "reposition", "patterns"]
"""The names of the methods that come with Anachron."""
_ALWAYS = frozenset({"learning", "homogeneity", "uniqueness", "order"})
_OVER_TIME = frozenset({"intersection", "cumulative", "composition"})

METHODS = {
    method.name: method
    for method in (
        Method(
            name="granularity",
            letter="k",
            attacks=_ALWAYS | _OVER_TIME | {"share"},
            promise=Part(".guarantees:TimeGranularity"),
            layout=Part(".published.layouts:EVENTS"),
            courses=Part(".making.tables:events"),
            judge=Part(".auditing.promises.granularity:GRANULARITY"),
            measure=Part(".measuring.tables:measure_table"),
            members=Part(".placing.events:EVENTS"),
            regroup=Part(".attacking.second:events"),
            page=Part(".reporting.granularity.page:EventsPage"),
            shown=Part(".reporting.granularity.shown:EventsShown"),
            summary=Part(".cli.summary.granularity:granularity"),
            proposal=Part(".proposing.events:EVENTS"),
            trial=Part(".trying.granularity:EVENTS"),
            frontier=Part(".exploring.granularity:EVENTS"),
        ),
        Method(
            name="invariance",
            letter="m",
            attacks=_ALWAYS | _OVER_TIME | {"swap", "equivalence", "plausibility", "corners"},
            promise=Part(".guarantees:MInvariance"),
            layout=Part(".published.layouts:of_register"),
            courses=Part(".making.tables:register"),
            judge=Part(".auditing.promises.invariance:INVARIANCE"),
            measure=Part(".measuring.tables:measure_table"),
            members=Part(".placing.register:REGISTER"),
            regroup=Part(".attacking.second:register"),
            page=Part(".reporting.invariance.page:RegisterPage"),
            shown=Part(".reporting.shown:Shown"),
            summary=Part(".cli.summary.invariance:invariance"),
            proposal=Part(".proposing.register:REGISTER"),
            trial=Part(".trying.register:REGISTER"),
            frontier=Part(".exploring.register:REGISTER"),
        ),
        Method(
            name="reposition",
            letter="l",
            attacks=_ALWAYS | _OVER_TIME | {"plausibility", "cover", "corners"},
            promise=Part(".guarantees:Reposition"),
            layout=Part(".published.layouts:of_feed"),
            courses=Part(".making.feeds:feed"),
            judge=Part(".auditing.promises.reposition:of_feed"),
            measure=Part(".measuring.tables:measure_table"),
            members=Part(".placing.feed:FEED"),
            regroup=Part(".attacking.second:feed"),
            page=Part(".reporting.reposition.page:FeedPage"),
            shown=Part(".reporting.reposition.shown:FeedShown"),
            summary=Part(".cli.summary.reposition:reposition"),
            proposal=Part(".proposing.feed:FEED"),
            trial=Part(".trying.feed:FEED"),
            frontier=Part(".exploring.feed:FEED"),
        ),
        Method(
            name="patterns",
            letter="k",
            attacks=_ALWAYS | {"continuation", "corners"},
            promise=Part(".guarantees:KPAnonymity"),
            layout=Part(".published.layouts:SERIES"),
            courses=Part(".making.tables:series"),
            judge=Part(".auditing.promises.patterns:PATTERNS"),
            measure=Part(".measuring.series:measure_series"),
            members=Part(".placing.series:SERIES"),
            regroup=None,
            page=Part(".reporting.patterns.page:SeriesPage"),
            shown=Part(".reporting.patterns.shown:SeriesShown"),
            summary=Part(".cli.summary.patterns:patterns"),
            proposal=Part(".proposing.series:SERIES"),
            trial=Part(".trying.series:SERIES"),
            frontier=Part(".exploring.series:SERIES"),
        ),
    )
}
"""By name, in the order in which they are offered."""


@contextmanager
def registered(method: Method) -> Iterator[None]:
    """Have one method more, for as long as the block lasts."""
    METHODS[method.name] = method
    try:
        yield
    finally:
        del METHODS[method.name]
