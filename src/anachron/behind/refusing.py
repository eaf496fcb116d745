"""What is said of a table that cannot be read: where it is wrong, and never what it holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa

from anachron.arrays import Flags
from anachron.database import lacking
from anachron.errors import Problem, TableError

__all__ = ["reading", "refuse_marked"]


def refuse_marked(wrong: Flags, what: str, remedy: str, column: str, table: str) -> None:
    """Refuse a table some of whose rows are marked as wrong."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        many = f"{len(rows):,} row{'s' if len(rows) > 1 else ''}"
        raise TableError(Problem(f"{what} in {many}.", table, column, int(rows[0]) + 1, remedy))


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
