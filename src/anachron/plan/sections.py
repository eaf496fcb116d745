"""The sections of a plan file.

The reference page of the plan and the messages about wrong plans are made from what is said here.
"""

from __future__ import annotations

from anachron.plan.granularity import (
    BusinessDaysSection,
    CalendarSection,
    GranularitySection,
    LadderSection,
)
from anachron.plan.invariance import InvarianceSection
from anachron.plan.keys import Section, Text, key
from anachron.plan.patterns import PatternsSection
from anachron.plan.reposition import RepositionSection

__all__ = ["SECTIONS", "DestinationSection", "SchemaSection", "SourceSection"]


class SourceSection(Section):
    """The table to publish."""

    table: Text = key(
        "a path or the address of a table",
        "A file (CSV, TSV, Parquet, Arrow), a folder or pattern of Parquet files, or a table of a "
        "database: `duckdb:FILE#TABLE`, `sqlite:FILE#TABLE`, `postgresql://HOST/NAME#TABLE`. "
        "Paths are relative to the plan. A password has no place here: PostgreSQL finds it in "
        "`PGPASSWORD`, in `~/.pgpass`, or in a service file (`postgresql:///?service=NAME#TABLE`).",
    )


class SchemaSection(Section):
    """Which column plays which role. Columns without a role never leave."""

    subject: Text = key(
        "the name of a column",
        "The column that identifies the person (household, company). It is never published.",
    )
    time: Text | None = key(
        "the name of a column",
        "The column with the time of each event. A register of people, for the method "
        "`invariance`, has none, and neither has a table with a column for each time.",
        None,
    )
    quasi: list[Text] = key(
        "a list of names of columns",
        "Columns that an outsider may know about a person, beside the time.",
        [],
    )
    sensitive: list[Text] = key("a list of names of columns", "Columns to publish as they are.", [])
    series: list[Text] = key(
        "a list of names of columns",
        "For the method `patterns`: the columns with the values of each person, one for each time "
        "and in the order of time; or one column, with the time of each value in `time`.",
        [],
    )
    time_zone: Text = key(
        "the IANA name of a time zone",
        "The zone whose clock and calendar are meant, such as `Europe/Rome`.",
        "UTC",
    )
    time_unit: Text = key(
        "one of auto, year, month, s, ms, us",
        "How to read whole numbers in the time column: as years, as months such as 202403, or as "
        "seconds, milliseconds or microseconds since 1970. Texts such as 2024-03 need `month`; "
        "dates, timestamps and other ISO 8601 text need only `auto`, which refuses whole numbers. "
        "Years and months are published as such, never as their first day.",
        "auto",
    )
    spelling: Text = key(
        "one of refuse, merge, exact",
        "What is done where two subjects, or two sensitive values that the promise counts, differ "
        "only in capitals, width, blanks, invisible characters or Unicode form: `refuse` the "
        "table, `merge` them into one, or take what is written as what is meant (`exact`). Between "
        "releases, one spelling is recognised as the other unless it is `exact`.",
        "refuse",
    )


class DestinationSection(Section):
    """Where releases and the ledger go. Paths are relative to the plan."""

    releases: Text = key(
        "a path",
        "The folder that receives the releases `0001`, `0002`, … It may be handed out.",
        "releases",
    )
    ledger: Text = key(
        "a path",
        "The folder that remembers what was published. It stays with the owner.",
        "ledger",
    )
    csv: bool = key("true or false", "Whether to write CSV beside Parquet.", False)


SECTIONS: tuple[tuple[str, type[Section]], ...] = (
    ("source", SourceSection),
    ("schema", SchemaSection),
    ("guarantee", GranularitySection),
    ("guarantee.ladders", LadderSection),
    ("calendar", CalendarSection),
    ("calendar.business_days", BusinessDaysSection),
    ("guarantee", InvarianceSection),
    ("guarantee", RepositionSection),
    ("guarantee", PatternsSection),
    ("destination", DestinationSection),
)
"""The sections of a plan, by where they stand."""
