"""The plan as an object."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anachron.errors import PlanError
from anachron.guarantees import Guarantee
from anachron.identity import Identity
from anachron.parts.kinds import FLAG, as_given
from anachron.parts.part import Kind, Reading, Value, part
from anachron.parts.shapes import Holds, Text
from anachron.plan.engine import Engine, engine_of
from anachron.plan.places import absolute, key_problems, password_problems, place_problems
from anachron.plan.source import Source
from anachron.schema import Schema
from anachron.stores import Address, Place, placed

__all__ = ["Plan"]


def _place(_: str, given: str | os.PathLike[str]) -> str:
    return absolute(os.fspath(given), Path.cwd())


def _of(given: str | os.PathLike[str] | Address) -> Place:
    return given if isinstance(given, Address) else placed(_place("", given))


def _table(name: str, given: str | os.PathLike[str] | Source) -> str | Source:
    """A source that says no more than its place is its place."""
    if isinstance(given, Source) and given.options:
        return given.at(_place(name, given.table))
    return _place(name, given.table if isinstance(given, Source) else given)


_FOLDER = Kind(Holds("a path", Text), lambda name, given: Path(_place(name, given)))
_RELEASES = Kind(Holds("a path or the address of a store", Text), lambda _, given: _of(given))
_SECTION = Kind(Holds("a section of its own", Any), as_given)


def _identity(_: str, given: Identity | Mapping[str, str] | None) -> Identity:
    return given if isinstance(given, Identity) else Identity.from_dict(given or {})


_IDENTITY = Kind(Holds("a section of its own", Any), _identity)
_ENGINE = Kind(Holds("a section of its own", Any), lambda _, given: engine_of(given))


@dataclass(frozen=True, init=False, repr=False)
class Plan(Value):
    """Everything needed to publish one table: source, schema, guarantee, destination.

    Parameters
    ----------
    table
        A file, a folder or pattern of files, or a table of a database, as text; or a
        :class:`Source`, which also says how to read it.
    schema
        Which column plays which role.
    guarantee
        What is promised.
    releases
        The folder that receives the releases, or a place in an object store, such as
        ``"s3://bucket/prefix"``.
    ledger
        The folder that remembers what was published; it stays with the owner.
    csv
        Whether to write CSV beside Parquet.
    certificate
        What certificates name: title, publisher, recipient, purpose, contact and licence, each
        optional. Nothing that is published depends on it.
    engine
        Which engine holds the rows: ``"local"``, or ``"spark"`` with its master, as in
        ``"spark:local[4]"``. Nothing that is published depends on it.

    Paths are made absolute: a plan means the same wherever it is used from. In a file they
    are relative to the folder of the plan.

    Example
    -------
    >>> import anachron as an
    >>> plan = an.Plan(
    ...     table="visits.parquet",
    ...     schema=an.Schema(subject="patient", time="admitted", quasi=["age"]),
    ...     guarantee=an.TimeGranularity(k=5, granularities=["day", "week", "month"]),
    ... )
    >>> print(plan.to_toml())
    [source]
    table = "visits.parquet"
    <BLANKLINE>
    [schema]
    subject = "patient"
    time = "admitted"
    quasi = ["age"]
    sensitive = []
    time_zone = "UTC"
    time_unit = "auto"
    <BLANKLINE>
    [guarantee]
    method = "granularity"
    k = 5
    granularities = ["day", "week", "month"]
    metric = "paper"
    max_suppressed = "0"
    keep = "time"
    <BLANKLINE>
    [destination]
    releases = "releases"
    ledger = "ledger"
    csv = false
    <BLANKLINE>
    """

    table: str | Source = part(Kind(Holds("a path or the address of a table", Text), _table))
    schema: Schema = part(_SECTION)
    guarantee: Guarantee = part(_SECTION)
    releases: Place = part(
        _RELEASES, remark="They are called `0001`, `0002`, … and may be handed out."
    )
    ledger: Path = part(_FOLDER)
    csv: bool = part(Kind(FLAG.holds, as_given))
    certificate: Identity = part(_IDENTITY)
    engine: Engine = part(_ENGINE)

    def __init__(
        self,
        table: str | os.PathLike[str] | Source,
        schema: Schema,
        guarantee: Guarantee,
        releases: str | os.PathLike[str] | Address = "releases",
        ledger: str | os.PathLike[str] = "ledger",
        csv: bool = False,
        certificate: Identity | Mapping[str, str] | None = None,
        engine: Engine | str | None = None,
    ) -> None:
        self._keep(locals())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        given, ledger = reading.kept["table"], reading.kept["ledger"]
        table = given.table if isinstance(given, Source) else given
        reading.problems += password_problems(table)
        reading.problems += key_problems(table)
        if "releases" in reading.kept:
            reading.problems += place_problems(table, reading.kept["releases"], ledger)
        reading.problems += reading.kept["guarantee"].misfits(reading.kept["schema"])

    def __repr__(self) -> str:
        stated = self.certificate.to_dict()
        return (
            f"Plan(table={self.table!r}, schema={self.schema!r}, "
            f"guarantee={self.guarantee!r}, releases={str(self.releases)!r}, "
            f"ledger={str(self.ledger)!r}, csv={self.csv}"
            + (f", certificate={stated!r}" if stated else "")
            + (f", engine={self.engine!r})" if self.engine != Engine() else ")")
        )

    @property
    def source(self) -> Source:
        """The table, and how to read it."""
        return self.table if isinstance(self.table, Source) else Source(self.table)

    def with_table(self, table: str | os.PathLike[str]) -> Plan:
        """The same plan for another table, such as the next snapshot, read in the same way."""
        return replace(self, table=self.source.at(table))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan file; everything that is wrong with it is reported at once."""
        from anachron.plan.read import read

        return read(Path(path))

    def to_toml(
        self, folder: str | os.PathLike[str] = ".", notes: Mapping[str, str] | None = None
    ) -> str:
        """Give the plan as TOML.

        Parameters
        ----------
        folder
            The folder in which the plan will lie: paths inside it are written relative to it.
        notes
            Comments to put above a key, by its path, such as ``"guarantee.k"``.
        """
        from anachron.plan.write import to_toml

        return to_toml(self, Path(folder), notes or {})

    def write(self, path: str | os.PathLike[str], notes: Mapping[str, str] | None = None) -> Path:
        """Write the plan to a new file for its owner; one that exists is never overwritten."""
        target = Path(path)
        text = self.to_toml(target.parent, notes)
        try:
            # For its owner alone: orders and hierarchies list values of the table.
            made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(made, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            raise PlanError(
                "exists already.", file=str(target), remedy="Choose another name."
            ) from None
        except OSError as error:
            raise PlanError(f"cannot be written: {error.strerror}.", file=str(target)) from None
        return target
