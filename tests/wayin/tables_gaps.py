"""Tables with empty cells, and with what else a method refuses."""

from __future__ import annotations

from tests.wayin.making import Draw as Column
from tests.wayin.making import (
    Making,
    Table,
    ages,
    any_of,
    dates,
    fixed,
    ids,
    numbers,
    times,
    within,
)

SEX = ("f", "m")
BRANDS = ("Pf", "Az", "Si", "Mo", "Ja", "Ca", "Sp")


def holes(column: Column, share: float = 0.5) -> Column:
    """A column of which some cells are empty."""

    def draw(m: Making) -> list[object]:
        cells = column(m)
        return [None if m.random.random() < share else cell for cell in cells]

    return draw


def rare_holes(column: Column) -> Column:
    return holes(column, 0.01)


def readings(*gaps: int) -> Column:
    """Numbers with a gap in each of some rows."""
    return lambda m: [
        None if row in gaps else round(float(x), 2)
        for row, x in enumerate(m.random.gamma(2.0, 3.0, m.rows))
    ]


def _meters(where: str, *gaps: tuple[int, ...]) -> Table:
    """Series that stand side by side, with gaps in some rows of each time."""
    series = {f"h{hour}": readings(*gap) for hour, gap in enumerate(gaps)}
    columns = {"meter_id": ids("m{}"), **series}
    name = f"meters with a gap {where}"
    return Table(name, columns, ("meter_id",), None, (), rows=60, people=60)


GAPS = (
    Table(
        "deaths without a brand for most",
        {
            "date": dates(),
            "age": ages(),
            "male": any_of(0, 1),
            "state": any_of("A", "B", "C"),
            "brand": holes(any_of(*BRANDS), 0.6),
        },
        (),
        "date",
        ("age", "male", "state"),
        people=400,
    ),
    Table(
        "deaths of which one content is full",
        {
            "date": dates(),
            "age": ages(),
            "state": any_of("A", "B", "C"),
            "brand": holes(any_of(*BRANDS), 0.6),
            "diagnosis": any_of("J45", "E11", "I10", "K35"),
        },
        (),
        "date",
        ("age", "state"),
        people=400,
    ),
    Table(
        "a register with gaps in what outsiders know",
        {
            "patient_id": ids("P{}"),
            "age": holes(ages(), 0.2),
            "sex": fixed(*SEX),
            "retired": any_of(True, False),
            "weight_class": any_of(0.5, 1.5),
            "diagnosis": any_of("J45", "E11", "I10", "K35", "F32", "M54"),
        },
        ("patient_id",),
        None,
        ("age", "sex", "retired", "weight_class"),
        rows=120,
        people=120,
    ),
    Table(
        "a register with gaps in what is sensitive",
        {
            "patient_id": ids("P{}"),
            "age": ages(),
            "sex": fixed(*SEX),
            "diagnosis": holes(any_of("J45", "E11", "I10", "K35"), 0.1),
        },
        ("patient_id",),
        None,
        ("age", "sex"),
        rows=120,
        people=120,
    ),
    Table(
        "a register in which most have one value",
        {
            "patient_id": ids("P{}"),
            "age": ages(),
            "diagnosis": any_of("J45", "J45", "J45", "J45", "E11", "I10"),
        },
        ("patient_id",),
        None,
        ("age",),
        rows=120,
        people=120,
    ),
    Table(
        "visits of which some are nobody's",
        {
            "patient": rare_holes(ids("u{}")),
            "admitted": times(),
            "sex": fixed(*SEX),
            "diagnosis": any_of("J45", "E11"),
        },
        ("patient",),
        "admitted",
        ("sex",),
    ),
    Table(
        "visits of which some have no time",
        {
            "patient": ids("u{}"),
            "admitted": rare_holes(dates()),
            "sex": fixed(*SEX),
            "diagnosis": any_of("J45", "E11"),
        },
        ("patient",),
        "admitted",
        ("sex",),
    ),
    Table(
        "visits with numbers that are none",
        {
            "patient": ids("u{}"),
            "admitted": dates(),
            "height": any_of(1.5, 1.6, 1.7, 1.8, float("nan"), float("inf")),
            "sex": fixed(*SEX),
            "diagnosis": any_of("J45", "E11"),
        },
        ("patient",),
        "admitted",
        ("height", "sex"),
    ),
    Table(
        "people who come twice a day",
        {
            "patient": numbers(),
            "admitted": times(span=3_000),
            "sex": fixed(*SEX),
            "diagnosis": any_of("J45", "E11", "I10"),
            "visit_no": within(),
        },
        ("patient",),
        "admitted",
        ("sex",),
    ),
    _meters("inside", (), (), (3, 9), (), (), ()),
    _meters("at an end", (5,), (), (3,), (), (), ()),
    _meters("in most rows", tuple(range(40)), (), (), (), (), ()),
)
