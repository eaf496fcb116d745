"""Files of Stata and SAS by the readers of pandas, those of SPSS by one of our own."""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.behind.cells import columns_of_cells
from anachron.behind.spss import read_spss
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["ENDINGS", "read_statistics"]

ENDINGS = (".dta", ".sav", ".zsav", ".xpt", ".sas7bdat")
_DAMAGED = (ValueError, KeyError, IndexError, OSError, ImportError, OverflowError, TypeError,
            AttributeError, EOFError, struct.error, zlib.error)  # fmt: skip
"""What comes of files that are not as they should be."""
_EPOCH = datetime(1960, 1, 1)
_DAYS = ("DATE", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "WORDDATE", "WEEKDATE")
_MOMENTS = ("DATETIME", "E8601DT", "B8601DT")


def read_statistics(file: Path, how: Source, wanted: Sequence[str]) -> pa.Table:
    """Read the wanted columns, all types told by their values and formats."""
    try:
        if file.name.lower().endswith("sav"):
            columns = read_spss(file, wanted, labels=how.labels)
        else:
            columns = _pandas(file, how, wanted)
    except TableError:
        raise
    except _DAMAGED:
        remedy = "Open it with the program that wrote it, and write it again."
        raise TableError(Problem("cannot be read.", file.name, remedy=remedy)) from None
    return columns_of_cells(columns, file.name)


def _pandas(file: Path, how: Source, wanted: Sequence[str]) -> dict[str, list[Any]]:
    import pandas as pd

    formats: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if file.name.lower().endswith(".dta"):
            frame = pd.read_stata(file, columns=list(wanted), convert_categoricals=False)
            told = pd.read_stata(file, columns=list(wanted)) if how.labels else frame
            for name in wanted:
                # A column of which some values have no label stays as it is.
                if all(isinstance(value, str) for value in told[name].dropna().unique()):
                    frame[name] = told[name]
        elif file.name.lower().endswith(".sas7bdat"):
            with pd.read_sas(file, format="sas7bdat", encoding="infer", iterator=True) as reader:
                formats = dict(zip(reader.column_names, reader.column_formats, strict=True))
                frame = reader.read()
        else:
            with pd.read_sas(file, format="xport", encoding="utf-8", iterator=True) as reader:
                fields = reader.fields
                formats = {f["name"].decode(): f["nform"].decode().strip() for f in fields}
                frame = reader.read()
    return {name: _values(frame[name], formats.get(name, ""), pd) for name in wanted}


def _values(column: Any, shown: str, pd: Any) -> list[Any]:
    found = [None if pd.isna(value) or value == "" else value for value in column.tolist()]
    return [_value(value, shown, pd) for value in found]


def _value(value: Any, shown: str, pd: Any) -> Any:
    """A value as its format shows it, which pandas may know already."""
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    if not isinstance(value, int | float):
        return value
    if shown.startswith(_MOMENTS):
        return _EPOCH + timedelta(seconds=value)
    return _EPOCH + timedelta(days=value) if shown.startswith(_DAYS) else float(value)
