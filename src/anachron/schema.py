"""Which column plays which role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any
from zoneinfo import ZoneInfo

from anachron.errors import PlanError, Problem, TableError

__all__ = ["CALENDAR_UNITS", "EXACT", "MERGE", "REFUSE", "TIME_UNITS", "Schema", "check_published"]

CALENDAR_UNITS = ("year", "month")
"""Units of which the time column names a whole one: nothing finer is known of any row."""
TIME_UNITS = ("auto", *CALENDAR_UNITS, "s", "ms", "us")
"""How a whole number in the time column is to be read; ``auto`` refuses whole numbers."""
REFUSE, MERGE, EXACT = SPELLINGS = ("refuse", "merge", "exact")
"""What is done with two spellings of one person or one value."""


@dataclass(frozen=True)
class Schema:
    """Say which column is the person, which is the time, and what may identify.

    Columns that are not named here never leave.

    Parameters
    ----------
    subject
        The column that identifies the person (household, company). It is never published.
    time
        The column with the time of each event. A register of people, one row each, has none:
        leave it out.
    quasi
        Columns that an outsider may know about a person, beside the time.
    sensitive
        Columns to publish as they are.
    series
        Columns with the values of a time series for each person. *Wide*: several columns, one for
        each time, in the order of time; there is no ``time``, and one row for each person. *Long*:
        one column, with the ``time`` of each value beside it.
    time_zone
        The zone whose clock and calendar are meant, by its IANA name.
    time_unit
        How to read whole numbers in the time column: ``"year"``, ``"month"`` (as in 202403),
        ``"s"``, ``"ms"`` or ``"us"`` since 1970. Texts such as 2024-03 need ``"month"``; dates,
        timestamps and other ISO 8601 text need none. A year is one time, not its first day:
        nothing finer is published of it.
    spelling
        What is done where two subjects, or two sensitive values that a promise counts, differ only
        in capitals, width, blanks, invisible characters or Unicode form: ``"refuse"`` the table;
        ``"merge"`` them into one; or ``"exact"``, take what is written as what is meant, blanks
        around it and Unicode form NFC apart. Between releases, one spelling is recognised as the
        other unless it is ``"exact"``.

    Example
    -------
    >>> import anachron as an
    >>> schema = an.Schema(subject="patient", time="admitted", quasi=["age", "sex"],
    ...                    sensitive="diagnosis", time_zone="Europe/Rome")
    >>> schema.columns
    ('patient', 'admitted', 'age', 'sex', 'diagnosis')
    >>> an.Schema(subject="meter", series=["mon", "tue", "wed"], sensitive="tariff").columns
    ('meter', 'tariff', 'mon', 'tue', 'wed')
    """

    subject: str
    time: str = ""
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    time_zone: str = "UTC"
    time_unit: str = "auto"
    spelling: str = REFUSE

    def __init__(
        self,
        subject: str,
        time: str | None = None,
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        time_zone: str = "UTC",
        time_unit: str = "auto",
        series: str | Iterable[str] = (),
        spelling: str = REFUSE,
    ) -> None:
        roles = {
            "subject": subject,
            "time": "" if time is None else time,
            "quasi": (quasi,) if isinstance(quasi, str) else tuple(quasi),
            "sensitive": (sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
            "series": (series,) if isinstance(series, str) else tuple(series),
            "time_zone": time_zone,
            "time_unit": time_unit,
            "spelling": spelling,
        }
        for name, value in roles.items():
            object.__setattr__(self, name, value)
        problems = list(_problems(self))
        if problems:
            raise PlanError(problems)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns with a role, in the order of the schema."""
        time = (self.time,) if self.time else ()
        return (self.subject, *time, *self.quasi, *self.sensitive, *self.series)

    def to_dict(self) -> dict[str, Any]:
        """Give the schema as plain values, for plans and ledgers."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if not self.series:
            # Ledgers compare schemas, also with those that knew no series.
            del values["series"]
        if self.spelling == REFUSE:
            # Likewise with those that knew no spelling.
            del values["spelling"]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Schema:
        """Read back what :meth:`to_dict` gave."""
        return cls(**values)


def _problems(schema: Schema) -> Iterable[Problem]:
    for column in schema.columns:
        if not isinstance(column, str) or not column:
            yield Problem("the schema names a column that is not a text, or is empty.")
            return
    seen: set[str] = set()
    for column in schema.columns:
        if column in seen:
            yield Problem("has more than one role.", column=column, remedy="Give it one.")
        seen.add(column)
    if len(schema.series) == 1 and not schema.time:
        yield Problem(
            "series names one column and there is no time.",
            remedy="Name the column with the time of each value too, or a column for each time.",
        )
    if len(schema.series) > 1 and schema.time:
        yield Problem(
            f"series names {len(schema.series)} columns and there is a time.",
            remedy="Name one column of values and the time of each, or a column for each time and "
            "no time.",
        )
    if schema.time_unit not in TIME_UNITS:
        yield Problem(f"time_unit must be one of {', '.join(TIME_UNITS)}.")
    if schema.spelling not in SPELLINGS:
        yield Problem(f"spelling must be one of {', '.join(SPELLINGS)}.")
    try:
        ZoneInfo(schema.time_zone)
    except (KeyError, ValueError, OSError, TypeError):
        # ZoneInfoNotFoundError is a KeyError; path tricks raise ValueError.
        yield Problem(
            "time_zone is not a known time zone.",
            remedy="Use an IANA name such as 'Europe/Rome' or 'UTC'.",
        )


def check_published(names: Iterable[str], taken: str = "_low, _high, _start and _end") -> None:
    """Refuse columns that would be published under one name, whatever its capitals."""
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise TableError(
                Problem(
                    "two published columns would have this name.",
                    column=name,
                    remedy="Rename the column in the source; a release numbers its groups in "
                    f"'group', and {taken} are taken, too.",
                )
            )
        seen.add(name.casefold())
