"""From a plan file to a plan, with everything that is wrong listed at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anachron.errors import PlanError
from anachron.given import read_text
from anachron.guarantees import Guarantee, promises
from anachron.guarantees.granularity import GRANULARITIES, LADDERS
from anachron.guarantees.grids import ORDERED
from anachron.identity import Identity
from anachron.parts.kinds import GRANULARITY
from anachron.parts.part import UNREAD, Kind, defaults, parts_of
from anachron.plan.calendars import Calendar
from anachron.plan.check import Faults, checked, did_you_mean
from anachron.plan.engine import Engine
from anachron.plan.files import read_ladders, read_orders
from anachron.plan.places import absolute
from anachron.plan.plan import Plan
from anachron.plan.sections import (
    CERTIFICATE,
    DESTINATION,
    ENGINE,
    SCHEMA,
    SECTIONS,
    SOURCE,
    section_of,
)
from anachron.plan.source import Source
from anachron.registry import METHODS
from anachron.schema import Schema

__all__ = ["read"]

_LARGEST = 4 << 20
_MOST_KEYS = 10_000
_JOINED = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")
"""Keys joined by dots, more than a plan has levels by far."""


def read(path: Path) -> Plan:
    """Read a plan file."""
    found = Faults()
    plan = None
    try:
        plan = _plan(_parse(path), path.absolute().parent, found)
    except PlanError as error:
        found.problems.extend(error.problems)
    if plan is None:
        # A problem of a file that the plan names keeps that file.
        raise PlanError(replace(p, file=p.file or str(path)) for p in found.problems)
    return plan


def _parse(path: Path) -> dict[str, Any]:
    try:
        text = read_text(path)
    except OSError as error:
        raise PlanError(f"cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise PlanError("is not UTF-8 text.") from None
    if len(text) > _LARGEST:
        raise PlanError(
            f"is larger than {_LARGEST >> 20} MB.", remedy="Put long lists into files of their own."
        )
    # What reads TOML takes the square of their number for keys that are joined by dots.
    if _JOINED.search(text):
        raise PlanError("is nested too deeply.")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        last = len(text.splitlines())
        why = str(error).replace("at end of document", f"at line {last}, the last one")
        raise PlanError(f"is not valid TOML: {why}.") from None
    except RecursionError:
        raise PlanError("is nested too deeply.") from None
    except ValueError:
        # Python does not read whole numbers of thousands of digits.
        raise PlanError("holds a number that is too long.") from None
    return _bounded(data)


def _bounded(data: dict[str, Any]) -> dict[str, Any]:
    """Refuse more keys than anybody writes, before they are looked at one by one."""
    keys, within = 0, [data]
    while within:
        table = within.pop()
        keys += len(table)
        if keys > _MOST_KEYS:
            raise PlanError(f"has more than {_MOST_KEYS:,} keys.", remedy="Check what wrote it.")
        within += [value for value in table.values() if isinstance(value, dict)]
    return data


def _plan(data: Mapping[str, Any], folder: Path, found: Faults) -> Plan | None:
    known = list(dict.fromkeys(name for name, _ in SECTIONS if "." not in name))
    for name in data:
        if name not in known:
            found.add(f"unknown section [{name}].", did_you_mean(name, known))
    for name in ("source", "schema", "guarantee"):
        if name not in data:
            found.add(f"the section [{name}] is missing.")
    source = _source(data.get("source"), found)
    schema = _schema(data.get("schema"), found)
    guarantee = _guarantee(data.get("guarantee"), data.get("calendar"), folder, found)
    places = checked(DESTINATION, data.get("destination", {}), "destination", found)
    stated = _identity(data.get("certificate", {}), found)
    engine = _engine(data.get("engine", {}), found)
    if source is None or schema is None or guarantee is None or places is None or found.problems:
        return None
    said = {name: places.get(name, key.default) for name, key in DESTINATION.keys.items()}
    there = {name: absolute(said[name], folder) for name in ("releases", "ledger")}
    return Plan(
        source.at(absolute(source.table, folder)),
        schema,
        guarantee,
        **there,
        csv=said["csv"],
        certificate=stated,
        engine=engine,
    )


def _source(given: Any, found: Faults) -> Source | None:
    told = checked(SOURCE, given, "source", found)
    if told is None:
        return None
    return found.attempt("source", lambda: Source(**told), SOURCE.keys)


def _schema(given: Any, found: Faults) -> Schema | None:
    roles = checked(SCHEMA, given, "schema", found)
    if roles is None:
        return None
    return found.attempt("schema", lambda: Schema(**roles), SCHEMA.keys)


def _identity(given: Any, found: Faults) -> Identity | None:
    stated = checked(CERTIFICATE, given, "certificate", found)
    if stated is None:
        return None
    return found.attempt("certificate", lambda: Identity(**stated), CERTIFICATE.keys)


def _engine(given: Any, found: Faults) -> Engine | None:
    told = checked(ENGINE, given, "engine", found)
    if told is None:
        return None
    return found.attempt("engine", lambda: Engine(**told), ENGINE.keys)


def _guarantee(given: Any, own: Any, folder: Path, found: Faults) -> Guarantee | None:
    """Read [guarantee], and the plan's own granularities under [calendar]."""
    before = len(found.problems)
    method = _method(given, found)
    if isinstance(given, Mapping):
        # A wrong method was reported; with the one that is probably meant, the rest is read.
        given = {**given, "method": method}
    kinds = {part.kind for part in parts_of(promises()[method]).values()}
    if own is not None and not kinds & {GRANULARITY, GRANULARITIES}:
        found.add(f"[calendar] has no meaning for the method {method}.", "Remove it.")
        own = None
    calendar = Calendar({} if own is None else own, found)
    promise = _Reader(calendar, folder, found).promise(promises()[method], given, "guarantee")
    return promise if len(found.problems) == before else None


def _method(given: Any, found: Faults) -> str:
    """The method, or the one that is probably meant."""
    if not isinstance(given, Mapping):
        return next(iter(METHODS))
    method, known = given.get("method"), _listed(METHODS)
    if isinstance(method, str) and method in METHODS:
        return method
    if method is None:
        found.add("the key 'guarantee.method' is missing.", f"It is {known}.")
    else:
        remedy = did_you_mean(method, METHODS) if isinstance(method, str) else None
        found.add(f"guarantee.method must be {known}.", remedy)
    return _meant(given)


def _meant(given: Mapping[str, Any]) -> str:
    """The method that alone asks for a key that is given; the first if there is none."""
    asked = {name: parts_of(of).keys() - defaults(of).keys() for name, of in promises().items()}
    for method, keys in asked.items():
        others = {key for other in asked if other != method for key in asked[other]}
        if (keys - others) & given.keys():
            return method
    return next(iter(METHODS))


def _listed(names: Iterable[str]) -> str:
    *most, last = (f'"{name}"' for name in names)
    return f"{', '.join(most)} or {last}"


@dataclass(frozen=True)
class _Reader:
    """Reads promises with what a plan has beside them; what is wrong is told, and left unread."""

    calendar: Calendar
    folder: Path
    found: Faults

    def promise(self, of: type[Any], given: Any, place: str) -> Any:
        """Read the section of a promise, and the promises that it holds."""
        section, parts = section_of(of), parts_of(of)
        values = checked(section, given, place, self.found)
        held = given.items() if isinstance(given, Mapping) else ()
        inner = {
            name: self.promise(within, value, f"{place}.{name}") or UNREAD
            for name, value in held
            if isinstance(value, Mapping) and name in parts and (within := parts[name].kind.within)
        }
        if values is None:
            return None
        del values["method"]
        read = {
            name: self._part(parts[name].kind, value, f"{place}.{name}")
            for name, value in values.items()
        }
        return self.found.attempt(place, lambda: of(**(read | inner)), section.keys)

    def _part(self, kind: Kind, given: Any, key: str) -> Any:
        """Read what stands otherwise in a plan than in Python: by name, as tables, in files."""
        if kind is GRANULARITY:
            return self.calendar.look_up(given, key) or UNREAD
        if kind is GRANULARITIES:
            offered = [
                self.calendar.look_up(name, f"{key}, item {number}")
                for number, name in enumerate(given, 1)
            ]
            return UNREAD if None in offered else offered
        if kind is LADDERS:
            return read_ladders(given, key, self.folder, self.found)
        if kind is ORDERED:
            return read_orders(given, key, self.folder, self.found)
        return given
