"""A release is judged alike by a table that is held, and by one of which the rows pass by."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.auditing.evidence import passing
from anachron.auditing.history import TablePast
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import Large, read, read_aside
from anachron.errors import AnachronError
from anachron.ledger import Ledger
from anachron.streamed import Streamed
from tests.daily import daily
from tests.engines.spark.tables import case


def verdicts(release: an.Release, table: Any, schema: an.Schema, past: Any, most: int) -> list[Any]:
    """By rows that are held, and by rows that pass by, with what is remembered."""
    told: list[Any] = []
    for how in (lambda: read(table, schema), lambda: read_aside(table, schema, most)):
        try:
            with closing(how()) as rows:
                if told and table.num_rows > most:
                    assert isinstance(rows, Large)
                told.append(verify(release, microdata=rows, history=past))
        except AnachronError as error:
            told.append((type(error), str(error)))
    return [one.to_dict() if isinstance(one, Verdict) else one for one in told]


def spoiled(table: pa.Table, rng: random.Random) -> pa.Table:
    """Another table: rows missing, twice, or with cells of other rows."""
    rows = list(range(table.num_rows))
    fault = rng.randrange(4)
    if fault == 0:
        rows.remove(rng.choice(rows))
    elif fault == 1:
        rows.append(rng.choice(rows))
    found = table.take(rows)
    if fault > 1:
        name = rng.choice(found.column_names)
        order = rows[:]
        rng.shuffle(order)
        some = order[: rng.choice([2, len(order)])]
        cells = dict(zip(some, [*some[1:], some[0]], strict=True))
        column = found[name].take([cells.get(row, row) for row in rows])
        found = found.set_column(found.column_names.index(name), name, column)
    return found


@pytest.mark.parametrize("seed", daily([*range(200)], 0, 3, 5, 11, 12, 17))
def test_verdicts_are_the_same(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path))
    if seed % 2:  # groups are searched, not looked up in a table of all that there can be
        monkeypatch.setattr(passing, "_DENSE", 0)
    rng, given = random.Random(seed), case("events", seed)
    table = given.tables[0]
    try:
        release = an.publish(table, given.schema, given.promise, ledger=tmp_path / "ledger",
                             to=tmp_path / "releases", accept=given.accept)  # fmt: skip
    except AnachronError:
        return
    ledger = Ledger.open(tmp_path / "ledger")
    [entry] = ledger.entries()
    past = TablePast(ledger.state(entry), ledger.pseudonyms)
    rows = past.state.rows
    some = past.state.table().take(sorted(rng.sample(range(rows), rows // 2)))
    other = TablePast(Streamed.of(some), past.pseudonyms)
    most = rng.choice([1, 3, 17, max(1, table.num_rows - 1)])
    held, passed = verdicts(release, table, given.schema, past, most)
    assert held == passed
    assert held["holds"]
    for remembered in (past, other, None):
        held, passed = verdicts(release, spoiled(table, rng), given.schema, remembered, most)
        assert held == passed


def test_an_audit_lets_rows_pass_where_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({
        "who": [f"p{n % 9000}" for n in range(90_000)],
        "day": [f"2024-03-{1 + n % 7:02d}" for n in range(90_000)],
        "ill": [f"i{n % 5}" for n in range(90_000)],
    })  # fmt: skip
    pq.write_table(table, tmp_path / "visits.parquet")
    schema = an.Schema(subject="who", time="day", sensitive="ill")
    release = an.publish(tmp_path / "visits.parquet", schema, an.TimeGranularity(k=3),
                         ledger=tmp_path / "ledger", to=tmp_path / "releases")  # fmt: skip
    seen = []
    real = Large.passing
    monkeypatch.setattr(Large, "passing", lambda *asked: seen.append(1) or real(*asked))
    held = an.audit(release, table=tmp_path / "visits.parquet", ledger=tmp_path / "ledger")
    assert not seen
    monkeypatch.setenv("ANACHRON_MEMORY", "30MB")
    for what in (release, tmp_path / "releases"):
        found = an.audit(what, table=tmp_path / "visits.parquet", ledger=tmp_path / "ledger")
        assert found.holds
        assert seen
        seen.clear()
    assert an.audit(release, table=tmp_path / "visits.parquet",
                    ledger=tmp_path / "ledger").to_dict() == held.to_dict()  # fmt: skip
