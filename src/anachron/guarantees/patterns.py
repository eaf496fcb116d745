"""The promise for time series: k people share their values, P of them their shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from anachron.calendar.definitions import Granularity
from anachron.errors import Problem
from anachron.guarantees.promise import Promise, one_sensitive, somebody
from anachron.parts.kinds import GRANULARITY, OWN, SIZE, names, one_of, whole_number
from anachron.parts.numbers import Exact, whole
from anachron.parts.part import Kind, Reading, part
from anachron.parts.shapes import Holds
from anachron.schema import Schema

__all__ = ["KPAnonymity"]

Algorithm = Literal["kapra", "naive"]
Objective = Literal["level", "loss"]
Diversity = Literal["subgroup", "paper"]
Gaps = Literal["refuse", "interpolate", "trim", "drop"]
Every = Literal["every"]
EVERY: Every = "every"
"""Of segments: one for each time."""
FINEST = 26
"""The finest level: one letter of the alphabet for each interval of values."""
PARTED = 2
"""How fine the patterns are, if nobody says it, that part people before values do."""


def _segments(name: str, given: object) -> int | str:
    return EVERY if given == EVERY else whole(name, given, least=2)


SEGMENTS = Kind(
    Holds(f'a whole number of at least 2, or "{EVERY}"', int | Literal["every"]), _segments
)


@dataclass(frozen=True, init=False, repr=False)
class KPAnonymity(Promise):
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
    tree_level
        For ``"kapra"``: how fine the patterns are that part people before their values do, from 2,
        which it is if not given, to ``max_level``, as in the paper. Published are the finest
        patterns on which people agree all the same. 2 gives narrower envelopes for patterns that
        are hardly coarser.
    cells
        For ``"kapra"``: if given, people are first parted by their values into cells of at least so
        many, k or more, and by their patterns within each. The smaller, the narrower are envelopes,
        and the coarser are patterns.
    segments
        How many letters a pattern has: of so many segments of neighbouring times, as equal in
        length as can be, the mean of each has one. From 2 to the number of times whose shape is
        published, or ``"every"``, which gives each time a letter as in the paper. If not given:
        every time, up to 12 of them, and 8 segments of more. Values are published at all times.
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
    KPAnonymity(k=10, P=3, max_level=10, algorithm='kapra', tree_level=2, objective='level')
    """

    method: ClassVar[str] = "patterns"

    k: int = part(whole_number(2), shown=True)
    P: int = part(whole_number(1, expects="a whole number from 1 to k"), shown=True)
    max_level: int = part(whole_number(2, FINEST), shown=True)
    algorithm: Algorithm = part(one_of(Algorithm), shown=True)
    tree_level: int | None = part(
        whole_number(2, FINEST), optional=True, shown=True,
        before=lambda told: told.get("max_level") if told.get("algorithm") == "kapra" else None,
    )  # fmt: skip
    cells: int | None = part(
        whole_number(2, expects="a whole number of at least k"),
        optional=True, shown=True, before=None,
    )  # fmt: skip
    segments: int | Every | None = part(SEGMENTS, optional=True, shown=True, before=EVERY)
    objective: Objective = part(one_of(Objective), shown=True)
    precision: Decimal | None = part(SIZE, optional=True)
    l: int | None = part(  # noqa: E741
        whole_number(2, expects="a whole number from 2 to P"), optional=True, shown=True
    )
    diversity: Diversity = part(one_of(Diversity), shown=True, only_with="l")
    noise: Decimal | None = part(SIZE, optional=True, only_with="l")
    values: tuple[str, ...] | None = part(
        names("a list of names of times"), optional=True, of_times=True
    )
    patterns: tuple[str, ...] | None = part(
        names("a list of names of times, two or more"), optional=True, of_times=True
    )
    granularity: Granularity | None = part(GRANULARITY, optional=True, remark=OWN)
    gaps: Gaps = part(one_of(Gaps))

    def __init__(
        self,
        *,
        k: int,
        P: int,  # noqa: N803
        max_level: int = 10,
        algorithm: Algorithm = "kapra",
        tree_level: int | None = None,
        cells: int | None = None,
        segments: int | Every | None = None,
        objective: Objective = "level",
        precision: Exact | None = None,
        l: int | None = None,  # noqa: E741
        diversity: Diversity = "subgroup",
        noise: Exact | None = None,
        values: str | Iterable[str] | None = None,
        patterns: str | Iterable[str] | None = None,
        granularity: str | Granularity | None = None,
        gaps: Gaps = "refuse",
    ) -> None:
        self._keep(locals())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        """Look at what must fit together; of what was not read, nothing is said."""
        k, few, least = (reading.kept.get(name) for name in ("k", "P", "l"))
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
        cls._settle_dials(reading)
        cls._settle_segments(reading)
        # What was not read was given.
        noisy = reading.kept.get("noise", "unread") is not None
        if least is None and noisy:
            reading.add("noise has no meaning without l.", "Give l, or remove it.")
        if least is not None and reading.kept.get("diversity") == "paper" and not noisy:
            reading.add(
                "noise is missing.", "The diversity of the paper needs it: a number above 0."
            )
        values, patterns = (reading.kept.get(name) for name in ("values", "patterns"))
        if patterns is not None and len(patterns) < 2:
            reading.add("patterns must name at least two times: one has no shape.")
        elif values is not None and patterns is not None and not set(values) & set(patterns):
            reading.add(
                "patterns has no time in common with values: nothing could be estimated from both.",
                "Let them share a time.",
            )

    @staticmethod
    def _settle_dials(reading: Reading) -> None:
        """Look at what parts people before their groups are formed."""
        found = reading.kept.get
        for name in ("tree_level", "cells"):
            if found(name) is not None and found("algorithm") == "naive":
                reading.add(
                    f"{name} has no meaning for the algorithm naive.", "Remove it, or choose kapra."
                )
        if found("algorithm") == "kapra" and found("tree_level", PARTED) is None:
            reading.kept["tree_level"] = PARTED
        finest, level, k = found("max_level"), found("tree_level"), found("k")
        if finest is not None and level is not None and level > finest:
            reading.add(
                f"tree_level must be at most max_level ({finest}), found {level}.",
                "People are parted by patterns that could be published.",
            )
        if k is not None and found("cells") is not None and found("cells") < k:
            reading.add(
                f"cells must be at least k ({k}), found {found('cells')}.",
                "Groups of k people are formed of what is in the cells.",
            )

    @staticmethod
    def _settle_segments(reading: Reading) -> None:
        segments, times = reading.kept.get("segments"), reading.kept.get("patterns")
        if isinstance(segments, int) and times is not None and segments > len(times):
            reading.add(*_too_many(segments, len(times)))

    def _needs(self, schema: Schema) -> Iterator[Problem]:
        if not schema.series:
            yield Problem(
                "the key 'schema.series' is missing.",
                remedy="Name the columns of each time, or the column of values beside schema.time.",
            )
        if schema.quasi:
            yield Problem(
                f"schema.quasi has no meaning for the method {self.method}.",
                remedy="Remove it: the series is what an outsider may know of a person.",
            )
        if schema.time:
            yield from somebody(schema, "in a long table the rows of a person are their series")
        if self.l is not None:
            yield from one_sensitive(schema, "guarantee.l")
        if schema.time and self.granularity is None:
            yield Problem(
                "the key 'guarantee.granularity' is missing.",
                remedy="For a table with a time, it says what two neighbouring times are apart.",
            )
        if not schema.time and self.granularity is not None:
            yield Problem(
                "guarantee.granularity has no meaning without schema.time.", remedy="Remove it."
            )
        if len(schema.series) > 1:
            yield from self._unknown_times(schema)
            yield from self.beyond_times(len(self.patterns or schema.series))

    def beyond_times(self, times: int) -> Iterator[Problem]:
        """Tell what is wrong if there are so many times whose shape is published."""
        if isinstance(self.segments, int) and self.segments > times:
            what, remedy = _too_many(self.segments, times)
            yield Problem(f"guarantee.{what}", remedy=remedy)

    def _unknown_times(self, schema: Schema) -> Iterator[Problem]:
        for name in ("values", "patterns"):
            for column in getattr(self, name) or ():
                if column not in schema.series:
                    yield Problem(
                        f"guarantee.{name} names a column that is not in schema.series.",
                        column=column,
                        remedy="Name it there, or remove it.",
                    )


def _too_many(segments: int, times: int) -> tuple[str, str]:
    return (
        f"segments must be at most the {times:,} times whose shape is published, found "
        f"{segments:,}.",
        f'Give fewer, or "{EVERY}" for a letter at each time.',
    )
