"""What a granularity is, before any table is seen: a name and a rule."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from anachron.errors import CalendarError

__all__ = ["BUILT_IN", "BusinessDays", "Granularity", "Grouped", "Listed", "Rule", "Within"]

BUILT_IN = (
    "second",
    "minute",
    "quarter_hour",
    "hour",
    "part_of_day",
    "day",
    "week_part",
    "week",
    "half_month",
    "month",
    "quarter",
    "half_year",
    "year",
    "decade",
)
"""The granularities that need no definition, from fine to coarse."""
_PLACE = re.compile(r"[\w .'-]{1,40}")
"""A country or a part of one: a code, or a name."""


@dataclass(frozen=True)
class Listed:
    """Granules given one by one, by local time: from the start up to but not including the end."""

    spans: tuple[tuple[datetime, datetime, str], ...]


@dataclass(frozen=True)
class Grouped:
    """Consecutive granules of another granularity, in groups of repeating sizes."""

    of: Granularity
    sizes: tuple[int, ...]
    anchor: datetime


@dataclass(frozen=True)
class Within:
    """Granules of one granularity, gathered by the granule of another that holds them."""

    of: Granularity
    by: Granularity


@dataclass(frozen=True)
class BusinessDays:
    """Days that are neither weekend nor holiday. A granularity with gaps."""

    country: str | None
    subdivision: str | None
    holidays: tuple[date, ...]
    weekend: tuple[int, ...]


Rule = Listed | Grouped | Within | BusinessDays | None


@dataclass(frozen=True)
class Granularity:
    """A way to cut time into granules: a mapping from integers to sets of instants.

    Fourteen are built in and known by name. Others are made by :meth:`boundaries`,
    :meth:`spans`, :meth:`every`, :meth:`group`, :meth:`within` and :meth:`business_days`.

    Example
    -------
    >>> import anachron as an
    >>> terms = an.Granularity.boundaries("term", ["2025-09-15", "2026-01-12", "2026-05-04"])
    >>> fortnight = an.Granularity.every("fortnight", 2, "week", anchor="2025-01-06")
    >>> an.TimeGranularity(k=5, granularities=["day", fortnight, terms]).granularities[1].name
    'fortnight'
    """

    name: str
    rule: Rule = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.replace("_", "a").isalnum():
            raise CalendarError("the name of a granularity is letters, digits and underscores.")
        if self.rule is None and self.name not in BUILT_IN:
            raise CalendarError(
                f"{self.name!r} is not a built-in granularity. Built in: {', '.join(BUILT_IN)}. "
                "Define your own with a rule."
            )
        if self.rule is not None and self.name in BUILT_IN:
            raise CalendarError(f"{self.name!r} is built in; give your granularity another name.")

    @classmethod
    def named(cls, name: str) -> Granularity:
        """The built-in granularity of that name."""
        return cls(name)

    @classmethod
    def boundaries(
        cls, name: str, at: Iterable[Any], labels: Iterable[str] | None = None
    ) -> Granularity:
        """Granules between consecutive local dates or times: terms, shifts, fiscal years."""
        moments = [_moment(name, item) for item in at]
        if len(moments) < 2:
            raise CalendarError(f"granularity {name!r} needs at least two boundaries.")
        titles = list(labels) if labels is not None else [_title(m) for m in moments[:-1]]
        if len(titles) != len(moments) - 1:
            raise CalendarError(
                f"granularity {name!r} has {len(moments) - 1} granules but {len(titles)} labels."
            )
        return cls.spans(name, zip(moments[:-1], moments[1:], titles, strict=True))

    @classmethod
    def spans(cls, name: str, given: Iterable[Iterable[Any]]) -> Granularity:
        """Granules given as (start, end, label); what lies between two of them is a gap."""
        listed = []
        for item in given:
            start, end, *label = item
            first, last = _moment(name, start), _moment(name, end)
            listed.append((first, last, str(label[0]) if label else _title(first)))
        _check_spans(name, listed)
        return cls(name, Listed(tuple(listed)))

    @classmethod
    def every(cls, name: str, n: int, of: str | Granularity, *, anchor: Any) -> Granularity:
        """Every n granules of another granularity, counted from the one that holds the anchor."""
        return cls.group(name, of, sizes=(n,), anchor=anchor)

    @classmethod
    def group(
        cls, name: str, of: str | Granularity, *, sizes: Iterable[int], anchor: Any
    ) -> Granularity:
        """Groups of consecutive granules, of sizes that repeat (4, 4, 5 weeks, say)."""
        counts = tuple(sizes)
        if not counts or any(
            isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in counts
        ):
            raise CalendarError(f"granularity {name!r} needs sizes of at least 1.")
        return cls(name, Grouped(_granularity(of), counts, _moment(name, anchor)))

    @classmethod
    def within(cls, name: str, of: str | Granularity, by: str | Granularity) -> Granularity:
        """Granules of ``of`` gathered by granules of ``by``: business days by week, say."""
        return cls(name, Within(_granularity(of), _granularity(by)))

    @classmethod
    def business_days(
        cls,
        name: str = "business_day",
        *,
        country: str | None = None,
        subdivision: str | None = None,
        holidays: Iterable[Any] = (),
        weekend: Iterable[int] = (5, 6),
    ) -> Granularity:
        """Days less weekends (0 is Monday) and holidays, of a country or from your list."""
        for place in (country, subdivision):
            if place is not None and not (isinstance(place, str) and _PLACE.fullmatch(place)):
                raise CalendarError(
                    f"granularity {name!r}: countries and their parts are codes such as 'IT'."
                )
        free = tuple(sorted(_moment(name, item).date() for item in holidays))
        days = tuple(sorted(set(weekend)))
        if any(isinstance(d, bool) or not isinstance(d, int) or not 0 <= d <= 6 for d in days):
            raise CalendarError(
                f"granularity {name!r}: weekend days are numbers from 0 (Monday) to 6."
            )
        return cls(name, BusinessDays(country, subdivision, free, days))

    def to_dict(self) -> str | dict[str, Any]:
        """Give the definition as plain values: a built-in one is just its name."""
        rule = self.rule
        if rule is None:
            return self.name
        if isinstance(rule, Listed):
            spans = [[_title(a), _title(b), label] for a, b, label in rule.spans]
            return {"name": self.name, "spans": spans}
        if isinstance(rule, Grouped):
            return {
                "name": self.name,
                "group": rule.of.to_dict(),
                "sizes": list(rule.sizes),
                "anchor": _title(rule.anchor),
            }
        if isinstance(rule, Within):
            return {"name": self.name, "within": rule.by.to_dict(), "of": rule.of.to_dict()}
        return {
            "name": self.name,
            "business_days": {
                "country": rule.country,
                "subdivision": rule.subdivision,
                "holidays": [day.isoformat() for day in rule.holidays],
                "weekend": list(rule.weekend),
            },
        }

    @classmethod
    def from_dict(cls, given: str | Mapping[str, Any]) -> Granularity:
        """Read back what :meth:`to_dict` gave."""
        if isinstance(given, str):
            return cls.named(given)
        if "spans" in given:
            return cls.spans(given["name"], given["spans"])
        if "group" in given:
            of = cls.from_dict(given["group"])
            return cls.group(given["name"], of, sizes=given["sizes"], anchor=given["anchor"])
        if "within" in given:
            of, by = cls.from_dict(given["of"]), cls.from_dict(given["within"])
            return cls.within(given["name"], of, by)
        return cls.business_days(given["name"], **given["business_days"])


def _granularity(given: str | Granularity) -> Granularity:
    return Granularity.named(given) if isinstance(given, str) else given


def _moment(name: str, given: Any) -> datetime:
    """Read a local date or time; an offset is refused, because the schema's zone is meant."""
    moment = given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            raise CalendarError(f"granularity {name!r}: a time is not in ISO 8601 form.") from None
    elif isinstance(given, date) and not isinstance(given, datetime):
        moment = datetime(given.year, given.month, given.day)
    if not isinstance(moment, datetime):
        raise CalendarError(f"granularity {name!r}: expected a date, a time or ISO 8601 text.")
    if moment.tzinfo is not None:
        raise CalendarError(
            f"granularity {name!r}: give local times without an offset; the schema's zone is used."
        )
    return moment


def _title(moment: datetime) -> str:
    midnight = moment.hour == moment.minute == moment.second == moment.microsecond == 0
    return moment.date().isoformat() if midnight else moment.isoformat(sep=" ")


def _check_spans(name: str, spans: list[tuple[datetime, datetime, str]]) -> None:
    if not spans:
        raise CalendarError(f"granularity {name!r} has no granules.")
    for number, (start, end, _) in enumerate(spans, 1):
        if end <= start:
            raise CalendarError(f"granularity {name!r}: granule {number} ends before it starts.")
    for number, (before, after) in enumerate(itertools.pairwise(spans), 1):
        if after[0] < before[0]:
            raise CalendarError(
                f"granularity {name!r} is not monotone: granule {number + 1} starts before "
                f"granule {number}. List granules in time order."
            )
        if after[0] < before[1]:
            raise CalendarError(
                f"granularity {name!r}: granules {number} and {number + 1} overlap."
            )
    if len({label for _, _, label in spans}) != len(spans):
        raise CalendarError(f"granularity {name!r}: two granules have the same label.")
