"""The sections of a plan file that hold its promise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from anachron.calendar.definitions import Granularity, Grouped, Listed, Within
from anachron.errors import PlanError
from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.ladders import Ladder

__all__ = ["Sections", "Values", "promise_sections"]

Values = dict[str, Any]
Sections = dict[tuple[str, ...], Values]
"""Keys and what they hold, by the place of their section."""


def promise_sections(promise: Guarantee) -> Sections:
    """The section of a promise, with those below it and the calendars that it needs."""
    if isinstance(promise, TimeGranularity):
        return _granularity(promise)
    if isinstance(promise, MInvariance):
        return _invariance(promise.to_dict(), ("guarantee",))
    return _reposition(promise) if isinstance(promise, Reposition) else _patterns(promise)


def _granularity(promise: TimeGranularity) -> Sections:
    values = promise.to_dict()
    values["granularities"] = [g.name for g in promise.granularities]
    for share in ("max_suppressed", "max_share"):
        values[share] = values[share] and _decimal(values[share])
    sections: Sections = {
        ("guarantee",): {k: v for k, v in values.items() if k != "ladders" and v is not None}
    }
    for column, ladder in promise.ladders:
        sections["guarantee", "ladders", column] = _ladder(ladder)
    return sections | _calendar(promise.granularities)


def _invariance(values: Values, place: tuple[str, ...]) -> Sections:
    changes = values.pop("changes")
    filled: Sections = {(*place, "changes"): changes} if changes else {}
    return {**_with_grid(values, place), **filled}


def _with_grid(values: Values, place: tuple[str, ...]) -> Sections:
    """A section with its widths, orders and domains below it; tables that say nothing are not."""
    tables = {key: values.pop(key) for key in ("widths", "orders", "domains")}
    tables["widths"] = {column: _number(width) for column, width in tables["widths"].items()}
    tables["domains"] = {
        column: [_number(end) for end in ends] for column, ends in tables["domains"].items()
    }
    return {place: values, **{(*place, key): table for key, table in tables.items() if table}}


def _reposition(promise: Reposition) -> Sections:
    values = promise.to_dict()
    values["l"] = _exact(promise.l)
    values["snapshot"] = promise.snapshot.name
    if not isinstance(promise.mu, str):
        values["mu"] = [_exact(cost) for cost in promise.mu]
    then = values.pop("then")
    tables: Sections = {}
    if promise.betas:
        del values["beta"]
        tables["guarantee", "beta"] = {value: _exact(cost) for value, cost in promise.beta}
    else:
        values["beta"] = _exact(promise.beta_default)
    if isinstance(then, str):
        values |= {"then": then, "careful": promise.careful}
    else:
        tables |= _invariance(then, ("guarantee", "then"))
    return {**_with_grid(values, ("guarantee",)), **tables, **_calendar((promise.snapshot,))}


def _patterns(promise: KPAnonymity) -> Sections:
    values = {key: value for key, value in promise.to_dict().items() if value is not None}
    values |= {key: _number(values[key]) for key in ("precision", "noise") if key in values}
    if promise.granularity is None:
        return {("guarantee",): values}
    values["granularity"] = promise.granularity.name
    return {("guarantee",): values, **_calendar((promise.granularity,))}


def _calendar(granularities: tuple[Granularity, ...]) -> Sections:
    return {("calendar", own.name): _definition(own) for own in _own(granularities)}


def _exact(number: Fraction) -> int | str:
    """A whole number as such; anything else as text, which is exact."""
    return int(number) if number.denominator == 1 else _decimal(str(number))


def _decimal(share: str) -> str:
    """Write a fraction as a decimal if that is exact and short."""
    decimal = f"{float(Fraction(share)):.15g}"
    return decimal if Fraction(decimal) == Fraction(share) else share


def _ladder(ladder: Ladder) -> Values:
    values = ladder.to_dict()
    if "bins" in values:
        values["bins"] = [_number(width) for width in values["bins"]]
    return values


def _number(text: str) -> int | str:
    """A whole number as such; anything else as text, which is exact."""
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else text


def _own(granularities: tuple[Granularity, ...]) -> list[Granularity]:
    """The granularities to define: those on offer, and those that they are made of."""
    own: list[Granularity] = []
    for granularity in granularities:
        rule = granularity.rule
        if isinstance(rule, Grouped):
            own += _own((rule.of,))
        elif isinstance(rule, Within):
            own += _own((rule.of, rule.by))
        if rule is not None:
            own.append(granularity)
    different = list(dict.fromkeys(own))
    names = [granularity.name for granularity in different]
    if len(set(names)) < len(names):
        raise PlanError("two different granularities of one name cannot stand in one plan.")
    return different


def _definition(granularity: Granularity) -> Values:
    plain = cast(Values, granularity.to_dict())
    rule = granularity.rule
    if isinstance(rule, Listed):
        return {"spans": plain["spans"]}
    if isinstance(rule, Grouped):
        return {"sizes": plain["sizes"], "of": rule.of.name, "anchor": plain["anchor"]}
    if isinstance(rule, Within):
        return {"of": rule.of.name, "within": rule.by.name}
    days = plain["business_days"]
    return {"business_days": {k: v for k, v in days.items() if v is not None}}
