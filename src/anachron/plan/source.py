"""Where a table lies, and how to read it where it does not say so itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from anachron.errors import Problem
from anachron.parts.kinds import FLAG, one_of, whole_number
from anachron.parts.part import Kind, Reading, Value, defaults, part, parts_of
from anachron.parts.shapes import Holds, Text
from anachron.plan.places import key_problems, password_problems

__all__ = ["Encoding", "Source", "ending", "source_of"]

Encoding = Literal["utf-8", "utf-16", "cp1252", "latin-1", "iso-8859-15"]
"""How the characters of a text file are written as bytes."""
Decimal = Literal[".", ","]
"""What stands before the digits after the point."""

PACKED = (".gz", ".zst")
"""Endings of files that are packed."""
_ONLY = {
    "sheet": ((".xlsx", ".xlsm", ".ods"), "spreadsheets"),
    "header": ((".xlsx", ".xlsm", ".ods"), "spreadsheets"),
    "encoding": ((".csv", ".tsv", ".txt"), "text files"),
    "decimal": ((".csv", ".tsv", ".txt"), "text files"),
    "labels": ((".dta", ".sav", ".zsav"), "files of Stata and SPSS"),
}
"""Which tables an option is for."""


def ending(table: str) -> str:
    """What the name of a file ends in, packing apart: ``.csv`` of ``visits.csv.gz``."""
    name = (urlsplit(table).path if "://" in table else table).lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]  # noqa: PTH122 - patterns and addresses are no paths


def _text(_: str, given: str | os.PathLike[str]) -> str:
    return os.fspath(given)


@dataclass(frozen=True, init=False, repr=False)
class Source(Value):
    """The table to publish.

    Wherever a table can be given, a source can: it says how to read what does not say so itself.

    Parameters
    ----------
    table
        A file, a folder or pattern of files, or a table of a database, as text.
    sheet
        For a spreadsheet with several sheets: the name of the one that holds the table.
    header
        For a spreadsheet: the row of the sheet that names the columns; what stands above it is
        not read.
    encoding
        For text files: how characters are written, ``"utf-8"``, ``"utf-16"``, ``"cp1252"``
        (Windows, western Europe), ``"latin-1"`` or ``"iso-8859-15"``. It is never guessed.
    decimal
        For text files: the sign before the digits after the point, ``"."`` or ``","``.
    labels
        For files of Stata and SPSS: publish the labels of values instead of their codes, of
        columns in which every value has one.

    Example
    -------
    >>> import anachron as an
    >>> an.Source("visits.xlsx", sheet="Admissions", header=3)
    Source('visits.xlsx', sheet='Admissions', header=3)
    >>> an.Source("visits.csv", encoding="cp1252", decimal=",").options
    {'encoding': 'cp1252', 'decimal': ','}
    """

    table: str = part(
        Kind(Holds("a path or the address of a table", Text), _text),
        remark="See [tables](../tables.md) for all kinds. Paths are relative to the plan. A "
        "password has no place here: PostgreSQL finds it in `PGPASSWORD`, in `~/.pgpass`, or in a "
        "service file (`postgresql:///?service=NAME#TABLE`).",
    )
    sheet: str | None = part(
        Kind(Holds("the name of a sheet", Text), lambda _, given: str(given)), optional=True
    )
    header: int = part(whole_number(1, 1_048_576))
    encoding: Encoding = part(one_of(Encoding))
    decimal: Decimal = part(one_of(Decimal))
    labels: bool = part(FLAG)

    def __init__(
        self,
        table: str | os.PathLike[str],
        sheet: str | None = None,
        header: int = 1,
        encoding: Encoding = "utf-8",
        decimal: Decimal = ".",
        labels: bool = False,
    ) -> None:
        self._keep(locals())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        if "table" in reading.kept:
            reading.problems += password_problems(reading.kept["table"])
            reading.problems += key_problems(reading.kept["table"])
            reading.problems += _misfits(reading.kept)

    @property
    def options(self) -> dict[str, Any]:
        """What is said beside the place."""
        usual = defaults(type(self))
        told = {name: getattr(self, name) for name in parts_of(type(self)) if name != "table"}
        return {name: value for name, value in told.items() if value != usual[name]}

    def at(self, table: str | os.PathLike[str]) -> Source:
        """Another table, to be read in the same way."""
        return replace(self, table=os.fspath(table))

    def __repr__(self) -> str:
        return f"Source({', '.join([repr(self.table), *_named(self.options)])})"


def source_of(table: object) -> Source | None:
    """A table of which a place is known, as a source; None for what is in memory."""
    if isinstance(table, Source):
        return table
    return Source(table) if isinstance(table, str | os.PathLike) else None


def _named(options: Mapping[str, Any]) -> Iterator[str]:
    return (f"{name}={value!r}" for name, value in options.items())


def _misfits(kept: Mapping[str, Any]) -> Iterator[Problem]:
    """Options that the table has no use for: they would be overlooked in silence."""
    usual, of = defaults(Source), ending(kept["table"])
    known = {one for endings, _ in _ONLY.values() for one in endings}
    for name, (endings, what) in _ONLY.items():
        foreign = of not in endings and (of in known or of in (".parquet", ".jsonl", ".ndjson"))
        if foreign and kept.get(name, usual[name]) != usual[name]:
            yield Problem(f"{name} is for {what}.", remedy=f"Leave {name} out.")
