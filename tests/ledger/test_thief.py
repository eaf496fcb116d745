"""Whoever copies a ledger without its key learns nothing of the people in it.

Each attempt is made on a ledger of before as well, where it must succeed: without that, finding
nothing would mean nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import LedgerError
from tests.house.canaries import Search
from tests.ledger.old import unpacked
from tests.ledger.stories import ILLS, STORIES
from tests.ledger.thief import (
    bounds_found,
    last_cell_found,
    marks_decoded,
    states_found,
    words_found,
)


def made(name: str, root: Path) -> Path:
    """The ledger of a story, as it is made today."""
    for number in range(1, STORIES[name].steps + 1):
        STORIES[name].step(root / name, number)
    return root / name / "ledger"


def erased(name: str) -> list[int]:
    """The ages of those who were in the first release, and are in no table any more."""
    first, last = (STORIES[name].table(number).to_pydict() for number in (1, 2))
    return [a for w, a in zip(first["who"], first["age"], strict=True) if w not in last["who"]]


@pytest.mark.parametrize("name", STORIES)
def test_no_word_can_be_read(name: str, tmp_path: Path) -> None:
    promise = STORIES[name].promise.method
    words = [*ILLS, promise, "subject", "time_zone", "guarantee", "waiting", "signatures"]
    before = words_found(unpacked(name, tmp_path / "old") / "ledger", words)
    assert {promise, "subject"} <= before
    if name not in ("visits", "series"):  # their states hold times, or nothing but people
        assert set(ILLS) <= before
    assert words_found(made(name, tmp_path), words) == set()


@pytest.mark.parametrize("name", ["visits", "register", "transparent"])
def test_no_digest_confirms_a_guess_of_the_last_cell(name: str, tmp_path: Path) -> None:
    story = STORIES[name]
    table = story.table(story.steps)
    truth = table["ill"][-1].as_py()

    def confirmed(ledger: Path) -> set[str]:
        return last_cell_found(ledger, table, story.schema, "ill", ILLS)

    assert confirmed(unpacked(name, tmp_path / "old") / "ledger") == {truth}
    assert confirmed(made(name, tmp_path)) == set()


@pytest.mark.parametrize("name", ["register", "transparent"])
def test_no_mark_is_decoded_by_the_sets_of_its_people(name: str, tmp_path: Path) -> None:
    old = unpacked(name, tmp_path / "old") / "ledger"
    decoded = marks_decoded(old)
    assert len(decoded) >= 4
    assert set(decoded.values()) <= set(ILLS)
    shutil.copytree(old, tmp_path / "read")
    marks = an.Ledger.open(tmp_path / "read").marks(pa.array(ILLS)).to_pylist()
    assert decoded.items() <= dict(zip(marks, ILLS, strict=True)).items()
    new = made(name, tmp_path)
    assert marks_decoded(new) == {}
    assert states_found(new) == []


def test_no_bound_is_the_age_of_somebody_who_was_erased(tmp_path: Path) -> None:
    gone = erased("register")
    assert len(gone) == 3
    assert bounds_found(unpacked("register", tmp_path / "old") / "ledger") & set(gone)
    assert bounds_found(made("register", tmp_path)) == set()


def test_no_number_is_found_by_its_bytes(tmp_path: Path) -> None:
    """Numbers with all their digits, in standing groups and in records that wait."""
    rng = np.random.default_rng(7)
    pay = rng.uniform(20, 90, 60)
    seen = [np.datetime64("2024-05-06", "s") + np.timedelta64(i // 20, "D") for i in range(60)]
    table = pa.table({"who": [f"p{i}" for i in range(60)], "pay": pay, "seen": seen,
                      "ill": [ILLS[i % 8] for i in range(60)]})  # fmt: skip
    schema = an.Schema(subject="who", quasi="pay", sensitive="ill")
    sticky = an.MInvariance(m=3, mode="sticky", widths={"pay": 5})
    places = {"ledger": tmp_path / "one" / "ledger", "to": tmp_path / "one" / "releases"}
    an.publish(table, schema, sticky, **places)
    feed = an.Schema(subject="who", quasi="pay", sensitive="ill", time="seen")
    boxes = an.Reposition(l=3, window=3, then="generalize", widths={"pay": 5})
    an.open(an.Plan("none.csv", feed, boxes, ledger=tmp_path / "two" / "ledger",
                    releases=tmp_path / "two" / "releases")).push(table)  # fmt: skip
    waiting = an.Ledger.open(tmp_path / "two" / "ledger").feed()
    assert waiting is not None
    assert len(waiting) > 20
    search = Search(pay.tolist())
    assert search.below(tmp_path) == {}
    (tmp_path / "plain.json").write_text(json.dumps([pay[7]]))
    assert search.below(tmp_path) == {"plain.json": {pay[7]}}


class TestKey:
    """The key in a place of its own."""

    @pytest.fixture
    def keys(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("ANACHRON_KEYS", str(tmp_path / "keys"))
        return tmp_path / "keys"

    def test_a_new_ledger_has_its_key_where_keys_are(self, keys: Path, tmp_path: Path) -> None:
        old = os.umask(0)
        try:
            ledger = made("register", tmp_path)
        finally:
            os.umask(old)
        assert not (ledger / "key").exists()
        [key] = keys.iterdir()
        assert key.name == f"{an.Ledger.open(ledger).id}.key"
        assert an.Ledger.open(ledger).key_file == key
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        assert stat.S_IMODE(keys.stat().st_mode) == 0o700
        assert an.Ledger.open(ledger).check() == []

    def test_two_ledgers_have_two_keys(self, keys: Path, tmp_path: Path) -> None:
        found = {an.Ledger.open(tmp_path / name).key for name in ("one", "two")}
        assert len(found) == len(list(keys.iterdir())) == 2

    def test_a_folder_of_keys_in_the_ledger_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANACHRON_KEYS", str(tmp_path / "ledger" / "keys"))
        with pytest.raises(LedgerError, match="is in the ledger"):
            an.Ledger.open(tmp_path / "ledger")
        assert list(tmp_path.iterdir()) == []

    def test_a_key_is_moved_out_and_must_be_named_then(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ledger = made("visits", tmp_path)
        known = an.Ledger.open(ledger)
        moved = known.move_key(tmp_path / "keys")
        assert moved == tmp_path / "keys" / f"{known.id}.key" == known.key_file
        assert not (ledger / "key").exists()
        with pytest.raises(
            LedgerError, match=f"set ANACHRON_KEYS to the folder that holds {known.id}"
        ):
            an.Ledger.open(ledger)
        monkeypatch.setenv("ANACHRON_KEYS", str(tmp_path / "keys"))
        STORIES["visits"].step(tmp_path / "visits", 3)
        assert len(an.Ledger.open(ledger).entries()) == 3
        assert an.Ledger.open(ledger).move_key(tmp_path / "keys") == moved, "it is there already"
        monkeypatch.delenv("ANACHRON_KEYS")
        assert an.Ledger.open(ledger, key=moved).check() == []

    def test_another_key_is_recognised_at_once(self, tmp_path: Path, keys: Path) -> None:
        one, two = (an.Ledger.open(tmp_path / name) for name in ("one", "two"))
        with pytest.raises(LedgerError, match="is not the one this ledger was made with"):
            an.Ledger.open(one.path, key=two.key_file)
        with pytest.raises(LedgerError, match="There is no key at"):
            an.Ledger.open(one.path, key=keys / "none")
        one.key_file.write_bytes(two.key)
        with pytest.raises(LedgerError, match=f"{one.id}.key is not the one"):
            an.Ledger.open(one.path)

    def test_a_key_is_never_moved_over_another(self, tmp_path: Path) -> None:
        ledger = an.Ledger.open(tmp_path / "ledger")
        other = tmp_path / "keys" / f"{ledger.id}.key"
        other.parent.mkdir(mode=0o700)
        other.write_bytes(bytes(32))
        other.chmod(0o600)
        with pytest.raises(LedgerError, match="is another key"):
            ledger.move_key(tmp_path / "keys")
        with pytest.raises(LedgerError, match="is in the ledger"):
            ledger.move_key(tmp_path / "ledger" / "state")
        assert (tmp_path / "ledger" / "key").read_bytes() == ledger.key
        assert other.read_bytes() == bytes(32)

    def test_a_key_that_others_can_read_is_refused(self, tmp_path: Path, keys: Path) -> None:
        ledger = an.Ledger.open(tmp_path / "ledger")
        ledger.key_file.chmod(0o640)
        with pytest.raises(LedgerError, match="chmod -R go-rwx"):
            an.Ledger.open(ledger.path)

    def test_a_key_of_ones_own_is_taken(self, tmp_path: Path) -> None:
        key = tmp_path / "safe" / "key"
        first = an.Ledger.open(tmp_path / "one", key=key)
        assert key.read_bytes() == first.key
        second = an.Ledger.open(tmp_path / "two", key=key)
        assert second.key == first.key
        assert not (tmp_path / "one" / "key").exists()


@pytest.mark.parametrize("old", [False, True])
def test_even_with_the_key_no_bound_is_exact(old: bool, tmp_path: Path) -> None:
    """Nobody who was erased from a register lives on in the bounds of a standing group."""
    root = unpacked("register", tmp_path) if old else made("register", tmp_path).parent
    STORIES["register"].step(root, 3)
    ledger = an.Ledger.open(root / "ledger")
    notes = json.loads(ledger.state(ledger.entries()[-1]).schema.metadata[b"anachron"])
    low, high = (np.array(notes["standing"][end]) for end in ("low", "high"))
    assert len(low) > 10
    assert not (low % 10).any()
    assert not ((high + 1) % 10).any()
