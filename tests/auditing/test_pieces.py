"""A feed is audited in pieces: the verdict is that of the whole, word by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.auditing.reading import pieces
from anachron.auditing.reading.description import feed_of
from tests.auditing.feed_story import second
from tests.auditing.kinds import KINDS, SEEDED
from tests.auditing.seeding import Bug

BUGS = [(name, bug) for name, bug in SEEDED if name in ("anatomy", "generalize")]


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        pytest.param(name, bug, marks=() if at % 9 == 0 else pytest.mark.campaign,
                     id=f"{name}: {bug.name}")
        for at, (name, bug) in enumerate(BUGS)
    ],
)  # fmt: skip
@pytest.mark.parametrize("ledger", [True, False])
def test_a_bug_is_told_of_in_the_same_words(
    name: str, bug: Bug, ledger: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    bad = kind.spoilt(bug)
    release = kind.write(bad, tmp_path)
    whole = kind.judged(bad, release, ledger=ledger)
    for at_once in (0, 6):
        monkeypatch.setattr(pieces, "AT_ONCE", at_once)
        assert kind.judged(bad, release, ledger=ledger).to_dict() == whole.to_dict()


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
def test_a_piece_has_whole_snapshots(
    then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = feed_of(second(then).write(tmp_path / "0002"))
    assert form is not None
    (whole,) = pieces.published_of(form)
    for at_once, expected in ((0, [4, 4, 5, 2]), (6, [4, 4, 5, 2]), (8, [8, 7]), (13, [13, 2])):
        monkeypatch.setattr(pieces, "AT_ONCE", at_once)
        parts = list(pieces.published_of(form))
        assert [len(part.row_group) for part in parts] == expected
        assert sum(int(part.values.count.sum()) for part in parts) == int(whole.values.count.sum())
        assert not any((part.values.place < 0).any() for part in parts)


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
def test_what_is_out_of_order_is_one_piece(
    then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = second(then)
    bad.rows = lambda rows: rows[::-1]
    form = feed_of(bad.write(tmp_path / "0002"))
    assert form is not None
    monkeypatch.setattr(pieces, "AT_ONCE", 0)
    assert len(list(pieces.published_of(form))) == 1
