"""What an attack starts from: all that the owner of a release can lay on the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, TypeVar

import pyarrow as pa

from anachron.attacking.register import Registered, registered
from anachron.auditing.evidence.series import Misfit
from anachron.auditing.history import History, Past
from anachron.behind import Members, Microdata
from anachron.placing import members_of
from anachron.placing.feed import FeedView, feed_view
from anachron.placing.series import SeriesView, series_view
from anachron.published.groups import Groups, groups_of
from anachron.release.read import Release
from anachron.schema import Schema

__all__ = ["LIMIT", "Known", "methods_of"]

T = TypeVar("T")
LIMIT = 20_000
"""As many people are looked at where an attack takes the longer the more there are, squared."""


def methods_of(guarantee: Mapping[str, Any]) -> frozenset[str]:
    """Name the methods of a guarantee: that of a feed may have another inside.

    >>> sorted(methods_of({"method": "reposition", "then": {"method": "invariance", "m": 3}}))
    ['invariance', 'reposition']
    """
    then = guarantee.get("then")
    inner = {str(then["method"])} if isinstance(then, Mapping) else set()
    return frozenset({str(guarantee.get("method")), *inner})


@dataclass(frozen=True, eq=False)
class Known:
    """A release, what came before it, and what its owner knows of its people.

    An adversary knows less. The owner's knowledge is needed to tell who is exposed, and to try
    the attack from everyone's point of view at once.
    """

    release: Release
    earlier: tuple[Release, ...] = ()
    """Releases before it, oldest first, of whatever method; as many as are at hand."""
    microdata: Microdata | None = None
    """The rows of this release; of a feed, all so far."""
    schema: Schema | None = None
    past: Past = None
    """What the ledger remembers."""
    seed: int = 0
    """Of whatever is drawn by lot."""
    limit: int = LIMIT
    """How many people to look at in quadratic parts."""
    impossible: pa.Table | None = field(default=None, repr=False)
    """Combinations of quasi and sensitive values that cannot be: one in each row, as texts."""

    @property
    def method(self) -> str:
        """The method of the release."""
        return str(self.release.guarantee.get("method"))

    @property
    def methods(self) -> frozenset[str]:
        """The methods that made the release: a feed may be published by that of registers."""
        return methods_of(self.release.guarantee)

    @property
    def promise(self) -> dict[str, Any]:
        """What is promised of the groups: of a feed that is published by a register's method, it.

        >>> from types import SimpleNamespace
        >>> told = {"method": "reposition", "l": "3", "then": {"method": "invariance", "m": 4}}
        >>> Known(SimpleNamespace(guarantee=told)).promise["m"]
        4
        """
        given = dict(self.release.guarantee)
        then = given.get("then")
        return dict(then) if isinstance(then, Mapping) else given

    @property
    def keeps_sets(self) -> bool:
        """Whether everyone is promised a set of values that stays the same in all releases."""
        return "m" in self.promise

    @property
    def value_share(self) -> Fraction | None:
        """The largest share of one sensitive value in a group that is promised; None if none is."""
        number = self.promise.get("m", self.promise.get("l"))
        return None if number is None else 1 / Fraction(str(number))

    @property
    def fewest_values(self) -> int:
        """How many values everyone is promised; two, where nothing is, since one is known."""
        return 2 if self.value_share is None else ceil(1 / self.value_share)

    @cached_property
    def groups(self) -> Groups:
        """What is published, by group."""
        return groups_of(self.release.form, self.release.table)

    @cached_property
    def members(self) -> Members | None:
        """Who stands in which group; None if not enough is known."""
        return self._laid(members_of)

    @cached_property
    def history(self) -> Registered | None:
        """What the releases of a register showed; None without its ledger."""
        return registered(self.release, self.past) if isinstance(self.past, History) else None

    @cached_property
    def feed(self) -> FeedView | None:
        """The records, laid against a release of a feed; None if not enough is known."""
        return self._laid(feed_view)

    @cached_property
    def series(self) -> SeriesView | None:
        """The series, laid against a release of such; None if not enough is known."""
        try:
            return self._laid(series_view)
        except Misfit:
            return None

    def _laid(self, against: Callable[[Release, Microdata, Past], T | None]) -> T | None:
        """Lay the rows against the release; None if they are not at hand."""
        if self.microdata is None:
            return None
        return against(self.release, self.microdata, self.past)
