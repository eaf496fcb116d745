"""A ledger that an earlier version made is encrypted, and goes on as if nothing had happened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import LedgerError
from anachron.guarantees import from_dict
from anachron.release import Release
from tests.crash.doom import killed_at
from tests.crash.small import contents
from tests.daily import daily
from tests.ledger.old import unpacked
from tests.ledger.stories import ILLS, STORIES
from tests.ledger.thief import copied, words_found


def opened(root: Path) -> an.Ledger:
    return an.Ledger.open(root / "ledger", create=False)


def format_of(root: Path) -> int:
    with closing(sqlite3.connect(root / "ledger" / "catalog.sqlite")) as catalog:
        return int(catalog.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("name", STORIES)
def test_the_next_release_is_the_one_that_it_would_have_been(name: str, tmp_path: Path) -> None:
    root, story = unpacked(name, tmp_path), STORIES[name]
    story.step(root, story.steps + 1)
    expected = sorted((root / "expected").iterdir())
    assert [folder.name for folder in expected] == ["0003"]
    [new] = expected
    made = root / "releases" / "0003"
    for file in new.glob("*.csv"):
        assert (made / file.name).read_bytes() == file.read_bytes()
    for file in new.glob("*.parquet"):  # their bytes depend on the version of the library
        assert pq.read_table(made / file.name).equals(pq.read_table(file))
    facts = [Release(folder).description["anachron"] for folder in (made, new)]
    promises = [from_dict(one.pop("guarantee")) for one in facts]
    assert promises[0] == promises[1]
    assert facts[0] == facts[1]
    assert opened(root).check() == []


@pytest.mark.parametrize("name", STORIES)
def test_nothing_in_clear_remains(name: str, tmp_path: Path) -> None:
    root, story = unpacked(name, tmp_path), STORIES[name]
    words = [*ILLS, "granularity", "invariance", "reposition", "patterns", "schema", '"who"']
    assert words_found(root / "ledger", words), "without this, finding nothing means nothing"
    with closing(sqlite3.connect(root / "ledger" / "catalog.sqlite")) as catalog:
        digests = [row[0] for row in catalog.execute("SELECT snapshot FROM release")]
    story.step(root, story.steps + 1)
    assert {file.suffix for file in copied(root / "ledger")} == {".sqlite", ".encrypted"}
    assert words_found(root / "ledger", [*words, *digests]) == set()


@pytest.mark.parametrize("name", STORIES)
def test_what_was_remembered_is_read_back(name: str, tmp_path: Path) -> None:
    root = unpacked(name, tmp_path)
    before = {file.stem: pq.read_table(file) for file in (root / "ledger" / "state").iterdir()}
    waiting = [pq.read_table(file) for file in (root / "ledger").glob("feed/*")]
    ledger = opened(root)
    for entry in ledger.entries():
        state = ledger.state(entry).table()
        plain = before[entry.path.name].cast(state.schema)
        assert state.equals(plain, check_metadata=True)
        assert state.schema.metadata == before[entry.path.name].schema.metadata
        assert entry.plan["schema"] == STORIES[name].schema.to_dict()
        assert entry.explanation["method"] == STORIES[name].promise.method
    assert len(before) == len(ledger.entries()) == 2
    feed = ledger.feed()
    assert (feed is None) == (not waiting)
    if feed is not None:
        assert feed.equals(waiting[0], check_metadata=True)


@pytest.mark.parametrize("name", daily(["register", "anatomy"], "register"))
def test_a_kill_while_it_is_encrypted_leaves_a_ledger_that_works(name: str, tmp_path: Path) -> None:
    step, killed = 0, True
    while killed:
        step += 1
        root = unpacked(name, tmp_path / str(step))
        killed = killed_at(step, opened, root)
        ledger = opened(root)
        ledger.recover()
        assert ledger.check() == []
        assert not list(root.glob("ledger/*/*.parquet"))
        assert words_found(root / "ledger", ILLS) == set()
    assert step > 15


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE release SET plan = '{}' WHERE number = 2",
        "UPDATE release SET number = 3 WHERE number = 2",
        "UPDATE release SET exposed = 'yes' WHERE number = 1",
        "DELETE FROM release WHERE number = 2",
        "UPDATE ledger SET releases = 1",
        "DELETE FROM ledger",
        "DELETE FROM feed",
        "UPDATE span SET until = until + 1",
    ],
)
def test_damage_is_not_written_again_as_if_it_were_whole(statement: str, tmp_path: Path) -> None:
    root = unpacked("visits" if "span" in statement else "anatomy", tmp_path)
    with closing(sqlite3.connect(root / "ledger" / "catalog.sqlite")) as catalog, catalog:
        catalog.execute(statement)
    before = contents(root)
    with pytest.raises(LedgerError, match="damaged"):
        opened(root)
    assert contents(root) == before
    assert format_of(root) == 3


@pytest.mark.parametrize("part", ["state/0001.parquet", "feed/0004.parquet"])
def test_a_file_that_was_altered_before_is_refused(part: str, tmp_path: Path) -> None:
    root = unpacked("anatomy", tmp_path)
    file = root / "ledger" / part
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(LedgerError, match=r"is damaged\. Restore"):
        opened(root)
    assert format_of(root) == 3
    file.unlink()
    with pytest.raises(LedgerError, match=r"is missing\. Restore"):
        opened(root)
