"""The promise for live feeds: every published snapshot is l-diverse, and on time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from anachron.calendar.definitions import Granularity
from anachron.errors import PlanError, Problem
from anachron.guarantees import costs, grids
from anachron.guarantees.invariance import MInvariance
from anachron.guarantees.reading import Exact, Reading, granularity, ratio, whole

__all__ = ["FIRST", "LATE", "REPEATED", "SOLVERS", "THEN", "Reposition"]

SOLVERS = ("recycle", "rolling")
FIRST = ("exact", "cold")
LATE = ("refuse", "recycle", "drop")
REPEATED = ("refuse", "one")
THEN = ("anatomy", "generalize")
LONGEST = 10_000
"""The longest window, in snapshots."""


@dataclass(frozen=True)
class Reposition:
    """Nobody who is published on time can be guessed with a chance above one in l.

    For a feed of events that is published snapshot by snapshot. Snapshots in which a value is too
    frequent are made eligible by publishing a few records a little later than they happened, and
    by leaving out the fewest.

    Parameters
    ----------
    l
        No value has more than one in l of the records of a published group: more than 1, exactly.
        ``"5/2"`` and ``2.5`` are the same; a number is taken as it is written, so that 2.2 is
        eleven fifths, and one with many digits (``7 / 3``) is refused: write ``"7/3"``. May be
        left out if ``then`` is an :class:`MInvariance`, whose m it is.
    window
        A record is published in the snapshot in which it happened or in one of the ``window - 1``
        that follow, or never. A snapshot is out ``window - 1`` snapshots after its end. With 1,
        nothing is moved: what cannot be published at once is left out.
    snapshot
        The granularity of the snapshots: the name of a built-in one, or your own.
    solver
        ``"recycle"`` offers every arriving snapshot to the records that were to be left out, as
        Wang et al. do; ``"rolling"`` solves the whole unpublished window anew at every arrival,
        which loses less and takes longer.
    first
        Whether the first window is solved exactly, ``"exact"``, or begins empty, ``"cold"``.
    mu
        What it costs to publish a record d snapshots late: ``"linear"`` (d), ``"quadratic"`` (d
        times d), or the costs of 0, 1, 2 … snapshots in a list that begins with 0 and grows by
        more and more, or as much, at every step.
    beta
        What it costs to leave a record out: a number, or numbers by sensitive value, with ``"*"``
        for all others. If it is not given: as much as one snapshot beyond the longest delay, which
        is ``window`` for linear costs. What can be no value of the column is refused; in a table
        that is published as a whole, what does not occur there.
    late
        What to do with records that arrive after their snapshot: ``"refuse"`` the push,
        ``"recycle"`` them as if they had been left out, while their snapshot is not yet out, or
        ``"drop"`` them.
    repeated
        What to do with several records of a person in one snapshot: ``"refuse"`` the push, or
        publish ``"one"`` of them, the first if others come late.
    then
        How an eligible snapshot is published: ``"anatomy"`` (quasi columns as they are, sensitive
        values in a table beside them), ``"generalize"`` (quasi columns as intervals) or an
        :class:`MInvariance` through all snapshots.
    careful
        Whether nothing that can be seen depends on the values of those who are published on time:
        they are as safe beside latecomers, whose values may be known, as without them, and quasi
        columns become intervals by quasi values alone. It costs some records, and with
        ``"generalize"`` larger groups. Without it no value has more than one in l of a group, and
        no more is said. True, except with an :class:`MInvariance`: with ``window=1`` its modes
        say what can be learned, and with a longer one somebody beside a latecomer may be known.
    widths, orders, domains
        With ``then="generalize"``: how quasi columns become intervals, as in
        :class:`MInvariance`.

    Example
    -------
    >>> import anachron as an
    >>> an.Reposition(l="5/2", window=7, mu="quadratic", then="generalize")
    Reposition(l=5/2, window=7, snapshot=day, mu='quadratic', beta=47, then='generalize')
    """

    method: ClassVar[str] = "reposition"

    l: Fraction  # noqa: E741
    window: int
    snapshot: Granularity
    solver: str
    first: str
    mu: str | tuple[Fraction, ...]
    beta: tuple[tuple[str, Fraction], ...]
    """The cost of leaving out, by value; ``"*"`` is for all others."""
    late: str
    repeated: str
    then: str | MInvariance
    careful: bool
    widths: grids.Widths
    orders: grids.Orders
    domains: grids.Domains

    def __init__(
        self,
        *,
        l: Exact | None = None,  # noqa: E741
        window: int,
        snapshot: str | Granularity = "day",
        solver: str = "recycle",
        first: str = "exact",
        mu: str | Iterable[Exact] = "linear",
        beta: Exact | Mapping[str, Exact] | None = None,
        late: str = "refuse",
        repeated: str = "refuse",
        then: str | MInvariance = "anatomy",
        careful: bool | None = None,
        widths: Mapping[str, Exact] | None = None,
        orders: Mapping[str, Iterable[str]] | None = None,
        domains: Mapping[str, Iterable[Exact]] | None = None,
    ) -> None:
        reading = Reading()
        length = reading.take(whole, "window", window, 1, LONGEST)
        table = costs.read_mu(mu, length, reading)
        values: dict[str, Any] = {
            "l": reading.take(_diversity, l, then),
            "window": length,
            "snapshot": reading.take(granularity, "snapshot", snapshot),
            "solver": solver,
            "first": first,
            "mu": mu if isinstance(mu, str) else table,
            "beta": costs.read_beta(beta, table, reading),
            "late": late,
            "repeated": repeated,
            "then": then,
            "careful": isinstance(then, str) if careful is None else careful,
            "widths": grids.widths(widths, reading),
            "orders": grids.orders(orders, reading),
            "domains": grids.domains(domains, reading),
        }
        _check(values, reading)
        reading.finish()
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def mu_table(self) -> tuple[Fraction, ...]:
        """What it costs to publish a record 0, 1, … ``window - 1`` snapshots late."""
        return costs.table(self.mu, self.window)

    @property
    def beta_default(self) -> Fraction:
        """What it costs to leave out a record of a value that ``betas`` does not name."""
        return dict(self.beta)[costs.OTHERS]

    @property
    def betas(self) -> Mapping[str, Fraction]:
        """What it costs to leave out a record, by the text of its sensitive value."""
        return {value: cost for value, cost in self.beta if value != costs.OTHERS}

    def __repr__(self) -> str:
        mu = self.mu if isinstance(self.mu, str) else [str(cost) for cost in self.mu]
        return (
            f"Reposition(l={self.l}, window={self.window}, snapshot={self.snapshot.name}, "
            f"mu={mu!r}, beta={self.beta_default}{'…' if self.betas else ''}, then={self.then!r})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the guarantee as plain values, for plans, ledgers and releases."""
        return {
            "method": self.method,
            "l": str(self.l),
            "window": self.window,
            "snapshot": self.snapshot.to_dict(),
            "solver": self.solver,
            "first": self.first,
            "mu": self.mu if isinstance(self.mu, str) else [str(cost) for cost in self.mu],
            "beta": costs.beta_dict(self.beta),
            "late": self.late,
            "repeated": self.repeated,
            "then": self.then if isinstance(self.then, str) else self.then.to_dict(),
            # Promises of before there was such a thing say nothing of it, and were not.
            **({"careful": True} if self.careful else {}),
            **grids.grid_dict(self.widths, self.orders, self.domains),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Reposition:
        """Read back what :meth:`to_dict` gave."""
        rest = {key: value for key, value in values.items() if key != "method"}
        rest["snapshot"] = Granularity.from_dict(rest["snapshot"])
        if isinstance(rest["then"], Mapping):
            rest["then"] = MInvariance.from_dict(rest["then"])
        return cls(**{"careful": False, **rest})


def _diversity(given: Exact | None, then: str | MInvariance) -> Fraction:
    m = then.m if isinstance(then, MInvariance) else None
    if given is None and m is None:
        raise PlanError(Problem("l is missing.", remedy="It is a number above 1, such as 3."))
    found = ratio("l", m if given is None else given, "3, 2.5 or '5/2'")
    if found <= 1:
        raise PlanError(
            Problem(
                f"l must be more than 1, found {found}.",
                remedy="With 1 nothing is promised: a value may have all records of a snapshot.",
            )
        )
    if m is not None and found != m:
        raise PlanError(
            Problem(f"l must be the m of then, {m}, found {found}.", remedy="Leave l out.")
        )
    return found


def _check(values: Mapping[str, Any], reading: Reading) -> None:
    then = values["then"]
    known = {"solver": SOLVERS, "first": FIRST, "late": LATE, "repeated": REPEATED}
    reading.choices(values, known)
    if not isinstance(values["careful"], bool):
        reading.add("careful must be true or false.")
    if isinstance(then, MInvariance) and values["careful"]:
        reading.add("careful has no meaning with then = an m-invariance.", "Remove it.")
    if not isinstance(then, MInvariance) and then not in THEN:
        reading.add(f"then must be one of {', '.join(THEN)}, or an m-invariance.")
    elif then != "generalize":
        where = "'anatomy'" if then == "anatomy" else "an m-invariance, which has its own"
        for name in ("widths", "orders", "domains"):
            if values[name]:
                reading.add(f"{name} has no meaning with then = {where}.", "Remove it.")
