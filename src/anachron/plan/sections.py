"""The keys of a plan file: what each may hold and what it means.

The reference page of the plan and the messages about wrong plans are made from what is said here.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "SECTIONS",
    "BusinessDaysSection",
    "CalendarSection",
    "DestinationSection",
    "GranularitySection",
    "LadderSection",
    "SchemaSection",
    "Section",
    "SourceSection",
    "expects",
]

Text = Annotated[str, Field(min_length=1)]
Number = int | float | str
Moment = datetime | date | str
SpanOfTime = Annotated[list[Moment], Field(min_length=2, max_length=3)]


class Section(BaseModel):
    """One table of a plan file."""

    # Strict: 5 is not "5". Unknown keys are refused: a misspelt one must not be ignored.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _key(expected: str, meaning: str, default: Any = ...) -> Any:
    return Field(default, description=meaning, json_schema_extra={"expects": expected})


def expects(model: type[Section], key: str) -> str:
    """What a key may hold, in plain words."""
    return str(cast(dict[str, Any], model.model_fields[key].json_schema_extra)["expects"])


class SourceSection(Section):
    """The table to publish."""

    table: Text = _key(
        "a path or the address of a table",
        "A file (CSV, TSV, Parquet, Arrow), a folder or pattern of Parquet files, or a table of a "
        "database: `duckdb:FILE#TABLE`, `sqlite:FILE#TABLE`, `postgresql://HOST/NAME#TABLE`. "
        "Paths are relative to the plan.",
    )


class SchemaSection(Section):
    """Which column plays which role. Columns without a role never leave."""

    subject: Text = _key(
        "the name of a column",
        "The column that identifies the person (household, company). It is never published.",
    )
    time: Text = _key("the name of a column", "The column with the time of each event.")
    quasi: list[Text] = _key(
        "a list of names of columns",
        "Columns that an outsider may know about a person, beside the time.",
        [],
    )
    sensitive: list[Text] = _key(
        "a list of names of columns", "Columns to publish as they are.", []
    )
    time_zone: Text = _key(
        "the IANA name of a time zone",
        "The zone whose clock and calendar are meant, such as `Europe/Rome`.",
        "UTC",
    )
    time_unit: Text = _key(
        "one of auto, year, s, ms, us",
        "How to read whole numbers in the time column: as years, or as seconds, milliseconds or "
        "microseconds since 1970. Dates, timestamps and ISO 8601 text need only `auto`, which "
        "refuses whole numbers.",
        "auto",
    )


class GranularitySection(Section):
    """The promise: every published combination of quasi values and time covers k people."""

    method: Literal["granularity"] = _key('"granularity"', "Which promise is meant.")
    k: int = _key(
        "a whole number of at least 2",
        "How many different people share each published combination, at least.",
    )
    granularities: list[Text] | None = _key(
        "a list of names of granularities",
        "The granularities on offer: built-in ones, and your own from `[calendar]`. "
        "If it is not given: all built-in ones.",
        None,
    )
    metric: Text = _key(
        "one of paper, resolution",
        "Which answer is the better one: `paper` compares the smallest group, then the sum of "
        "groups, as Mascetti et al. do; `resolution` the mean length of a granule over the rows.",
        "paper",
    )
    max_suppressed: Number = _key(
        "a share from 0 to less than 1, as a number or as text",
        'The share of rows that may be left out to stay finer. Text such as `"0.01"` or `"1/3"` '
        "is taken exactly.",
        "0",
    )
    max_share: Number | None = _key(
        "a share above 0 and up to 1, as a number or as text",
        "If given, no person owns more than this share of the rows of a group.",
        None,
    )
    keep: Text = _key(
        "one of time, quasi, neither",
        "With ladders: what to keep fine when either could give way.",
        "time",
    )
    ladders: Any = _key(
        "one table for each column",
        "How far each quasi column may be generalised: `[guarantee.ladders.COLUMN]`. "
        "A column without a ladder stays as it is.",
        {},
    )


class LadderSection(Section):
    """How far one quasi column may be generalised. Without any key: as it is, or left out."""

    bins: list[Number] | None = _key(
        "a list of numbers",
        "Widths of numeric bins, each a multiple of the one before: `[5, 10, 20]`.",
        None,
    )
    origin: Number | None = _key(
        "a number", "With `bins`: where a bin begins; 0 if not given.", None
    )
    prefix: list[int] | None = _key(
        "a list of whole numbers",
        "How many first characters of a text to keep: `[4, 3, 2]`.",
        None,
    )
    hierarchy: Text | list[list[str | int | float]] | None = _key(
        "the path of a file, or a list of rows",
        "Each value with its parent, grandparent, and so on: a CSV or TSV file without a header, "
        "relative to the plan, or the rows themselves.",
        None,
    )
    raw: bool = _key("true or false", "Whether the column may stay as it is.", True)
    drop: bool = _key("true or false", "Whether the column may be left out.", True)


class CalendarSection(Section):
    """A granularity of your own, in local time. Give the keys of exactly one kind."""

    boundaries: list[Moment] | None = _key(
        "a list of dates or times", "Granules run from each of these to the next.", None
    )
    labels: list[Text] | None = _key(
        "a list of names",
        "With `boundaries`: a name for each granule; there is one granule fewer than boundaries.",
        None,
    )
    spans: list[SpanOfTime] | None = _key(
        "a list of [start, end] or [start, end, label]",
        "Granules one by one, the end not included; what lies between two of them is a gap.",
        None,
    )
    every: int | None = _key(
        "a whole number of at least 1",
        "With `of` and `anchor`: so many granules make one, such as two weeks.",
        None,
    )
    sizes: list[int] | None = _key(
        "a list of whole numbers",
        "With `of` and `anchor`: sizes of groups that repeat, such as `[4, 4, 5]` weeks.",
        None,
    )
    anchor: Moment | None = _key(
        "a date or time",
        "With `every` or `sizes`: a moment in the first granule of a group.",
        None,
    )
    of: Text | None = _key(
        "the name of a granularity", "What is grouped or gathered, built in or your own.", None
    )
    within: Text | None = _key(
        "the name of a granularity",
        "With `of`: gather its granules by this coarser one, such as business days by week.",
        None,
    )
    business_days: Any = _key(
        "a table", "Days that are neither weekend nor holiday, see below.", None
    )


class BusinessDaysSection(Section):
    """Days that are neither weekend nor holiday: a granularity with gaps."""

    country: Text | None = _key(
        "a two-letter code",
        "Leave out the holidays of this country (needs the package `holidays`).",
        None,
    )
    subdivision: Text | None = _key("a code", "A state or province of that country.", None)
    holidays: list[Moment] = _key("a list of dates", "Further days to leave out.", [])
    weekend: list[int] = _key(
        "a list of whole numbers from 0 to 6",
        "Days of the week to leave out, 0 is Monday.",
        [5, 6],
    )


class DestinationSection(Section):
    """Where releases and the ledger go. Paths are relative to the plan."""

    releases: Text = _key(
        "a path",
        "The folder that receives the releases `0001`, `0002`, … It may be handed out.",
        "releases",
    )
    ledger: Text = _key(
        "a path",
        "The folder that remembers what was published. It stays with the owner.",
        "ledger",
    )
    csv: bool = _key("true or false", "Whether to write CSV beside Parquet.", False)


SECTIONS: dict[str, type[Section]] = {
    "source": SourceSection,
    "schema": SchemaSection,
    "guarantee": GranularitySection,
    "guarantee.ladders": LadderSection,
    "calendar": CalendarSection,
    "calendar.business_days": BusinessDaysSection,
    "destination": DestinationSection,
}
"""The sections of a plan, by where they stand."""
