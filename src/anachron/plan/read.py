"""From a plan file to a plan, with everything that is wrong listed at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anachron.errors import PlanError, Problem
from anachron.plan.found import Found, did_you_mean
from anachron.plan.places import absolute
from anachron.plan.plan import Plan
from anachron.plan.promises import read_promise
from anachron.plan.sections import SECTIONS, DestinationSection, SchemaSection, SourceSection
from anachron.plan.validate import section
from anachron.schema import Schema

__all__ = ["read"]


def read(path: Path) -> Plan:
    """Read a plan file."""
    found = Found()
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
        # utf-8-sig: some editors put a byte order mark first.
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PlanError(Problem(f"cannot be read: {error.strerror}.")) from None
    except UnicodeDecodeError:
        raise PlanError(Problem("is not UTF-8 text.")) from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        last = len(text.splitlines())
        why = str(error).replace("at end of document", f"at line {last}, the last one")
        raise PlanError(Problem(f"is not valid TOML: {why}.")) from None
    except RecursionError:
        raise PlanError(Problem("is nested too deeply.")) from None
    except ValueError:
        # Python does not read whole numbers of thousands of digits.
        raise PlanError(Problem("holds a number that is too long.")) from None


def _plan(data: Mapping[str, Any], folder: Path, found: Found) -> Plan | None:
    known = list(dict.fromkeys(name for name, _ in SECTIONS if "." not in name))
    for name in data:
        if name not in known:
            found.add(f"unknown section [{name}].", did_you_mean(name, known))
    for name in ("source", "schema", "guarantee"):
        if name not in data:
            found.add(f"the section [{name}] is missing.")
    source = section(SourceSection, data.get("source"), "source", found)
    schema = _schema(data.get("schema"), found)
    guarantee = read_promise(data.get("guarantee"), data.get("calendar"), folder, found)
    places = section(DestinationSection, data.get("destination", {}), "destination", found)
    if source is None or schema is None or guarantee is None or places is None or found.problems:
        return None
    return Plan(
        absolute(source.table, folder),
        schema,
        guarantee,
        absolute(places.releases, folder),
        absolute(places.ledger, folder),
        places.csv,
    )


def _schema(given: Any, found: Found) -> Schema | None:
    roles = section(SchemaSection, given, "schema", found)
    if roles is None:
        return None
    return found.attempt("schema", lambda: Schema(**dict(roles)), SchemaSection.model_fields)
