"""Which column plays which role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

from anachron.errors import PlanError, Problem, TableError
from anachron.parts.formats import TIME_FORMAT
from anachron.parts.kinds import one_of
from anachron.parts.part import Kind, Plain, Reading, freely, never, part
from anachron.parts.shapes import Holds, Text

__all__ = ["CALENDAR_UNITS", "EACH_ROW", "EXACT", "MERGE", "REFUSE", "Schema", "TimeUnit",
           "ambiguous", "check_published", "known_again"]  # fmt: skip

EACH_ROW = "each row"
"""Stands for the subject where every row is another person, and no column says who."""

CALENDAR_UNITS = ("year", "month")
"""Units of which the time column names a whole one: nothing finer is known of any row."""
TimeUnit = Literal["auto", "year", "month", "s", "ms", "us"]
"""How a whole number in the time column is to be read; ``auto`` refuses whole numbers."""
Spelling = Literal["refuse", "merge", "exact"]
"""What is done with two spellings of one person or one value."""
REFUSE: Spelling
MERGE: Spelling
EXACT: Spelling
REFUSE, MERGE, EXACT = get_args(Spelling)


def _zone(name: str, given: Any) -> str:
    try:
        ZoneInfo(given)
    except (KeyError, ValueError, OSError, TypeError):
        # ZoneInfoNotFoundError is a KeyError; path tricks raise ValueError.
        raise PlanError(
            f"{name} is not a known time zone.",
            remedy="Use an IANA name such as 'Europe/Rome' or 'UTC'.",
        ) from None
    return str(given)


def _who(_: str, given: Any) -> str | tuple[str, ...]:
    """Keep one column, several, or that each row is a person."""
    if not isinstance(given, list | tuple):
        return "" if given is None else given
    return given[0] if len(given) == 1 and given[0] != EACH_ROW else tuple(given)


_SUBJECT = Kind(
    Holds(f'the name of a column, a list of them, or "{EACH_ROW}"', Text | list[Text]), _who
)
_COLUMN = Kind(Holds("the name of a column", Text), lambda _, given: "" if given is None else given)
_COLUMNS = Kind(
    Holds("a list of names of columns", list[Text]),
    lambda _, given: (given,) if isinstance(given, str) else tuple(given),
)
_ZONE = Kind(Holds("the IANA name of a time zone", Text), _zone)


@dataclass(frozen=True, init=False)
class Schema(Plain):
    """Say which column is the person, which is the time, and what may identify.

    Columns that are not named here never leave.

    Parameters
    ----------
    subject
        The column that identifies the person (household, company), or several that do so together:
        ``["id", "year"]``. It is never published. If each row is another person and no column
        says who, ``"each row"``: then rows are counted, and nobody is known again in a later
        release.
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
    time_format
        How texts in the time column are written, if not as ISO 8601: ``"%d.%m.%Y"``, or
        ``"%m/%d/%Y %I:%M %p"``. It is never guessed.
    stored_zone
        The zone whose clock the times in the table show, if it is not ``time_zone``: a database
        may store them in UTC and mean days of Rome.

    Example
    -------
    >>> import anachron as an
    >>> schema = an.Schema(subject="patient", time="admitted", quasi=["age", "sex"],
    ...                    sensitive="diagnosis", time_zone="Europe/Rome")
    >>> schema.columns
    ('patient', 'admitted', 'age', 'sex', 'diagnosis')
    >>> an.Schema(subject="meter", series=["mon", "tue", "wed"], sensitive="tariff").columns
    ('meter', 'tariff', 'mon', 'tue', 'wed')
    >>> an.Schema(subject=["clinic", "patient"], time="admitted").subject_columns
    ('clinic', 'patient')
    """

    subject: str | tuple[str, ...] = part(_SUBJECT, never("people are recognised by it"))
    time: str = part(_COLUMN, never("snapshots are told by it"))
    quasi: tuple[str, ...] = part(
        _COLUMNS,
        never("releases with other columns, laid together, tell more than each promises"),
    )
    sensitive: tuple[str, ...] = part(
        _COLUMNS, never("the sets that people keep are made of its values")
    )
    series: tuple[str, ...] = part(
        _COLUMNS, never("they are the values that are published"), before=()
    )
    time_zone: str = part(_ZONE, never("the same time would lie in another snapshot"))
    time_unit: TimeUnit = part(one_of(TimeUnit), never("the same number would be another time"))
    spelling: Spelling = part(
        one_of(Spelling),
        freely(
            "it decides what one table may hold; by what people are recognised is recorded with "
            "the first release, and a spelling that contradicts it is refused"
        ),
        before=REFUSE,
    )
    time_format: str | None = part(
        TIME_FORMAT,
        freely("times are known by what they are, not by how they are written"),
        optional=True,
        before=None,
    )
    stored_zone: str | None = part(
        _ZONE,
        freely("times are known as moments, whatever clock showed them"),
        optional=True,
        before=None,
    )

    def __init__(
        self,
        subject: str | Sequence[str],
        time: str | None = None,
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        time_zone: str = "UTC",
        time_unit: TimeUnit = "auto",
        series: str | Iterable[str] = (),
        spelling: Spelling = REFUSE,
        time_format: str | None = None,
        stored_zone: str | None = None,
    ) -> None:
        self._keep(locals())

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns with a role, in the order of the schema."""
        return _columns(vars(self))

    @property
    def each_row(self) -> bool:
        """Whether each row is another person, and no column says who."""
        return self.subject == EACH_ROW

    @property
    def subject_columns(self) -> tuple[str, ...]:
        """The columns that tell people apart; none if each row is a person."""
        return _subject(self.subject)

    @property
    def person(self) -> str:
        """How messages name what tells people apart."""
        return " + ".join(self.subject_columns) or EACH_ROW

    @property
    def clock_zone(self) -> str:
        """The zone whose clock the times in the table show."""
        return self.stored_zone or self.time_zone

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        reading.problems.extend(_problems(_columns(reading.kept), **reading.kept))


def _subject(given: str | tuple[str, ...]) -> tuple[str, ...]:
    if given == EACH_ROW:
        return ()
    return given if isinstance(given, tuple) else (given,)


def _columns(parts: Mapping[str, Any]) -> tuple[str, ...]:
    who, when = _subject(parts["subject"]), (parts["time"],) if parts["time"] else ()
    return (*who, *when, *parts["quasi"], *parts["sensitive"], *parts["series"])


def _problems(
    columns: tuple[str, ...],
    subject: str | tuple[str, ...],
    time: str,
    series: tuple[str, ...],
    **others: object,
) -> Iterator[Problem]:
    if not all(isinstance(column, str) and column for column in columns):
        yield Problem("the schema names a column that is not a text, or is empty.")
        return
    if not subject:
        yield Problem(
            "subject names no column.",
            remedy=f"Name those that tell people apart; or, if each row is one, {EACH_ROW!r}.",
        )
    if EACH_ROW in columns and (subject == EACH_ROW or EACH_ROW in _subject(subject)):
        yield ambiguous()
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            yield Problem("has more than one role.", column=column, remedy="Give it one.")
        seen.add(column)
    yield from _clock_problems(time, **others)
    if len(series) == 1 and not time:
        yield Problem(
            "series names one column and there is no time.",
            remedy="Name the column with the time of each value too, or a column for each time.",
        )
    if len(series) > 1 and time:
        yield Problem(
            f"series names {len(series)} columns and there is a time.",
            remedy="Name one column of values and the time of each, or a column for each time and "
            "no time.",
        )


def known_again(schema: Schema, before: str | Sequence[str]) -> bool:
    """Whether people can be the same as in a release with another subject, by what it names.

    One column may be renamed. Several must be the same, and rows are nobody in particular.

    >>> known_again(Schema("patient"), "patient_id"), known_again(Schema("each row"), "each row")
    (True, False)
    """
    if isinstance(schema.subject, str) and isinstance(before, str):
        return EACH_ROW not in (schema.subject, before)
    return sorted(schema.subject_columns) == sorted(before)


def ambiguous(table: str | None = None) -> Problem:
    """Tell that a column has the name by which each row is said to be a person."""
    return Problem(
        "is the name of a column, and says that each row is a person: one cannot tell which.",
        table,
        EACH_ROW,
        remedy="Rename the column in the source.",
    )


def _clock_problems(
    time: str,
    time_unit: object = "auto",
    time_format: object = None,
    stored_zone: object = None,
    **_: object,
) -> Iterator[Problem]:
    """What is said of times that there are not, or that are told by no clock."""
    for name, given in (("time_format", time_format), ("stored_zone", stored_zone)):
        if given is None:
            continue
        if not time:
            yield Problem(f"{name} is given, and there is no time.", remedy="Leave it out.")
        elif time_unit != "auto":
            yield Problem(
                f"{name} is given, and time_unit says that times are whole numbers or months.",
                remedy="Give one of them.",
            )


def check_published(names: Iterable[str], taken: str = "_low, _high, _start and _end") -> None:
    """Refuse columns that would be published under one name, whatever its capitals."""
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise TableError(
                "two published columns would have this name.",
                column=name,
                remedy="Rename the column in the source; a release numbers its groups in "
                f"'group', and {taken} are taken, too.",
            )
        seen.add(name.casefold())
