"""From a plan to the text of a plan file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from anachron.calendar.definitions import Granularity, Grouped, Listed, Within
from anachron.errors import PlanError
from anachron.guarantees import MInvariance, TimeGranularity
from anachron.ladders import Ladder
from anachron.plan.places import relative

if TYPE_CHECKING:
    from anachron.plan.plan import Plan
    from anachron.schema import Schema

__all__ = ["to_toml"]

Values = dict[str, Any]
Sections = dict[tuple[str, ...], Values]


def to_toml(plan: Plan, folder: Path, notes: Mapping[str, str]) -> str:
    """Write a plan, with notes above the keys that have one."""
    promise = plan.guarantee
    sections: Sections = {
        ("source",): {"table": relative(plan.table, folder)},
        ("schema",): _schema(plan.schema),
        **(_invariance(promise) if isinstance(promise, MInvariance) else _granularity(promise)),
        ("destination",): {
            "releases": relative(str(plan.releases), folder),
            "ledger": relative(str(plan.ledger), folder),
            "csv": plan.csv,
        },
    }
    return "\n".join(_section(place, values, notes) for place, values in sections.items())


def _schema(schema: Schema) -> Values:
    values = schema.to_dict()
    if schema.time:
        return values
    # Without times, a clock is worth no line.
    silent = {"time": "", "time_zone": "UTC", "time_unit": "auto"}
    return {key: value for key, value in values.items() if silent.get(key) != value}


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
    for granularity in _own(promise.granularities):
        sections["calendar", granularity.name] = _definition(granularity)
    return sections


def _invariance(promise: MInvariance) -> Sections:
    values = promise.to_dict()
    tables = {key: values.pop(key) for key in ("widths", "orders", "domains", "changes")}
    tables["widths"] = {column: _number(width) for column, width in tables["widths"].items()}
    tables["domains"] = {
        column: [_number(end) for end in ends] for column, ends in tables["domains"].items()
    }
    filled: Sections = {("guarantee", key): table for key, table in tables.items() if table}
    return {("guarantee",): values, **filled}


def _section(place: tuple[str, ...], values: Values, notes: Mapping[str, str]) -> str:
    path = ".".join(place)
    lines = [*_comment(notes.get(path)), f"[{'.'.join(map(_name, place))}]"]
    for key, value in values.items():
        lines += [*_comment(notes.get(f"{path}.{key}")), f"{_name(key)} = {_value(value)}"]
    return "".join(f"{line}\n" for line in lines)


def _decimal(share: str) -> str:
    """Write a fraction as a decimal if that is exact and short."""
    decimal = f"{float(Fraction(share)):.15g}"
    return decimal if Fraction(decimal) == Fraction(share) else share


def _comment(note: str | None) -> Iterator[str]:
    for line in (note or "").splitlines():
        # Control characters are not allowed in a comment, and a column may be named anything.
        yield "# " + "".join(c if c.isprintable() else "�" for c in line)


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


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_name(k)} = {_value(v)}" for k, v in value.items()) + " }"
    items = [_value(item) for item in value]
    if len(items) > 3 and isinstance(value[0], list):
        return "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    return "[" + ", ".join(items) + "]"


def _text(text: str) -> str:
    # TOML escapes as JSON does, and the delete character too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _name(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)
