"""What a feed remembers between two pushes: whole, private, and no longer than needed."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from contextlib import suppress
from multiprocessing.queues import Queue
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.errors import InternalError, LedgerBusy, LedgerError
from anachron.ledger import Ledger
from anachron.ledger import feed as memories
from anachron.ledger.feed import Memory
from tests.crash.doom import PROCESSES
from tests.crash.older import make_older
from tests.crash.small import (
    check_feed,
    check_whole,
    contents,
    memory,
    publish,
    push,
    release,
)


def keep(root: Path, table: pa.Table) -> None:
    with Ledger.open(root / "ledger").publishing(root / "releases") as publication:
        publication.keep(table)


def feed_of(root: Path) -> pa.Table | None:
    return Ledger.open(root / "ledger").feed()


def edit(root: Path, script: str) -> None:
    connection = sqlite3.connect(root / "ledger" / "catalog.sqlite")
    connection.executescript(script)
    connection.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A feed with three pushes, of which the second made a release."""
    for number in (1, 2, 3):
        push(tmp_path, number)
    return tmp_path


def test_a_ledger_without_pushes_remembers_no_feed(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    assert feed_of(tmp_path) is None
    with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases") as publication:
        assert publication.feed() is None
        assert publication.push == 1
    assert not (tmp_path / "ledger" / "feed").exists()


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None], pa.timestamp("us", "UTC")),
        pa.array([1, None], pa.timestamp("s")),
        pa.array([1, None], pa.timestamp("ns", "Europe/Rome")),
        pa.array([0, None], pa.date64()),
        pa.array([1, None], pa.time32("s")),
        pa.array(["a", None], pa.large_string()),
        pa.array(["a", None]).dictionary_encode(),
        pa.array([b"a" * 32, None], pa.binary(32)),
        pa.array([0.1, float("inf")]),
        pa.array(["1.50", None]).cast(pa.decimal128(9, 2)),
        pa.array([2**63, None], pa.uint64()),
        pa.array([True, None]),
        pa.nulls(2),
        pa.array([], pa.int64()),
    ],
    ids=lambda column: f"{column.type}-{len(column)}",
)
def test_records_come_back_as_they_were(tmp_path: Path, column: pa.Array) -> None:
    field = pa.field("é", column.type, metadata={"role": "quasi"})
    table = pa.table([column], pa.schema([field], metadata={"anachron": '{"window": [1, 2]}'}))
    keep(tmp_path, table)
    found = feed_of(tmp_path)
    assert found is not None
    assert found.equals(table, check_metadata=True)
    assert found.schema.equals(table.schema, check_metadata=True)
    with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases") as publication:
        again = publication.feed()
    assert again is not None
    assert again.schema.metadata == table.schema.metadata


def test_a_push_may_make_no_release(tmp_path: Path) -> None:
    push(tmp_path, 1)
    assert Ledger.open(tmp_path / "ledger").entries() == []
    assert not (tmp_path / "releases").exists()
    assert check_feed(tmp_path, 1) == 1


def test_a_push_and_its_release_are_recorded_together(root: Path) -> None:
    push(root, 4)
    assert [entry.number for entry in Ledger.open(root / "ledger").entries()] == [1, 2]
    assert check_feed(root, 4) == 4


def test_a_release_beside_the_feed_leaves_its_memory_alone(root: Path) -> None:
    publish(root, 9)
    assert feed_of(root) == memory(3)
    assert check_whole(root, 2) == 2


def test_only_the_newest_records_are_kept(root: Path) -> None:
    assert [path.name for path in (root / "ledger" / "feed").iterdir()] == ["0003.encrypted"]
    assert feed_of(root) == memory(3)


def test_what_was_staged_for_a_push_without_release_is_removed(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases") as publication:
        (publication.stage() / "data.parquet").write_bytes(b"half")
        publication.keep(memory(1))
    assert list((tmp_path / "releases").iterdir()) == []
    assert check_feed(tmp_path, 1) == 1


def test_a_publication_is_decided_once(root: Path) -> None:
    ledger = Ledger.open(root / "ledger")
    with ledger.publishing(root / "releases") as publication:
        publication.keep(memory(4))
        with pytest.raises(InternalError, match="commits once"):
            publication.keep(memory(5))
        with pytest.raises(InternalError, match="commits once"):
            publication.commit(snapshot="s", plan={}, files={}, state=None, explanation={})
    assert feed_of(root) == memory(4)
    with ledger.publishing(root / "releases") as publication:
        release(publication, 2, feed=memory(5))
        with pytest.raises(InternalError, match="commits once"):
            publication.keep(memory(6))
    assert feed_of(root) == memory(5)


def test_leaving_without_a_decision_leaves_no_trace(root: Path) -> None:
    before = contents(root)
    ledger = Ledger.open(root / "ledger")
    with suppress(KeyboardInterrupt), ledger.publishing(root / "releases") as publication:
        assert publication.feed() == memory(3)
        publication.stage()
        raise KeyboardInterrupt
    assert contents(root) == before


@pytest.mark.parametrize("begun", [False, True])
def test_a_commit_that_fails_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    if begun:
        push(tmp_path, 1)
    Ledger.open(tmp_path / "ledger")
    before = contents(tmp_path)
    written: list[str] = []

    def fail(_catalog: object, memory: Memory) -> None:
        written.extend(path.name for path in (tmp_path / "ledger" / "feed").iterdir())
        raise LedgerError("The disk is full.")

    monkeypatch.setattr("anachron.ledger.catalog.Catalog.remember", fail)
    for attempt in (lambda p: p.keep(memory(2)), lambda p: release(p, 1, feed=memory(2))):
        with (
            pytest.raises(LedgerError, match="full"),
            Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases") as publication,
        ):
            attempt(publication)
        found = contents(tmp_path)
        assert {name for name in found if "sqlite" not in name} == {
            name for name in before if "sqlite" not in name
        }
    assert f"{1 + begun:04d}.encrypted" in written
    monkeypatch.undo()
    assert check_feed(tmp_path, int(begun)) == int(begun)


def test_an_old_ledger_learns_to_remember_feeds(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    make_older(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger", create=False)
    assert (ledger.feed(), ledger.check(), ledger.recover()) == (None, [], [])
    keep(tmp_path, memory(1))
    assert feed_of(tmp_path) == memory(1)
    assert check_whole(tmp_path, 1) == 1


def open_old(root: Path, answers: Queue[int]) -> None:
    entries = None
    while entries is None:
        with suppress(LedgerBusy):  # on a slow machine a migration may take long
            entries = Ledger.open(root / "ledger").entries()
    answers.put(len(entries))


def test_an_old_ledger_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    for _ in range(5):
        make_older(tmp_path, 1)
        answers: Queue[int] = PROCESSES.Queue()
        openers = [
            PROCESSES.Process(target=open_old, args=(tmp_path, answers)) for _opener in range(4)
        ]
        for opener in openers:
            opener.start()
        assert [answers.get(timeout=60) for _ in openers] == [1] * 4
        for opener in openers:
            opener.join()


def test_the_memory_belongs_to_its_owner_alone(root: Path) -> None:
    folder = root / "ledger" / "feed"
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for part in (folder, file):
        mode = part.stat().st_mode
        part.chmod(mode | 0o040)
        with pytest.raises(LedgerError, match="chmod -R go-rwx"):
            Ledger.open(root / "ledger")
        part.chmod(mode)
    file.rename(root / "elsewhere")
    file.symlink_to(root / "elsewhere")
    with pytest.raises(LedgerError, match="not a plain file"):
        Ledger.open(root / "ledger")


@pytest.mark.parametrize("lost", ["feed", "feed/0003.encrypted"])
def test_lost_records_are_noticed(root: Path, lost: str) -> None:
    target = root / "ledger" / lost
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    ledger = Ledger.open(root / "ledger")
    (problem,) = ledger.check()
    assert "0003.encrypted is missing" in problem
    for use in (ledger.feed, ledger.recover, lambda: push(root, 4), lambda: publish(root, 9)):
        with pytest.raises(LedgerError, match=r"0003\.encrypted is missing\. Restore"):
            use()


def test_altered_records_are_refused(root: Path) -> None:
    file = root / "ledger" / "feed" / "0003.encrypted"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    ledger = Ledger.open(root / "ledger")
    (problem,) = ledger.check()
    assert "0003.encrypted is damaged" in problem
    for use in (ledger.feed, lambda: push(root, 4)):
        with pytest.raises(LedgerError, match=r"0003\.encrypted is damaged"):
            use()
    file.write_bytes(bytes(content[:40]))
    with pytest.raises(LedgerError, match=r"0003\.encrypted is damaged"):
        ledger.feed()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM feed",
        "DROP TABLE feed",
        "UPDATE feed SET push = 2",
        "UPDATE feed SET push = 'x'",
        "UPDATE feed SET push = 3.5",
        "UPDATE feed SET digest = lower(hex(randomblob(32)))",
        "UPDATE feed SET digest = CAST(digest AS BLOB)",
        "INSERT INTO feed SELECT * FROM feed",
        "INSERT INTO feed VALUES (4, 'x')",
        "PRAGMA user_version = 1",
        "DROP TABLE feed; PRAGMA user_version = 1",
    ],
)
def test_an_edited_catalog_is_refused(root: Path, statement: str) -> None:
    edit(root, statement)
    with pytest.raises(LedgerError):
        Ledger.open(root / "ledger")


def test_a_memory_that_was_never_recorded_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    edit(tmp_path, "INSERT INTO feed VALUES (1, 'x')")
    with pytest.raises(LedgerError, match="seal is broken"):
        Ledger.open(tmp_path / "ledger")


def test_records_of_an_earlier_push_are_reported_and_removed(root: Path) -> None:
    old = root / "ledger" / "feed" / "0002.encrypted"
    old.write_bytes(b"old records")
    old.chmod(0o600)
    ledger = Ledger.open(root / "ledger")
    assert ledger.check() == [f"{old} holds records that the feed no longer needs: recover."]
    assert ledger.recover() == [f"Removed {old}, which the feed does not need."]
    assert check_feed(root, 3) == 3


def test_an_older_ledger_is_refused_beside_newer_releases(root: Path) -> None:
    shutil.copytree(root / "ledger", root / "backup")
    push(root, 4)
    shutil.rmtree(root / "ledger")
    (root / "backup").rename(root / "ledger")
    before = contents(root)
    for use in (lambda: push(root, 4), lambda: keep(root, memory(4))):
        with pytest.raises(LedgerError, match="older than the releases"):
            use()
    (problem,) = Ledger.open(root / "ledger").check()
    assert "older than the releases" in problem
    assert contents(root) == before


@pytest.mark.parametrize(
    ("pushes", "later", "complaint"), [(0, 2, "newer than the catalog"), (1, 1, "missing")]
)
def test_an_older_catalog_is_refused_beside_newer_records(
    tmp_path: Path, pushes: int, later: int, complaint: str
) -> None:
    """No release tells, but to go on would remove the newer records."""
    catalog = tmp_path / "ledger" / "catalog.sqlite"
    Ledger.open(tmp_path / "ledger")
    for number in range(pushes):
        keep(tmp_path, memory(number))
    old = catalog.read_bytes()
    for number in range(pushes, pushes + later):
        keep(tmp_path, memory(number))
    catalog.write_bytes(old)
    before = contents(tmp_path / "ledger" / "feed")
    ledger = Ledger.open(tmp_path / "ledger")
    for use in (ledger.recover, lambda: keep(tmp_path, memory(9))):
        with pytest.raises(LedgerError, match=complaint):
            use()
    assert len(ledger.check()) == 1
    assert contents(tmp_path / "ledger" / "feed") == before


def test_a_reader_follows_a_push_that_comes_in_between(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = memories.read

    def late(ledger: Path, known: Memory, key: bytes) -> pa.Table:
        monkeypatch.setattr(memories, "read", real)
        push(root, 4)
        return real(ledger, known, key)

    for look in (Ledger.feed, Ledger.check):
        shutil.rmtree(root / "copy", ignore_errors=True)
        shutil.copytree(root / "ledger", root / "copy" / "ledger")
        shutil.copytree(root / "releases", root / "copy" / "releases")
        monkeypatch.setattr(memories, "read", late)
        found = look(Ledger.open(root / "ledger"))
        assert found in (memory(4), [])
        for part in ("ledger", "releases"):
            shutil.rmtree(root / part)
            (root / "copy" / part).rename(root / part)
