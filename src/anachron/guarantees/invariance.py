"""The promise for registers that are released again and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anachron.errors import PlanError
from anachron.guarantees import grids
from anachron.guarantees.reading import Exact, Reading, whole

__all__ = ["BALANCE", "INELIGIBLE", "MODES", "MInvariance"]

MODES = ("paper", "transparent", "sticky")
BALANCE = ("exact", "paper")
INELIGIBLE = ("refuse", "hold")


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
        ``"sticky"`` also never regroups people: whose value changes to another one of the set
        stays, so that from then on the values of a group are candidates.
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
        intervals are weighed; without it, what the table spans. It moves no bound.
    changes
        For each sensitive value, those that it can change to. A value that is not listed can
        change to no other; without any list, every value can change to any. If nothing is listed
        for any of them, no value ever changes: a table in which one did is refused. Mode
        ``"transparent"`` takes that alone, or that any of ``values`` can become any.
    values
        The sensitive values that there can be, whether anybody has them now or not. Whoever
        changes to a value that no release has shown gets a new set, and if that could only be
        made of values that somebody has, it would tell; so ``"transparent"`` and ``"sticky"``
        make it of these, and of what was published before.

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
    widths: grids.Widths = ()
    orders: grids.Orders = ()
    domains: grids.Domains = ()
    changes: grids.Orders = ()
    values: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        m: int,
        mode: str = "paper",
        balance: str = "exact",
        when_ineligible: str = "refuse",
        widths: Mapping[str, Exact] | None = None,
        orders: Mapping[str, Iterable[str]] | None = None,
        domains: Mapping[str, Iterable[Exact]] | None = None,
        changes: Mapping[str, Iterable[str]] | None = None,
        values: Iterable[str] | None = None,
    ) -> None:
        reading = Reading()
        parts: dict[str, Any] = {
            "m": reading.take(whole, "m", m, 2),
            "mode": mode,
            "balance": balance,
            "when_ineligible": when_ineligible,
            "widths": grids.widths(widths, reading),
            "orders": grids.orders(orders, reading),
            "domains": grids.domains(domains, reading),
            "changes": grids.lists(changes),
            "values": reading.take(_different, values),
        }
        known = {"mode": MODES, "balance": BALANCE, "when_ineligible": INELIGIBLE}
        reading.choices(parts, known)
        reading.finish()
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    @property
    def constant(self) -> bool:
        """Whether it is declared that no value ever changes to another.

        >>> MInvariance(m=2).constant, MInvariance(m=2, changes={"flu": [], "hiv": []}).constant
        (False, True)
        """
        return bool(self.changes) and all(set(can) <= {value} for value, can in self.changes)

    def exact(self, number: int) -> bool:
        """Whether the people of a group have different values in the release of that number.

        In mode ``"sticky"`` they do when a group is new, and need not after their values changed.

        >>> MInvariance(m=2).exact(7), MInvariance(m=2, mode="sticky").exact(7)
        (True, False)
        """
        return self.mode != "sticky" or self.constant or number == 1

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
            **grids.grid_dict(self.widths, self.orders, self.domains),
            "changes": {name: list(others) for name, others in self.changes},
            # Releases of before there were declared values say nothing of them.
            **({"values": list(self.values)} if self.values else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MInvariance:
        """Read back what :meth:`to_dict` gave."""
        return cls(**{name: value for name, value in values.items() if name != "method"})


def _different(given: Iterable[str] | None) -> tuple[str, ...]:
    """Values as texts, in order, each once."""
    if isinstance(given, str):
        raise PlanError("values: give a list of sensitive values.")
    texts = [str(value) for value in given or ()]
    if len(set(texts)) < len(texts):
        raise PlanError("values: the list has a value twice. List each sensitive value once.")
    return tuple(sorted(texts))
