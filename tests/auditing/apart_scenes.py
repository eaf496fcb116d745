"""Registers by anatomy that are spoilt after they were published: rows and values stand apart."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import anachron as an
from anachron.auditing.history import remembered
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import read
from tests.release.forging import reseal, write_parquet

__all__ = ["APART", "CAUGHT", "good"]

Spoil = Callable[[pa.Table], pa.Table]
SCHEMA = an.Schema(subject="who", quasi=["age", "region"], sensitive="ill")
PROMISE = an.MInvariance(m=3, then="anatomy")
_ILLS = ["acne", "cold", "flu", "gout", "hives", "mumps"]


def people(number: int) -> pa.Table:
    """A register: a tenth leave from release to release, and as many come."""
    rng, who = np.random.default_rng(4), np.arange(120)
    rows = {
        "who": who,
        "age": rng.integers(20, 60, len(who)),
        "region": rng.choice(["north", "south"], len(who)),
        "ill": rng.choice(_ILLS, len(who)),
    }
    return pa.table(rows).slice(10 * number, 80)


def good(
    folder: Path,
    spoil: Callable[[Path], None] = lambda folder: None,
    ledger: bool = True,
    promise: an.MInvariance = PROMISE,
    shown: Spoil = lambda table: table,
) -> Verdict:
    """Publish a register three times, spoil the last release, and judge it."""
    for number in (1, 2, 3):
        table = people(number)
        release = an.publish(table, SCHEMA, promise, ledger=folder / "l", to=folder / "r")
    spoil(release.path)
    reseal(release.path)
    kept = an.Ledger.open(folder / "l", create=False)
    past = remembered(kept, kept.entries()) if ledger else None
    with closing(read(shown(table), SCHEMA)) as held:
        return verify(an.Release(release.path), microdata=held, history=past)


def _in(name: str, change: Spoil) -> Callable[[Path], None]:
    """Change a table of a release."""

    def spoil(folder: Path) -> None:
        file = folder / f"{name}.parquet"
        write_parquet(file, change(pq.read_table(file)))

    return spoil


def _put(name: str, row: int, value: object) -> Spoil:
    """Another cell of a column."""

    def change(table: pa.Table) -> pa.Table:
        cells = table[name].to_pylist()
        cells[row] = value
        at = table.column_names.index(name)
        return table.set_column(at, name, pa.array(cells, table.schema.field(name).type))

    return change


def _swapped(table: pa.Table) -> pa.Table:
    """The last person of the first group, and the first of the next, in each other's place."""
    group = np.asarray(table["group"])
    last = int((group == 1).sum()) - 1
    order = np.arange(len(group))
    order[[last, last + 1]] = last + 1, last
    return table.set_column(0, "group", pa.array(group[order])).sort_by(
        [(name, "ascending") for name in table.column_names]
    )


def _noted(table: pa.Table) -> pa.Table:
    return table.append_column("note", pa.array(["x"] * len(table)))


def _turned(table: pa.Table) -> pa.Table:
    """Groups with their rows from the last to the first."""
    return table.take(np.lexsort((-np.arange(len(table)), np.asarray(table["group"]))))


def _renumbered(table: pa.Table) -> pa.Table:
    return table.set_column(0, "group", pc.add(table["group"], 1))


_SPOILT: dict[str, tuple[str, Callable[[Path], None]]] = {
    "an age is another": ("exact rows", _in("data", _put("age", 3, 19))),
    "two people stand in each others groups": ("exact rows", _in("data", _swapped)),
    "a value is counted twice": ("counts", _in("sensitive", _put("count", 2, 2))),
    "a person has no row": ("counts", _in("data", lambda table: table.slice(1))),
    "a row is of no group": ("counts", _in("data", _put("group", -1, 999))),
    "rows stand in another order": ("order", _in("data", _turned)),
    "values stand in another order": ("order", _in("sensitive", _turned)),
    "numbers of rows begin with two": ("groups", _in("data", _renumbered)),
    "a note on counterfeits": ("columns", _in("counterfeits", _noted)),
    "a note on values": ("columns", _in("sensitive", _noted)),
    "a counterfeit has a value that a member has": (
        "m-unique",
        lambda folder: _in("sensitive", _put("ill", 1, pq.read_table(
            folder / "sensitive.parquet")["ill"][0].as_py()))(folder),
    ),
}  # fmt: skip
CAUGHT = {name: check for name, (check, _) in _SPOILT.items()}


def _scene(spoil: Callable[[Path], None], ledger: bool) -> Callable[[Path], Verdict]:
    return lambda folder: good(folder, spoil, ledger)


APART = {
    f"register by anatomy: {name}{how}": _scene(spoil, ledger)
    for name, (_, spoil) in _SPOILT.items()
    for ledger, how in ((True, ""), (False, " without the ledger"))
}
"""Scenes by what is wrong in them."""
