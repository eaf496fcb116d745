"""Open a table that is to be checked, with the columns that a claim names; look at its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from anachron.auditing.check import Found, check
from anachron.auditing.foreign.claim import Claim
from anachron.auditing.reading.database import literal, quoted
from anachron.auditing.records import check_count
from anachron.database import connected
from anachron.errors import Problem, TableError
from anachron.source.base import ColumnsNotFound, Source, reading
from anachron.source.read import open_source

__all__ = ["TOLD", "Cell", "Opened", "cell_figures", "intervals", "opened"]

_ENDS = (("low", "high"), ("start", "end"), ("min", "max"), ("from", "to"))
"""How tools name the two columns of an interval."""
_NUMBER = '"number of the row in the table"'
TOLD = "v IS NOT NULL AND NOT regexp_full_match(trim(CAST(v AS VARCHAR)), '[*]*')"
"""SQL: a cell is a value. What is missing or suppressed makes a group no more diverse."""


@dataclass(frozen=True)
class Cell:
    """How a quasi column is published: as one column, or as the two bounds of an interval."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...] = ()

    @property
    def suppressed(self) -> str:
        """SQL: nothing is left of the cell."""
        texts = (f"regexp_full_match(trim(CAST({quoted(c)} AS VARCHAR)), '[*]+')"
                 for c in self.columns)  # fmt: skip
        return " AND ".join(
            f"({quoted(column)} IS NULL OR {text})"
            for column, text in zip(self.columns, texts, strict=True)
        )


@dataclass(frozen=True, eq=False)
class Opened:
    """A table on a connection, and names for its columns that cannot clash with any of its own."""

    con: duckdb.DuckDBPyConnection
    name: str
    cells: tuple[Cell, ...]
    there: str
    """SQL: the rows that are judged, with their own columns."""
    judged: str
    """SQL: the same with ``k0``, ``k1``, … (what makes a group), ``who``, and ``v0``, ``v1``, …"""
    key: tuple[str, ...]
    numbered: str
    """SQL: the same as ``judged``, with the number ``nth`` of each row in the table, from 1."""
    has_subject: bool
    suppressed: int
    """Rows of which no quasi value is left."""

    @property
    def keys(self) -> str:
        """SQL: the columns that make a group."""
        return ", ".join(self.key)

    def one(self, query: str) -> tuple[int, ...]:
        """The one row that a query gives."""
        found = self.rows(query)
        return tuple(int(number or 0) for number in found[0])

    def rows(self, query: str) -> list[tuple[int, ...]]:
        """All rows of a query; failures repeat no cell."""
        with reading(self.name):
            return self.con.execute(query).fetchall()

    def run(self, query: str) -> None:
        """Carry out what gives no rows; failures repeat no cell."""
        with reading(self.name):
            self.con.execute(query)


@contextmanager
def opened(table: object, claim: Claim) -> Iterator[Opened]:
    """Open a table of any kind that can be published, too."""
    with connected() as con:
        others = [*claim.sensitive, *filter(None, (claim.subject, claim.group))]
        source, cells = _open(table, con, claim.known, others)
        gone = " AND ".join(f"({cell.suppressed})" for cell in cells)
        with reading(source.name):
            query = f"SELECT count(*), count_if({gone}) FROM {source.relation}"
            total, suppressed = con.execute(query).fetchall()[0]
        check_count(table, len(source.columns), int(total))
        if not total:
            raise TableError(
                Problem("has no rows.", source.name, remedy="Give the table with its rows.")
            )
        kept = f" WHERE NOT ({gone})" if claim.skip_suppressed else ""
        names = [column for cell in cells for column in cell.columns]
        names = names if claim.group is None else [claim.group]
        key = [f"{quoted(name)} AS k{i}" for i, name in enumerate(names)]
        who = "NULL" if claim.subject is None else quoted(claim.subject)
        values = [f"{quoted(name)} AS v{i}" for i, name in enumerate(claim.sensitive)]
        chosen = ", ".join([*key, f"{who} AS who", *values])
        rows = f"(SELECT *, row_number() OVER () AS {_NUMBER} FROM {source.relation})"
        yield Opened(
            con=con,
            name=source.name,
            cells=cells,
            there=source.relation + kept,
            judged=f"(SELECT {chosen} FROM {source.relation}{kept})",
            key=tuple(f"k{i}" for i in range(len(key))),
            numbered=f"(SELECT {chosen}, {_NUMBER} AS nth FROM {rows}{kept})",
            has_subject=claim.subject is not None,
            suppressed=int(suppressed),
        )


def _open(
    table: object, con: duckdb.DuckDBPyConnection, known: Sequence[str], others: Sequence[str]
) -> tuple[Source, tuple[Cell, ...]]:
    cells = tuple(Cell(name, (name,)) for name in known)
    try:
        source = open_source(table, con, _columns(cells, others))
    except ColumnsNotFound as missing:
        cells = tuple(_found(name, missing.found) for name in known)
        source = open_source(table, con, _columns(cells, others))
    return source, tuple(
        Cell(cell.name, cell.columns, tuple(source.columns[c] for c in cell.columns))
        for cell in cells
    )


def _columns(cells: Sequence[Cell], others: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*(c for cell in cells for c in cell.columns), *others]))


def _found(name: str, there: Sequence[str]) -> Cell:
    """The columns that are meant by a name: itself, its two halves, or its two bounds."""
    if name in there:
        return Cell(name, (name,))
    low, slash, high = (part.strip() for part in name.partition("/"))
    if slash:
        return Cell(name, (low, high))
    for first, last in _ENDS:
        bounds = (f"{name}_{first}", f"{name}_{last}")
        if all(bound in there for bound in bounds):
            return Cell(name, bounds)
    return Cell(name, (name,))


_FIGURE = r"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"
_INTERVAL = rf"\s*[\[\](]?\s*{_FIGURE}\s*(?:-|–|—|\.\.\.?|,|;|:|to)\s*{_FIGURE}\s*[\[\])]?\s*"
_CERTAIN = rf"\s*(?:[\[\](].*[\[\])]|{_FIGURE}\s*\.\..*)\s*"
"""With brackets or dots: ``2020-12`` may be an interval, or a month."""
_MASKED = r".*[^*\s].*\*+\s*|\s*\*+.*[^*\s].*"
_TEXT = "VARCHAR"
_SIDES = ("low", "high")


@check("intervals", "intervals of quasi columns")
def intervals(table: Opened) -> Found:
    """two bounds, the lower one first, or none"""
    wrong = {cell.name: table.one(_backwards(table, cell))[0] for cell in table.cells}
    found = ", ".join(f"{count:,} rows in {name!r}" for name, count in wrong.items() if count)
    return Found({f"not so: {found}": bool(found)})


def _backwards(table: Opened, cell: Cell) -> str:
    """SQL: count rows whose interval is none."""
    wrong = "false"
    if len(cell.columns) == 2:
        low, high = "low", "high"
        if _TEXT in cell.types:
            # Texts have an order of their own; only those that are numbers can be compared.
            low, high = "TRY_CAST(low AS DOUBLE)", "TRY_CAST(high AS DOUBLE)"
        wrong = f"(low IS NULL) <> (high IS NULL) OR coalesce({low} > {high}, false)"
    elif cell.types[0] == _TEXT:
        certain = f"regexp_full_match(low, {literal(_CERTAIN)})"
        wrong = f"coalesce({certain} AND {_bound(1)} > {_bound(2)}, false)"
    return f"SELECT coalesce(sum(n) FILTER ({wrong}), 0) FROM {_different(table, cell)}"


def _different(table: Opened, cell: Cell) -> str:
    """SQL: the different cells of a column, and how many rows have each."""
    names = [f"{quoted(c)} AS {side}" for c, side in zip(cell.columns, _SIDES, strict=False)]
    return f"(SELECT {', '.join(names)}, count(*) AS n FROM {table.there} GROUP BY ALL)"


def _bound(place: int) -> str:
    return f"TRY_CAST(regexp_extract(low, {literal(f'^{_INTERVAL}$')}, {place}) AS DOUBLE)"


def cell_figures(table: Opened) -> Iterator[tuple[str, str]]:
    """For each quasi column, how many rows have what kind of cell."""
    for cell in table.cells:
        kinds = _kinds(cell)
        sums = ", ".join(f"coalesce(sum(n) FILTER ({kind}), 0)" for kind in kinds.values())
        counts = table.one(f"SELECT {sums} FROM {_different(table, cell)}")
        shown = ", ".join(f"{n:,} {name}" for name, n in zip(kinds, counts, strict=True) if n)
        yield f"cells of {cell.name}", shown


def _kinds(cell: Cell) -> dict[str, str]:
    """SQL: what makes a cell one of a kind."""
    if len(cell.columns) == 2:
        return {
            "intervals": "low IS DISTINCT FROM high",
            "missing": "low IS NULL AND high IS NULL",
            "exact": "low = high",
        }
    if cell.types[0] != _TEXT:
        return {"missing": "low IS NULL", "exact": "low IS NOT NULL"}
    interval = f"coalesce({_bound(1)} <= {_bound(2)}, false)"
    masked = f"regexp_full_match(low, {literal(_MASKED)})"
    gone = "regexp_full_match(trim(low), '[*]+')"
    return {
        "intervals": interval,
        "masked": masked,
        "suppressed": gone,
        "missing": "low IS NULL",
        "exact": f"low IS NOT NULL AND NOT ({interval} OR {masked} OR {gone})",
    }
