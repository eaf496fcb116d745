"""Two publishers on one ledger: one wins, the other gets a clear answer; readers go on."""

from __future__ import annotations

from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from anachron.errors import AlreadyPublished, LedgerBusy
from anachron.ledger import Ledger
from anachron.ledger.catalog import Catalog
from tests.crash.doom import PROCESSES
from tests.crash.small import check_whole, publish


def attempt(root: Path, number: int, answers: Queue[tuple[int, str]]) -> None:
    try:
        answers.put((number, publish(root, number).name))
    except LedgerBusy as busy:
        answers.put((number, str(busy)))


def race(root: Path, runners: int) -> dict[int, str]:
    answers: Queue[tuple[int, str]] = PROCESSES.Queue()
    processes = [
        PROCESSES.Process(target=attempt, args=(root, number, answers))
        for number in range(1, runners + 1)
    ]
    for process in processes:
        process.start()
    found = dict(answers.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()
    return found


def test_while_one_publishes_the_other_is_told_to_wait(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    with ledger.publishing(tmp_path / "releases") as publication:
        publication.stage()
        with pytest.raises(LedgerBusy, match="Another publisher is at work") as busy:
            publish(tmp_path, 2)
        assert str(tmp_path / "ledger") in str(busy.value)
        with pytest.raises(LedgerBusy):
            ledger.recover()
    assert check_whole(tmp_path, 1) == 1


def test_readers_go_on_while_one_publishes(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    with ledger.publishing(tmp_path / "releases") as publication:
        publication.stage()
        reader = Ledger.open(tmp_path / "ledger", create=False)
        assert [entry.number for entry in reader.entries()] == [1]
        assert reader.find("snapshot 1") == ledger.entries()[0]
        assert reader.check() == []


@pytest.mark.parametrize("turn", range(3))
def test_in_a_race_each_release_is_made_once(tmp_path: Path, turn: int) -> None:
    if turn:
        Ledger.open(tmp_path / "ledger")  # else the making of the ledger is part of the race
    answers = race(tmp_path, 4)
    won = {number: answer for number, answer in answers.items() if answer.isdigit()}
    assert won
    for number in set(answers) - set(won):
        assert "Another publisher is at work" in answers[number]
    assert sorted(won.values()) == [f"{n:04d}" for n in range(1, len(won) + 1)]
    assert check_whole(tmp_path, len(won)) == len(won)


def test_a_snapshot_is_committed_once(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    with (
        ledger.publishing(tmp_path / "releases") as publication,
        pytest.raises(AlreadyPublished, match="published before"),
    ):
        publication.commit(snapshot="snapshot 1", plan={}, files={}, state=None, explanation={})
    assert check_whole(tmp_path, 1) == 1


def test_a_reader_sees_the_ledger_at_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    real = Catalog._head

    def slow_head(catalog: Catalog) -> object:
        found = real(catalog)
        monkeypatch.setattr(Catalog, "_head", real)
        publish(tmp_path, 2)
        return found

    monkeypatch.setattr(Catalog, "_head", slow_head)
    assert [entry.number for entry in ledger.entries()] == [1]
    assert [entry.number for entry in ledger.entries()] == [1, 2]
