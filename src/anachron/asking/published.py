"""What was published, ready to be asked: the protocol, and how releases are opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from anachron.asking.catalogue import Catalogue, catalogue_of
from anachron.asking.figures import Estimates, total
from anachron.asking.question import NOTHING, Aggregate, Condition, Grouping
from anachron.asking.suggest import refusal
from anachron.errors import QuestionError
from anachron.guarantees.lasting import lasts
from anachron.published.margins import MARGINS
from anachron.release.read import Release, examined

if TYPE_CHECKING:
    from anachron.asking.layout import CellLayout

__all__ = ["Estimated", "Estimates", "Published", "opened"]

Estimated = Literal["learned", "even"]
"""How rows and values that are published apart are put together."""
ESTIMATES: tuple[Estimated, ...] = get_args(Estimated)


class Published(Protocol):
    """One release, or several that belong together, as something that can be asked."""

    @property
    def catalogue(self) -> Catalogue:
        """What can be asked."""

    def figures(self, conditions: Sequence[Condition], aggregate: Aggregate) -> Estimates:
        """Say for each condition how many records meet it, or the sum or mean of a column."""

    def keys(self, grouping: Grouping) -> list[tuple[object, Condition]]:
        """The groups of a GROUP BY: what each is called, and the leaf that its records meet."""


def opened(releases: Sequence[Release], estimate: Estimated = "learned") -> Published:
    """Open a release to ask it; or several, if they are pushes of one feed or tell of other times.

    The bounds speak of the records that are in the releases. What was withheld is not counted.
    ``estimate`` says how rows and values that are published apart are put together.
    """
    if estimate not in ESTIMATES:
        raise QuestionError(f"estimate must be one of {', '.join(ESTIMATES)}.")
    if not releases:
        raise QuestionError("no release was given. Name one, such as releases/0001.")
    catalogues = [catalogue_of(examined(release)) for release in releases]
    _check_together(releases, catalogues)
    if catalogues[0].is_series:
        from anachron.asking.series import PublishedSeries

        return PublishedSeries(releases[0])
    from anachron.asking.compiling import counts

    layouts = _layouts(releases, catalogues)
    # The kernel is loaded with the release, so that the first question does not wait for it.
    counts(layouts[0], [NOTHING])
    return _Rows(_totalled(catalogues), layouts, _counters(layouts, estimate))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Releases of rows in groups: layouts of their own where they are published differently."""

    catalogue: Catalogue
    layouts: Sequence[CellLayout]
    counters: Sequence[Callable[[Sequence[Condition]], Estimates]]
    """For each layout, how it counts."""

    def figures(self, conditions: Sequence[Condition], aggregate: Aggregate) -> Estimates:
        """Say for each condition how many records meet it, or the sum or mean of a column."""
        from anachron.asking.sums import filled, means, sums

        column, many = aggregate.column, len(conditions)
        if column is None or (aggregate.kind == "count" and self._full(column)):
            return total((count(conditions) for count in self.counters), many)
        if aggregate.kind == "avg":
            return means(self.layouts, conditions, column)
        told = sums if aggregate.kind == "sum" else filled
        return total((told(one, conditions, column) for one in self.layouts), many)

    def _full(self, column: str) -> bool:
        return not any(layout.find(column).coded.missing.any() for layout in self.layouts)

    def keys(self, grouping: Grouping) -> list[tuple[object, Condition]]:
        """The groups of a GROUP BY: what each is called, and the leaf that its records meet."""
        from anachron.asking.keys import keys

        return keys(self.layouts, grouping)


def _layouts(releases: Sequence[Release], catalogues: Sequence[Catalogue]) -> list[CellLayout]:
    """Lay out together what is published in the same way."""
    from anachron.asking.layout import layout_of

    alike: dict[str, list[int]] = {}
    for at, release in enumerate(releases):
        ours = release.description["anachron"]
        alike.setdefault(repr((ours["columns"], MARGINS in ours)), []).append(at)
    several = alike.values()
    return [layout_of([releases[at] for at in some], catalogues[some[0]]) for some in several]


def _counters(
    layouts: Sequence[CellLayout], estimate: Estimated
) -> list[Callable[[Sequence[Condition]], Estimates]]:
    from anachron.asking.compiling import counts
    from anachron.asking.learned import Learned, learnable

    learn = estimate == "learned"
    return [Learned(one) if learn and learnable(one) else partial(counts, one) for one in layouts]


def _check_together(releases: Sequence[Release], catalogues: Sequence[Catalogue]) -> None:
    """Refuse to add up what does not belong together, or the same people twice."""
    if len(releases) == 1:
        return
    first = catalogues[0]
    if len({release.place.resolve() for release in releases}) < len(releases):
        raise refusal(first, "a release was named twice.")
    if any(catalogue.method != first.method for catalogue in catalogues):
        raise refusal(first, "these releases are of different kinds. Ask one of them.")
    if first.time is None:
        what = "series" if first.is_series else "registers"
        raise refusal(
            first, f"releases of {what} tell of the same people. Ask one release at a time."
        )
    shape = {name: (c.role, c.kind) for name, c in first.columns.items()}
    for release, other in zip(releases, catalogues, strict=True):
        same = {name: (c.role, c.kind) for name, c in other.columns.items()}
        left_out = {n for c in (first, other) for n, col in c.columns.items() if not col.published}
        if any(shape.get(n) != same.get(n) for n in (shape.keys() | same.keys()) - left_out):
            raise refusal(first, f"{release.place} has other columns. Ask it alone.")
        if first.window is not None and not _one_feed(releases[0], release):
            raise refusal(first, f"{release.place} belongs to another feed. Ask it alone.")


def _one_feed(one: Release, other: Release) -> bool:
    """Whether two releases may be of one feed, in either order."""
    there, here = one.guarantee, other.guarantee
    return lasts(there, here) or lasts(here, there)


def _totalled(catalogues: Sequence[Catalogue]) -> Catalogue:
    """What can be asked of all releases together."""
    withheld = [catalogue.withheld for catalogue in catalogues]
    known = None if None in withheld else sum(one for one in withheld if one is not None)
    return replace(
        catalogues[-1], rows=sum(catalogue.rows for catalogue in catalogues), withheld=known
    )
