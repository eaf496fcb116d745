"""A trial changes nothing: not a byte, a file, a folder or a time, whatever is there before."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import LedgerBusy, LedgerError
from tests.trying import cases


def whole(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All that is in a folder, itself included: modes, times of change, and bytes."""
    found = {}
    for place in (folder, *sorted(folder.rglob("*"))):
        status = place.lstat()
        content = place.read_bytes() if place.is_file() else b""
        found[str(place)] = status.st_mode, status.st_mtime_ns, content
    return found


def tried_without_a_trace(plan: an.Plan, table: pa.Table, folder: Path) -> an.Trial:
    aside = Path(os.environ["ANACHRON_TMP"])
    before = whole(folder)
    tried = an.trial(plan, table=table)
    assert whole(folder) == before
    assert not list(aside.iterdir())
    return tried


KINDS = {
    "events": (cases.EVENTS, an.TimeGranularity(k=2, max_suppressed="0.5")),
    "register": (cases.REGISTER, an.MInvariance(m=2, when_ineligible="hold")),
    "feed": (cases.FEED, an.Reposition(l=2, window=2, repeated="one")),
    "series": (cases.SERIES, an.KPAnonymity(k=4, P=2)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_on_disk_changes(tmp_path: Path, kind: str) -> None:
    schema, promise = KINDS[kind]
    plan = cases.planned(schema, promise, tmp_path)
    table = cases.events(1)[0] if kind == "events" else getattr(cases, kind)(1)
    assert tried_without_a_trace(plan, table, tmp_path).kept
    assert not list(tmp_path.iterdir())
    an.publish(table, schema, promise, ledger=plan.ledger, to=plan.releases)
    assert tried_without_a_trace(plan, table, tmp_path).kept
    tried_without_a_trace(plan, table.slice(0, 35), tmp_path)


def test_a_setting_that_cannot_be_kept_leaves_nothing_either(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=30), tmp_path)
    assert not tried_without_a_trace(plan, cases.register(1), tmp_path).kept


def test_a_ledger_that_others_work_on_is_not_guessed_at(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path)
    an.Ledger.open(plan.ledger)
    writing = sqlite3.connect(plan.ledger / "catalog.sqlite")
    writing.execute("INSERT INTO place VALUES ('elsewhere', 'no seal')")
    writing.commit()  # beside the catalog, until the last connection is closed
    with pytest.raises(LedgerBusy, match="Somebody is at work on the ledger"):
        an.trial(plan, table=cases.register(1))
    writing.close()


def test_a_ledger_of_an_earlier_version_is_not_brought_up_to_date(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path)
    an.Ledger.open(plan.ledger)
    old = sqlite3.connect(plan.ledger / "catalog.sqlite")
    old.execute("PRAGMA user_version = 4")
    old.close()
    before = whole(tmp_path)
    with pytest.raises(LedgerError, match=r"made by an earlier version .format 4."):
        an.trial(plan, table=cases.register(1))
    assert whole(tmp_path) == before


def test_what_is_no_ledger_is_refused_as_publishing_refuses_it(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path)
    plan.ledger.mkdir(mode=0o700)
    (plan.ledger / "notes.txt").write_text("mine")
    with pytest.raises(LedgerError, match="is not a ledger"):
        an.trial(plan, table=cases.register(1))


def test_another_key_is_refused(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path)
    an.Ledger.open(plan.ledger)
    (plan.ledger / "key").write_bytes(bytes(32))
    with pytest.raises(LedgerError, match="is not the one this ledger was made with"):
        an.trial(plan, table=cases.register(1))


def test_a_damaged_catalog_is_refused(tmp_path: Path) -> None:
    plan = cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path)
    an.Ledger.open(plan.ledger)
    catalog = plan.ledger / "catalog.sqlite"
    for content in (b"", b"no database" * 400, catalog.read_bytes()[:-100]):
        catalog.write_bytes(content)
        with pytest.raises(LedgerError):
            an.trial(plan, table=cases.register(1))
