"""What all readers of tables share: the opened source, names, and failures."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from anachron.database import lacking
from anachron.errors import Problem, TableError

__all__ = [
    "RELATION",
    "ColumnsNotFound",
    "Source",
    "check_opens",
    "exactly",
    "extra",
    "few_at_a_time",
    "literal",
    "quoted",
    "reading",
    "require_columns",
    "view_of",
]

RELATION = "source"
"""The name under which the opened table is known on its connection."""

_NO_SUCH_NAME = (
    "Check the name in the schema; in a text file, the first line must name the columns."
)


_FEW = 50
_MOST_PROBLEMS = 100


@dataclass(frozen=True, eq=False)
class Source:
    """A table that was opened and can be scanned, rows in the order of the source."""

    name: str
    """How messages call it: the name of the file, or "the table"."""
    relation: str
    """The SQL name of the view or table on the connection."""
    columns: Mapping[str, str]
    """The columns with a role and their DuckDB types."""
    one_pass: bool
    """Whether the table could be read only once, and was therefore copied."""
    held: pa.Table | None = field(default=None, repr=False)
    """The Arrow table behind the relation, for further cursors to see it."""
    is_gone: bool = False
    """Whether nobody can read the table again: what is held is all there is of it."""
    of_folders: frozenset[str] = frozenset()
    """The columns that are named by folders of files, such as ``year=2024``."""


def quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def few_at_a_time(columns: Sequence[str]) -> Iterator[Sequence[str]]:
    """Some columns after the others: DuckDB takes far longer for one question about thousands."""
    for start in range(0, len(columns), _FEW):
        yield columns[start : start + _FEW]


def exactly(file: Path) -> str:
    """Escape the signs of patterns in a path, for DuckDB takes every path for a pattern."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(file))


def view_of(
    con: duckdb.DuckDBPyConnection, name: str, scan: str, wanted: Sequence[str], copy: bool
) -> Source:
    """Open what a piece of SQL scans, with the wanted columns only."""
    with reading(name):
        require_columns(con.sql(f"SELECT * FROM {scan} LIMIT 0").columns, wanted, name)
        chosen = ", ".join(quoted(column) for column in wanted)
        kind = "TABLE" if copy else "VIEW"
        con.execute(f"CREATE {kind} {RELATION} AS SELECT {chosen} FROM {scan}")
        return Source(name, RELATION, types_of(con, RELATION), one_pass=copy)


def types_of(con: duckdb.DuckDBPyConnection, relation: str) -> dict[str, str]:
    """The columns of a relation and their DuckDB types."""
    empty = con.sql(f"SELECT * FROM {relation} LIMIT 0")
    return {name: str(kind) for name, kind in zip(empty.columns, empty.types, strict=True)}


@contextmanager
def extra(name: str, what: str, file: str | None = None) -> Iterator[None]:
    """Import what only some people need; the error says how to install it."""
    try:
        yield
    except ImportError:
        raise TableError(
            f"{what} need a library that is not installed.",
            file,
            remedy=f"Install it: pip install 'anachron[{name}]'",
        ) from None


class ColumnsNotFound(TableError):
    """Wanted columns are missing, or not to be told apart; ``found`` are those there are."""

    def __init__(self, problems: Sequence[Problem], found: list[str]) -> None:
        super().__init__(problems)
        self.found = found


def require_columns(found: Sequence[object], wanted: Sequence[str], name: str) -> None:
    """Refuse a table that lacks wanted columns, or has one of them twice."""
    problems: list[Problem] = []
    names = [str(column) for column in found]
    times_found = Counter(names)
    for column in wanted:
        if len(problems) >= _MOST_PROBLEMS:
            problems.append(Problem("has further columns that are missing, or not one.", name))
            break
        if column not in times_found:
            close = difflib.get_close_matches(column.lower(), [n.lower() for n in names], n=3)
            meant = " or ".join(repr(n) for n in names if n.lower() in close)
            hint = f"Did you mean {meant}?" if meant else _NO_SUCH_NAME
            problems.append(Problem("is not in the table.", name, column, remedy=hint))
        elif times_found[column] > 1:
            problems.append(
                Problem(
                    f"stands {times_found[column]} times in the table.",
                    name,
                    column,
                    remedy="Rename or drop the others, so that the name says which one is meant.",
                )
            )
    # Names are compared without regard to case by SQL.
    for folded, times in Counter(column.lower() for column in wanted).items():
        if times > 1:
            twin = next(column for column in wanted if column.lower() == folded)
            problems.append(
                Problem(
                    "differs from another column with a role in capitals only.",
                    name,
                    twin,
                    remedy="Rename one of them.",
                )
            )
    if problems:
        raise ColumnsNotFound(problems, names)


def check_opens(file: Path) -> None:
    """Refuse a file that may not be read, before a library takes it for a damaged one."""
    try:
        file.open("rb").close()
    except OSError as error:
        raise _refused(file.name, error) from None


def _refused(name: str, error: OSError) -> TableError:
    if isinstance(error, PermissionError):
        what, remedy = "may not be read: permission denied.", "Ask its owner for the right to."
    else:
        what = "cannot be read: it is damaged, incomplete or not what its name says."
        remedy = "Open it with the program that wrote it, and write it again."
    return TableError(what, name, remedy=remedy)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn failures of the readers underneath into errors that repeat no cell.

    Their own messages quote lines of the table, so they are never passed on.
    """
    try:
        yield
    except pa.ArrowMemoryError:
        raise TableError(
            "needs more memory than there is.",
            name,
            remedy="Set ANACHRON_MEMORY higher, for instance to '8GB', or free some.",
        ) from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        if problem := lacking(error):
            raise TableError(replace(problem, file=name)) from None
        raise _refused(name, error if isinstance(error, OSError) else OSError()) from None
