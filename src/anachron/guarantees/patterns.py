"""The promise for time series: k people share their values, P of them their shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, ClassVar

from anachron.calendar.definitions import Granularity
from anachron.errors import PlanError
from anachron.guarantees import reading as read
from anachron.guarantees.reading import Exact, Reading

__all__ = ["ALGORITHMS", "DIVERSITY", "GAPS", "OBJECTIVES", "KPAnonymity"]

ALGORITHMS = ("kapra", "naive")
OBJECTIVES = ("level", "loss")
DIVERSITY = ("subgroup", "paper")
GAPS = ("refuse", "interpolate", "trim", "drop")
FINEST = 26
"""The finest level: one letter of the alphabet for each interval of values."""


@dataclass(frozen=True)
class KPAnonymity:
    """Whoever knows a person's values finds k people, and with the shape too still P of them.

    For a table of time series, one for each person. Values are published as the envelope of a
    group of at least k people; shapes as words of letters that at least P of the group share.

    Parameters
    ----------
    k
        How many people share each published envelope, at least.
    P
        How many people of a group share each published pattern, at least: from 1 to k. Whoever
        knows values and shape of a person guesses the row with a chance of at most one in P.
    max_level
        The finest level of a pattern: how many letters it may use, from 2 to 26.
    algorithm
        ``"kapra"`` finds people of one shape first and then groups them, ``"naive"`` the other way
        round, as Shou et al. describe both.
    objective
        Whether patterns get the finest level at which P people agree, ``"level"``, or the one that
        loses least, ``"loss"``.
    precision
        Published bounds are multiples of it, rounded outwards. Whole numbers have 1 if it is not
        given; series with fractions need one.
    l
        If given, no sensitive value belongs to more than one in l of those whom a reader cannot
        tell apart: from 2 to P. Nobody is left out then.
    diversity
        With ``l``: in every set of people of one pattern in a group, ``"subgroup"``, or in the
        rows that fit a person, made different by noise, ``"paper"``.
    noise
        With ``l``: how close two numbers are the same value for ``"subgroup"`` (if not given: only
        equal ones are); by how much repeated values are changed for ``"paper"``, which needs it.
    values, patterns
        For customized publishing: the times whose values, and those whose shape is published; the
        others are not. All times if not given. Wide tables name columns, long ones the labels of
        granules. The two must have a time in common.
    granularity
        For long tables: what two neighbouring times are apart. The name of a built-in granularity,
        or your own.
    gaps
        What to do with series that miss a value: ``"refuse"`` the table, ``"interpolate"`` between
        neighbours, ``"trim"`` the times that somebody misses, or ``"drop"`` the series.

    Example
    -------
    >>> import anachron as an
    >>> an.KPAnonymity(k=10, P=3, precision="0.5")
    KPAnonymity(k=10, P=3, max_level=10, algorithm='kapra', objective='level')
    """

    method: ClassVar[str] = "patterns"

    k: int
    P: int
    max_level: int
    algorithm: str
    objective: str
    precision: Decimal | None
    l: int | None  # noqa: E741
    diversity: str
    noise: Decimal | None
    values: tuple[str, ...] | None
    patterns: tuple[str, ...] | None
    granularity: Granularity | None
    gaps: str

    def __init__(
        self,
        *,
        k: int,
        P: int,  # noqa: N803
        max_level: int = 10,
        algorithm: str = "kapra",
        objective: str = "level",
        precision: Exact | None = None,
        l: int | None = None,  # noqa: E741
        diversity: str = "subgroup",
        noise: Exact | None = None,
        values: str | Iterable[str] | None = None,
        patterns: str | Iterable[str] | None = None,
        granularity: str | Granularity | None = None,
        gaps: str = "refuse",
    ) -> None:
        reading = Reading()

        def maybe(make: Callable[..., Any], name: str, given: object) -> Any:
            return None if given is None else reading.take(make, name, given)

        parts: dict[str, Any] = {
            "k": reading.take(read.whole, "k", k, 2),
            "P": reading.take(read.whole, "P", P, 1),
            "max_level": reading.take(read.whole, "max_level", max_level, 2, FINEST),
            "algorithm": algorithm,
            "objective": objective,
            "precision": maybe(_size, "precision", precision),
            "l": None if l is None else reading.take(read.whole, "l", l, 2),
            "diversity": diversity,
            "noise": maybe(_size, "noise", noise),
            "values": maybe(read.names, "values", values),
            "patterns": maybe(read.names, "patterns", patterns),
            "granularity": maybe(read.granularity, "granularity", granularity),
            "gaps": gaps,
        }
        _check(parts, noise is not None, reading)
        reading.finish()
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        text = (
            f"KPAnonymity(k={self.k}, P={self.P}, max_level={self.max_level}, "
            f"algorithm={self.algorithm!r}, objective={self.objective!r}"
        )
        if self.l is not None:
            text += f", l={self.l}, diversity={self.diversity!r}"
        return text + ")"

    def to_dict(self) -> dict[str, Any]:
        """Give the guarantee as plain values, for plans, ledgers and releases."""
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("precision", "noise"):
            values[name] = None if values[name] is None else read.written(values[name])
        for name in ("values", "patterns"):
            values[name] = None if values[name] is None else list(values[name])
        if self.granularity is not None:
            values["granularity"] = self.granularity.to_dict()
        return {"method": self.method, **values}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> KPAnonymity:
        """Read back what :meth:`to_dict` gave."""
        rest = {key: value for key, value in values.items() if key != "method"}
        if rest["granularity"] is not None:
            rest["granularity"] = Granularity.from_dict(rest["granularity"])
        return cls(**rest)


def _size(name: str, given: Exact) -> Decimal:
    found = read.decimal(name, given)
    if found <= 0:
        raise PlanError(f"{name} must be above 0.")
    return found


def _check(parts: Mapping[str, Any], noisy: bool, reading: Reading) -> None:
    known = {
        "algorithm": ALGORITHMS,
        "objective": OBJECTIVES,
        "diversity": DIVERSITY,
        "gaps": GAPS,
    }
    reading.choices(parts, known)
    k, few, least = parts["k"], parts["P"], parts["l"]
    if k is not None and few is not None and few > k:
        reading.add(
            f"P must be at most k ({k}), found {few}.",
            "P of the k people of a group share their pattern.",
        )
    if least is not None and few is not None and least > few:
        reading.add(
            f"l must be at most P ({few}), found {least}.",
            "So many different values need so many people of one pattern.",
        )
    if least is None and noisy:
        reading.add("noise has no meaning without l.", "Give l, or remove it.")
    if least is not None and parts["diversity"] == "paper" and not noisy:
        reading.add("noise is missing.", "The diversity of the paper needs it: a number above 0.")
    values, patterns = parts["values"], parts["patterns"]
    if patterns is not None and len(patterns) < 2:
        reading.add("patterns must name at least two times: one has no shape.")
    elif values is not None and patterns is not None and not set(values) & set(patterns):
        reading.add(
            "patterns has no time in common with values: nothing could be estimated from both.",
            "Let them share a time.",
        )
