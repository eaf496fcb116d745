"""What generalised cells look like: bounds that are in order, and how much was generalised."""

from __future__ import annotations

from collections.abc import Iterator

from anachron.auditing.check import Found, check
from anachron.auditing.foreign.opened import Cell, Opened
from anachron.auditing.reading.database import literal, quoted

__all__ = ["cell_figures", "intervals"]

_NUMBER = r"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"
_INTERVAL = rf"\s*[\[\](]?\s*{_NUMBER}\s*(?:-|–|—|\.\.\.?|,|;|:|to)\s*{_NUMBER}\s*[\[\])]?\s*"
_CERTAIN = rf"\s*(?:[\[\](].*[\[\])]|{_NUMBER}\s*\.\..*)\s*"
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
