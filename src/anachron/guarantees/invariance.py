"""The promise for registers that are released again and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from anachron.errors import PlanError, Problem

__all__ = ["BALANCE", "INELIGIBLE", "MODES", "MInvariance"]

MODES = ("paper", "transparent", "sticky")
BALANCE = ("exact", "paper")
INELIGIBLE = ("refuse", "hold")

Number = int | float | str | Decimal


@dataclass(frozen=True)
class MInvariance:
    """Every person keeps the same set of at least m possible values through all releases.

    For a register of people, one row each, that is released again and again while people come,
    leave, return and change.

    Parameters
    ----------
    m
        How many sensitive values remain possible for each person, at least.
    mode
        ``"paper"`` needs the fewest counterfeits, but who knows the algorithm may learn from
        how shortages were filled; ``"transparent"`` fills every shortage with a counterfeit;
        ``"sticky"`` also never regroups people.
    balance
        ``"exact"`` uses the fewest counterfeits possible for the release; ``"paper"`` is the
        greedy way of Xiao and Tao.
    when_ineligible
        What to do when the new people have too many of one value: ``"refuse"`` the release, or
        ``"hold"`` the fewest back and offer them to the next one.
    widths
        The least width of a published interval, by quasi column. Whole numbers need none;
        columns with fractions do.
    orders
        For quasi columns of text: their values, in the order in which neighbours are alike.
    domains
        The lowest and highest value that each numeric quasi column can have, by which its
        intervals are weighed; without it, what the table spans.
    changes
        Which values a sensitive value may change to, if not to any.

    Example
    -------
    >>> import anachron as an
    >>> an.MInvariance(m=5, mode="transparent", widths={"income": 1000})
    MInvariance(m=5, mode='transparent', balance='exact', when_ineligible='refuse')
    """

    method: ClassVar[str] = "invariance"

    m: int
    mode: str = "paper"
    balance: str = "exact"
    when_ineligible: str = "refuse"
    widths: tuple[tuple[str, Decimal], ...] = ()
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    domains: tuple[tuple[str, tuple[Decimal, Decimal]], ...] = ()
    changes: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __init__(
        self,
        *,
        m: int,
        mode: str = "paper",
        balance: str = "exact",
        when_ineligible: str = "refuse",
        widths: Mapping[str, Number] | None = None,
        orders: Mapping[str, Iterable[str]] | None = None,
        domains: Mapping[str, Iterable[Number]] | None = None,
        changes: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        values = {
            "m": m,
            "mode": mode,
            "balance": balance,
            "when_ineligible": when_ineligible,
            "widths": tuple(sorted((n, _number(w)) for n, w in (widths or {}).items())),
            "orders": _lists(orders),
            "domains": tuple(sorted((n, _pair(d)) for n, d in (domains or {}).items())),
            "changes": _lists(changes),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        problems = list(_problems(self))
        if problems:
            raise PlanError(problems)

    def __repr__(self) -> str:
        return (
            f"MInvariance(m={self.m}, mode={self.mode!r}, balance={self.balance!r}, "
            f"when_ineligible={self.when_ineligible!r})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the guarantee as plain values, for plans, ledgers and releases."""
        return {
            "method": self.method,
            "m": self.m,
            "mode": self.mode,
            "balance": self.balance,
            "when_ineligible": self.when_ineligible,
            "widths": {name: _written(width) for name, width in self.widths},
            "orders": {name: list(order) for name, order in self.orders},
            "domains": {name: [_written(end) for end in ends] for name, ends in self.domains},
            "changes": {name: list(others) for name, others in self.changes},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MInvariance:
        """Read back what :meth:`to_dict` gave."""
        return cls(**{name: value for name, value in values.items() if name != "method"})


def _lists(
    given: Mapping[str, Iterable[str]] | None,
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(sorted((n, tuple(str(v) for v in vs)) for n, vs in (given or {}).items()))


def _number(value: Number) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise PlanError("a width or domain is not a number.") from None
    if not number.is_finite():
        raise PlanError("a width or domain is not finite.")
    return number


def _written(number: Decimal) -> str:
    """Write equal numbers alike: a history is recognised by what its plan says."""
    return format(number.normalize(), "f")


def _pair(given: Iterable[Number]) -> tuple[Decimal, Decimal]:
    ends = [_number(value) for value in given]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise PlanError("a domain is a pair: the lowest and the highest value.")
    return ends[0], ends[1]


def _problems(promise: MInvariance) -> Iterable[Problem]:
    if isinstance(promise.m, bool) or not isinstance(promise.m, int) or promise.m < 2:
        yield Problem(f"m must be a whole number of at least 2, found {promise.m!r}.")
    for name, known in (("mode", MODES), ("balance", BALANCE), ("when_ineligible", INELIGIBLE)):
        if getattr(promise, name) not in known:
            yield Problem(f"{name} must be one of {', '.join(known)}.")
    if any(width <= 0 for _, width in promise.widths):
        yield Problem("widths must be positive.")
    for column, order in promise.orders:
        if not order or len(set(order)) != len(order):
            yield Problem("the order of its values is empty or names one twice.", column=column)
