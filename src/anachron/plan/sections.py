"""The sections of a plan file: which keys each has, and what they may hold.

Those of a schema, a promise and a destination follow from the parts that their classes declare.
The reference page of the plan and the messages about wrong plans are made from what is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from anachron.guarantees import promises
from anachron.guarantees.promise import Promise
from anachron.identity import Identity
from anachron.parts.part import defaults, parts_of
from anachron.parts.shapes import Holds, Moment, Number, Text
from anachron.plan.engine import Engine
from anachron.plan.plan import Plan
from anachron.plan.source import Source
from anachron.schema import Schema

__all__ = ["BUSINESS_DAYS", "CALENDAR", "CERTIFICATE", "DESTINATION", "ENGINE", "LADDER", "MUST",
           "SCHEMA", "SECTIONS", "SOURCE", "Key", "Section", "section_of"]  # fmt: skip

MUST: Any = object()
"""The default of what has none."""


@dataclass(frozen=True)
class Key:
    """A key of a plan file."""

    holds: Holds
    default: Any = MUST
    says: str = ""
    """What it means, or what is to be said beside what the docstring of its class says."""


@dataclass(frozen=True)
class Section:
    """One table of a plan file."""

    says: str
    keys: Mapping[str, Key]
    of: type[Any] | None = None
    """The class whose parts the keys are, and whose docstring says what they mean."""


def section_of(of: type[Any], *names: str, says: str = "") -> Section:
    """The section for the parts of a class, or for some of them."""
    given, parts = defaults(of), parts_of(of)
    keys = {
        name: Key(parts[name].kind.holds, given.get(name, MUST), parts[name].remark)
        # What has sections of its own comes last.
        for name in names or sorted(parts, key=lambda name: parts[name].kind.holds.type is Any)
    }
    if issubclass(of, Promise):
        method = Holds(f'"{of.method}"', Literal[of.method])
        keys = {"method": Key(method, says="Which promise is meant."), **keys}
    return Section(says or (of.__doc__ or "").partition("\n")[0], keys, of)


def _keys(*rows: tuple[Any, ...]) -> dict[str, Key]:
    """Keys by name: what each is expected to be, its type, what it means, and its default."""
    return {
        name: Key(Holds(expects, kind), default[0] if default else None, says)
        for name, expects, kind, says, *default in rows
    }


LADDER = Section(
    "How far one quasi column may be generalised. Without any key: as it is, or left out.",
    _keys(
        ("bins", "a list of numbers", list[Number],
         "Widths of numeric bins, each a multiple of the one before: `[5, 10, 20]`."),
        ("origin", "a number", Number, "With `bins`: where a bin begins; 0 if not given."),
        ("prefix", "a list of whole numbers", list[int],
         "How many first characters of a text to keep: `[4, 3, 2]`."),
        ("hierarchy", "the path of a file, or a list of rows", Text | list[list[Number]],
         "Each value with its parent, grandparent, and so on: a CSV or TSV file without a header, "
         "relative to the plan, or the rows themselves."),
        ("raw", "true or false", bool, "Whether the column may stay as it is.", True),
        ("drop", "true or false", bool, "Whether the column may be left out.", True),
    ),
)  # fmt: skip

CALENDAR = Section(
    "A granularity of your own, in local time. Give the keys of exactly one kind.",
    _keys(
        ("boundaries", "a list of dates or times", list[Moment],
         "Granules run from each of these to the next."),
        ("labels", "a list of names", list[Text],
         "With `boundaries`: a name for each granule; there is one granule fewer than boundaries."),
        ("spans", "a list of [start, end] or [start, end, label]",
         list[tuple[Moment, Moment] | tuple[Moment, Moment, Moment]],
         "Granules one by one, the end not included; what lies between two of them is a gap."),
        ("every", "a whole number of at least 1", int,
         "With `of` and `anchor`: so many granules make one, such as two weeks."),
        ("sizes", "a list of whole numbers", list[int],
         "With `of` and `anchor`: sizes of groups that repeat, such as `[4, 4, 5]` weeks."),
        ("anchor", "a date or time", Moment,
         "With `every` or `sizes`: a moment in the first granule of a group."),
        ("of", "the name of a granularity", Text,
         "What is grouped or gathered, built in or your own."),
        ("within", "the name of a granularity", Text,
         "With `of`: gather its granules by this coarser one, such as business days by week."),
        ("business_days", "a table", Any,
         "Days that are neither weekend nor holiday, see below."),
    ),
)  # fmt: skip

BUSINESS_DAYS = Section(
    "Days that are neither weekend nor holiday: a granularity with gaps.",
    _keys(
        ("country", "a two-letter code", Text,
         "Leave out the holidays of this country (needs the package `holidays`)."),
        ("subdivision", "a code", Text, "A state or province of that country."),
        ("holidays", "a list of dates", list[Moment], "Further days to leave out.", []),
        ("weekend", "a list of whole numbers from 0 to 6", list[int],
         "Days of the week to leave out, 0 is Monday.", [5, 6]),
    ),
)  # fmt: skip

SOURCE = section_of(Source)
SCHEMA = section_of(Schema)
DESTINATION = section_of(
    Plan,
    "releases",
    "ledger",
    "csv",
    says="Where releases and the ledger go. Paths are relative to the plan.",
)
ENGINE = section_of(Engine)
CERTIFICATE = section_of(
    Identity,
    says='What certificates name beside figures. All of it is optional, printed as "not stated" '
    "where it is missing, and no part of any release.",
)

SECTIONS: tuple[tuple[str, Section], ...] = (
    ("source", SOURCE),
    ("schema", SCHEMA),
    *(("guarantee", section_of(promise)) for promise in promises().values()),
    ("guarantee.ladders", LADDER),
    ("calendar", CALENDAR),
    ("calendar.business_days", BUSINESS_DAYS),
    ("destination", DESTINATION),
    ("certificate", CERTIFICATE),
    ("engine", ENGINE),
)
"""The sections of a plan, by where they stand."""
