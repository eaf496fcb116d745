"""What is checked: a few declared checks, beside those that all promises have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.auditing.check import Figures, Found, check
from anachron.auditing.checks import form
from anachron.auditing.history import TablePast
from anachron.auditing.promises.at_hand import Promise, fitting, ways_to_read
from anachron.auditing.reading.columns import read
from anachron.auditing.reading.description import Said, described
from anachron.auditing.reading.form import TableForm
from anachron.behind import Microdata
from anachron.release import Release
from tests.house.toy.behind import rows_of
from tests.house.toy.promise import Frequent


@dataclass(frozen=True)
class Rows:
    """What the description of such a release says."""

    promise: Frequent
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    suppressed: int
    tables: tuple[TableForm, ...]


def _rows(said: Said) -> Rows:
    said.check_tables("data")
    quasi, sensitive = said.by_role("quasi", "sensitive")
    columns = ("group", *quasi, *sensitive)
    return Rows(
        Frequent.from_dict(said.ours["guarantee"]),
        tuple(quasi),
        tuple(sensitive),
        int(said.ours["suppressed_rows"]),
        (TableForm("data", said.files(), columns, {"group": pa.int64()}),),
    )


def _stated(release: Release) -> Rows | None:
    return described(release, _rows)


def _published(form: Rows) -> pa.Table:
    return read(form.tables[0].files)


@check("roles", "schema of the microdata")
def roles(form: Rows, offered: Microdata) -> Found:
    """the roles of the published columns"""
    schema = offered.schema
    return Found(
        {"other columns": (schema.quasi, schema.sensitive) != (form.quasi, form.sensitive)}
    )


@check("rows", "rows of the release")
def enough(promise: Frequent, published: pa.Table) -> Found:
    """none, or those of somebody who has at least {promise.n}"""
    return Found(
        {"too few for anybody": 0 < len(published) < promise.n}, f"{len(published):,} rows"
    )


@check("groups", "rows of each group")
def groups(form: Rows, published: pa.Table) -> Found:
    """all rows with the same quasi values, numbered in their order"""
    key = list(zip(*(published[name].to_pylist() for name in form.quasi), strict=True))
    number = {values: n for n, values in enumerate(dict.fromkeys(key), start=1)}
    expected = [number[values] for values in key] or [1] * len(published)
    return Found({"other numbers": published["group"].to_pylist() != expected})


@check("people", "people whose rows are published")
def people(form: Rows, published: pa.Table, table: Microdata) -> Found:
    """all who have at least {form.promise.n} rows, with all their rows, and nobody else"""
    mine = np.bincount(table.subject)[table.subject] >= form.promise.n
    meant = Counter(rows_of(table, np.flatnonzero(mine)))
    seen = Counter(
        zip(*(published[n].to_pylist() for n in (*form.quasi, *form.sensitive)), strict=True)
    )
    return Found(
        {
            "rows of somebody who has fewer": (seen - meant).total(),
            "rows missing": (meant - seen).total(),
        },
        f"{len(np.unique(table.subject[mine])):,} people",
    )


@check("left out", "rows that were left out")
def left_out(form: Rows, published: pa.Table, table: Microdata) -> Found:
    """as many as are stated"""
    return Found({"another number": table.rows - len(published) != form.suppressed})


@check("remembered people", "people that the ledger will recognise")
def remembered(form: Rows, table: Microdata, history: TablePast) -> Found:
    """everyone in the release"""
    there = np.flatnonzero(np.bincount(table.subject) >= form.promise.n)
    who = history.pseudonyms(table.subject_values.take(pa.array(there)))
    return Found(
        {"others": set(who.to_pylist()) != set(history.state.table()["subject"].to_pylist())}
    )


def _figures(published: pa.Table) -> Figures:
    return {"rows": len(published)}


FREQUENT = Promise(
    ways={
        **ways_to_read(_stated),
        "published": _published,
        "table": fitting(roles),
    },
    checks=(
        people,
        left_out,
        remembered,
        enough,
        groups,
        roles,
        form.columns,
        form.package,
        form.names,
    ),
    figures=(_figures,),
    past=TablePast,
)
