"""An m-invariant snapshot that was made from a record which the ledger lists as dropped."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.history import History, remembered
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import read

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")
DAYS = ("2024-05-01", "2024-05-02", "2024-05-03")


def rows(day: str) -> list[dict[str, Any]]:
    return [
        {"who": f"{name} of {day}", "day": day, "age": 20 + 2 * i, "ill": "ab"[i % 2]}
        for i, name in enumerate(("Ann", "Bob", "Cid", "Dan"))
    ]


PLANNED = rows(DAYS[0])[0]
LATE = [PLANNED | {"age": 70}, PLANNED | {"ill": "b"}]
"""The same person of the same day: with another age, or with another value."""


@pytest.mark.parametrize("repeated", ["refuse", "one"])
@pytest.mark.parametrize("late", LATE, ids=["age", "value"])
def test_nobody_is_published_by_a_record_that_was_dropped(
    late: dict[str, Any], repeated: str, tmp_path: Path
) -> None:
    promise = an.Reposition(window=2, late="drop", repeated=repeated, then=an.MInvariance(m=2))
    plan = an.Plan("f.csv", SCHEMA, promise, ledger=tmp_path / "l", releases=tmp_path / "r")
    pushes = [rows(day) for day in DAYS]
    pushes[-1].append(late)
    for some in pushes:
        an.open(plan).push(pa.Table.from_pylist(some))
    table = pa.Table.from_pylist([row for some in pushes for row in some])
    ledger = an.Ledger.open(plan.ledger)
    for seeded in (False, True):
        verdict = _verdict(ledger, table, seeded)
        failed = [check for check in verdict.failures if check.name == "coverage"]
        assert bool(failed) == seeded, str(verdict)
        assert len(verdict.failures) == len(failed)
        assert all(str(late["who"]) not in str(check) for check in failed)


def _verdict(ledger: an.Ledger, table: pa.Table, seeded: bool) -> Verdict:
    """Audit the first release; the bug lets the ledger list the record that it was made from."""
    [first, *_] = ledger.entries()
    past = remembered(ledger, [first])
    assert isinstance(past, History)
    assert past.books is not None
    with closing(read(table, SCHEMA)) as held:
        if seeded:
            at = table.to_pylist().index(PLANNED)
            key = held.row_keys(ledger.secret("feed"))[at].astype(">u8").tobytes().hex()
            said = json.loads(past.books.memory.schema.metadata[b"anachron"])
            assert len(said["dropped"]) == len(key)
            notes = json.dumps(said | {"dropped": key}).encode()
            memory = past.books.memory.replace_schema_metadata({b"anachron": notes})
            past = replace(past, books=replace(past.books, memory=memory))
        return verify(an.Release(first.path), microdata=held, history=past)
