"""The plan as an object."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anachron.errors import PlanError, Problem
from anachron.guarantees import Guarantee
from anachron.plan.misfits import misfits
from anachron.plan.places import absolute, password_problems, place_problems
from anachron.schema import Schema

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """Everything needed to publish one table: source, schema, guarantee, destination.

    Parameters
    ----------
    table
        A file, a folder or pattern of files, or a table of a database, as text.
    schema
        Which column plays which role.
    guarantee
        What is promised.
    releases
        The folder that receives the releases.
    ledger
        The folder that remembers what was published; it stays with the owner.
    csv
        Whether to write CSV beside Parquet.

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

    table: str
    schema: Schema
    guarantee: Guarantee
    releases: Path
    ledger: Path
    csv: bool = False

    def __init__(
        self,
        table: str | os.PathLike[str],
        schema: Schema,
        guarantee: Guarantee,
        releases: str | os.PathLike[str] = "releases",
        ledger: str | os.PathLike[str] = "ledger",
        csv: bool = False,
    ) -> None:
        here = Path.cwd()
        values = {
            "table": absolute(os.fspath(table), here),
            "schema": schema,
            "guarantee": guarantee,
            "releases": Path(absolute(os.fspath(releases), here)),
            "ledger": Path(absolute(os.fspath(ledger), here)),
            "csv": csv,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        problems = [
            *password_problems(self.table),
            *place_problems(self.table, self.releases, self.ledger),
            *misfits(schema, guarantee),
        ]
        if problems:
            raise PlanError(problems)

    def __repr__(self) -> str:
        return (
            f"Plan(table={self.table!r}, schema={self.schema!r}, "
            f"guarantee={self.guarantee!r}, releases={str(self.releases)!r}, "
            f"ledger={str(self.ledger)!r}, csv={self.csv})"
        )

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
                Problem("exists already.", file=str(target), remedy="Choose another name.")
            ) from None
        except OSError as error:
            raise PlanError(
                Problem(f"cannot be written: {error.strerror}.", file=str(target))
            ) from None
        return target
