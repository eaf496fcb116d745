"""From a plan to the text of a plan file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anachron.plan.places import relative
from anachron.plan.promise_sections import Sections, Values, promise_sections

if TYPE_CHECKING:
    from anachron.plan.plan import Plan
    from anachron.schema import Schema

__all__ = ["to_toml"]


def to_toml(plan: Plan, folder: Path, notes: Mapping[str, str]) -> str:
    """Write a plan, with notes above the keys that have one."""
    sections: Sections = {
        ("source",): {"table": relative(plan.table, folder)},
        ("schema",): _schema(plan.schema),
        **promise_sections(plan.guarantee),
        ("destination",): {
            "releases": relative(str(plan.releases), folder),
            "ledger": relative(str(plan.ledger), folder),
            "csv": plan.csv,
        },
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
