"""From a plan to the text of a plan file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anachron.calendar.definitions import Granularity
from anachron.guarantees.granularity import GRANULARITIES
from anachron.guarantees.promise import Promise
from anachron.ladders import Ladder
from anachron.parts.kinds import GRANULARITY
from anachron.parts.numbers import short, shortest, written
from anachron.parts.part import Part, parts_of, spread
from anachron.plan.calendars import definitions
from anachron.plan.places import relative

if TYPE_CHECKING:
    from anachron.plan.plan import Plan
    from anachron.schema import Schema

__all__ = ["to_toml"]

Values = dict[str, Any]
Sections = dict[tuple[str, ...], Values]
"""Keys and what they hold, by the place of their section."""


def to_toml(plan: Plan, folder: Path, notes: Mapping[str, str]) -> str:
    """Write a plan, with notes above the keys that have one."""
    sections: Sections = {
        ("source",): {"table": relative(plan.source.table, folder), **plan.source.options},
        ("schema",): _schema(plan.schema),
        **_promise(plan.guarantee, ("guarantee",)),
        **definitions(_granularities(plan.guarantee)),
        ("destination",): {
            "releases": relative(str(plan.releases), folder),
            "ledger": relative(str(plan.ledger), folder),
            "csv": plan.csv,
        },
        **({("certificate",): stated} if (stated := plan.certificate.to_dict()) else {}),
    }
    return "\n".join(_section(place, values, notes) for place, values in sections.items())


def _schema(schema: Schema) -> Values:
    values = schema.to_dict()
    if schema.series and not schema.quasi:
        del values["quasi"]
    if schema.time:
        return values
    # Without times, a clock is worth no line.
    silent = {"time": "", "time_zone": "UTC", "time_unit": "auto"}
    return {key: value for key, value in values.items() if silent.get(key) != value}


def _promise(promise: Promise, place: tuple[str, ...]) -> Sections:
    """The section of a promise, with the tables below it; what holds nothing is not written."""
    values: Values = {"method": promise.method}
    tables: Sections = {}
    others: Sections = {}
    for name, part in _in_order(promise):
        kept, below = getattr(promise, name), (*place, name)
        if not part.written(promise):
            continue
        if kept is None and part.kind.none:
            values[name] = part.kind.none
            continue
        if kept in (None, ()):
            continue
        if part.kind.within and isinstance(kept, part.kind.within):
            others |= _promise(kept, below)
            continue
        value = spread(part.kind.unfold(kept), part.kind.toml or _plainly)
        if not isinstance(value, dict):
            values[name] = value
        elif all(isinstance(entry, dict) for entry in value.values()):
            tables |= {(*below, entry): table for entry, table in value.items()}
        else:
            (tables if part.kind.unfold is dict else others)[below] = value
    return {place: values, **tables, **others}


def _in_order(promise: Promise) -> list[tuple[str, Part]]:
    """What may be a promise of its own stands after the rest, what ledgers leave unsaid last."""
    return sorted(
        parts_of(type(promise)).items(),
        key=lambda n: (
            getattr(promise, n[0]) == n[1].unsaid(vars(promise)),
            n[1].kind.within is not None,
        ),
    )


def _plainly(value: Any) -> Any:
    """Numbers as such if they are whole, and as text, which is exact, if not; calendars by name."""
    if isinstance(value, Decimal):
        return short(written(value))
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else shortest(value)
    if isinstance(value, Granularity):
        return value.name
    if isinstance(value, Ladder):
        return {
            name: [short(width) for width in step] if name == "bins" else step
            for name, step in value.to_dict().items()
        }
    return value


def _granularities(promise: Promise) -> Iterator[Granularity]:
    """The granularities that a promise names."""
    for name, part in parts_of(type(promise)).items():
        value = getattr(promise, name)
        if part.kind is GRANULARITIES:
            yield from value
        elif part.kind is GRANULARITY and value is not None:
            yield value


def _section(place: tuple[str, ...], values: Values, notes: Mapping[str, str]) -> str:
    path = ".".join(place)
    lines = [*_comment(notes.get(path)), f"[{'.'.join(map(_name, place))}]"]
    for key, value in values.items():
        lines += [*_comment(notes.get(f"{path}.{key}")), f"{_name(key)} = {_value(value)}"]
    return "".join(f"{line}\n" for line in lines)


def _comment(note: str | None) -> Iterator[str]:
    for line in (note or "").splitlines():
        # Control characters are not allowed in a comment, and a column may be named anything.
        yield "# " + "".join(c if c.isprintable() else "�" for c in line)


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
