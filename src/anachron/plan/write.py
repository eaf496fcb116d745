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
from anachron.ladders import Ladder
from anachron.plan.places import relative

if TYPE_CHECKING:
    from anachron.plan.plan import Plan

__all__ = ["to_toml"]

Values = dict[str, Any]


def to_toml(plan: Plan, folder: Path, notes: Mapping[str, str]) -> str:
    """Write a plan, with notes above the keys that have one."""
    promise = plan.guarantee.to_dict()
    promise["granularities"] = [g.name for g in plan.guarantee.granularities]
    for share in ("max_suppressed", "max_share"):
        promise[share] = promise[share] and _decimal(promise[share])
    sections: dict[tuple[str, ...], Values] = {
        ("source",): {"table": relative(plan.table, folder)},
        ("schema",): plan.schema.to_dict(),
        ("guarantee",): {k: v for k, v in promise.items() if k != "ladders" and v is not None},
    }
    for column, ladder in plan.guarantee.ladders:
        sections["guarantee", "ladders", column] = _ladder(ladder)
    for granularity in _own(plan.guarantee.granularities):
        sections["calendar", granularity.name] = _definition(granularity)
    sections["destination",] = {
        "releases": relative(str(plan.releases), folder),
        "ledger": relative(str(plan.ledger), folder),
        "csv": plan.csv,
    }
    return "\n".join(_section(place, values, notes) for place, values in sections.items())


def _section(place: tuple[str, ...], values: Values, notes: Mapping[str, str]) -> str:
    path = ".".join(place)
    lines = [*_comment(notes.get(path)), f"[{'.'.join(map(_name, place))}]"]
    for key, value in values.items():
        lines += [*_comment(notes.get(f"{path}.{key}")), f"{key} = {_value(value)}"]
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
