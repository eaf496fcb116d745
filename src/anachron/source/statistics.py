"""Files of Stata, SPSS and SAS, read with pyreadstat.

Numbers are what the file holds, or their labels if that is asked for and every value has one. What
a file declares missing is missing, whatever its reason. Days and moments are told by the format of
a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.errors import Problem, TableError
from anachron.plan.source import Source as From
from anachron.source.base import extra, require_columns
from anachron.source.cells import table_of

__all__ = ["STATISTICS", "read_statistics"]

STATISTICS = {".dta": "read_dta", ".sav": "read_sav", ".zsav": "read_sav", ".xpt": "read_xport",
              ".sas7bdat": "read_sas7bdat"}  # fmt: skip
"""The files, by ending, and what reads them."""
_SINCE = {"dta": datetime(1960, 1, 1), "xpt": datetime(1960, 1, 1), "sav": datetime(1582, 10, 14)}
_DAYS = {
    "dta": r"%-?t?d.*",
    "sav": r"(DATE|ADATE|EDATE|SDATE|JDATE)[0-9.]*",
    "xpt": r"(DATE|(DDMMYY|MMDDYY|YYMMDD)[A-Z]?|[EB]8601DA|WORDDATE|WEEKDATE)[0-9.]*",
}
_MOMENTS = {
    "dta": r"%-?tc.*",
    "sav": r"(DATETIME|YMDHMS)[0-9.]*",
    "xpt": r"(DATETIME|E8601DT|B8601DT)[0-9.]*",
}
_OTHERS = {
    "dta": r"%-?t[^dcg].*",
    "sav": r"(D?TIME|MTIME|MOYR|QYR|WKYR|WKDAY|MONTH)[0-9.]*",
    "xpt": r"(TIME|HHMM|MONYY|YYMM|YYQ|QTR|E8601TM|TOD)[A-Z]?[0-9.]*",
}
"""Formats of days, of moments, and of times that are neither."""


def read_statistics(file: Path, name: str, how: From, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns."""
    with extra("stats", "files of Stata, SPSS and SAS", name):
        import pyreadstat
    ending = Path(name.lower()).suffix
    read: Callable[..., Any] = getattr(pyreadstat, STATISTICS[ending])
    try:
        _, head = read(file, metadataonly=True)
        require_columns(head.column_names, wanted, name)
        raw, head = read(
            file,
            usecols=list(wanted),
            output_format="dict",
            disable_datetime_conversion=True,
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, LookupError,
            OSError):  # fmt: skip
        raise TableError(
            "cannot be read: it is damaged, incomplete or not what its name says.",
            name,
            remedy="Open it with the program that wrote it, and write it again.",
        ) from None
    # Both kinds of files of SAS count and show times in the same way.
    kind = {".zsav": "sav", ".sas7bdat": "xpt"}.get(ending, ending[1:])
    labels = head.variable_value_labels if how.labels else {}
    columns: dict[str, list[Any]] = {}
    for column in wanted:
        shown = head.original_variable_types[column]
        try:
            columns[column] = _column(raw[column], shown, labels.get(column), kind, name, column)
        except OverflowError:
            raise TableError(
                "holds a time outside the years 1 to 9999.", name, column, remedy="Correct it."
            ) from None
    _check_rows({column: len(values) for column, values in columns.items()}, head, name)
    return table_of(columns, name)


def _column(
    raw: Any, shown: str, labels: Mapping[Any, str] | None, kind: str, name: str, column: str
) -> list[Any]:
    """The values of a column: texts, numbers, dates, or labels of all of them."""
    values = [None if _is_missing(value) else value for value in np.asarray(raw, object).tolist()]
    if labels and all(value is None or value in labels for value in values):
        return [None if value is None else labels[value] for value in values]
    if any(isinstance(value, str) for value in values):
        return values
    if re.fullmatch(_OTHERS[kind], shown or ""):
        raise TableError(
            Problem(
                "holds times that are neither days nor moments.",
                name,
                column,
                remedy="Convert them to dates or to numbers, or leave the column without a role.",
            )
        )
    since = _SINCE[kind]
    if re.fullmatch(_DAYS[kind], shown or ""):
        unit = timedelta(seconds=1) if kind == "sav" else timedelta(days=1)
        return [None if v is None else _day(_at(since, unit, v)) for v in values]
    if re.fullmatch(_MOMENTS[kind], shown or ""):
        unit = timedelta(milliseconds=1) if kind == "dta" else timedelta(seconds=1)
        return [None if v is None else _at(since, unit, v) for v in values]
    return [None if value is None else float(value) for value in values]


def _at(since: datetime, unit: timedelta, number: float) -> datetime:
    found = since + unit * float(number)
    # Seconds are kept as floating-point numbers, of which milliseconds can be relied on.
    return found.replace(microsecond=0) + timedelta(milliseconds=round(found.microsecond / 1000))


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and value != value)


def _check_rows(found: Mapping[str, int], head: Any, name: str) -> None:
    """Refuse a file of which other rows were read than its head declares, if it does."""
    if len({*found.values(), *([] if head.number_rows is None else [head.number_rows])}) > 1:
        raise TableError(
            "has another number of rows than it declares.",
            name,
            remedy="Open it with the program that wrote it, and write it again.",
        )
