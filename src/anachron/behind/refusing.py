"""What is said of a table that cannot be read: where it is wrong, and never what it holds."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Flags
from anachron.database import lacking
from anachron.errors import Problem, TableError

__all__ = ["Marks", "Refuse", "reading", "refuse_marked"]


def refuse_marked(wrong: Flags, what: str, remedy: str, column: str, table: str) -> None:
    """Refuse a table some of whose rows are marked as wrong."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        many = f"{len(rows):,} row{'s' if len(rows) > 1 else ''}"
        raise TableError(Problem(f"{what} in {many}.", table, column, int(rows[0]) + 1, remedy))


Refuse = Callable[[Flags, str, str, str, str], None]
"""What :func:`refuse_marked` takes."""


class Marks:
    """Rows that are marked as wrong while a table passes by, some at a time."""

    def __init__(self) -> None:
        self._noted: dict[str, tuple[int, Problem]] = {}
        self.first = 0
        """How many rows have passed before those that are looked at."""

    def refuse(self, wrong: Flags, what: str, remedy: str, column: str, table: str) -> None:
        """Note what is wrong, and look at these rows no further."""
        rows = np.flatnonzero(wrong)
        if len(rows):
            first = Problem(what, table, column, self.first + int(rows[0]) + 1, remedy)
            many, known = self._noted.get(what, (0, first))
            self._noted[what] = many + len(rows), known
            raise _MarkedError

    @contextmanager
    def over(self, rows: int) -> Iterator[None]:
        """Look at so many rows more."""
        with suppress(_MarkedError):
            yield
        self.first += rows

    def tell(self) -> None:
        """Refuse the table if anything was noted."""
        if self._noted:
            raise self.error()

    def error(self) -> TableError:
        """What was noted first."""
        many, problem = next(iter(self._noted.values()))
        counted = f"{many:,} row{'s' if many > 1 else ''}"
        return TableError(replace(problem, what=f"{problem.what} in {counted}."))


class _MarkedError(Exception):
    """Some rows are wrong."""


@contextmanager
def reading(table: str) -> Iterator[None]:
    """Turn what libraries say, which may quote cells, into an error that does not."""
    try:
        yield
    except pa.ArrowMemoryError:
        what = "needs more memory than there is."
        remedy = "Set ANACHRON_MEMORY higher, for instance to '8GB', or free some."
    except PermissionError:
        what, remedy = "may not be read: permission denied.", "Ask its owner for the right to."
    except (duckdb.Error, pa.ArrowException, OSError, EOFError, zlib.error) as error:
        if problem := lacking(error):
            raise TableError(replace(problem, file=table)) from None
        what = "cannot be read: it is damaged, incomplete or not what its name says."
        remedy = "Open it with the program that wrote it, and write it again."
    else:
        return
    raise TableError(Problem(what, table, remedy=remedy))
