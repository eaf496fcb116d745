"""Registers by anatomy: what is right holds, and what is seeded is caught by the check for it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import anachron as an
from tests.auditing.apart_scenes import APART, CAUGHT, PROMISE, good
from tests.daily import daily

Mode = Literal["paper", "transparent", "sticky"]


@pytest.mark.parametrize("ledger", [True, False])
@pytest.mark.parametrize("mode", ["paper", "transparent", "sticky"])
def test_what_is_published_holds(mode: Mode, ledger: bool, tmp_path: Path) -> None:
    promise = an.MInvariance(m=2, mode=mode, then="anatomy")
    verdict = good(tmp_path, ledger=ledger, promise=promise)
    assert [check for check in verdict.checks if not check.holds] == []
    assert {"exact rows", "counts", "counterfeits"} <= {check.name for check in verdict.checks}
    assert not {"intervals", "margins", "offer"} & {check.name for check in verdict.checks}


@pytest.mark.parametrize("name", daily(list(CAUGHT), "an age is another", "a person has no row",
                                       "rows stand in another order"))  # fmt: skip
def test_what_is_seeded_is_caught(name: str, tmp_path: Path) -> None:
    for how in ("", " without the ledger"):
        verdict = APART[f"register by anatomy: {name}{how}"](tmp_path / how.strip())
        wrong = {check.name for check in verdict.checks if not check.holds}
        # Without the ledger nobody knows who stands in which group.
        if not how or name != "two people stand in each others groups":
            assert CAUGHT[name] in wrong


def test_a_table_of_others_is_told(tmp_path: Path) -> None:
    """Somebody of another age than published: with the ledger by their group, and without it."""
    for ledger in (True, False):
        found = good(
            tmp_path / str(ledger), ledger=ledger,
            shown=lambda t: t.set_column(1, "age", [[19, *t["age"].to_pylist()[1:]]]),
        )  # fmt: skip
        assert "exact rows" in {check.name for check in found.checks if not check.holds}
    assert PROMISE.margins is None
