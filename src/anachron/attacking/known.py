"""What an attack starts from: all that the owner of a release can lay on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from anachron.auditing.history import FeedPast, History, TablePast
from anachron.behind import Microdata
from anachron.release.read import Release
from anachron.schema import Schema

__all__ = ["LIMIT", "Known", "methods_of"]

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
    past: History | FeedPast | TablePast | None = None
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
