"""A feed is judged alike by a table that is held, and by one of which the rows pass by."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from anachron.auditing.reading import pieces
from anachron.auditing.run import verify
from anachron.behind import Large, read_aside
from tests.auditing.feed_draft import SCHEMA, as_table
from tests.auditing.kinds import KINDS, SEEDED
from tests.auditing.seeding import Bug

BUGS = [(name, bug) for name, bug in SEEDED if name in ("anatomy", "generalize")]


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots are judged one by one."""
    (tmp_path / "aside").mkdir()
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path / "aside"))
    monkeypatch.setattr(pieces, "AT_ONCE", 0)


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        pytest.param(name, bug, marks=() if at % 9 == 4 else pytest.mark.campaign,
                     id=f"{name}: {bug.name}")
        for at, (name, bug) in enumerate(BUGS)
    ],
)  # fmt: skip
@pytest.mark.parametrize("ledger", [True, False])
def test_a_bug_is_told_of_in_the_same_words(
    name: str, bug: Bug, ledger: bool, tmp_path: Path
) -> None:
    kind = KINDS[name]
    bad = kind.spoilt(bug)
    release = kind.write(bad, tmp_path)
    past = kind.past(bad) if ledger else None
    whole = kind.judged(bad, release, ledger=ledger)
    with closing(read_aside(as_table(bad.microdata()), SCHEMA, 3)) as table:
        assert isinstance(table, Large)
        found = verify(release, microdata=table, history=past)
    assert found.to_dict() == whole.to_dict()
