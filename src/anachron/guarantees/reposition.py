"""The promise for live feeds: every published snapshot is l-diverse, and on time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

from anachron.calendar.definitions import Granularity
from anachron.errors import PlanError, Problem
from anachron.guarantees import costs, grids
from anachron.guarantees.invariance import MInvariance
from anachron.guarantees.promise import (
    Promise,
    a_time,
    no_series,
    one_sensitive,
    some_quasi,
    somebody,
)
from anachron.parts.kinds import FLAG, GRANULARITY, OWN, Lists, as_given, one_of, whole_number
from anachron.parts.numbers import Exact, ratio
from anachron.parts.part import UNREAD, Kind, Lasting, Reading, freely, never, onwards, part
from anachron.parts.shapes import Holds, Number, Text
from anachron.schema import Schema

__all__ = ["Reposition", "register_in"]

Solver = Literal["recycle", "rolling"]
First = Literal["exact", "cold"]
Late = Literal["refuse", "recycle", "drop"]
Repeated = Literal["refuse", "one"]
Then = Literal["anatomy", "generalize"]
LONGEST = 10_000
"""The longest window, in snapshots."""
LONGEST_SEARCH = 86_400
"""The largest budget: a day."""

_PLANNED = "records that wait are planned by it"
_ASKED = "a record that was left out once cannot be asked for later"


def _diversity(name: str, given: Exact) -> Fraction:
    found = ratio(name, given, "3, 2.5 or '5/2'")
    if found <= 1:
        raise PlanError(
            f"{name} must be more than 1, found {found}.",
            remedy="With 1 nothing is promised: a value may have all records of a snapshot.",
        )
    return found


_DIVERSITY = Kind(Holds("a number above 1, as a number or as text", Number), _diversity)
_THEN = Kind(
    Holds(
        "anatomy, generalize, or a table with the keys of the method invariance",
        Text | dict[str, Any],
    ),
    as_given,
    restore=lambda then: then if isinstance(then, str) else MInvariance.from_dict(then),
    within=MInvariance,
)


@dataclass(frozen=True, init=False, repr=False)
class Reposition(Promise):
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
        ``"rolling"`` plans the whole unpublished window anew at every arrival, as far as its budget
        goes; ``"recycle"`` only offers the arriving snapshot to the records that were to be left
        out, as Wang et al. do, which loses more and takes no time.
    budget
        Seconds that planning may take at the most for each snapshot that arrives, a whole number.
        What is within it is found by counting, so that it is the same on every machine, and takes
        far less than these seconds; if a clock ends it all the same, the release says so. Where it
        is not enough, records are recycled, and the release says that, too. With 0 a search has
        10,000 steps, or a minute, as before there was a budget.
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
        Whoever is left out of such a feed when they are new is never published later.
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
    bytes_a_row: ClassVar[int] = 430

    l: Fraction = part(  # noqa: E741
        _DIVERSITY, never(_PLANNED), optional=True, shown=True
    )
    window: int = part(whole_number(1, LONGEST), never(_PLANNED), shown=True)
    snapshot: Granularity = part(
        GRANULARITY,
        never("a time would lie in two snapshots, or in none"),
        shown=True,
        remark=OWN,
    )
    solver: Solver = part(
        one_of(Solver), freely("it decides what is left out, not what is promised")
    )
    budget: int = part(
        whole_number(0, LONGEST_SEARCH),
        freely("it bounds how long is planned, not what is promised"),
        before=0,
    )
    first: First = part(
        one_of(First), never("it decides how a feed begins, and this one has begun")
    )
    mu: costs.Named | tuple[Fraction, ...] = part(costs.MU, never(_PLANNED), shown=True)
    beta: tuple[tuple[str, Fraction], ...] = part(
        costs.BETA, never(_PLANNED), optional=True, shown=True
    )
    """The cost of leaving out, by value; ``"*"`` is for all others."""
    late: Late = part(one_of(Late), onwards(get_args(Late), _ASKED))
    repeated: Repeated = part(one_of(Repeated), onwards(get_args(Repeated), _ASKED))
    then: Then | MInvariance = part(
        _THEN,
        # The parts of an m-invariance are looked at one by one.
        Lasting(
            "an m-invariance as one may itself",
            "records of one feed are published in one way",
            lambda _before, _after: False,
        ),
        shown=True,
        remark='That is the table `[guarantee.then]`, with `method = "invariance"`.',
    )
    careful: bool = part(
        FLAG,
        Lasting(
            "from not to be",
            "who was promised it is promised it to the end",
            lambda _before, after: after is True,
        ),
        optional=True,
        before=False,
        written=lambda promise: isinstance(promise.then, str),
    )
    widths: grids.Widths = part(grids.WIDTHS)
    orders: Lists = part(grids.ORDERS)
    domains: grids.Domains = part(grids.DOMAINS)

    def __init__(
        self,
        *,
        l: Exact | None = None,  # noqa: E741
        window: int,
        snapshot: str | Granularity = "day",
        solver: Solver = "rolling",
        budget: int = 60,
        first: First = "exact",
        mu: costs.Named | Iterable[Exact] = "linear",
        beta: Exact | Mapping[str, Exact] | None = None,
        late: Late = "refuse",
        repeated: Repeated = "refuse",
        then: Then | MInvariance = "anatomy",
        careful: bool | None = None,
        widths: Mapping[str, Exact] | None = None,
        orders: Mapping[str, Iterable[str]] | None = None,
        domains: Mapping[str, Iterable[Exact]] | None = None,
    ) -> None:
        self._keep(locals())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        costs.settle(reading)
        if "then" in reading.kept:
            _settle_then(reading.kept["then"], reading)

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

    def _needs(self, schema: Schema) -> Iterator[Problem]:
        yield from no_series(schema, self.method)
        yield from a_time(schema)
        yield from one_sensitive(schema, f"the method {self.method}")
        if self.then != "anatomy":
            yield from some_quasi(schema, "intervals")
        if isinstance(self.then, MInvariance):
            yield from somebody(schema, "m-invariance is about people who are known again")


def _settle_then(then: Any, reading: Reading) -> None:
    """What follows from how snapshots are published: l, careful, and whether there is a grid."""
    kept = reading.kept
    m = then.m if isinstance(then, MInvariance) else None
    diversity = kept.get("l", UNREAD)
    if diversity is None and m is None:
        reading.add("l is missing.", "It is a number above 1, such as 3.")
    elif diversity is None:
        reading.take("l", _diversity, m)
    elif m is not None and diversity not in (m, UNREAD):
        reading.add(f"l must be the m of then, {m}, found {diversity}.", "Leave l out.")
    if kept.get("careful", UNREAD) is None:
        kept["careful"] = m is None
    if m is not None and kept.get("careful"):
        reading.add("careful has no meaning with then = an m-invariance.", "Remove it.")
    if m is None and then not in get_args(Then):
        reading.add(f"then must be one of {', '.join(get_args(Then))}, or an m-invariance.")
    elif then != "generalize":
        where = "'anatomy'" if m is None else "an m-invariance, which has its own"
        for name in ("widths", "orders", "domains"):
            if kept.get(name, UNREAD):
                reading.add(f"{name} has no meaning with then = {where}.", "Remove it.")


def register_in(promise: Promise) -> MInvariance | None:
    """The promise of a register, which may be that of the snapshots of a feed; None if it is none.

    >>> register_in(Reposition(window=1, then=MInvariance(m=3))).m
    3
    """
    found = promise.then if isinstance(promise, Reposition) else promise
    return found if isinstance(found, MInvariance) else None
