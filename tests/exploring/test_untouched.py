"""Exploring changes nothing: not a byte, a file, a folder or a time, whatever is there before."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import PlanError
from tests.trying import cases
from tests.trying.test_untouched import KINDS, whole


def explored_without_a_trace(plan: an.Plan, table: pa.Table, folder: Path) -> an.Frontier:
    aside = Path(os.environ["ANACHRON_TMP"])
    before = whole(folder)
    # What only a release tells is measured on one that is rehearsed.
    found = an.frontier(plan, {}, risk="unique", table=table)
    assert whole(folder) == before
    assert not list(aside.iterdir())
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_on_disk_changes(tmp_path: Path, kind: str) -> None:
    schema, promise = KINDS[kind]
    plan = cases.planned(schema, promise, tmp_path)
    table = cases.events(1)[0] if kind == "events" else getattr(cases, kind)(1)
    assert explored_without_a_trace(plan, table, tmp_path).line
    assert not list(tmp_path.iterdir())
    an.publish(table, schema, promise, ledger=plan.ledger, to=plan.releases)
    found = explored_without_a_trace(plan, table, tmp_path)
    before = whole(tmp_path)
    found.details(found.line[0])
    assert whole(tmp_path) == before


def test_a_rehearsed_release_goes_nowhere_if_nothing_may_be_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema, promise = KINDS["register"]
    plan: Any = cases.planned(schema, promise, tmp_path)
    monkeypatch.setenv("ANACHRON_SPILL", "never")
    table = cases.register(1)
    assert an.frontier(plan, {}, table=table).line
    with pytest.raises(PlanError, match="a release that is rehearsed would have to be put aside"):
        an.frontier(plan, {}, risk="attack", table=table)
    assert not list(tmp_path.iterdir())
